"""Where names may stand in a text: capitalised sequences cut into pieces, by form alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from beacon.domain.graph import EntityType
from beacon.ingest.entity_gazetteer import STATE_CODES
from beacon.ingest.entity_words import (
    BREAKING,
    CAPITALS,
    CONNECTORS,
    DEMONYMS,
    DIRECTIONS,
    EVENT_ENDS,
    FIRST_NAMES,
    FREE_CONNECTORS,
    LABELS,
    LEADING_ROLES,
    MONTHS,
    NUMBER_WORDS,
    ORGANIZATION_ENDS,
    ORGANIZATION_HEADS,
    PEOPLES,
    PERSON_TITLES,
    ROLES,
    SEASONS,
    STOP,
    TAKES_PREPOSITION,
    TITLED_CAPITALS,
    WEEKDAYS,
)

MAX_NAME_WORDS = 10
_CASED = [(0x41, 0x5A), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x2AF), (0x370, 0x52F), (0x531, 0x587), (0x1E00, 0x1FFF)]


def _char_class(upper_only: bool) -> str:
    """The inside of a regex class: cased letters of Latin, Greek, Cyrillic and Armenian, or their capitals."""
    letters = [chr(code) for low, high in _CASED for code in range(low, high + 1)]
    kept = [c for c in letters if (c.isupper() or c.istitle() if upper_only else c.isalpha())]
    return "".join(kept) + ("" if upper_only else "0-9\u0300-\u036f")


U = _char_class(True)
W = _char_class(False)
SMALL = "".join(c for c in W if c.islower())
SPACE = " \u00a0\u202f"
_JOIN = "’'&+·‐‑-"
_TITLES = "Mr|Mrs|Ms|Mx|Dr|Prof|St|Mt|Ft|Gov|Sen|Rep|Lt|Col|Gen|Capt|Sgt|Cmdr|Hon|Rev|Sr|Jr"
_WORD = (
    rf"(?:(?:{_TITLES})\.(?=[{SPACE}][{U}])|[{U}]\.(?:[{U}]\.)+|[{U}]\.(?=[{SPACE}]?[{U}][{W}.])"
    rf"|[{U}][{W}_]*(?:[{_JOIN}][{W}_]+|\.(?=[a-z0-9])[{W}_]+)*[+#]*)"
)
_NUMBER = r"v?\d+(?:[.\-]\d+)*[a-z]?(?![\w%])"
_CONNECTOR = rf"(?:&|(?:{'|'.join(sorted(CONNECTORS - {'&', 'the'}, key=len, reverse=True))})(?:[{SPACE}](?:the|la|las|los|der|den))?)"
SEQUENCE = re.compile(
    rf"{_WORD}(?:[{SPACE}](?:{_CONNECTOR}[{SPACE}])?(?:{_WORD})|[{SPACE}]{_NUMBER}|,[{SPACE}](?:Inc|Ltd|LLC|Corp|Jr|Sr)\b\.?){{0,40}}"
)
_TOKEN = re.compile(rf"[^{SPACE}]+")
_POSSESSIVE = re.compile(r"(?:[’']s|(?<=s)[’'])$", re.IGNORECASE)
_CONTRACTION = re.compile(r"[’'](?:re|ve|ll|d|m|t)$", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[A-Z][A-Za-z]{0,9}[-‐‑]\d[\dA-Za-z]*(?:[-‐‑.][\dA-Za-z]+)*|[A-Z]{2,6}\d{3,}|GHSA(?:-[\da-z]{4}){3}")
_CODED = re.compile(r"[A-Z]{2,10}-\d{2,}(?:-\d+)+|[A-Z]{2,6}\d{4,}|GHSA(?:-[\da-z]{4}){3}|[A-Z]{3,}-\d{2,}")
_PHRASAL = re.compile(rf"[{U}][{SMALL}]+-(?:in|up|out|off|on|down|by|over)s?")  # "Built-in", "Follow-up": words, however written
_NUMERIC = re.compile(r"v?\d+(?:[.\-]\d+)*[a-z]?$")
_ROMAN = re.compile(r"[IVXLCM]+$")
_YEAR = re.compile(r"(?:19|20)\d\d$")
_YEAR_BEFORE = re.compile(rf"(?:19|20)\d\d[{SPACE}]$")
_UNIT = re.compile(
    rf"[{SPACE}]?(?:percent|per[{SPACE}]cent|%|million|billion|trillion|years?|months?|days?|hours?|minutes?|of\b)", re.IGNORECASE
)
_STATE = re.compile(r", ([A-Z]{2})\b")
_LINK = re.compile(r"(?:https?://|www\.)\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,80}")
_OPENING = frozenset(" \t\u00a0\u202f\"“”‘«„([{*_'’`~")
_STARTING = frozenset(".!?…:;\n|•–—#>-。！？¿¡\x1f")
_ADJECTIVE_ENDS = (
    "ed",
    "ing",
    "like",
    "based",
    "style",
    "free",
    "wide",
    "level",
    "specific",
    "only",
    "driven",
    "ready",
    "native",
    "made",
    "era",
)
_ARTICLES = frozenset("the la le el il lo los las les der die das den dem o os as het de".split())
_NUMBERED = frozenset({"war", "type", "phase", "class", "tier", "stage", "grade"})
_CALENDAR = MONTHS | WEEKDAYS | SEASONS | NUMBER_WORDS
_NAMELESS = LABELS | _CALENDAR | ROLES | CONNECTORS
_NO_PERSON = ORGANIZATION_ENDS | LABELS
_HEADING_WORDS = CONNECTORS | frozenset(
    {"a", "an", "or", "nor", "by", "from", "with", "as", "vs", "via", "per", "into", "over", "under", "is", "are"}
)
_SPECIAL = STOP | _CALENDAR | LABELS | ROLES | PERSON_TITLES | PEOPLES | CONNECTORS
_SIMPLE = re.compile(rf"[{U}][{SMALL}]+(?: [{U}][{SMALL}]+){{0,6}}")  # the common case, which needs no cutting


@dataclass(frozen=True, slots=True)
class Piece:
    """A name inside one capitalised sequence: offsets into that sequence, its name and form."""

    start: int
    end: int
    name: str
    form: str  # word, acronym, camel, coded, multi
    person: bool  # a title such as "Dr" or "Senator" stood before it


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece where it stands in the text."""

    start: int
    end: int
    name: str
    form: str
    person: bool
    initial: bool  # a sentence begins here, so its first capital proves nothing
    heading: bool  # in a line that capitalises its words
    value: bool  # the whole value of a `field: value` line


