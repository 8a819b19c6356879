"""Where sentences begin and end, in any script, as offsets into the text they were found in."""

import re

from beacon.analyst.tokens import UNSPACED

_STOPS = ".!?…"
_FULL_STOPS = "。！？｡؟۔।॥՜።"
_CLOSERS = "\"'”’»›)\\]}」』】）*_"
# A Latin stop counts only before white space; a full-width or danda stop needs none.
_BREAK = re.compile(rf"[{_STOPS}]+[{_CLOSERS}]*(?=\s|$|\[\d)(?:\[\d{{1,3}}\])*|[{_FULL_STOPS}]+[{_CLOSERS}]*|\n|\s[•▪●◦‣](?=\s)")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«]+$")
_LEAD = re.compile(r"(?:\s+|[-*+•▪●◦‣–—]\s+|#{1,6}\s+|>\s?|\d{1,3}[.)]\s+|[a-zA-Z][)]\s+|\[[ xX]\]\s+)+")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\.?$")
_ITEM = re.compile(r"\s*(?:[-*+•▪●◦‣–—]\s|\d{1,3}[.)]\s|[a-zA-Z][.)]\s|\||#)")
_LABEL = re.compile(r"[^\W\d_][\w.-]{1,40}: \S")  # a line of a record: its label, its value
_NARROW, _WRAPPED_AT, _WIDE = (
    26,
    40,
    58,
)  # characters: lines from which a small letter, an open end, or any letter may follow in one sentence
_UNSPACED_LINE = 8  # characters: the same in scripts without spaces
_UNSPACED_RUN = re.compile(rf"[{UNSPACED}，、0-9０-９]$|^[{UNSPACED}]")
_MONTH = re.compile(
    r"(?:jan|feb|febr|mär|mars|apr|avr|mai|jun|jui|jul|aug|aoû|sep|okt|oct|nov|dez|déc|dec)\w*\b|(?:enero|marzo|mayo|gennaio|maggio|giugno|luglio)\b",
    re.I,
)
_LETTERED = re.compile(
    r"\b(?:annex|appendix|class|grade|group|hepatitis|item|option|part|phase|plan|schedule|section|series|table|team|type|vitamin|zone|anhang|anlage|teil|"
    r"annexe|anexo|stage|level|room|building|exhibit) [A-Z]$",
    re.I,
)
_COUNTING = frozenset("der die das dem den des am vom zum zur im ins seit bis ab jeder jede jedes jeden".split())
_NOT_SPACE = re.compile(r"\S")

