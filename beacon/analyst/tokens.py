"""Words as they are compared and searched: folded, in any script, numbers kept whole."""

import re
import unicodedata
from functools import lru_cache

# Combining marks are no `\w` for Python's re: without these ranges Hindi, Thai or vocalised Arabic words would fall apart.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8"
    "\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ece\u0f18-\u0f3f\u0f71-\u0fbc\u102b-\u103e"
    "\u17b4-\u17d3\u200c\u200d"
)
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_NUMBER = r"[€$£¥₹₩₽]?\d+(?:[.,:/-]\d+)*%?"
_NAMED_NUMBER = r"[^\W\d_]+(?:-[^\W\d_]+)*-?\d+(?:[-.:_]\w*\d\w*)*"
_TOKEN = re.compile(rf"{_NAMED_NUMBER}(?!\w)|{_NUMBER}(?!\w)|[\w{_MARKS}]+(?:'[\w{_MARKS}]+)*|{_NUMBER}")
_RUN = re.compile(rf"[{UNSPACED}]+|[^{UNSPACED}]+")
_HAS_UNSPACED = re.compile(rf"[{UNSPACED}]")
_HUMP = re.compile(r"(?<=[a-z\d])(?=[A-Z][a-z])|(?<=[^\W\d_])_(?=[^\W_])")
_LINK = re.compile(r"\b(?:https?://|www\.)\S+")
_FRACTION = re.compile(r"(\d)(?=[¼-¾⅐-⅞])")
_PLAIN = str.maketrans(
    {
        **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-"),
        0x2044: "/",
        0x2018: "'",
        0x2019: "'",
        0x00AD: None,
    }
)

STOP_WORDS = frozenset(
    "a an the and or but if then than that this these those there here it its it's he she they them their his her him we us our you "
    "your i me my is are was were be been being am do does did done doing has have had having of in on at by for from with to into "
    "onto about as so such also which who whom whose what when where why how will would shall should can could may might must just "
    "very too s t re ve ll d m yeah okay ok oh uh um really actually".split()
)


def fold(text: str) -> str:
    """`text` in NFKC and casefolded, with one kind of dash, apostrophe and fraction (4½ becomes 4-1/2)."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", _FRACTION.sub(r"\1-", text)).translate(_PLAIN).casefold()


def tokenize(text: str) -> list[str]:
    """The word tokens of `text` in order: folded, possessives cut, unspaced scripts as bigrams, numbers and identifiers whole."""
    folded = fold(text)
    found: list[str] = _TOKEN.findall(folded)
    if not folded.isascii() and _HAS_UNSPACED.search(folded):
        found = [piece for token in found for piece in _pieces(token)]
    return [token[:-2] if token.endswith("'s") else token for token in found]


def _pieces(token: str) -> list[str]:
    out: list[str] = []
    for run in _RUN.findall(token):
        if _HAS_UNSPACED.match(run) and len(run) > 2:
            out.extend(run[i : i + 2] for i in range(len(run) - 1))
        else:
            out.append(run)
    return out


def spell_out(text: str) -> str:
    """`text` with the words of labels set apart: `dueDate` and `due_date` read "due Date" and "due date"."""
    return _HUMP.sub(" ", text)


def without_links(text: str) -> str:
    """`text` without web addresses, whose letters and digits say nothing."""
    return _LINK.sub(" ", text)


def content_tokens(text: str) -> list[str]:
    """The tokens of `text` that carry content, stemmed; when every token is a stop-word, all of them."""
    tokens = tokenize(text)
    kept = [stem(token) for token in tokens if not is_stop_word(token)]
    return kept or [stem(token) for token in tokens]


def is_stop_word(token: str) -> bool:
    """True for a token of the stop list, or a contraction of one (we're, isn't)."""
    head, mark, _ = token.partition("'")
    return token in STOP_WORDS or bool(mark and (head in STOP_WORDS or token.endswith("n't")))


@lru_cache(maxsize=65536)
def stem(token: str) -> str:
    """`token` without its common English endings; short words, numbers and other scripts stay as they are."""
    if len(token) <= 3 or not token.isascii() or not token.isalpha():
        return token
    word = _without_plural(token)
    for ending in ("ing", "edly", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and any(c in "aeiouy" for c in word[: -len(ending)]):
            word = _undouble(word[: -len(ending)])
            break
    for ending in ("ment", "ness", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    if word.endswith("e") and len(word) > 3:
        return word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def _without_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _undouble(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word