@dataclass(frozen=True, slots=True)
class Found:
    """A mention that the document confirmed, before names are merged."""

    start: int
    end: int
    name: str
    form: str  # as a piece's, or quoted
    type: EntityType | None


@lru_cache(maxsize=65_536)
def form_of(name: str) -> str:
    """The form of a name that is one piece by itself, or ""."""
    pieces = split_sequence(name)
    return pieces[0].form if len(pieces) == 1 and pieces[0].name == name else ""


def mask_links(text: str) -> str:
    """`text` at the same length with addresses blanked out, so that nothing is found inside them."""
    if "://" not in text and "@" not in text and "www." not in text:
        return text
    return _LINK.sub(lambda match: "\x1f" * len(match.group()), text)


def find_candidates(masked: str) -> list[Candidate]:
    """Every piece in the text, by offset."""
    found: list[Candidate] = []
    line = _Line(0, -1, False, -1)
    for match in SEQUENCE.finditer(masked):
        start, raw = _whole_first_word(masked, match.start(), match.group())
        pieces = split_sequence(raw) if start >= 0 else ()
        if pieces and start > line.end:
            line = _line_at(masked, start)
        for piece in pieces:
            candidate = _placed(masked, start, piece, line)
            if candidate is not None:
                found.append(candidate)
    return found


