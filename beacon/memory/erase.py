"""Erasing: a source or a memory is taken out of everything that holds it, and a scan of the data folder proves it."""

import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from beacon.domain.memory import Memory
from beacon.domain.source import Source
from beacon.errors import ConflictError, InputError, NotFoundError
from beacon.llm.embedding import text_sha
from beacon.memory.fact_keeping import keep_facts, points_of
from beacon.memory.keep import own_memory
from beacon.memory.traces import SHORTEST, Traces, files_under, sweep, words_of
from beacon.projections import chunk_collection, drain_all
from beacon.stores.records import tables as t
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

ACTIVE = ("queued", "running")
PRINTED = frozenset({".pdf", ".docx"})  # forms whose bytes cannot be read as text; they are made anew on demand
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bak")
UNTOUCHED = frozenset(
    {"source", "version", "chunk", "claim", "embedding", "topic", "project", "alembic_version"}
)  # other sources stay as they are


@dataclass
class Erasure:
    """What is about to go: `traces` are what must not be found afterwards."""

    kind: str
    ref: str
    traces: Traces
    texts: list[str] = field(default_factory=list)  # whose vectors go, unless something else has the same text
    memories: list[str] = field(default_factory=list)
    kept_by: list[dict[str, str]] = field(default_factory=list)  # sources that say the same and stay


def find_source(ws: Workspace, named: str) -> Source:
    """The source of this id or address. Raises InputError where an address names several, listing them."""
    with ws.records.read() as tx:
        found = [s for s in tx.sources.all(ws.project_id) if s.id == named] or tx.sources.find_by_url(ws.project_id, named)
    if not found:
        raise NotFoundError(f"There is no source {named}: `beacon source list` shows what there is.", source=named)
    if len(found) > 1:
        listed = "; ".join(f"{s.id} {s.title}" for s in sorted(found, key=lambda s: s.id))
        raise InputError(
            f"{named} names {len(found)} sources, choose one by its id: {listed}", source=named, ids=sorted(s.id for s in found)
        )
    return found[0]


def erase_source(ws: Workspace, named: str) -> dict[str, Any]:
    """The receipt. What the source had superseded holds again."""
    source = find_source(ws, named)
    _refuse_while_running(ws)
    with ws.records.read() as tx:
        plan = _plan_source(ws, tx, source)
        points = points_of(tx, [source.id])
        chunk_ids = [c.id for v in tx.sources.versions(source.id) for c in tx.sources.chunks(v.id)]
    printed = _printed(ws, source.id)
    ws.vectors.delete(chunk_collection(ws), chunk_ids)
    if ws.settings.neo4j_url:
        ws.graph.remove_versions(ws.project_id, [one for one in plan.traces.ids if one.startswith("ver_")])
    with ws.records.write() as tx, _erasing(tx, ws.clock()):
        tx.outbox.done(_waiting_for(tx, plan.traces))
        _drop_memories(tx, ws, plan)
        tx.connection.execute(sa.delete(t.change).where(sa.cast(t.change.c.source, sa.Text).contains(source.id)))
        tx.connection.execute(sa.delete(t.source).where(t.source.c.id == source.id))
        _drop_orphans(tx, ws.project_id)
        _drop_vectors(tx, plan.texts)
        swept = sweep(tx.connection, plan.traces, UNTOUCHED)
    kept = keep_facts(ws, points=points)
    return _finish(ws, plan, swept, printed, healed=list(kept.healed))


def erase_memory(ws: Workspace, memory_id: str) -> dict[str, Any]:
    """The receipt: the memory, its history, and the words it was told in are gone. What a source says too stays with that source."""
    _refuse_while_running(ws)
    with ws.records.read() as tx:
        memory = own_memory(ws, tx, memory_id)
        plan = _plan_memory(ws, tx, memory)
    with ws.records.write() as tx, _erasing(tx, ws.clock()):
        _drop_memories(tx, ws, plan)
        _drop_vectors(tx, plan.texts)
        swept = sweep(tx.connection, plan.traces, UNTOUCHED)
    return _finish(ws, plan, swept, [], healed=[])


def _refuse_while_running(ws: Workspace) -> None:
    with ws.records.read() as tx:
        query = sa.select(t.run.c.id).where(t.run.c.project_id == ws.project_id, t.run.c.status.in_(ACTIVE)).order_by(t.run.c.id)
        found = tx.connection.scalars(query).first()
    if found:
        raise ConflictError(f"The run {found} is under way and may hold what is to be erased: cancel it or wait for it.", run_id=found)


