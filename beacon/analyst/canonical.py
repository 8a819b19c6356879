"""One written form for what can be written in several: dates, version ranges, amounts, spellings, cross-references."""

import re
from functools import lru_cache

from beacon.analyst.amounts import has_amount, plain_amounts

_MONTHS = (
    ("january", "jan", "januar", "jänner", "janvier", "enero", "gennaio", "janeiro", "januari"),
    ("february", "feb", "februar", "février", "febrero", "febbraio", "fevereiro", "februari"),
    ("march", "mar", "märz", "mars", "marzo", "março", "maart"),
    ("april", "apr", "avril", "abril", "aprile"),
    ("may", "mai", "mayo", "maggio", "maio", "mei"),
    ("june", "jun", "juni", "juin", "junio", "giugno", "junho"),
    ("july", "jul", "juli", "juillet", "julio", "luglio", "julho"),
    ("august", "aug", "août", "agosto", "augustus"),
    ("september", "sep", "sept", "septembre", "septiembre", "settembre", "setembro"),
    ("october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "outubro"),
    ("november", "nov", "novembre", "noviembre", "novembro"),
    ("december", "dec", "dezember", "dez", "décembre", "diciembre", "dicembre", "dezembro"),
)
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_MONTH = "|".join(sorted(_MONTH_OF, key=lambda name: (-len(name), name)))
_DAY_MONTH_YEAR = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+)?({_MONTH})\b\.?,?\s+(?:de\s+)?(\d{{4}})\b")
_MONTH_DAY_YEAR = re.compile(rf"\b({_MONTH})\b\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b")
_MONTH_YEAR = re.compile(rf"\b({_MONTH})\b\.?,?\s+(?:of\s+|de\s+)?(\d{{4}})\b")
_DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d|\.\d)")
_EASTERN = re.compile(r"(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日")
_MIDNIGHT = re.compile(r"\b(\d{4}-\d{2}-\d{2})t00:00(?::00(?:\.0+)?)?(?:z|[+-]00:?00)?\b")
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+(?=\d)")

_V = r"v?\.?\s?(\d+(?:\.[\dx*]+)+(?:[-.]?(?:rc|beta|alpha|p|sp|u|r)\d*)?|\d+)"
_VERSION = r"(?:all\s+)?(?:versions?|releases?|builds?)\s+"
_LATE, _EARLY = r"later|newer|above|higher|up|onwards?|upwards", r"prior|earlier|older|below|lower|previous"
_RANGES = (
    (re.compile(rf"(?:{_VERSION})?{_V}(?:,| \()?\s+(?:and|or)\s+(?:all\s+)?(?:{_EARLY})(?:\s+(?:versions?|releases?))?\)?"), r"<=\1"),
    (re.compile(rf"(?:{_VERSION})?{_V}(?:,| \()?\s+(?:and|or)\s+(?:all\s+)?(?:{_LATE})(?:\s+(?:versions?|releases?))?\)?"), r">=\1"),
    (re.compile(rf"(?:{_VERSION})?(?:up to and including|through|no later than)\s+(?:version\s+)?{_V}(?!\s*%)"), r"<=\1"),
    (re.compile(rf"{_VERSION}(?:before|prior to|earlier than|older than|below|lower than)\s+(?:version\s+)?{_V}"), r"<\1"),
    (re.compile(rf"{_VERSION}(?:after|later than|newer than|above|higher than)\s+(?:version\s+)?{_V}"), r">\1"),
    (re.compile(rf"(?:{_VERSION})?(<=|>=|<|>)\s?(?:version\s+)?{_V}"), r"\1\2"),
)
_SIGNS = str.maketrans({"≤": "<=", "≥": ">=", "⩽": "<=", "⩾": ">="})

_GROUPED = re.compile(r"(?<![\d.,])(\d{1,3})((?:[ \u00a0\u202f\u2009'’]\d{3})+)(?![\d])")
_CURRENCY = {"usd": "$", "us$": "$", "eur": "€", "euro": "€", "euros": "€", "gbp": "£", "jpy": "¥"}
_CODE_FIRST = re.compile(r"\b(usd|us\$|eur|gbp|jpy)\s?(?=\d)|us\$(?=\d)")
_CODE_LAST = re.compile(r"(?<![\w.,])(\d[\d.,]*)\s?(usd|eur|euros?|gbp|jpy|€|£)(?!\w)")
_LAST_SAVED = re.compile(
    r"^\W*(?:(?:page |this page was |article )?last (?:updated|modified|reviewed|revised|changed|edited|"
    r"saved)(?: on| at)?|zuletzt (?:geändert|aktualisiert|bearbeitet)(?: am)?|"
    r"dernière (?:mise à jour|modification)(?: le)?|última (?:actualización|"
    r"modificación)(?: el)?)\W*\d{4}-\d{2}-\d{2}(?:[\s,]+\d{1,2}:\d{2}(?::\d{2})?)?\W*"
)
_POINTS = re.compile(r"(?<![\d.,])([1-9]\d{0,2})((?:\.\d{3})+)(?![\d.]|,\d{3})")
_PERCENT = re.compile(r"(?<=\d)\s?(?:prozent|pour ?cent|por ?cento?|por ciento|per cento|procento?|procent)\b")
_SHORT_FORMS = (
    ("for example", r"e\.\s?g\.,?"), ("that is", r"i\.\s?e\.,?"), ("approximately", r"approx\.?"), ("zum beispiel", r"z\.\s?b\."),
    ("das heißt", r"d\.\s?h\."), ("beziehungsweise", r"bzw\."), ("gegebenenfalls", r"ggf\."), ("unter anderem", r"u\.\s?a\."),
    ("par exemple", r"p\.\s?ex\."), ("c'est à dire", r"c\.-?\s?à\.?-?\s?d\."), ("por ejemplo", r"p\.\s?ej\."), ("and so on", r"etc\.?"),
    ("including", r"incl\."), ("excluding", r"excl\."), ("number", r"no\.(?=\s?\d)"), ("versus", r"vs\.?"), ("maximum", r"max\."),
    ("minimum", r"min\.(?!\s?\d)"), ("department", r"dept\."), ("und so weiter", r"usw\."), ("circa", r"ca\."),
)  # fmt: skip
_SHORT = re.compile("|".join(rf"(?P<f{n}>(?<![\w.]){form}(?!\w))" for n, (_, form) in enumerate(_SHORT_FORMS)))
_AND = re.compile(r"\s&\s")
_SPELLING = (
    (re.compile(r"(?<=\w{3})is(?=ation|ations|ing\b|ed\b|e\b|es\b|er\b|ers\b)"), "iz"),
    (re.compile(r"(?<=\w{2})our(?=s?\b|ed\b|ing\b|able\b)"), "or"),
    (re.compile(r"(?<=\w)ll(?=ed\b|ing\b|er\b)"), "l"),
)