def _placed(masked: str, start: int, piece: Piece, line: "_Line") -> Candidate | None:
    """The piece at its place, or None where the place shows that it is no name."""
    at, to, name = start + piece.start, start + piece.end, piece.name
    initial = piece.start == 0 and not piece.person and _begins_sentence(masked, at)
    after = masked[to : to + 1]
    if piece.form == "multi":
        if name[-1].isdigit() and _UNIT.match(masked, to):
            shorter = _drop_last(piece)
            return _placed(masked, start, shorter, line) if shorter else None
        if piece.start == 0 and name.rpartition(" ")[2].lower() in EVENT_ENDS and _YEAR_BEFORE.match(masked[max(0, at - 5) : at]):
            at, name = at - 5, f"{masked[at - 5 : at - 1]} {name}"
    elif after == "]" and masked[at - 1 : at] == "[":
        return None  # a stage direction, such as [Music]
    elif after == ":" and at <= line.label_end and piece.form != "coded":
        return None
    elif initial and after == "," and (state := _STATE.match(masked, to)) and state.group(1) in STATE_CODES:
        initial = False  # "Lawrence, KS" is a town wherever it stands
    return Candidate(at, to, name, piece.form, piece.person, initial, line.heading, at == line.value_start and to == line.end)


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    heading: bool  # most of its words are capitalised, or all letters are
    value_start: int  # where the value of a `field: value` line begins, or -1

    @property
    def label_end(self) -> int:
        return self.value_start if self.value_start >= 0 else self.start + 24


_FIELD = re.compile(r"[^\S\n]*[-*•]?[^\S\n]*[^\s:][^:\n]{0,40}:[^\S\n]+(?=\S)")
_WORDS = re.compile(rf"[{W}]{{2,}}")


def _line_at(masked: str, at: int) -> _Line:
    start = masked.rfind("\n", 0, at) + 1
    end = masked.find("\n", at)
    end = len(masked) if end < 0 else end
    if end - start > 160:
        return _Line(start, end, False, -1)
    text = masked[start:end]
    end -= len(text) - len(text.rstrip(" \t.*_"))
    field = _FIELD.match(text)
    value_start = start + field.end() if field else -1
    words = _WORDS.findall(text[field.end() :] if field else text)
    long = [word for word in words if word[0].isalpha() and word not in _HEADING_WORDS] or words
    capital = sum(word[0].isupper() for word in long)
    shouting = len(words) > 1 and sum(word.isupper() for word in words) * 3 > len(words) * 2
    ended = text.rstrip('*_ \t"”').endswith((".", "!", "?", ",", ";"))
    heading = not ended and (capital >= 2 or text.lstrip()[:1] == "#") and capital * 10 >= len(long) * 9
    return _Line(start, end, heading or shouting, value_start)


def _whole_first_word(masked: str, start: int, raw: str) -> tuple[int, str]:
    """The sequence with the small letters or digits its first word begins with ("eBPF", "3M"), or -1 when it is code."""
    if not start:
        return start, raw
    before = masked[start - 1]
    if before in " \n":
        return start, raw
    if before in "_@#/\\$<=." and before != "#" and masked[start - 2 : start - 1].strip():
        return -1, raw
    at = start
    while at and (masked[at - 1].isalnum() and masked[at - 1] < "\u2e80"):
        at -= 1
    if at == start:
        return start, raw
    head = masked[at:start]
    first = raw.partition(" ")[0]
    if len(head) > 3 or (len(head) == 3 and not first.isupper()) or len(head) + len(first) < 3 or _is_amount(head, first):
        return -1, raw
    return at, head + raw


def _is_amount(head: str, first: str) -> bool:
    return head.isdigit() and (
        len(head) > 2 or first.upper() in {"AM", "PM", "GB", "MB", "KB", "TB", "KG", "KM", "MM", "CM", "BN", "TH", "D", "K", "M"}
    )


def _begins_sentence(masked: str, at: int) -> bool:
    at -= 1
    while at >= 0 and masked[at] in _OPENING:
        if masked[at] in '"“«„':
            return True
        at -= 1
    return at < 0 or masked[at] in _STARTING


@lru_cache(maxsize=65_536)
def split_sequence(raw: str) -> tuple[Piece, ...]:
    """The names in one capitalised sequence."""
    if _SIMPLE.fullmatch(raw):
        words = raw.lower().split(" ")
        if _SPECIAL.isdisjoint(words) and not _ROMAN.fullmatch(raw.upper()):
            return (Piece(0, len(raw), raw, "multi" if len(words) > 1 else "word", False),)
    return tuple(piece for run in _runs(raw) for piece in _pieces(raw, run))


Token = tuple[int, int, str]  # start, end without possessive, the word


