"""The four documents about the user and the company: every version kept, every change a changeset that can be undone."""

import difflib
from dataclasses import dataclass
from typing import Any

from beacon.analyst.sentences import split_sentences
from beacon.analyst.similarity import build_weights
from beacon.analyst.tokens import content_tokens
from beacon.domain.ids import make_id
from beacon.domain.memory import ProfileVersion
from beacon.errors import ConflictError, InputError, NotFoundError
from beacon.memory.changesets import Item, apply_changes
from beacon.memory.documents import DIRECTIVES, DOCUMENTS, NAMESPACES, check_namespace, default_of, line_key, owner_of, stated
from beacon.memory.score import relevance
from beacon.memory.search import lexical_overlap
from beacon.memory.vectors import similarities
from beacon.stores.records.store import Tx
from beacon.workspace import Workspace

MAX_CONTENT = 2_000_000  # characters
MAX_COMPARED = 600  # sentences of a document whose meaning is compared with a query
STEM = 5  # letters of a word's beginning that are looked for in a long document
CLOSE_ENOUGH = 0.35  # relevance from which a sentence answers a search


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """The newest version of a document, and the changeset that made it; no changeset where nothing changed."""

    version: ProfileVersion
    changeset_id: str = ""

    @property
    def changed(self) -> bool:
        """Whether a new version was made."""
        return bool(self.changeset_id)


def current_version(ws: Workspace, tx: Tx, namespace: str) -> ProfileVersion | None:
    """The newest version as stored, None before the first read."""
    return tx.memories.profile(ws.project_id, owner_of(ws, check_namespace(namespace)), namespace)


def read_version(ws: Workspace, namespace: str) -> ProfileVersion:
    """The newest version; the default is stored as the first one when nobody read it before."""
    with ws.records.read() as tx:
        found = current_version(ws, tx, namespace)
    if found is not None:
        return found
    with ws.records.write() as tx:
        return _ensure(ws, tx, namespace)


def _ensure(ws: Workspace, tx: Tx, namespace: str) -> ProfileVersion:
    if found := current_version(ws, tx, namespace):
        return found
    owner = owner_of(ws, namespace)
    version_id = make_id("prf", ws.project_id, owner, namespace, 1)
    first = ProfileVersion(
        version_id, ws.project_id, owner, namespace, 1, default_of(namespace), ws.clock(), "beacon", "first read", origin="default"
    )
    tx.memories.add_profile_version(first)
    return current_version(ws, tx, namespace) or first


def get_memory(ws: Workspace, namespace: str) -> str:
    """The document's text."""
    return read_version(ws, namespace).content


def preferences_text(ws: Workspace) -> str:
    """What the user said of their preferences; empty while nobody has stated any. Defaults that nobody asked for are left out."""
    with ws.records.read() as tx:
        found = current_version(ws, tx, "user_preferences")
    return stated(found.content) if found else ""


def load_all_memory(ws: Workspace) -> dict[str, str]:
    """All four documents by namespace."""
    return {namespace: get_memory(ws, namespace) for namespace in NAMESPACES}


def write_memory(
    ws: Workspace,
    namespace: str,
    content: str,
    *,
    reason: str = "",
    trigger: str = "",
    actor: str = "user",
    origin: str = "",
    cause: str = "",
    base_n: int | None = None,
) -> ProfileChange:
    """The document's new version and its changeset; the same content makes none.

    `cause` is the message, gate or run it came from; `base_n` the version the writer started from: ConflictError when there is a
    newer one. Raises InputError for too long a text.
    """
    with ws.records.write() as tx:
        return write_in(ws, tx, namespace, content, reason=reason, trigger=trigger, actor=actor, origin=origin, cause=cause, base_n=base_n)


def write_in(
    ws: Workspace,
    tx: Tx,
    namespace: str,
    content: str,
    *,
    reason: str = "",
    trigger: str = "",
    actor: str = "user",
    origin: str = "",
    cause: str = "",
    base_n: int | None = None,
) -> ProfileChange:
    """`write_memory` in the caller's transaction."""
    if len(content) > MAX_CONTENT:
        raise InputError(f"The document would have {len(content)} characters: keep it under {MAX_CONTENT}.", namespace=namespace)
    before = _ensure(ws, tx, check_namespace(namespace))
    if base_n is not None and base_n != before.n:
        raise ConflictError(
            f"The document '{namespace}' is at version {before.n} by now: read it again before writing.", namespace=namespace, n=before.n
        )
    if content == before.content:
        return ProfileChange(before)
    after = {"content": content, "reason": reason, "trigger": trigger, "origin": origin or actor, "cause": cause}
    title = f"{namespace.replace('_', ' ').capitalize()}: {reason or 'changed'}"
    items: list[Item] = [("profile", namespace, {"content": before.content}, after)]
    changeset_id = apply_changes(ws, tx, actor=actor, action="profile_written", title=title, items=items, shared=namespace == DIRECTIVES)
    return ProfileChange(_get_version(ws, tx, namespace, before.n + 1), changeset_id)


def _get_version(ws: Workspace, tx: Tx, namespace: str, n: int) -> ProfileVersion:
    found = tx.memories.profile(ws.project_id, owner_of(ws, check_namespace(namespace)), namespace, n) if n > 0 else None
    if found is None:
        raise NotFoundError(f"The document '{namespace}' has no version {n}.", namespace=namespace, n=n)
    return found