_KIND = (
    r"sections?|sec\.|§{1,2}|clauses?|articles?|art\.|paragraphs?|para\.|tables?|figures?|fig\.|appendix|appendices|annex(?:es)?|chapters?|"
    r"pages?|pp?\.|steps?|anlagen?|ziffer|footnotes?|notes?|schedule|abschnitt|artikel|kapitel|tabelle|abbildung|anhang|absatz|seite|"
    r"sección|artículo|tableau|annexe|chapitre"
)
_PLACE = r"\(?(?:\d+(?:\.\d+)*[a-z]?|[a-z](?:\.\d+)+|[ivx]+\b|[a-z]\b)\)?(?:\([a-z0-9]{1,4}\))*"
_REFERENCE = re.compile(
    rf"(?:\b|(?=§))({_KIND})\s?({_PLACE}(?:(?:,\s?|\s?(?:-|to|and|or|und|bis|et|y)\s)(?:{_KIND}\s)?{_PLACE})*)(?![\w%])"
)
_COUNT = r"(?:\d{1,3}(?:\.\d{1,3}){0,5}|[a-zA-Z]|[ivxIVX]{1,5})"
_ENUMERATOR = re.compile(
    rf"^\s*(?:[-*+•▪●◦‣–—]\s+)?(?:\({_COUNT}\)\s+|{_COUNT}[.)]\s+(?!(?i:{_MONTH})\b|\w\.\s)|"
    rf"\d{{1,3}}(?:\.\d{{1,3}}){{1,5}}\s+(?![a-zà-öø-ÿ\d]))+(?=\w)"
)


@lru_cache(maxsize=8192)
def canonical(folded: str) -> str:
    """`folded` with dates as ISO, version ranges as comparisons, plain numbers, one spelling, and no number on a cross-reference."""
    if has_amount(folded):
        folded = _with_plain_figures(folded)
    if "." in folded:
        folded = _SHORT.sub(_written_out, folded)
    folded = _AND.sub(" and ", folded)
    for pattern, form in _SPELLING:
        folded = pattern.sub(form, folded)
    return _REFERENCE.sub(_reference, folded)


def _written_out(found: re.Match[str]) -> str:
    return f"{_SHORT_FORMS[int(str(found.lastgroup)[1:])][0]} "


def _with_plain_figures(folded: str) -> str:
    folded = _POINTS.sub(lambda found: found[1] + found[2].replace(".", ""), _PERCENT.sub("%", folded))
    folded = _GROUPED.sub(lambda found: found[1] + re.sub(r"\D", "", found[2]), folded)
    folded = _dates(folded)
    folded = _CODE_FIRST.sub(lambda found: _CURRENCY[found.group().strip()], folded)
    folded = _CODE_LAST.sub(lambda found: _CURRENCY.get(found[2], found[2]) + found[1], folded)
    return _ranges(plain_amounts(_LAST_SAVED.sub("", folded)))


def _dates(folded: str) -> str:
    folded = _MIDNIGHT.sub(r"\1", _WEEKDAY.sub("", folded))
    folded = _DAY_MONTH_YEAR.sub(lambda found: _iso(found[3], _MONTH_OF[found[2]], found[1]) or found.group(), folded)
    folded = _MONTH_DAY_YEAR.sub(lambda found: _iso(found[3], _MONTH_OF[found[1]], found[2]) or found.group(), folded)
    folded = _DOTTED.sub(lambda found: _iso(found[3], int(found[2]), found[1]) or found.group(), folded)
    folded = _EASTERN.sub(lambda found: _iso(found[1], int(found[2]), found[3]) or found.group(), folded)
    return _MONTH_YEAR.sub(lambda found: f"{found[2]}-{_MONTH_OF[found[1]]:02d}", folded)


def _iso(year: str, month: int, day: str) -> str:
    return f"{year}-{month:02d}-{int(day):02d}" if 1 <= month <= 12 and 1 <= int(day) <= 31 else ""


def _ranges(folded: str) -> str:
    folded = folded.translate(_SIGNS)
    for pattern, form in _RANGES:
        folded = pattern.sub(form, folded)
    return folded


def _reference(found: re.Match[str]) -> str:
    return f"{found[1]} # "


def without_enumerator(text: str) -> str:
    """`text` without the number or letter that counts it in a list or among sections."""
    found = _ENUMERATOR.match(text)
    return text[found.end() :] if found else text
