"""Text from sources as Markdown shows it: no markup of its own, no live HTML, no link it chose."""

import re

_URL = re.compile(r"^https?://[^\s<>\"]+$")
_TAG = re.compile(r"<(?=[a-zA-Z!/?])")
_SPACE = re.compile(r"\s+")


def plain(text: str) -> str:
    """`text` on one line, unable to open a tag or a link."""
    flat = _SPACE.sub(" ", text).strip()
    return _TAG.sub("&lt;", flat).replace("](", "]\\(").replace("][", "]\\[").replace("`", "'")


def quoted(text: str) -> str:
    """`text` in quotation marks."""
    return f"“{plain(text)}”"


def link(title: str, url: str) -> str:
    """A link to a web address; any other address stands as text beside the title."""
    name = plain(title).replace("[", "\\[").replace("]", "\\]")
    if _URL.match(url):
        return f"[{name}]({url.replace('(', '%28').replace(')', '%29')})"
    return f"{name} ({plain(url)})" if url and url != title else name


def site(url: str) -> str:
    """The host a web address names, without www; the address itself where it is no web address."""
    found = re.match(r"https?://(?:www\.)?([^/\s:?#]+)", url)
    return found.group(1) if found else plain(url)
