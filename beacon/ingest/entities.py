"""Entities of a text without a model: names by their capitals, definitions and quotes, merged within one document.

The order: find candidates by form, let the document itself confirm the doubtful ones, give each a type, and merge what the
document calls by several names.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate

from beacon.domain.graph import EntityMention, EntityType
from beacon.ingest.entity_aliases import find_definitions, infer_short_forms, is_short_form
from beacon.ingest.entity_candidates import MAX_NAME_WORDS, Candidate, Found, U, find_candidates, form_of, mask_links
from beacon.ingest.entity_designations import find_designations
from beacon.ingest.entity_types import is_person_like, type_of_name
from beacon.ingest.entity_votes import TypeVotes
from beacon.ingest.entity_words import CONNECTORS, FIRST_NAMES, GENERIC, LABELS, ORGANIZATION_ENDS, PLACES, STOP

Span = tuple[int, int]

_TITLE_TAIL = re.compile(r"\s*\([^)]*\)\s*$")
_QUOTED = re.compile(rf"(?<![\w])[\"“«„]([{U}0-9][^\"“”«»„\n]{{2,70}})[\"”»“](?![\w])")
_UNCASED = re.compile(r"[\u0590-\u08ff\u0900-\u10ff\u1100-\u11ff\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff]")
_UNCASED_QUOTES = re.compile(
    r"《([^《》\n]{2,40})》|『([^『』\n]{2,40})』|「([^「」\n]{2,24})」|[“\"«]([^“”\"«»\n]{2,30})[”\"»]|【([^【】\n]{2,24})】"
)
_KATAKANA = re.compile(r"[ァ-ヴ][ァ-ヴー]{2,}(?:[・＝][ァ-ヴー]{2,})*")
_DEFINED_TERM = 3  # times a general word ("the Committee") is capitalised before it counts as this document's name for something
_NO_TITLE = STOP | LABELS | GENERIC
_KEY_NOISE = re.compile(r"[.’'`´]|(?:[’']s$)")
_KEY_GAP = re.compile(r"[\s\-‐‑–_/]+")


def extract_entities(text: str, *, title: str = "", language: str = "") -> list[EntityMention]:
    """Every mention in `text`, by offset, none overlapping; aliases that the text itself defines share one `name`."""
    return extract_document(text, (), title, language=language)


def extract_document(
    text: str, chunk_bounds: Sequence[Span] = (), title: str = "", *, language: str = "", known_aliases: Mapping[str, str] | None = None
) -> list[EntityMention]:
    """The mentions of a whole document, its names merged by an EntityCatalog.

    With `chunk_bounds`, only mentions that lie whole inside a chunk. `known_aliases` (short form to full name) come from elsewhere in
    the project and give way to the document's own.
    """
    return list(read_entities(text, chunk_bounds, title, language=language, known_aliases=known_aliases).mentions)


@dataclass(frozen=True, slots=True)
class DocumentEntities:
    """What a document names, the names whose type it tells, and the short forms it introduces that hold beyond it.

    A type that is not told is a guess from the name's form and use. `short_forms`: short form → canonical name.
    """

    mentions: tuple[EntityMention, ...] = ()
    told: frozenset[str] = frozenset()
    short_forms: Mapping[str, str] = field(default_factory=dict)


def read_entities(
    text: str,
    chunk_bounds: Sequence[Span] = (),
    title: str = "",
    *,
    language: str = "",
    known_aliases: Mapping[str, str] | None = None,
    people: Collection[str] = (),
) -> DocumentEntities:
    """The mentions of a document as `extract_document` gives them, with the short forms that the project may learn from it.

    `people` are those known to speak in it.
    """
    if not text.strip():
        return DocumentEntities()
    masked = mask_links(text)
    found, defined, small = _cased_mentions(masked, title, language)
    found.extend(_uncased_mentions(masked))
    found = _apart(found)
    votes = TypeVotes(masked, found, small, people)
    aliases = {**(known_aliases or {}), **infer_short_forms(mention.name for mention in found if mention.form != "quoted"), **defined}
    catalog = EntityCatalog(found, aliases, votes.types())
    mentions = _settled(text, found, catalog, votes)
    learned = {short: catalog.canonical(full) for short, full in aliases.items() if short not in (known_aliases or {})}
    lasting = {short: full for short, full in learned.items() if is_short_form(short, full)}
    return DocumentEntities(tuple(_inside(mentions, chunk_bounds) if chunk_bounds else mentions), frozenset(votes.sure), lasting)


@lru_cache(maxsize=65_536)
def entity_key(name: str) -> str:
    """What two spellings of one name share: case, width, dots, apostrophes, hyphens, a leading "the" and a possessive folded away."""
    if name.isascii() and name.replace(" ", "").isalnum() and "  " not in name:
        return name.lower().strip().removeprefix("the ")  # most names have nothing else to fold
    folded = unicodedata.normalize("NFKC", name).casefold().strip()
    folded = re.sub(r"(?:[’']s|(?<=s)[’'])$", "", folded)
    folded = _KEY_GAP.sub(" ", _KEY_NOISE.sub("", folded)).strip()
    return folded.removeprefix("the ")


class EntityCatalog:
    """The names of one document and what each stands for. `aliases` maps short forms to full names, `types` names to their types."""

    def __init__(
        self,
        mentions: Iterable[Found | EntityMention],
        aliases: Mapping[str, str] | None = None,
        types: Mapping[str, str] | None = None,
    ) -> None:
        self._to: dict[str, str] = {}
        listed = list(mentions)
        names = Counter(mention.name for mention in listed)
        if types is None:
            types = {mention.name: mention.type for mention in reversed(listed) if mention.type is not None}
        self._merge_aliases(aliases or {})
        self._merge_spellings(names)
        self._merge_plurals(names)
        self._merge_people([name for name in names if " " in name], names, types)
        self._merge_generic(names)

    def canonical(self, name: str) -> str:
        """The document's fullest form of `name`, or `name` itself."""
        seen = {name}
        while (better := self._to.get(name) or self._to.get(entity_key(name), name)) not in seen:
            seen.add(better)
            name = better
        return name

    def aliases(self, name: str) -> tuple[str, ...]:
        """The other forms that stand for the canonical `name`, sorted."""
        return tuple(sorted(other for other in self._to if self.canonical(other) == name and other != name and other != entity_key(other)))

    def _merge_aliases(self, aliases: Mapping[str, str]) -> None:
        for short, full in aliases.items():
            if entity_key(short) != entity_key(full):
                self._to.setdefault(short, full)
                if len(short) > 3:
                    self._to.setdefault(entity_key(short), full)

    def _merge_spellings(self, names: Counter[str]) -> None:
        """The most used spelling wins, the earliest on a tie; "US" and "us" never meet because only names are here."""
        groups: dict[str, list[str]] = defaultdict(list)
        for name in names:
            groups[entity_key(name)].append(name)
        for group in groups.values():
            best = max(group, key=lambda name: (names[name], not name.isupper()))
            self._to.update({name: best for name in group if name != best and name not in self._to})

    def _merge_plurals(self, names: Counter[str]) -> None:
        for name in names:
            single = name[:-1]
            if name.endswith("s") and len(single) > 1 and name not in self._to and (single in names or single.isupper()):
                self._to[name] = single

    def _merge_people(self, full_names: list[str], names: Counter[str], types: Mapping[str, str]) -> None:
        """A last name alone, and a full name without its initials, are the one person of that name in the document."""
        fullest: dict[str, str] = {}
        for name in full_names:
            words = name.split(" ")
            by_last = name not in types and types.get(words[-1]) == "person" and _is_plain(words)
            if types.get(name) == "person" or by_last:
                key = _without_initials(words)
                fullest[key] = max(fullest.get(key, name), name, key=len)
        for name in full_names:
            full = fullest.get(_without_initials(name.split(" ")), name)
            if full != name:
                self._to.setdefault(name, full)
        by_last_name: dict[str, list[str]] = defaultdict(list)
        for full in fullest.values():
            by_last_name[full.split(" ")[-1]].append(full)
        for last, fulls in by_last_name.items():
            if len(fulls) == 1 and last in names:
                self._to.setdefault(last, fulls[0])

    def _merge_generic(self, names: Counter[str]) -> None:
        """ "the Committee" is the one committee that the document names in full."""
        heads = [name for name in names if name.lower() in GENERIC and name.lower() in ORGANIZATION_ENDS]
        for head in heads:
            fulls = {self.canonical(name) for name in names if name.endswith(f" {head}")}
            if len(fulls) == 1:
                self._to.setdefault(head, fulls.pop())


