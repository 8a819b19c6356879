"""How a reader wants reports and answers: read statement by statement from the words of their preferences document."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from beacon.analyst.sentences import split_sentences
from beacon.analyst.tokens import fold
from beacon.analyst.wishes import wish_topic

Verbosity = Literal["low", "medium", "high"]
CitationStyle = Literal["numbered", "inline", "footnotes"]
Layout = Literal["prose", "bullets"]

_LABEL = re.compile(r"^(?P<label>[^:=“\"\n]{2,40})\s*[:=]\s*(?P<value>\S.*)$", re.S)
_LABELS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("verbosity", re.compile(r"\b(?:verbosity|length|level of detail|detail|ausführlichkeit|länge|longueur|longitud|lunghezza)\b", re.I)),
    ("layout", re.compile(r"\b(?:layout|format|formatting|style of (?:text|reports)|aufbau|mise en page|formato)\b", re.I)),
    ("citation", re.compile(r"\b(?:citations?|citation style|references?|quellenangaben|zitierweise|citas|citazioni)\b", re.I)),
    ("frameworks", re.compile(r"\b(?:frameworks?|lenses|rahmenwerke|cadres|marcos)\b", re.I)),
    ("language", re.compile(r"\b(?:language|sprache|langue|idioma|lingua|taal|język|язык|语言|語言|言語)(?!\w)", re.I)),
)
_LOW = re.compile(
    r"\b(?:low|brief|concise|short(?:er)?|terse|minimal|succinct|less detail|kurz\w*|knapp\w*|brefs?|brève?s?|concis\w*|"
    r"courte?s?|brev[ei]\w*|"
    r"cort[oaei]s?|curt[oa]s?|кратк\w*)\b|to the point|简短|简洁|簡潔|短く",
    re.I,
)
_HIGH = re.compile(
    r"\b(?:high|detailed|verbose|long(?:er)?|thorough|in[- ]depth|comprehensive|full|more detail|ausführlich\w*|detailliert\w*|"
    r"détaillée?s?|detallad[oa]s?|dettagliat\w*|detalhad[oa]s?|подробн\w*)\b|详细|詳しく|詳細",
    re.I,
)
_FOOTNOTES = re.compile(r"\b(?:foot|end)notes?\b|\bfußnoten?\b|notes? de bas de page|notas? (?:al pie|de rodapé)|note a piè", re.I)
_INLINE_URL = re.compile(r"\b(?:urls?|links?|hyperlinks?)\b", re.I)
_NUMBERED = re.compile(r"\bnumber(?:ed|s)\b", re.I)
_CITES = re.compile(r"\b(?:cit\w+|sources?|references?|quell\w+)\b", re.I)
_BULLETS = re.compile(
    r"\b(?:bullets?|bullet(?:ed)? (?:points?|list)|lists?|stichpunkte?\w*|aufzählung\w*|puces|viñetas|elenchi puntati|marcadores)\b"
    r"|要点列表|箇条書き",
    re.I,
)
_PROSE = re.compile(r"\b(?:prose|running text|paragraphs?|full sentences|fließtext|prosa)\b", re.I)
_NOT = re.compile(
    r"\b(?:no|not|never|avoid|without|dislike|hate|stop|keine?|nicht|nie|pas|sans|jamais|nunca|sin|non|senza|não|sem|не)\b|n['’]t\b|不要|别",
    re.I,
)
_IN_LANGUAGE = re.compile(r"\b(?:in|auf|en|in het|em)\s+(?P<name>[^\W\d_]{4,12})\b", re.I)
_WRITES = re.compile(
    r"\b(?:write|answer|report|reports|answers|reply|schreib\w*|antwort\w*|berichte?|écri\w+|répon\w+|escrib\w+|scriv\w+)\b", re.I
)
_LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys(("english", "englisch", "anglais", "inglés", "inglese", "inglês"), "en"),
    **dict.fromkeys(("german", "deutsch", "allemand", "alemán", "tedesco", "alemão"), "de"),
    **dict.fromkeys(("french", "französisch", "français", "francés", "francese", "francês"), "fr"),
    **dict.fromkeys(("spanish", "spanisch", "espagnol", "español", "spagnolo", "espanhol"), "es"),
    **dict.fromkeys(("italian", "italienisch", "italien", "italiano"), "it"),
    **dict.fromkeys(("portuguese", "portugiesisch", "portugais", "portugués", "português", "portoghese"), "pt"),
    **dict.fromkeys(("dutch", "niederländisch", "nederlands", "néerlandais"), "nl"),
}
_PLACEHOLDER = re.compile(r"\bnot yet established\b|^no preferences were stated\b|^default settings", re.I)


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a report or an answer obeys."""

    verbosity: Verbosity = "medium"
    citation_style: CitationStyle = "numbered"
    layout: Layout = "prose"
    frameworks: tuple[str, ...] = ()
    language: str = ""  # of headings; empty: as Beacon writes them


