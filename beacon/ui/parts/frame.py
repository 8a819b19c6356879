"""What stands around every page: the navigation, the search box, the workspace, and what is not well."""

from typing import Any

import streamlit as st

from beacon.ui import folders
from beacon.ui.session import beacon, call
from beacon.ui.text import plain

# section → (file, title, icon, what it is for)
MENU: dict[str, tuple[tuple[str, str, str], ...]] = {
    "": (
        ("home", "Home", ":material/home:"),
        ("topics", "Topics", ":material/radar:"),
    ),
    "Think": (
        ("chat", "Chat", ":material/forum:"),
        ("insights", "Insights", ":material/lightbulb:"),
    ),
    "Know": (
        ("memory", "Memory", ":material/psychology:"),
        ("graph", "Graph", ":material/hub:"),
    ),
    "System": (
        ("activity", "Activity", ":material/history:"),
        ("settings", "Settings", ":material/settings:"),
    ),
}
HIDDEN = (("search", "Search", ":material/search:"),)


def _make(file: str, title: str, icon: str) -> Any:
    home = file == "home"
    path = folders.PAGES / f"{file}.py"
    hidden = any(file == name for name, _, _ in HIDDEN)
    return st.Page(path, title=title, icon=icon, url_path="" if home else file, default=home, visibility="hidden" if hidden else "visible")


def pages() -> dict[str, list[Any]]:
    """The menu: every page whose file is there, in its section."""
    found = {section: [_make(*row) for row in rows if _there(row[0])] for section, rows in MENU.items()}
    found[""] += [_make(*row) for row in HIDDEN if _there(row[0])]
    return {section: rows for section, rows in found.items() if rows}


def _there(file: str) -> bool:
    return (folders.PAGES / f"{file}.py").is_file()


def path_of(name: str) -> str:
    """The file of a page, as `st.switch_page` and `st.page_link` take it."""
    return str(folders.PAGES / f"{name}.py")


def sidebar(current: Any) -> None:
    """The search box over all sources and the workspace's name."""
    if "searched" not in st.session_state and "q" in st.query_params:  # a deep link: the box shows what the page answers
        st.session_state["searched"] = st.session_state["search_everything"] = str(st.query_params["q"]).strip()
    with st.sidebar:
        asked = st.text_input(
            "Search", key="search_everything", placeholder="Search all sources", icon=":material/search:", label_visibility="collapsed"
        )
        _go_search(current, asked)
        _workspace()


def _go_search(current: Any, asked: str) -> None:
    """To the results once for each new question."""
    asked = asked.strip()
    if asked == st.session_state.get("searched", ""):
        return
    st.session_state["searched"] = asked
    if asked:
        st.switch_page(path_of("search"), query_params={"q": asked})


def _workspace() -> None:
    projects = call("project_list")
    if len(projects) < 2:
        return
    st.session_state["workspace_choice"] = next(project["name"] for project in projects if project["current"])
    st.selectbox("Workspace", [project["name"] for project in projects], key="workspace_choice", on_change=_open_chosen)


def _open_chosen() -> None:
    st.session_state["workspace"] = st.session_state["workspace_choice"]


def title(text: str, caption: str = "", icon: str | None = None) -> None:
    """The head of a page: its title and one quiet line. `text` may come from anywhere, `caption` is Markdown."""
    st.title(plain(text), anchor=False, icon=icon)
    if caption:
        st.caption(caption)


def topic_link(slug: str, label: str, icon: str | None = None) -> None:
    """A link to a topic's page; `label` is Markdown."""
    st.page_link(path_of("topics"), label=label, icon=icon, query_params={"slug": slug}, width="content")


def topic_crumb() -> None:
    """The way back from one topic to all of them."""
    st.page_link(path_of("topics"), label=":small[All topics]", icon=":material/arrow_back:", width="content")


def user() -> str:
    """Whose memory the pages show."""
    return str(beacon().workspace.user_id)
