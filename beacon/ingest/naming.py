"""What the documents of a batch name, as rows: entities, where they are mentioned, and who stands with whom."""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import combinations
from typing import Any

from beacon.domain.ids import id_of, make_id, mark
from beacon.domain.source import StoredChunk
from beacon.ingest.entities import entity_key
from beacon.ingest.entity_aliases import is_short_form
from beacon.ingest.work import Naming, Worked
from beacon.stores.records.store import Tx

MAX_ENTITIES_A_SENTENCE = 8  # beyond that a sentence is a list, and pairs from it say nothing
TOLD_WEIGHT = 12  # mentions of a guessed type that one mention outweighs whose document tells the type
KEYED_SHORT_FORM = 4  # letters from which another spelling of a short form stands for the same name


def known_short_forms(tx: Tx, project_id: str) -> dict[str, str]:
    """Short form → full name, for the short forms of the project that stand for one name only."""
    spelled: dict[str, set[str]] = {}
    for name, aliases in tx.entities.aliased(project_id):
        for alias in aliases:
            if is_short_form(alias, name):
                spelled.setdefault(alias, set()).add(name)
    return {short: names.pop() for short, names in spelled.items() if len(names) == 1}


class ShortForms:
    """The short forms that documents read one after the other introduce: each holds for those that follow.

    Documents are worked out before the ones ahead of them are stored, so what those teach is applied afterwards.
    """

    def __init__(self) -> None:
        self._fulls: dict[str, set[str]] = {}

    def learn(self, introduced: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Those that no document before this one introduced: short form → full name."""
        new: dict[str, str] = {}
        for short, full in introduced:
            if short not in self._fulls:
                new[short] = full
            for spelling in (short, entity_key(short)) if len(short) >= KEYED_SHORT_FORM else (short,):
                self._fulls.setdefault(spelling, set()).add(full)
        return new

    def full(self, name: str) -> str:
        """The name itself, or the one full name it is short for."""
        if not self._fulls:
            return name
        fulls = self._fulls.get(name) or self._fulls.get(entity_key(name)) or ()
        return next(iter(fulls)) if len(fulls) == 1 else name


class NamedBatch:
    """The rows of one batch, gathered document by document and then written."""

    def __init__(self, project_id: str, short_forms: ShortForms) -> None:
        self._project_id, self._short_forms = project_id, short_forms
        self._ids: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._spelled: dict[str, set[str]] = {}
        self._types: dict[str, Counter[str]] = {}
        self._introduced: dict[str, set[str]] = {}
        self._mentions: list[dict[str, Any]] = []
        self._relations: dict[tuple[str, str], str] = {}
        self._evidence: list[dict[str, Any]] = []

    def take(self, text: str, worked: Worked, chunks: list[StoredChunk], at: datetime) -> None:
        """Gather what a version names. `chunks` are its stored passages, `at` is its moment."""
        full = {name: self._short_forms.full(name) for name in {naming.name for naming in worked.namings}}
        ids = {name: self._id(known) for name, known in full.items()}
        for (name, kind), times in Counter((name, kind) for _, _, name, kind, _ in worked.namings).items():
            votes = self._types.setdefault(ids[name], Counter())
            votes[kind] += times * (TOLD_WEIGHT if name in worked.told else 1)
        for name in sorted(ids):
            self._names[ids[name]] = full[name]  # of two spellings of one key, the last
        for name, surface in {(name, text[start:end]) for start, end, name, _, _ in worked.namings}:
            if surface != full[name]:
                self._spelled.setdefault(ids[name], set()).add(surface)
        self._place(text, worked, ids, chunks)
        self._relate(worked, ids, chunks, at)
        for short, name in self._short_forms.learn(worked.short_forms).items():
            self._introduced.setdefault(short, set()).add(name)

    def _id(self, name: str) -> str:
        found = self._ids.get(name)
        if found is None:
            found = self._ids[name] = make_id("ent", self._project_id, entity_key(name))
        return found

    def _place(self, text: str, worked: Worked, ids: Mapping[str, str], chunks: list[StoredChunk]) -> None:
        if not worked.namings:
            return
        version_id, source_id = chunks[0].version_id, chunks[0].source_id
        of_version = mark(version_id)
        marks = {name: mark(key) + of_version for name, key in ids.items()}
        self._mentions += [
            {
                "id": id_of("mnt", marks[name] + mark(start)),
                "project_id": self._project_id,
                "entity_id": ids[name],
                "chunk_id": chunks[passage].id,
                "version_id": version_id,
                "source_id": source_id,
                "start": start,
                "end": end,
                "surface": text[start:end],
            }
            for start, end, name, _, passage in worked.namings
        ]

    def _relate(self, worked: Worked, ids: Mapping[str, str], chunks: list[StoredChunk], at: datetime) -> None:
        for start, end, numbers in worked.company:
            here: dict[str, Naming] = {}
            for number in numbers:
                naming = worked.namings[number]
                here.setdefault(ids[naming.name], naming)
            if not 2 <= len(here) <= MAX_ENTITIES_A_SENTENCE:
                continue
            for pair in combinations(sorted(here), 2):
                chunk_id = chunks[here[pair[0]].passage].id
                self._evidence.append({"relation_id": self._relation(pair), "chunk_id": chunk_id, "start": start, "end": end, "at": at})

    def _relation(self, pair: tuple[str, str]) -> str:
        found = self._relations.get(pair)
        if found is None:
            found = self._relations[pair] = make_id("rel", self._project_id, *pair, "co_occurs")
        return found

    def store(self, tx: Tx) -> list[str]:
        """Write everything that was gathered; the other versions whose mentions now belong to another entity."""
        types = {key: kind for key, votes in self._types.items() if (kind := shown_type(votes))}
        project = self._project_id
        tx.entities.add_entities(
            {"id": key, "project_id": project, "key": entity_key(name), "name": name, "type": types.get(key, "other"), "aliases": []}
            for key, name in self._names.items()
        )
        tx.entities.set_types(types)
        self._learn_aliases(tx)
        tx.entities.add_mentions(self._mentions)
        relations = (
            {"id": key, "project_id": project, "head_id": head, "tail_id": tail, "kind": "co_occurs"}
            for (head, tail), key in self._relations.items()
        )
        tx.entities.add_relations(relations, self._evidence)
        return self._merge_short_forms(tx)

    def _learn_aliases(self, tx: Tx) -> None:
        """Add the other spellings these documents used to what each entity is also called."""
        for key, known in tx.entities.known(list(self._spelled)).items():
            merged = sorted({*known["aliases"], *self._spelled[key]} - {known["name"]})
            if merged != sorted(known["aliases"]):
                tx.entities.set_aliases(key, merged)

    def _merge_short_forms(self, tx: Tx) -> list[str]:
        """What stood under its short form alone, here or in earlier documents, joins the name that a document now gave it."""
        ids = {short: [self._id(name) for name in (short, *full)] for short, full in sorted(self._introduced.items()) if len(full) == 1}
        there = tx.entities.known(sorted({key for pair in ids.values() for key in pair}))
        moved: list[str] = []
        for key, full_id in ids.values():
            if key in there and full_id in there:
                moved += tx.entities.merge(self._project_id, key, full_id)
        return moved


def shown_type(votes: Counter[str]) -> str:
    """The type with most votes beside "other", the first by name on a tie; "" where it is the word of too few mentions."""
    kind = min((kind for kind in votes if kind != "other"), key=lambda kind: (-votes[kind], kind), default="")
    return kind if votes[kind] * TOLD_WEIGHT >= votes["other"] else ""