def read_preferences(text: str) -> Preferences:
    """The preferences that a document in plain words states; of two that differ the later one holds.

    A document that says preferences are not yet established sets nothing: what follows there are defaults nobody asked for.
    """
    if "not yet established" in text.lower():
        return Preferences()
    found: dict[str, str] = {}
    for statement in statements_of(text):
        found |= read_statement(statement)
    return Preferences(
        verbosity=found.get("verbosity", "medium"),  # type: ignore[arg-type]
        citation_style=found.get("citation", "numbered"),  # type: ignore[arg-type]
        layout=found.get("layout", "prose"),  # type: ignore[arg-type]
        frameworks=tuple(filter(None, found.get("frameworks", "").split("\n"))),
        language=found.get("language", ""),
    )


def statements_of(text: str) -> list[str]:
    """The statements of a document in order, without its bullets."""
    return [text[start:end] for start, end in split_sentences(text)]


def read_statement(statement: str) -> dict[str, str]:
    """What one statement settles: of verbosity, layout, citation, frameworks and language."""
    plain = statement.strip().lstrip("-*+• ")
    if wish_topic(plain) or _PLACEHOLDER.search(plain) or plain.startswith("For “"):
        return {}
    label = _LABEL.match(plain)
    if label is None:
        return _read_free(plain)
    kind = next((name for name, form in _LABELS if form.search(label["label"])), "")
    return _READERS[kind](label["value"].strip()) if kind else {}


def _read_free(plain: str) -> dict[str, str]:
    found = {**_verbosity(plain), **_layout(plain)}
    if _CITES.search(plain) or _FOOTNOTES.search(plain):
        found |= {name: value for name, value in _citation(plain).items() if value != "numbered" or _NUMBERED.search(plain)}
    if _WRITES.search(plain) and (named := _IN_LANGUAGE.search(plain)):
        found |= _language(named["name"])
    return found


def _is_negated(words: str, cue: re.Match[str]) -> bool:
    return _NOT.search(words, 0, cue.start()) is not None


def _verbosity(words: str) -> dict[str, str]:
    first = words.split(" - ")[0] if words.split(" - ")[0].strip() else words
    for form, value, other in ((_LOW, "low", "high"), (_HIGH, "high", "low")):
        if cue := form.search(first):
            return {"verbosity": other if _is_negated(first, cue) else value}
    return {"verbosity": "medium"} if re.search(r"\bmedium\b|\bmittel\b", first, re.I) else {}


def _layout(words: str) -> dict[str, str]:
    if cue := _BULLETS.search(words):
        return {"layout": "prose" if _is_negated(words, cue) else "bullets"}
    return {"layout": "prose"} if _PROSE.search(words) else {}


def _citation(words: str) -> dict[str, str]:
    if (cue := _FOOTNOTES.search(words)) and not _is_negated(words, cue):
        return {"citation": "footnotes"}
    if (cue := _INLINE_URL.search(words)) and not _is_negated(words, cue):
        return {"citation": "inline"}
    return {"citation": "numbered"}


def _frameworks(words: str) -> dict[str, str]:
    names = [one.strip(" .") for one in re.split(r",|\band\b|;|、|，", words)]
    named = [name for name in names if name and name.lower() not in ("none", "no", "keine", "aucun")]
    return {"frameworks": "\n".join(named)}


def _language(words: str) -> dict[str, str]:
    first = fold(words).strip(" .").split(" ")[0]
    code = _LANGUAGES.get(first) or (first.split("-")[0] if re.fullmatch(r"[a-z]{2}(?:-[a-z]{2})?", first) else "")
    return {"language": code} if code else {}


_READERS = {"verbosity": _verbosity, "layout": _layout, "citation": _citation, "frameworks": _frameworks, "language": _language}


def preference_topic(statement: str) -> str:
    """What one statement settles, so that a newer one takes its place; empty where it settles nothing or several things."""
    settled = sorted(read_statement(statement))
    return wish_topic(statement) or (f"preference {settled[0]}" if len(settled) == 1 else "")