def _is_plain(words: Sequence[str]) -> bool:
    return 2 <= len(words) <= 4 and all(word[0].isupper() and (word[1:].islower() or len(word.rstrip(".")) == 1) for word in words)


def _without_initials(words: Sequence[str]) -> str:
    kept = [word for at, word in enumerate(words) if at in (0, len(words) - 1) or len(word.rstrip(".")) > 1]
    return " ".join(kept)


def _cased_mentions(masked: str, title: str, language: str) -> tuple[list[Found], dict[str, str], Counter[str]]:
    """The names found by their capitals, the short forms the text defines, and how often it writes each word as it stands."""
    evidence = _Evidence(masked, find_candidates(masked), language)
    found = [mention for candidate in evidence.candidates for mention in evidence.accept(candidate)]
    designations = find_designations(masked, (mention.name for mention in found if mention.form == "word"))
    found.extend(designations.found)
    aliases = dict(designations.short_forms)
    for definition in find_definitions(masked):
        if definition.short in aliases:
            continue
        aliases[definition.short] = full = " ".join(definition.long.split())
        kind = _type_of_long(definition.long)
        found.append(Found(definition.start, definition.end, full, "multi", kind))
        if not full.islower():  # spelt large, it is this name wherever it stands, whatever its words alone would be cut into
            found.extend(Found(start, end, full, "multi", kind) for start, end in _occurrences(masked, full, ignore_case=False))
    found.extend(_quoted_titles(masked))
    found.extend(_title_mentions(masked, title))
    return found, aliases, evidence.small