def profile_history(ws: Workspace, namespace: str) -> list[ProfileVersion]:
    """All versions of a document, newest first."""
    read_version(ws, namespace)
    with ws.records.read() as tx:
        return tx.memories.profile_history(ws.project_id, owner_of(ws, namespace), namespace)


def profile_versions(ws: Workspace, namespace: str) -> list[ProfileVersion]:
    """All versions of a document without their text, newest first."""
    read_version(ws, namespace)
    with ws.records.read() as tx:
        return tx.memories.profile_versions(ws.project_id, owner_of(ws, namespace), namespace)


def statement_origins(ws: Workspace, namespace: str) -> tuple[ProfileVersion, list[dict[str, Any]]]:
    """The newest version and its lines: {line, text, n, at, changed_by, reason, trigger, origin, cause} of the version each came with.

    A line came with the version from which on it stood there without a break.
    """
    newest = read_version(ws, namespace)
    lines = [(n, line.strip()) for n, line in enumerate(newest.content.split("\n")) if line.strip()]
    came: dict[str, int] = {}
    left = {text for _, text in lines}
    with ws.records.read() as tx:
        versions = tx.memories.profile_versions(ws.project_id, owner_of(ws, namespace), namespace)
        for version in versions:
            before = tx.memories.profile(ws.project_id, owner_of(ws, namespace), namespace, version.n - 1) if version.n > 1 else None
            stood = {line.strip() for line in before.content.split("\n")} if before else set[str]()
            came.update(dict.fromkeys(left - stood, version.n))
            left &= stood
            if not left:
                break
    known = {version.n: version_json(version) for version in versions}
    told = ("n", "at", "changed_by", "reason", "trigger", "origin", "cause")
    return newest, [{"line": n, "text": text, **{name: known[came[text]][name] for name in told}} for n, text in lines]


def earlier_statements(ws: Workspace, namespace: str) -> frozenset[str]:
    """The keys of everything that ever stood in the document: what someone took out, a job does not put back."""
    versions = profile_history(ws, namespace)
    return frozenset(line_key(line) for version in versions for line in version.content.splitlines() if line.strip())


def profile_diff(ws: Workspace, namespace: str, v1: int, v2: int) -> list[dict[str, str]]:
    """The lines of both versions in order, each kept (" "), added ("+") or removed ("-")."""
    with ws.records.read() as tx:
        old, new = _get_version(ws, tx, namespace, v1).content, _get_version(ws, tx, namespace, v2).content
    return diff_lines(old, new)


def diff_lines(old: str, new: str) -> list[dict[str, str]]:
    """A line diff, removed lines before the added ones."""
    left, right = old.splitlines(), new.splitlines()
    lines: list[dict[str, str]] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [{"op": " ", "text": text} for text in left[i1:i2]]
        else:
            lines += [{"op": "-", "text": text} for text in left[i1:i2]] + [{"op": "+", "text": text} for text in right[j1:j2]]
    return lines


def restore(ws: Workspace, namespace: str, n: int, *, actor: str = "user") -> ProfileChange:
    """Version `n` as a new version. Raises NotFoundError."""
    with ws.records.write() as tx:
        content = _get_version(ws, tx, namespace, n).content
        return write_in(ws, tx, namespace, content, reason=f"version {n} restored", actor=actor, origin="restore")


def search_memory(ws: Workspace, namespace_type: str, query: str) -> str:
    """The sentences of a document that bear on the query, in its order; the whole document where none does."""
    content = get_memory(ws, namespace_type)
    sentences = [content[start:end] for start, end in split_sentences(content)]
    if not query.strip() or not sentences:
        return content
    return "\n".join(close_statements(ws, query, sentences)) or content


def close_statements(ws: Workspace, query: str, sentences: list[str]) -> list[str]:
    """The sentences that bear on the query, in their order, by words and by meaning; of a long text only those that share a word."""
    looked_at = sentences if len(sentences) <= MAX_COMPARED else _sharing(query, sentences)
    weights = build_weights([content_tokens(s) for s in looked_at])
    cosines = similarities(ws, query, looked_at)
    close = []
    for n, sentence in enumerate(looked_at):
        part = relevance(None if cosines is None else cosines[n], lexical_overlap(query, sentence, weights), 0.0)
        if part["value"] >= CLOSE_ENOUGH:
            close.append(sentence)
    return close


def _sharing(query: str, sentences: list[str]) -> list[str]:
    """The sentences that hold most of the query's words, by their beginnings, at most MAX_COMPARED, in their order."""
    words = sorted({term[:STEM] for term in content_tokens(query)})
    counts = [sum(word in folded for word in words) for folded in map(str.casefold, sentences)]
    best = sorted((n for n, count in enumerate(counts) if count), key=lambda n: (-counts[n], n))[:MAX_COMPARED]
    return [sentences[n] for n in sorted(best)]


def version_json(version: ProfileVersion) -> dict[str, Any]:
    """A version as tools print it."""
    return {
        "id": version.id,
        "namespace": version.namespace,
        "key": DOCUMENTS.get(version.namespace, ""),
        "n": version.n,
        "content": version.content,
        "at": version.at.isoformat(),
        "changed_by": version.changed_by,
        "reason": version.reason,
        "trigger": version.trigger,
        "origin": version.origin,
        "cause": version.cause,
    }
