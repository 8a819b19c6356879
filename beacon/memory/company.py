"""What the user's company is called, and which quotes of a run tell something of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from beacon.analyst.statements import is_boilerplate, statement_key
from beacon.analyst.tokens import tokenize

MAX_FOUND = 3  # statements one run adds
_WORD = r"(?-i:[^\W\d_a-z])[\w&'’-]*(?:\.\w+)*"
_NAME = rf"(?P<name>{_WORD}(?:\s+(?:{_WORD}|&|of|and|de|für|und))*)"
_FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        rf"^[-*\s]*company(?: name)?\s*[:=]\s*{_NAME}",
        rf"\b(?:our|my|the)\s+(?:company|firm|business|startup|employer|organi[sz]ation)(?:['’]s name)?\s+"
        rf"(?:is|is called|is named|name is)\s+{_NAME}",
        rf"\b(?:work|works|working|employed)\s+(?:at|for|with)\s+{_NAME}",
        rf"\bI\s+(?:lead|manage|run|head|own)\s+[^.;!?\n]{{2,40}}?\s(?:at|for)\s+{_NAME}",
        rf"\b(?:arbeite|travaille|trabajo|lavoro|trabalho)\s+(?:bei|für|chez|en|para|presso|na|no)\s+{_NAME}",
        rf"\bI(?:['’]m| am)\s+[^.;!?\n]{{2,60}}?\s(?:at|of|for|with)\s+{_NAME}",
        rf"\bwe(?:['’]re| are)\s+(?:called\s+)?{_NAME}",
    )
)
_TRAILING = re.compile(r"(?:\s+(?:of|and|de|für|und|&))+$|[.'’-]+$", re.I)


def company_names(*documents: str) -> list[str]:
    """The names the documents give the company, in their order."""
    names: dict[str, str] = {}
    for line in (line for document in documents for line in document.splitlines()):
        for form in _FORMS:
            for found in form.finditer(line):
                name = _TRAILING.sub("", found["name"]).strip()
                if len(name) > 1:
                    names.setdefault(statement_key(name), name)
    return list(names.values())


def mentions(text: str, name: str) -> bool:
    """Whether the text names it, word for word."""
    words = " ".join(tokenize(name))
    return bool(words) and f" {words} " in f" {' '.join(tokenize(text))} "


def find_company_news(names: Sequence[str], quotes: Iterable[Mapping[str, Any]], known: str) -> list[Mapping[str, Any]]:
    """The quotes that name the company and say what the document does not hold, at most three, in their order."""
    found: list[Mapping[str, Any]] = []
    seen = statement_key(known)
    for one in quotes:
        quote = " ".join(str(one["quote"]).split())
        key = statement_key(quote)
        if not key or key in seen or is_boilerplate(quote) or not any(mentions(quote, name) for name in names):
            continue
        seen += f"\n{key}"
        found.append(one)
    return found[:MAX_FOUND]