def _type_of_long(long: str) -> EntityType | None:
    """A term spelt small is a concept; one spelt large is whatever its words or surroundings show."""
    return "concept" if long.islower() else type_of_name(" ".join(long.split()), "multi")


class _Evidence:
    """What the whole document says for and against its candidates."""

    def __init__(self, masked: str, candidates: list[Candidate], language: str) -> None:
        self.candidates = candidates
        self._masked = masked
        self.small = Counter(masked.split())
        self._proven: Counter[str] = Counter(c.name for c in candidates if not c.initial and not c.heading)
        self._multi = {c.name for c in candidates if c.form == "multi" and not c.heading}
        self._capitals: Counter[str] = Counter(c.name for c in candidates)
        self._nouns = language.lower().startswith("de") or self._writes_nouns_large()
        self._words: dict[str, bool] = {}

    @cached_property
    def _parts(self) -> set[str]:
        """What the longer names begin with."""
        return {part for name in self._multi for part in _parts_of(name)}

    def accept(self, candidate: Candidate) -> list[Found]:
        """The names in one candidate: itself, a part of it, or none."""
        form, name = candidate.form, candidate.name
        if form == "coded":
            return [_as_found(candidate)]
        if form == "multi":
            return self._accept_multi(candidate)
        if form in ("acronym", "camel"):
            return [_as_found(candidate)] if self._is_abbreviation(candidate) else []
        if candidate.person and not candidate.heading:
            return [_as_found(candidate)]
        known = self._words.get(name)
        if known is None:
            known = self._words[name] = self._is_name(name)
        proven = (
            self._proven[name] > 0
            or (name in self._parts and candidate.value)
            or (not candidate.heading and (name.lower() in FIRST_NAMES or name in self._last_words))
        )
        return [_as_found(candidate)] if known and proven else []

    def _is_abbreviation(self, candidate: Candidate) -> bool:
        name = candidate.name
        low = name.lower()
        if candidate.heading and not self._proven[name]:
            return candidate.form == "camel" and candidate.value
        if candidate.form == "camel":
            return True
        return not (len(name) > 3 and self.small[low] > 0) and not (low in LABELS and not self._proven[name] > 1)

    def _is_name(self, name: str) -> bool:
        """Whether a single capitalised word is a name here, wherever it stands."""
        low = name.lower()
        if low in LABELS:
            return False
        small = sum(self.small[form] for form in {low, f"{low},", f"{low}.", f"{low}s", low.removesuffix("s")})
        large = self._proven[name]
        if low in GENERIC:
            return (small == 0 and large >= _DEFINED_TERM) or self._has_full_name(name)
        if low in FIRST_NAMES or low in PLACES:
            return True
        if self._nouns:
            return large > 1 and small == 0 and not self._takes_article(name)
        return large > small or (large == 0 and small == 0 and (name in self._parts or name in self._last_words))

    def _has_full_name(self, name: str) -> bool:
        return sum(full.endswith(f" {name}") for full in self._multi) == 1 and name.lower() in ORGANIZATION_ENDS

    def _accept_multi(self, candidate: Candidate) -> list[Found]:
        name = candidate.name
        if self._nouns and any(f" {article} " in name for article in ("der", "den", "des", "zu")):
            return []
        if candidate.heading:
            trusted = self._proven[name] or name in self._multi or is_person_like(name) or (candidate.value and name in self._parts)
            return [_as_found(candidate)] if trusted else self._known_parts(candidate)
        if candidate.initial and not self._proven[name]:
            return self._accept_first(candidate)
        return self._split_known(candidate)

    def _accept_first(self, candidate: Candidate) -> list[Found]:
        """A sequence that begins a sentence, with or without its first word, which may be there for the sentence's sake."""
        first, _, rest = candidate.name.partition(" ")
        low = first.lower()
        ordinary = low in STOP or (self.small[low] > 0 and low not in FIRST_NAMES and not first.isupper())
        if (not ordinary and not self._begins_only(first, rest)) or candidate.end - candidate.start != len(candidate.name):
            return self._split_known(candidate)
        while rest.partition(" ")[0] in CONNECTORS:
            rest = rest.partition(" ")[2]
        form = form_of(rest)
        if form and (self._is_known(rest) or (low in STOP and form != "word")):
            return [_shifted(candidate, len(candidate.name) - len(rest), rest)]
        common = low in STOP and (self.small[low] > 0 or (form == "word" and self.small[rest.lower()] > 0))
        return [] if common else self._split_known(candidate)

    def _begins_only(self, first: str, rest: str) -> bool:
        """Whether a plain word is known from the beginnings of sentences alone, before what stands alone elsewhere."""
        if not first[1:].islower() or first.lower() in FIRST_NAMES or first.lower() in PLACES or self._proven[first]:
            return False
        return first not in self._first_words and self._is_known(rest)

    @cached_property
    def _first_words(self) -> set[str]:
        """What longer names begin with inside sentences."""
        return {name.partition(" ")[0] for name in self._proven if " " in name}

    def _split_known(self, candidate: Candidate) -> list[Found]:
        """Two names that merely stand side by side, where the document has each of them alone."""
        words = candidate.name.split(" ")
        if len(words) == 2 and words[0] == words[1] and self._proven[words[0]]:
            return [Found(candidate.start, candidate.start + len(words[0]), words[0], form_of(words[0]), None)]
        if candidate.end - candidate.start != len(candidate.name) or self._proven[candidate.name] > 1 or len(words) < 3:
            return [_as_found(candidate)]
        for cut in range(len(words) - 1, 0, -1):
            left, right = " ".join(words[:cut]), " ".join(words[cut:])
            if self._stands_alone(left) and self._stands_alone(right):
                at = candidate.start + len(left)
                return [
                    Found(candidate.start, at, left, form_of(left), type_of_name(left, form_of(left))),
                    Found(at + 1, candidate.end, right, form_of(right), type_of_name(right, form_of(right))),
                ]
        return [_as_found(candidate)]

    def _stands_alone(self, name: str) -> bool:
        return self._proven[name] > 0 and form_of(name) in ("multi", "acronym", "camel")

    def _known_parts(self, candidate: Candidate) -> list[Found]:
        """Names known from prose inside a line that capitalises everything, longest first."""
        words = candidate.name.split(" ")
        if candidate.end - candidate.start != len(candidate.name):
            return []
        found: list[Found] = []
        at = 0
        while at < len(words):
            size = next((size for size in range(len(words) - at, 0, -1) if self._is_known(" ".join(words[at : at + size]))), 0)
            if size:
                name = " ".join(words[at : at + size])
                start = candidate.start + len(" ".join(words[:at])) + (at > 0)
                found.append(Found(start, start + len(name), name, form_of(name), type_of_name(name, form_of(name))))
            at += size or 1
        return found

    def _is_known(self, name: str) -> bool:
        form = form_of(name)
        if form == "multi":
            return name in self._multi
        return form != "" and self._proven[name] > 0 and (form != "word" or self._is_name(name))

    @cached_property
    def _last_words(self) -> set[str]:
        """What the longer plain names end with: a last name, often."""
        return {words[-1] for name in self._multi if _is_plain(words := name.split(" "))}

    def _writes_nouns_large(self) -> bool:
        """German capitalises every noun, so a capital proves less there."""
        small = self.small
        return small["und"] + small["der"] + small["die"] > small["the"] + small["and"] + small["of"] + 1

    def _takes_article(self, name: str) -> bool:
        articles = r"(?:[Dd](?:er|ie|as|en|em|es)|[Ee]in(?:e[rsnm]?)?|[Kk]ein\w*|[Ss]ein\w*|[Ii]hr\w*|zu[rm]|im|am|vom|beim|ins)"
        return re.search(rf"\b{articles} (?:\w+ )?{re.escape(name)}\b", self._masked) is not None


