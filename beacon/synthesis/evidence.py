"""What customers said: every statement with who said it, how, and where it stands. Nothing is dropped silently."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from beacon.analyst.sentences import split_sentences
from beacon.analyst.tokens import content_tokens, tokenize
from beacon.domain.source import Block, Source, StoredChunk, Version, unpack_blocks
from beacon.synthesis.closed import closed_columns
from beacon.synthesis.rowcheck import row_fault
from beacon.synthesis.tone import asks, guides, severity_of, telling, tone_of
from beacon.synthesis.voices import read_speakers, voice_of

MOST_LETTERS = 600  # of a statement worth quoting whole
FEWEST_TERMS = {"talk": 4, "report": 3, "note": 2, "row": 1}  # content words from which a statement says something
COPIED = 8  # words from which the same sentence in two documents is a copy, not two people who agree
_CHAT = re.compile(
    r"\b(?:thank(?:s| you)|welcome|my name is|i'm joined|let's (?:get|dive|start|see|move|go)|great question|good question|nice to meet|"
    r"that's (?:great|awesome|amazing|fantastic|cool|interesting)|tell us|hear me|see you|i(?:'m| am) (?:\w+ )?(?:from|based)|"
    r"sounds good|applause|music|subscribe|youtube)\b",
    re.I,
)
_PERSON_IN_NOTE = re.compile(r"\b(?:P|Participant |Respondent |User )(\d{1,3})\b")


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of evidence: `[start, end)` of its version's text is `text`."""

    id: str
    text: str
    source_id: str
    version_id: str
    chunk_id: str
    start: int
    end: int
    voice: str  # customer | observer | unknown
    participant: str
    person: str  # who it is across documents; empty where nobody is named
    segment: str
    at: datetime
    tone: str
    severity: float
    heading: str = ""
    question: str = ""
    url: str = ""
    title: str = ""
    wave: str = ""  # the survey, study or interview it is part of


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A document or passage that is no evidence, and why."""

    source_id: str
    title: str
    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that may be synthesised, and what was left out."""

    statements: tuple[Statement, ...]
    left_out: tuple[LeftOut, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """A source with its current version and passages, and what a person said of its speakers."""

    source: Source
    version: Version
    chunks: Sequence[StoredChunk]
    roles: Mapping[str, str] = field(default_factory=dict)  # speaker → customer | interviewer | observer
    people: Mapping[str, str] = field(default_factory=dict)  # speaker → participant
    watched: bool = False  # a topic reads it, and nobody said whose words it holds


def gather(materials: Sequence[Material]) -> Evidence:
    """The statements of all documents, in a fixed order; repeated and unusable ones are listed with the reason."""
    left: list[LeftOut] = []
    usable = _usable(sorted(materials, key=lambda m: m.source.id), left)
    closed = closed_columns(usable)
    answers = _answers(usable)
    found: list[Statement] = []
    for material in usable:
        found += _statements(material, closed, answers, left)
    kept = _once(found, left)
    return Evidence(tuple(kept), tuple(left), tuple(m.source.id for m in usable))


def family_of(source: Source) -> str:
    """What a document's row belongs to: the file it came from, or the one that was made from."""
    return source.derived_from or str(source.metadata.get("manifest_id") or source.key.rsplit("#", 1)[0])


def wave_of(source: Source) -> str:
    """The survey, study or series a document is part of; its own title where it stands alone."""
    named = source.series or str(source.metadata.get("survey") or source.metadata.get("study") or "")
    if named:
        return named
    if source.metadata.get("row_id") is None:
        return source.title
    return str(source.metadata.get("file") or source.key.rsplit("#", 1)[0]).rsplit("/", 1)[-1]


def _usable(materials: Sequence[Material], left: list[LeftOut]) -> list[Material]:
    """The documents that may hold evidence."""
    kept: list[Material] = []
    known = {str(m.source.metadata.get("manifest_id") or m.source.key) for m in materials}
    seen: dict[str, str] = {}
    for material in materials:
        source, row = material.source, material.source.metadata.get("row_id") is not None
        reason = ""
        if source.role == "context":
            reason = "context: read, and nobody's evidence"
        elif material.watched:
            reason = "read for a topic: news of a subject, and nobody's voice"
        elif source.voice == "machine":
            reason = "a machine's words"
        elif source.derived_from and not row and source.derived_from in known:
            reason = "made from another document that is here"
        elif row and not _is_form(material.version):
            reason = row_fault(material.version.text)
            key = f"{family_of(source)}\n{source.participant}\n{material.version.text}"
            if not reason and len(tokenize(material.version.text)) > 3 and key in seen:
                reason = f"repeats {seen[key]}"
            seen.setdefault(key, source.title)
        if reason:
            left.append(LeftOut(source.id, source.title, reason, material.version.text[:200]))
        else:
            kept.append(material)
    return kept


def _is_form(version: Version) -> bool:
    """Whether the row is a whole questionnaire: its answers are judged one by one."""
    return bool(version.blocks) and all(str(block[2]) == "field" for block in version.blocks)


def _answers(materials: Sequence[Material]) -> dict[str, dict[str, str]]:
    """family → what answers were set apart from its rows, and who gave each: the row says them a second time."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for material in materials:
        if material.source.derived_from and material.source.metadata.get("row_id") is not None:
            found[material.source.derived_from][_plain(material.version.text)] = material.source.participant
    return found


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _statements(
    material: Material, closed: set[tuple[str, str]], answers: Mapping[str, Mapping[str, str]], left: list[LeftOut]
) -> Iterator[Statement]:
    source, version = material.source, material.version
    blocks = unpack_blocks(version.blocks)
    speakers = read_speakers(source, version.text, blocks, material.roles)
    chunks = sorted(material.chunks, key=lambda chunk: chunk.start)
    silent: Counter[str] = Counter()
    spoken_from = next((block.start for block in blocks if block.kind == "turn"), 0)
    for block in blocks:
        if block.kind in ("heading", "code", "table_head"):
            continue
        if block.start < spoken_from:  # what stands above a conversation was said by nobody in it
            silent["machine"] += 1
            continue
        if block.kind == "field" and (family_of(source), block.path[-1] if block.path else "") in closed:
            continue
        voice = voice_of(source, block, speakers, material.roles)
        if voice.kind in ("interviewer", "machine"):
            silent[voice.kind] += 1
            continue
        if block.kind == "field" and _told_apart(version.text, block, answers.get(family_of(source), {})):
            continue
        yield from _of_block(material, block, voice.kind, voice.speaker, chunks)
    if silent:
        words = " and ".join(
            f"{count} passages of {'the interviewer' if kind == 'interviewer' else 'a machine or of nobody known'}"
            for kind, count in sorted(silent.items())
        )
        left.append(LeftOut(source.id, source.title, f"{words} are no evidence"))


def _told_apart(text: str, block: Block, answers: Mapping[str, str]) -> bool:
    return _plain(_value(text, block)[1]) in answers


def _value(text: str, block: Block) -> tuple[int, str]:
    """Where a field's value begins, and the value."""
    label = f"{block.path[-1]}: " if block.path else ""
    shown = text[block.start : block.end]
    at = len(label) if shown.startswith(label) else 0
    return block.start + at, shown[at:]


def _of_block(material: Material, block: Block, voice: str, speaker: str, chunks: Sequence[StoredChunk]) -> Iterator[Statement]:
    source, version = material.source, material.version
    row = source.metadata.get("row_id") is not None
    begin, words = _value(version.text, block) if block.kind == "field" else (block.start, version.text[block.start : block.end])
    question = (block.path[-1] if block.kind == "field" and block.path else source.title) if row else ""
    kind = "row" if row else "talk" if block.kind == "turn" or voice == "unknown" else "note" if source.participant else "report"
    for start, end in _cells(words, block) if block.kind == "table_row" else split_sentences(words):
        text = words[start:end]
        chunk = _chunk_of(chunks, begin + start, begin + end)
        tone = tone_of(text, question if asks(question) or len(question) > 15 else "")
        if chunk is None or not _says_something(text, kind, tone):
            continue
        participant, person = _who(material, speaker, text)
        yield Statement(
            id=f"{version.id}:{begin + start:09d}",
            text=text,
            source_id=source.id,
            version_id=version.id,
            chunk_id=chunk.id,
            start=begin + start,
            end=begin + end,
            voice=voice,
            participant=participant,
            person=person,
            segment=source.segment,
            at=version.dated,
            tone=tone,
            severity=severity_of(text, tone),
            heading="" if row or not block.path or len(block.path) < 2 else block.path[-1],
            question=question,
            url=source.url,
            title=version.title or source.title,
            wave=wave_of(source),
        )


def _cells(words: str, block: Block) -> list[tuple[int, int]]:
    """The cells of a table's row that are sentences rather than figures."""
    spans, at = [], 0
    for cell in re.split(r"(\s*[|\t]\s*)", words):
        if len(cell.split()) >= 4:
            lead = len(cell) - len(cell.lstrip())
            spans.append((at + lead, at + lead + len(cell.strip())))
        at += len(cell)
    return spans


def _chunk_of(chunks: Sequence[StoredChunk], start: int, end: int) -> StoredChunk | None:
    return next((chunk for chunk in chunks if chunk.start <= start and end <= chunk.end), None)


def _says_something(text: str, kind: str, tone: str) -> bool:
    if len(text) > MOST_LETTERS or asks(text):
        return False
    if kind == "row" and row_fault(text):
        return False
    if kind == "talk" and (_CHAT.search(text.replace("’", "'")) or not (tone == "praise" or (tone != "plain" and telling(text)))):
        return False
    if kind == "report" and (guides(text) or not (tone == "praise" or telling(text))):
        return False
    return len(set(content_tokens(text))) >= FEWEST_TERMS[kind]


def _who(material: Material, speaker: str, text: str) -> tuple[str, str]:
    """The participant as shown, and who that is across documents."""
    source = material.source
    if speaker:
        name = material.people.get(speaker) or speaker
        return name, f"{source.id}:{name.casefold()}" if not material.people.get(speaker) else name.casefold()
    if source.participant:
        row = source.metadata.get("row_id") is not None
        return source.participant, f"{family_of(source) if row else source.metadata.get('study') or ''}:{source.participant.casefold()}"
    if source.metadata.get("row_id") is not None:
        return f"respondent {source.metadata.get('row', '')}", f"{family_of(source)}:row {source.metadata['row_id']}"
    named = _PERSON_IN_NOTE.search(text)
    if named:
        return f"P{named[1]}", f"{source.id}:p{named[1]}"
    return "", ""


def _once(found: Sequence[Statement], left: list[LeftOut]) -> list[Statement]:
    """Each statement once: what a person repeats, what several documents share word for word, and what was sent in twice."""
    shared: dict[str, set[str]] = defaultdict(set)
    for one in found:
        shared[_plain(one.text)].add(one.source_id)
    seen: set[tuple[str, str]] = set()
    kept: list[Statement] = []
    for one in found:
        words = _plain(one.text)
        copied = len(words.split()) >= COPIED and len(shared[words]) > 1
        key = ("" if copied else one.person or one.source_id, words)
        if key in seen or (copied and not one.question and not one.participant):
            left.append(
                LeftOut(one.source_id, one.title, "stands word for word elsewhere" if copied else "said twice by one person", one.text)
            )
            continue
        seen.add(key)
        kept.append(one)
    return kept