def _plan_source(ws: Workspace, tx: Tx, source: Source) -> Erasure:
    versions = tx.sources.versions(source.id)
    chunks = [chunk for version in versions for chunk in tx.sources.chunks(version.id)]
    claims = tx.facts.of_sources([source.id])
    others = _other_texts(tx, ws.project_id, [source.id])
    turns: list[Any] = [v.metadata.get("events") or [] for v in versions]
    events = [str(one) for listed in turns for one in listed]
    resting = [m for m in tx.memories.all(ws.project_id, statuses=None) if _rests_alone(m, source.id, set(events))]
    said = words_of([*(v.text for v in versions), *(m.text for m in resting)], others)
    address = [source.url] if len(source.url) >= SHORTEST and len(tx.sources.find_by_url(ws.project_id, source.url)) == 1 else []
    ids = [source.id, *(v.id for v in versions), *(c.id for c in chunks), *(c.id for c in claims), *(m.id for m in resting), *events]
    texts = [*(c.text for c in chunks), *(m.text for m in resting)]
    return Erasure("source", source.id, Traces.of(ids, [*said, *address]), texts, [m.id for m in resting])


def _rests_alone(memory: Memory, source_id: str, events: set[str]) -> bool:
    """Whether nothing but the source speaks for it, or its words are the source's."""
    own = [c for c in memory.citations if c.get("source_id") == source_id or c.get("event_id") in events]
    return bool(own) and (len(own) == len(memory.citations) or any(str(c.get("quote", "")) in memory.text for c in own))


def _plan_memory(ws: Workspace, tx: Tx, memory: Memory) -> Erasure:
    history: list[dict[str, Any]] = [
        side for _, item in tx.memories.changes_of(ws.project_id, "memory", ref=memory.id) for side in (item.before, item.after) if side
    ]
    told = [memory.text, *(str(one["text"]) for one in history)]
    cited: list[dict[str, Any]] = [*memory.citations, *(c for one in history for c in one["citations"])]
    said = [str(c.get("quote", "")) for c in cited if c.get("event_id")]
    rows = tx.connection.execute(
        sa.select(t.version.c.text, t.source.c.id, t.source.c.title).join(t.source).where(t.source.c.project_id == ws.project_id)
    ).all()
    quotes = [one for one in dict.fromkeys([*told, *said]) if not any(one in row[0] for row in rows)]
    kept_by = sorted(
        {(row[1], row[2]) for row in rows if any(one in row[0] for one in [*told, *(str(c.get("quote", "")) for c in cited)] if one)}
    )
    own = [e for c in cited if (e := c.get("event_id")) and tx.events.get(str(e)).type in ("memory_added", "memory_edited")]
    named = [{"source_id": key, "title": title} for key, title in kept_by]
    return Erasure("memory", memory.id, Traces.of([memory.id, *map(str, own)], quotes), told, [memory.id], named)


def _other_texts(tx: Tx, project_id: str, without: list[str]) -> list[str]:
    query = sa.select(t.version.c.text).join(t.source).where(t.source.c.project_id == project_id, t.source.c.id.not_in(without))
    return [str(text) for text in tx.connection.scalars(query)]


class _erasing:
    """Lets the event log be altered as long as it lasts, in one transaction."""

    def __init__(self, tx: Tx, at: datetime) -> None:
        self._tx, self._at = tx, at

    def __enter__(self) -> None:
        self._tx.projects.set_value("erasing", True, self._at)

    def __exit__(self, *problem: object) -> None:
        if problem[0] is None:
            self._tx.connection.execute(sa.delete(t.setting).where(t.setting.c.name == "erasing"))


def _drop_memories(tx: Tx, ws: Workspace, plan: Erasure) -> None:
    """The memories go with their history; what they had taken the place of holds again."""
    for memory_id in plan.memories:
        for older in tx.memories.all(ws.project_id, statuses=("superseded",)):
            if older.replaced_by == memory_id and older.metadata.get("origin") != "facts":
                told = {name: value for name, value in older.metadata.items() if name != "reason"}
                tx.memories.put_memory(
                    replace(
                        older, status="current", valid_to=None, retired_at=None, replaced_by="", metadata=told, version=older.version + 1
                    )
                )
        tx.memories.delete(memory_id)
        tx.connection.execute(sa.delete(t.change_item).where(t.change_item.c.kind == "memory", t.change_item.c.ref == memory_id))
    empty = sa.select(t.change_item.c.changeset_id)
    tx.connection.execute(sa.delete(t.changeset).where(t.changeset.c.project_id == ws.project_id, t.changeset.c.id.not_in(empty)))
    events = [one for one in plan.traces.ids if one.startswith("evt_")]
    tx.connection.execute(sa.delete(t.event).where(t.event.c.id.in_(events)))