def _parts_of(name: str) -> list[str]:
    words = name.split(" ")
    return [" ".join(words[:size]) for size in range(1, len(words))]


def _as_found(candidate: Candidate) -> Found:
    kind: EntityType | None = "person" if candidate.person else type_of_name(candidate.name, candidate.form)
    return Found(candidate.start, candidate.end, candidate.name, candidate.form, kind)


def _shifted(candidate: Candidate, by: int, name: str) -> Found:
    form = form_of(name)
    return Found(candidate.start + by, candidate.end, name, form, type_of_name(name, form))


def _quoted_titles(masked: str) -> list[Found]:
    """Quoted words that are capitalised as a title is; speech and scare quotes are not."""
    found = []
    for match in _QUOTED.finditer(masked):
        quoted = match.group(1)
        if quoted[-1] in ".,;:" or len(words := quoted.split()) < 2 or len(words) > 9 or (quoted[-1] in "?!" and len(words) < 4):
            continue
        long = [word for word in words if len(word) > 3]
        if long and all(word[0].isupper() or word[0].isdigit() for word in long) and any(word[0].isupper() for word in words[1:]):
            found.append(Found(match.start(1), match.end(1), " ".join(words), "quoted", "work"))
    return found


def _title_mentions(masked: str, title: str) -> list[Found]:
    """Where the text names the thing its title names, as an article about one thing does in its first words."""
    name = " ".join(_TITLE_TAIL.sub("", title).split())
    words = name.split(" ")
    if not name or len(words) > MAX_NAME_WORDS or len(name) < 3 or name.lower() in _NO_TITLE or not any(c.isalpha() for c in name):
        return []
    spans = _occurrences(masked, name, ignore_case=1 < len(words) <= 6)  # a longer one could be a sentence
    if not spans or spans[0][0] > 200 or all(_is_line(masked, span) for span in spans):
        return []
    kind = type_of_name(name, "multi" if len(words) > 1 else "word")
    return [Found(start, end, name, "multi" if len(words) > 1 else "word", kind) for start, end in spans]


