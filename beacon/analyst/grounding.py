"""Holding a model to its evidence: what it wrote is kept sentence by sentence, or dropped."""

import re
from collections.abc import Sequence

from beacon.analyst.sentences import split_sentences

_MARKS = re.compile(r"\s*(?:\[(?:\d{1,3})\])+")
_NUMBER = re.compile(r"\[(\d{1,3})\]")
_QUOTED = re.compile(r"[“\"]([^”\"]{3,})[”\"]")


def cited_sentences(text: str, quotes: Sequence[str]) -> list[tuple[str, list[int]]]:
    """(sentence without its marks, places in `quotes`) of every sentence that cites given numbers only and quotes exactly."""
    found: list[tuple[str, list[int]]] = []
    for start, end in split_sentences(text.replace("\n", " ")):
        sentence = text.replace("\n", " ")[start:end].strip()
        numbers = list(dict.fromkeys(int(n) for n in _NUMBER.findall(sentence)))
        if _is_only_marks(sentence):
            if found:  # marks that a splitter left behind the full stop
                found[-1] = (found[-1][0], list(dict.fromkeys([*found[-1][1], *(n - 1 for n in numbers)])))
            continue
        found.append((_MARKS.sub("", sentence).strip(), [n - 1 for n in numbers]))
    return [(words, places) for words, places in found if words and places and _holds(words, places, quotes)]


def _is_only_marks(sentence: str) -> bool:
    return bool(_NUMBER.search(sentence)) and not _MARKS.sub("", sentence).strip(" .")


def _holds(words: str, places: Sequence[int], quotes: Sequence[str]) -> bool:
    if any(not 0 <= place < len(quotes) for place in places):
        return False
    cited = " ".join(" ".join(quotes[place].split()) for place in places)
    return all(" ".join(quote.split()).rstrip(".,;") in cited for quote in _QUOTED.findall(words))