def _drop_orphans(tx: Tx, project_id: str) -> None:
    """Relations and names that stood nowhere else."""
    held = sa.select(t.relation_evidence.c.relation_id)
    tx.connection.execute(sa.delete(t.relation).where(t.relation.c.project_id == project_id, t.relation.c.id.not_in(held)))
    named = sa.select(t.mention.c.entity_id)
    tx.connection.execute(sa.delete(t.entity).where(t.entity.c.project_id == project_id, t.entity.c.id.not_in(named)))


def _drop_vectors(tx: Tx, texts: Iterable[str]) -> None:
    hashes = sorted({text_sha(text) for text in texts})
    still = sa.union(sa.select(t.chunk.c.text_sha256), sa.select(t.memory.c.text_sha256))
    for at in range(0, len(hashes), 500):
        part = hashes[at : at + 500]
        tx.connection.execute(sa.delete(t.embedding).where(t.embedding.c.text_sha256.in_(part), t.embedding.c.text_sha256.not_in(still)))


def _waiting_for(tx: Tx, traces: Traces) -> list[int]:
    return [int(row[0]) for row in tx.connection.execute(sa.select(t.outbox.c.seq, t.outbox.c.ref)) if row[1] in traces.ids]


def _printed(ws: Workspace, source_id: str) -> list[Path]:
    """Printed reports of the runs that read the source."""
    with ws.records.read() as tx:
        query = sa.select(t.run.c.output_dir).join(t.run_version, t.run_version.c.run_id == t.run.c.id)
        folders = {str(one) for one in tx.connection.scalars(query.where(t.run_version.c.source_id == source_id)) if one}
    roots = [ws.settings.home / "outputs" / Path(one).name for one in sorted(folders)]
    return [path for root in roots if root.is_dir() for path in files_under(root) if path.suffix in PRINTED]


def _finish(ws: Workspace, plan: Erasure, swept: dict[str, int], printed: list[Path], healed: list[Any]) -> dict[str, Any]:
    with ws.records.write() as tx, _erasing(tx, ws.clock()):
        again = sweep(tx.connection, plan.traces, UNTOUCHED)
    files = _clean_files(ws, plan.traces)
    for path in printed:
        path.unlink(missing_ok=True)
    drain_all(ws)
    ws.records.compact()
    if plan.kind == "source":
        ws.vectors.purge()
    residue, held = _scan(ws, plan.traces)
    counts = {name: swept.get(name, 0) + again.get(name, 0) for name in sorted({*swept, *again})}
    return {
        "kind": plan.kind,
        "id": plan.ref,
        "at": ws.clock().isoformat(),
        "ids": len(plan.traces.ids),
        "quotes": len(plan.traces.quotes),
        "memories": len(plan.memories),
        "rows_cleaned": counts,
        "files_cleaned": files,
        "files_removed": [str(path.relative_to(ws.settings.home)) for path in printed],
        "healed": healed,
        "residue": residue,
        "clean": not residue,
        "still_held_by": [*held, *({"path": "", **one} for one in plan.kept_by)],
    }


def _clean_files(ws: Workspace, traces: Traces) -> list[str]:
    """Which files under outputs/ were rewritten without it."""
    done = []
    folder = ws.settings.home / "outputs"
    for path in files_under(folder) if folder.is_dir() else ():
        data = path.read_bytes()
        if traces.counted_in(data):
            path.write_text(traces.clean(data.decode("utf-8", "surrogateescape")), encoding="utf-8", errors="surrogateescape")
            done.append(str(path.relative_to(ws.settings.home)))
    return done


def _scan(ws: Workspace, traces: Traces) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(files of the data folder in which something is left, archives that still hold it)."""
    residue, held = [], []
    for path in files_under(ws.settings.home):
        name = str(path.relative_to(ws.settings.home))
        if path.suffix in ARCHIVES or "backup" in name:
            if found := sum(traces.counted_in(data) for data in _contents(path)):
                held.append({"path": name, "found": found})
        elif found := traces.counted_in(path.read_bytes()):
            residue.append({"path": name, "found": found})
    return residue, held


def _contents(path: Path) -> Iterator[bytes]:
    yield path.read_bytes()
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name) for name in archive.namelist())
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as packed:
            yield from (one.read() for member in packed if (one := packed.extractfile(member)) is not None)