def _is_line(text: str, span: Span) -> bool:
    """Whether a line holds nothing else, as a printed title's line does; the text as a whole is no line."""
    start, end = text.rfind("\n", 0, span[0]) + 1, text.find("\n", span[1])
    line = text[start : end if end >= 0 else len(text)]
    return len(line) < len(text) and line.strip("#*=_ \t\r.") == text[span[0] : span[1]]


def _occurrences(text: str, name: str, ignore_case: bool) -> list[Span]:
    """Where `name` stands as a whole word."""
    lowered, wanted = (text.lower(), name.lower()) if ignore_case else (text, name)
    if len(lowered) != len(text):
        lowered, wanted = text, name
    spans, size = [], len(wanted)
    at = lowered.find(wanted)
    while at >= 0:
        if not lowered[at - 1 : at].isalnum() and not lowered[at + size : at + size + 1].isalnum():
            spans.append((at, at + size))
        at = lowered.find(wanted, at + size)
    return spans


def _uncased_mentions(masked: str) -> list[Found]:
    """Names in scripts without capitals: titles in their own brackets, and quoted or katakana words that the text repeats."""
    if not _UNCASED.search(masked):
        return []
    names: dict[str, str] = {}
    for match in _UNCASED_QUOTES.finditer(masked):
        name = match[match.lastindex or 0].strip()
        if _UNCASED.search(name) and (match.group()[0] in "《『" or masked.count(name) > 1) and name[-1] not in "。，、！？!?؟.,":
            names.setdefault(name, "work" if match.group()[0] in "《『" else "other")
    for match in _KATAKANA.finditer(masked):
        if "・" in match.group() or masked.count(match.group()) > 1:
            names.setdefault(match.group(), "other")
    found = []
    for name, kind in names.items():
        whole = rf"(?<![ァ-ヴー]){re.escape(name)}(?![ァ-ヴー])" if _KATAKANA.fullmatch(name) else re.escape(name)
        found += [Found(*match.span(), name, "quoted", "work" if kind == "work" else "other") for match in re.finditer(whole, masked)]
    return found


