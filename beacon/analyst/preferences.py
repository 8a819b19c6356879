"""How a reader wants reports and answers: read from the words of their preferences document."""

import re
from dataclasses import dataclass
from typing import Literal

Verbosity = Literal["low", "medium", "high"]
CitationStyle = Literal["numbered", "inline", "footnotes"]
Layout = Literal["prose", "bullets"]

_LINE = r"(?:^|[\n.;•*-])\s*(?:preferred\s+|report\s+)?{name}\s*[:=]\s*(?P<value>[^\n]*?)(?=\.\s|[\n]|\.?$)"
_LOW = re.compile(r"\b(?:low|brief|concise|short|terse|minimal|succinct)\b", re.I)
_HIGH = re.compile(r"\b(?:high|detailed|verbose|long|thorough|in[- ]depth|comprehensive|full)\b", re.I)
_FOOTNOTES = re.compile(r"\b(?:foot|end)notes?\b", re.I)
_INLINE_URL = re.compile(r"\b(?:urls?|links?|hyperlinks?)\b", re.I)
_BULLETS = re.compile(r"\b(?:bullets?|bullet(?:ed)? (?:points?|list)|lists?)\b", re.I)


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a report or an answer obeys."""

    verbosity: Verbosity = "medium"
    citation_style: CitationStyle = "numbered"
    layout: Layout = "prose"
    frameworks: tuple[str, ...] = ()


def read_preferences(text: str) -> Preferences:
    """The preferences that a document in plain words states; what it does not state stays at its default.

    A document that says preferences are not yet established sets no frameworks: nobody asked for them.
    """
    open_yet = "not yet established" in text.lower()
    verbosity, style = _value(text, "verbosity"), _value(text, "citation style|citations?")
    layout, frameworks = _value(text, "format|layout"), _value(text, "frameworks?")
    return Preferences(
        verbosity=_verbosity(verbosity or ("" if open_yet else text)),
        citation_style=_style(style or ("" if open_yet else text), stated=bool(style)),
        layout="bullets" if _BULLETS.search(layout or ("" if open_yet else text)) else "prose",
        frameworks=() if open_yet else tuple(one.strip(" .") for one in re.split(r",|\band\b|;", frameworks) if one.strip(" .")),
    )


def _value(text: str, name: str) -> str:
    found = re.search(_LINE.format(name=f"(?:{name})"), text, re.I)
    return found["value"].strip() if found else ""


def _verbosity(words: str) -> Verbosity:
    first = words.split("-")[0] if words.split("-")[0].strip() else words
    if _LOW.search(first):
        return "low"
    return "high" if _HIGH.search(first) else "medium"


def _style(words: str, *, stated: bool) -> CitationStyle:
    if _FOOTNOTES.search(words):
        return "footnotes"
    return "inline" if stated and _INLINE_URL.search(words) else "numbered"
