"""Data folders for page tests: a small topic that has run twice, and the way a page is opened over it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from streamlit.testing.v1 import AppTest

from beacon.bootstrap import open_beacon
from beacon.ui import folders, session

FIRST = "Plant status\n\nThe plant in Lund employs 120 people. It opened in 2019.\n"
SECOND = "Plant status\n\nThe plant in Lund employs 340 people. It opened in 2019. A second line starts in May.\n"
HOSTILE = '<img src=x onerror="alert(1)"> :red[loud] [free](http://evil.example) $x^2$'
SLUG = "lund-plant"


def two_runs(home: Path) -> None:
    """Fill `home` with a topic over one page that changed between two runs."""
    reading = home.parent / f"{home.name}-reading"
    reading.mkdir(parents=True)
    page = reading / "status.md"
    beacon = open_beacon(home=str(home))
    try:
        beacon.call("topic_add", title="Lund plant", folders=[str(reading)], queries=["How many people work there?"])
        for text in (FIRST, SECOND):
            page.write_text(text, encoding="utf-8")
            run = beacon.call("run_start", slug=SLUG)["run_id"]
            ended = beacon.call("run_wait", run=run, timeout_s=60)
            assert ended["status"] == "done", ended["error"]
    finally:
        beacon.close()


@contextmanager
def opened_page(page: str, **query: str) -> Iterator[AppTest]:
    """The page, run once, over the data folder that BEACON_HOME names; Beacon is closed at the end."""
    app = AppTest.from_file(str(folders.MAIN), default_timeout=30)
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(str(folders.PAGES / f"{page}.py"))
    try:
        yield app.run()
    finally:
        session.close_all()


def words(app: AppTest) -> str:
    """All text on the page, in one."""
    found = [*app.title, *app.header, *app.subheader, *app.markdown, *app.caption, *app.error, *app.success]
    return "\n".join(str(one.value) for one in found)