def _apart(found: list[Found]) -> list[Found]:
    """No two overlap: the longer one stays, the earlier on a tie."""
    kept: list[Found] = []
    for mention in sorted(found, key=lambda mention: (mention.start, -mention.end)):
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
        elif mention.end - mention.start > kept[-1].end - kept[-1].start:
            kept[-1] = mention
    return kept


def _settled(text: str, found: list[Found], catalog: EntityCatalog, votes: TypeVotes) -> list[EntityMention]:
    """One name and one type an entity."""
    canonical = {mention.name: catalog.canonical(mention.name) for mention in found}
    types = votes.settled(canonical)
    return [
        EntityMention(mention.start, mention.end, text[mention.start : mention.end], name := canonical[mention.name], types[name])
        for mention in found
    ]


def _inside(mentions: list[EntityMention], bounds: Sequence[Span]) -> list[EntityMention]:
    """The mentions that some chunk holds whole; chunks may overlap."""
    ordered = sorted(bounds)
    starts = [start for start, _ in ordered]
    reach = list(accumulate((end for _, end in ordered), max))  # the furthest end among the chunks begun so far
    holders = ((mention, bisect_right(starts, mention.start) - 1) for mention in mentions)
    return [mention for mention, at in holders if at >= 0 and mention.end <= reach[at]]
