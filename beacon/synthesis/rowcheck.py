"""Rows that are no answer: empty ones, and those that want something from the reader instead of telling something."""

import re
from collections import Counter

from beacon.analyst.tokens import tokenize

_NOTHING = re.compile(
    r"^[\W_]*(?:n/?a|none|nothing|no(?:pe|t (?:yet|really|sure|now|at the moment|applicable))?|nil|null|no (?:comments?|answer|"
    r"idea|thanks?|thank you|opinion)|"
    r"not? applicable|idk|i don'?t know|don'?t know|yes|test(?:ing)?|ok(?:ay)?|good|all good|same|see above|nothing (?:else|more|"
    r"really)(?: .{0,20})?|-+|\.+|x+)[\W_]*$",
    re.I,
)
_LINK = re.compile(r"(?:https?://|www\.)\S+", re.I)
_MONEY = re.compile(
    r"\b(?:win+(?:er|ing)?|won|prize|price|lottery|visa|loan|casino|bitcoin|crypto(?:currency)?|investment|earn|whats?app|"
    r"telegram|viagra|escort|betting|"
    r"jackpot|inherit\w*|cash|free money|seo services|backlinks?|follow me|click here|buy now|promo code|discount)\b",
    re.I,
)
_REACH = re.compile(
    r"\b(?:call me|contact (?:me|information|us at)|text me|dm me|message me|send me|my (?:number|phone|email)|"
    r"\+?\d[\d\s().-]{8,}\d)\b|@\w+\.\w+",
    re.I,
)
_LETTERS = re.compile(r"[^\W\d_]")
_VOWELS = re.compile(r"[aeiouyäöüáéíóúàèìòùâêîôû]", re.I)


def row_fault(text: str) -> str:
    """Why the words are no answer, or an empty text."""
    shown = text.strip()
    if not _LETTERS.search(shown):
        return "no answer: it holds no word"
    if _NOTHING.match(shown):
        return "no answer: it says nothing"
    rest = _LINK.sub(" ", shown)
    if _LINK.search(shown) and len(tokenize(rest)) < 3:
        return "spam: a link and nothing else"
    if _MONEY.search(rest) and (_REACH.search(shown) or _LINK.search(shown)):
        return "spam: it offers or wants something"
    return "spam: no words of a language" if _is_noise(shown) else ""


def _is_noise(text: str) -> bool:
    """Keys struck at random, or one thing over and over."""
    words = tokenize(text)
    if len(words) >= 6 and Counter(words).most_common(1)[0][1] > 0.6 * len(words):
        return True
    if not text.isascii() or len(words) > 4:
        return False
    long = [word for word in words if len(word) >= 6 and word.isalpha()]
    return (
        bool(long)
        and len(long) == len(words)
        and all(not _VOWELS.search(word) or re.search(r"(.)\1{3}|[bcdfghjklmnpqrstvwxz]{6}", word) for word in long)
    )