def _runs(raw: str) -> Iterator[list[Token]]:
    """Tokens between words that are in no name, and after possessives."""
    run: list[Token] = []
    for match in _TOKEN.finditer(raw):
        word = match.group().rstrip(",")
        bare = _without_tail(_POSSESSIVE.sub("", word) if "’" in word or "'" in word else word)
        low = bare.lower()
        connects = low in CONNECTORS and (word[0].islower() or word == "&")
        breaks = not connects and _is_no_name(word, bare, low) and not (bare == "I" and run and run[-1][2].lower() in _NUMBERED)
        if breaks or (bare[-1].isalnum() and not bare.isalpha() and _CODED.fullmatch(bare)):
            yield run
            if not breaks:
                yield [(match.start(), match.start() + len(bare), bare)]
            run = []
            continue
        run.append((match.start(), match.start() + len(bare), bare))
        if bare != word:
            yield run
            run = []
    yield run


def _is_no_name(word: str, bare: str, low: str) -> bool:
    if "-" in word and _PHRASAL.fullmatch(word):
        return True
    if "_" in word or _CONTRACTION.search(word) or (bare != word and _CONTRACTION.search(bare)):
        return True
    if word.isupper() and len(word) > 1 and (low not in BREAKING or word in ("US", "IT", "WHO")):
        return word in CAPITALS
    return low in BREAKING or low in WEEKDAYS or low in MONTHS


def _without_tail(word: str) -> str:
    """ "AI-related" is about "AI", "Committee-if" is a dash gone short; "Jean-luc" and "Ki-moon" stay whole."""
    head, dash, rest = word.partition("-")
    if not dash:
        return word
    tails = rest.split("-")
    if any(tail.lower() in BREAKING for tail in tails) or (len(tails[0]) == 1 and tails[0].islower()):
        return head
    adjective = rest.islower() and (head.isupper() or rest.endswith(_ADJECTIVE_ENDS) or head.lower() in ORGANIZATION_ENDS)
    return head if adjective else word


def _pieces(raw: str, run: list[Token]) -> Iterator[Piece]:
    for part in _joined(run):
        yield from _by_role(raw, part)


def _joined(run: list[Token]) -> Iterator[list[Token]]:
    """Splits where a connector does not connect: "Powell in Washington" is two names, "Center for Disease Control" one."""
    part: list[Token] = []
    at = 0
    while at < len(run):
        word = run[at][2]
        if word in CONNECTORS and (word.islower() or word == "&"):
            stop = at + 1
            while stop < len(run) and run[stop][2] in CONNECTORS and run[stop][2].islower():
                stop += 1
            if part and stop < len(run) and not (word == "and" and stop > at + 1) and _connects(part, word, run[stop : stop + 6]):
                part.extend(run[at:stop])
            else:
                yield part
                part = []
            at = stop
            continue
        part.append(run[at])
        at += 1
    yield part


def _connects(left: list[Token], word: str, right: list[Token]) -> bool:
    head = left[-1][2].lower()
    if word == "&":
        return not (len(left) > 1 and head in ORGANIZATION_ENDS and len(right) > 1 and right[-1][2].lower() == head)
    if word == "and":
        return _and_connects(left, right)
    if word == "of" and len(left) > 1 and left[0][2].lower().partition("-")[0] in FIRST_NAMES:
        return False
    if word in FREE_CONNECTORS:
        return not (word == "of" and (head in ROLES or head in LABELS or left[-1][2].isupper() or _NUMERIC.match(head)))
    return head in TAKES_PREPOSITION


def _and_connects(left: list[Token], right: list[Token]) -> bool:
    """ "Department of Health and Human Services", "Food and Drug Administration"."""
    rest = [word for _, _, word in right]
    if left[0][2].lower() in ORGANIZATION_HEADS and any(word == "of" for _, _, word in left):
        return rest[0].lower() not in ORGANIZATION_HEADS and len(rest) < 4
    name = rest[: next((at for at, word in enumerate(rest) if word.islower()), len(rest))]
    return len(left) == 1 and 2 <= len(name) <= 4 and name[-1].lower() in ORGANIZATION_ENDS and not left[0][2].isupper()


