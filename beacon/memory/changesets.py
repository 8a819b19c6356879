"""Every change to what is remembered: applied and recorded in one transaction, shown as before and after, undone one by one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from beacon.domain.graph import GraphSummary
from beacon.domain.ids import make_id
from beacon.domain.memory import ChangeItem, Changeset, Memory, ProfileVersion
from beacon.errors import ConflictError, InputError, NotFoundError
from beacon.memory.documents import owner_of
from beacon.memory.forms import USAGE, contradiction_from_json, contradiction_json, memory_from_json, memory_json
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

State = dict[str, Any] | None
Item = tuple[str, str, State, State]  # kind, ref, before, after
UNDO, REDO = "undo", "redo"


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of thing is read as JSON, and put back from it. `read` gives None for what is not there."""

    read: Callable[[Workspace, Tx, str], State]
    write: Callable[[Workspace, Tx, str, State, str], None]


def apply_changes(ws: Workspace, tx: Tx, *, actor: str, action: str, title: str, items: Sequence[Item], shared: bool = False) -> str:
    """The id of the changeset: every `after` is stored and the whole recorded, in the caller's transaction.

    A `shared` one belongs to everybody in the workspace: anyone sees it and may undo it.
    """
    now = ws.clock()
    changes = [(kind, ref, before, after) for kind, ref, before, after in items if before != after]
    if not changes:
        raise InputError("There is nothing to change.", action=action)
    changeset_id = make_id("chg", ws.project_id, ws.user_id, actor, action, now, tx.memories.last_seq(ws.project_id) + 1, changes)
    for kind, ref, _, after in changes:
        _kind(kind).write(ws, tx, ref, after, actor)
    changeset = Changeset(changeset_id, ws.project_id, actor, action, title, now, "" if shared else ws.user_id)
    rows = [ChangeItem(changeset_id, n, kind, ref, before, after) for n, (kind, ref, before, after) in enumerate(changes, 1)]
    tx.memories.add_changeset(changeset, rows)
    return changeset_id


def changeset_list(ws: Workspace, limit: int = 100) -> list[dict[str, Any]]:
    """The user's and the project's changesets, newest first, each with how many things it altered."""
    with ws.records.read() as tx:
        found = [c for c in tx.memories.changesets(ws.project_id, limit) if c.user_id in ("", ws.user_id)]
        return [{**_changeset_json(c), "changes": len(tx.memories.items(c.id))} for c in found]


def changeset_detail(ws: Workspace, changeset_id: str) -> dict[str, Any]:
    """A changeset with the before and after of everything it altered. Raises NotFoundError."""
    with ws.records.read() as tx:
        changeset = _own(ws, tx, changeset_id)
        items = tx.memories.items(changeset.id)
    return {
        **_changeset_json(changeset),
        "changes": len(items),
        "items": [{"kind": i.kind, "ref": i.ref, "before": i.before, "after": i.after} for i in items],
    }


def undo(ws: Workspace, changeset_id: str, *, actor: str = "user") -> str:
    """The id of a new changeset that puts back what was before; undoing an undo does it again.

    Raises ConflictError when it is undone already, or a later change that still holds touched the same thing.
    """
    with ws.records.write() as tx:
        changeset = _own(ws, tx, changeset_id)
        if changeset.status == "undone":
            raise ConflictError(f"The change {changeset_id} is undone already.", changeset_id=changeset_id, undone_by=changeset.undone_by)
        items = tx.memories.items(changeset_id)
        _check_untouched(ws, tx, changeset, items)
        back: list[Item] = [(i.kind, i.ref, _now(ws, tx, i), _restored(_now(ws, tx, i), i.before)) for i in reversed(items)]
        action, title = (REDO, "Done again") if changeset.action == UNDO else (UNDO, "Undone")
        plain = changeset.title.removeprefix("Undone: ").removeprefix("Done again: ")
        made = apply_changes(ws, tx, actor=actor, action=action, title=f"{title}: {plain}", items=back, shared=not changeset.user_id)
        tx.memories.mark_undone(changeset_id, made)
    return made


def _own(ws: Workspace, tx: Tx, changeset_id: str) -> Changeset:
    changeset = tx.memories.changeset(changeset_id)
    if changeset.project_id != ws.project_id or changeset.user_id not in ("", ws.user_id):
        raise NotFoundError(
            f"There is no changeset {changeset_id} here: `beacon memory undo` without an id lists them.", changeset_id=changeset_id
        )
    return changeset


def _changeset_json(changeset: Changeset) -> dict[str, Any]:
    return {**asdict(changeset), "at": changeset.at.isoformat()}


def _now(ws: Workspace, tx: Tx, item: ChangeItem) -> State:
    return read_state(ws, tx, item.kind, item.ref)


def _restored(present: State, before: State) -> State:
    """The state before, with the reads that were counted since."""
    if before is None or present is None:
        return before
    return {**before, **{name: present[name] for name in USAGE if name in before and name in present}}