_BEFORE_NAME = frozenset(
    "mr mrs ms dr prof st gen sen rep gov lt col capt sgt rev hon mt ft messrs mme mlle sr sra herr hr fr dipl ing".split()
)
_BEFORE_NUMBER = frozenset(
    "no nos nr fig figs eq vol pp p ch sec art para op ed cap núm n § jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_MID = frozenset(
    "vs cf approx ca viz resp incl excl est bzw usw ggf evtl vgl sog etc al inc corp ltd co jr bros dept univ "
    "assn ave blvd abs abb bd eg ie".split()
)
_OPEN_ENDS = frozenset(
    "the a an of and or to in for with by at on from as that which der die das und von zu mit le la les de du des et".split()
)
_STARTERS = frozenset(
    "the a an this that these those it its he she they we i you his her their our in on at by for from with when while after before since "
    "as if but and or so however although because there here what who how why where most many some all both each no not one under over "
    "during despite instead also then thus meanwhile yet such only even if according".split()
)


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Offsets `(start, end)` of the sentences of `text`, in order; `text[start:end]` is trimmed and never empty."""
    spans: list[tuple[int, int]] = []
    start = 0
    for found in _BREAK.finditer(text):
        if found.end() <= start:
            continue
        if _is_boundary(text, start, found):
            _add(text, start, found.end(), spans)
            start = found.end()
    _add(text, start, len(text), spans)
    return spans


def _add(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    lead = _LEAD.match(text, start, end)
    if lead:
        start = lead.end()
    while end > start and (text[end - 1].isspace() or text[end - 1] in "•▪●◦‣"):
        end -= 1
    if end > start and any(char.isalnum() for char in text[start:end]):
        spans.append((start, end))


def _is_boundary(text: str, start: int, found: re.Match[str]) -> bool:
    mark = found.group()
    if mark == "\n":
        return not _wraps(text, found.start())
    if mark[0] in _FULL_STOPS or mark[-1] in "•▪●◦‣":
        # A Japanese quotation goes on with a particle: 「…。」と言った is one sentence.
        return not (mark[-1] in "」』" and "\u3040" <= text[found.end() : found.end() + 1] <= "\u309f")
    after = _next_char(text, found.end())
    if after == "":
        return True
    closed = mark[-1] in "\"'”’»›」』)]"
    if mark[0] != "." or mark.startswith(".."):
        return not (after.islower() and (closed or mark[0] in "….")) and not (after in ",;:" and closed)
    return _full_stop_ends(text, start, found, after, closed)


def _full_stop_ends(text: str, start: int, found: re.Match[str], after: str, closed: bool) -> bool:
    word_match = _LAST_WORD.search(text, max(start, found.start() - 40), found.start())
    word = word_match.group() if word_match else ""
    low = word.lower()
    at_line_start = word_match is not None and not text[text.rfind("\n", 0, word_match.start()) + 1 : word_match.start()].strip()
    if at_line_start and word.isdigit() and len(word) <= 3:
        return False
    if closed:
        return not after.islower() and after not in ",;:"
    if _is_ordinal(text[max(start, found.start() - 60) : found.start()], word, text[found.end() :].lstrip()[:12]):
        return False
    if low in _BEFORE_NAME or (low in _BEFORE_NUMBER and (after.isdigit() or after in "(§#")):
        return False
    if len(word) == 1 and word.isalpha() and _LETTERED.search(text, max(start, found.start() - 20), found.start()):
        return after.isupper()
    if len(word) == 1 and word.isalpha():
        return word == "I" and _starts_sentence(text, found.end())
    if _DOTTED.match(word) or low in _MID:
        return _starts_sentence(text, found.end())
    return not (after.islower() and len(word) <= 3 and word.isalpha() and low not in _STARTERS and not _has_vowel(low))


def _has_vowel(word: str) -> bool:
    return any(char in "aeiouyäöüáéíóú" for char in word) or not word.isascii()


def _next_char(text: str, at: int) -> str:
    while at < len(text):
        char = text[at]
        if not (char.isspace() or char in "\"'“‘«‹(["):
            return char
        if char == "\n":
            return char
        at += 1
    return ""


_WORD = re.compile(r"[\s\"'“‘«(\[]*(\w+)")


def _starts_sentence(text: str, at: int) -> bool:
    word = _WORD.match(text, at)
    if word is None:
        return True
    return word.group(1)[0].isupper() and word.group(1).lower() in _STARTERS


def _runs_on(line: str, after: str) -> bool:
    """True when the full stop that ends a line ends an abbreviation or an ordinal number."""
    word = line[:-1].rsplit(None, 1)[-1].lower()
    return _is_ordinal(line[:-1], word, after) or ((bool(_DOTTED.match(word)) or word in _MID) and after[:1].islower())


def _is_ordinal(before: str, word: str, after: str) -> bool:
    """True for a day before its month, and for a number that an article or a preposition counts with: "am 3. Tag"."""
    if not word.isdigit() or len(word) > 2:
        return False
    lead = before[: len(before) - len(word)].split()
    return bool(_MONTH.match(after)) or bool(lead and lead[-1].lower() in _COUNTING)


def _wraps(text: str, newline: int) -> bool:
    """True when the newline only wraps a long line of prose."""
    line = text[text.rfind("\n", 0, newline) + 1 : newline].strip()
    after = _NOT_SPACE.search(text, newline + 1, newline + 80)
    if after is None or not line or "\n" in text[newline + 1 : after.start()]:
        return False
    if _UNSPACED_RUN.search(line) and _UNSPACED_RUN.match(after.group()) and len(line) >= _UNSPACED_LINE:
        return True
    if line[-1] == "." and _runs_on(line, text[after.start() : after.start() + 20]):
        return True
    if len(line) < _NARROW or line[-1] in ".!?:;|" or line[:1] in "#|":
        return False
    if _LABEL.match(text, after.start()) or _ITEM.match(text, after.start()):
        return False
    if after.group().isdigit() and line[-1].isalpha() and len(line) >= _NARROW:
        return True
    goes_on = after.group().islower() or line[-1] == "," or line.rsplit(None, 1)[-1].lower() in _OPEN_ENDS
    return (goes_on and len(line) >= (_NARROW if after.group().islower() else _WRAPPED_AT)) or (len(line) >= _WIDE and line[-1].isalnum())