def _by_role(raw: str, part: list[Token]) -> Iterator[Piece]:
    """Cuts titles and roles out: they are not the name, and what follows them is a person."""
    cuts = [at for at, token in enumerate(part) if _is_role(part, at)]
    begin, person = 0, False
    for cut in [*cuts, len(part)]:
        piece = _piece(raw, part[begin:cut], person)
        if piece is not None:
            yield piece
        begin, person = cut + 1, True


def _is_role(part: list[Token], at: int) -> bool:
    low = part[at][2].lower().rstrip(".")
    if at and part[at - 1][2] in CONNECTORS and part[0][2].lower() in ORGANIZATION_HEADS:
        return False  # "Office of the Secretary"
    if low in PERSON_TITLES or part[at][2] in TITLED_CAPITALS:
        return True
    if low not in LEADING_ROLES:
        return False
    plain = [word for _, _, word in part[at + 1 :] if word.lower() not in ROLES]
    return len(plain) <= 4 and not any(word in CONNECTORS or word.lower() in _NO_PERSON for word in plain[:3])


def _piece(raw: str, tokens: list[Token], person: bool) -> Piece | None:
    while tokens and (tokens[0][2].islower() or tokens[0][2] == "&" or _NUMERIC.match(tokens[0][2])):
        tokens = tokens[1:]
    while tokens and (tokens[-1][2] in CONNECTORS or tokens[-1][2].lower() in ("the",)):
        tokens = tokens[:-1]
    if len(tokens) == 2 and tokens[0][2].lower() in _ARTICLES and tokens[1][2].isupper() and len(tokens[1][2]) > 1:
        tokens = tokens[1:]
    tokens = _without_lone_year(tokens)
    if not tokens or len(tokens) > MAX_NAME_WORDS:
        return None
    words = [word for _, _, word in tokens]
    form = _form(words)
    if not form:
        return None
    last = words[-1]
    end = tokens[-1][1]
    if last.endswith(".") and not re.fullmatch(rf"(?:[{U}]\.)+", last):
        words[-1], end = last.rstrip("."), end - 1
    return Piece(tokens[0][0], end, " ".join(words), form, person and form in ("word", "multi", "camel"))


def _without_lone_year(tokens: list[Token]) -> list[Token]:
    """A year after one word is a date more often than a name; after several it belongs to the name."""
    if len(tokens) == 2 and _YEAR.match(tokens[1][2]):
        return tokens[:1]
    return tokens


def _form(words: list[str]) -> str:
    """The kind of name `words` make, or "" when they make none."""
    low = [word.lower().rstrip(".") for word in words]
    if all(word in _NAMELESS or word.removesuffix("s") in ROLES or _NUMERIC.match(word) for word in low):
        return ""
    if len(words) > 1:
        if low[0] in LABELS and all(_NUMERIC.match(word) or _ROMAN.match(word.upper()) or len(word) == 1 for word in low[1:]):
            return ""
        if len(words) == 2 and low[1] in PEOPLES and (low[0] in DIRECTIONS or low[0] in PEOPLES):
            return ""
        return "multi" if sum(len(word) > 1 for word in low) else ""
    word = words[0]
    if (
        (low[0] in STOP and not word.isupper())
        or len(word.strip(".")) < 2
        or low[0] in DEMONYMS
        or (_ROMAN.fullmatch(word) and word != "MIX")
        or word in CAPITALS
    ):
        return ""
    if _CODED.fullmatch(word) or (_IDENTIFIER.fullmatch(word) and any(c.isdigit() for c in word)):
        return "coded"
    if word.isupper() or (word[-1] == "s" and len(word) > 2 and word[:-1].isupper()):
        return "acronym"
    return "camel" if any(c.isupper() or c.isdigit() for c in word[1:].replace("-", "")) and not _hyphenated(word) else "word"


def _hyphenated(word: str) -> bool:
    """ "Mid-October", "Person-Centered": capitals only at the beginnings of their parts."""
    parts = re.split(r"[’'‐‑-]", word)
    return len(parts) > 1 and all(part[1:].islower() or len(part) < 2 for part in parts)


def _drop_last(piece: Piece) -> Piece | None:
    """The piece without its last word, a number that turned out to count something."""
    name = piece.name.rpartition(" ")[0]
    found = split_sequence(name)
    if len(found) != 1 or found[0].name != name:
        return None
    return Piece(piece.start, piece.start + len(name), name, found[0].form, piece.person)