def _check_untouched(ws: Workspace, tx: Tx, changeset: Changeset, items: Sequence[ChangeItem]) -> None:
    """Raise ConflictError where putting back would also undo something else."""
    later = [(ref, c) for ref, c in tx.memories.later_changesets(changeset, [i.ref for i in items]) if not _cancels_later(tx, changeset, c)]
    mine = [(ref, c) for ref, c in later if _is_same_thing(tx, changeset, c, items, ref)]
    if mine:
        ref, other = mine[-1]
        raise ConflictError(
            f"A later change touched the same thing: undo '{other.title}' ({other.id}) first.",
            changeset_id=other.id,
            title=other.title,
            ref=ref,
        )
    for item in items:
        if not is_as(_now(ws, tx, item), item.after):
            raise ConflictError(f"The {item.kind} {item.ref} is no longer as this change left it, so it cannot be undone.", ref=item.ref)


def is_as(present: State, state: State) -> bool:
    """Whether a thing is in a state; how often it was read does not count."""
    if present is None or state is None:
        return present is state
    return all(state.get(name) == value for name, value in present.items() if name not in USAGE)


def _cancels_later(tx: Tx, changeset: Changeset, other: Changeset) -> bool:
    """Whether `other` only undid something that itself came after `changeset`: together they left no trace."""
    undone = tx.memories.undone_by(other.id) if other.action == UNDO else None
    return undone is not None and undone.seq > changeset.seq


def _is_same_thing(tx: Tx, changeset: Changeset, other: Changeset, items: Sequence[ChangeItem], ref: str) -> bool:
    """A profile's name is the same for every user, its document is not."""
    kinds = {i.kind for i in items if i.ref == ref}
    if not any(i.ref == ref and i.kind in kinds for i in tx.memories.items(other.id)):
        return False
    return changeset.user_id == other.user_id or not kinds <= {"profile"}


# The kinds of things


def read_state(ws: Workspace, tx: Tx, kind: str, ref: str) -> State:
    """A thing as it is now, in the form changesets keep; None when it is not there."""
    return _kind(kind).read(ws, tx, ref)


def _kind(name: str) -> Kind:
    if name not in KINDS:
        raise InputError(f"A changeset cannot hold a '{name}'.", kind=name)
    return KINDS[name]


def _read_memory(ws: Workspace, tx: Tx, ref: str) -> State:
    memory = tx.memories.find(ref)
    return None if memory is None else memory_json(memory)


def _write_memory(ws: Workspace, tx: Tx, ref: str, after: State, actor: str) -> None:
    if after is None:
        tx.memories.delete(ref)
        return
    memory = memory_from_json(after)
    if memory.id != ref or memory.project_id != ws.project_id:
        raise InputError(f"The memory {ref} does not belong here.", ref=ref)
    tx.memories.put_memory(memory)


def _read_profile(ws: Workspace, tx: Tx, ref: str) -> State:
    version = tx.memories.profile(ws.project_id, owner_of(ws, ref), ref)
    return None if version is None else {"content": version.content}


def _write_profile(ws: Workspace, tx: Tx, ref: str, after: State, actor: str) -> None:
    """Versions are never taken away: putting back adds one."""
    owner = owner_of(ws, ref)
    newest = tx.memories.profile(ws.project_id, owner, ref)
    n = 1 if newest is None else newest.n + 1
    after = after or {"content": ""}
    told = {name: str(after.get(name, "")) for name in ("reason", "trigger", "origin", "cause")}
    version_id = make_id("prf", ws.project_id, owner, ref, n)
    tx.memories.add_profile_version(
        ProfileVersion(version_id, ws.project_id, owner, ref, n, str(after["content"]), ws.clock(), actor, **told)
    )


def _read_summary(ws: Workspace, tx: Tx, ref: str) -> State:
    found = next((s for s in tx.chats.summaries(ws.project_id) if s.id == ref), None)
    return None if found is None else {**asdict(found), "citations": list(found.citations)}


def _write_summary(ws: Workspace, tx: Tx, ref: str, after: State, actor: str) -> None:
    if after is None:
        tx.chats.drop_summaries([ref])
        return
    summary = GraphSummary(ref, after["segment"], after["period"], after["text"], tuple(after["citations"]), after["flagged"])
    tx.chats.put_summary(ws.project_id, summary, "period", ws.clock())


def _read_settings(ws: Workspace, tx: Tx, ref: str) -> State:
    return dict(tx.projects.user(ref, ws.clock())["settings"])


def _write_settings(ws: Workspace, tx: Tx, ref: str, after: State, actor: str) -> None:
    tx.projects.user(ref, ws.clock())
    tx.projects.set_user_settings(ref, after or {})


def _read_contradiction(ws: Workspace, tx: Tx, ref: str) -> State:
    found = tx.facts.find_contradiction(ref)
    return None if found is None else contradiction_json(found)


def _write_contradiction(ws: Workspace, tx: Tx, ref: str, after: State, actor: str) -> None:
    if after is None:
        tx.facts.drop_contradiction(ref)
    else:
        tx.facts.put_contradiction(contradiction_from_json(after))


KINDS: Mapping[str, Kind] = {
    "contradiction": Kind(_read_contradiction, _write_contradiction),
    "memory": Kind(_read_memory, _write_memory),
    "profile": Kind(_read_profile, _write_profile),
    "summary": Kind(_read_summary, _write_summary),
    "settings": Kind(_read_settings, _write_settings),
}


def memory_item(before: Memory | None, after: Memory) -> Item:
    """A new or altered memory, as an item of a changeset."""
    return ("memory", after.id, None if before is None else memory_json(before), memory_json(after))
