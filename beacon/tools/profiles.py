"""Tools for the documents: the four about the user and the company, and Beacon's own directives."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from beacon.errors import NotFoundError
from beacon.memory import profiles
from beacon.memory.profiles import version_json
from beacon.tools.registry import Arguments, NoArguments, tool
from beacon.workspace import Workspace

Namespace = Literal["user_profile", "company_profile", "user_preferences", "episodic_memory"]
DocumentName = Literal["user_profile", "company_profile", "user_preferences", "episodic_memory", "directives"]
Verbatim = Annotated[str, StringConstraints(strip_whitespace=False)]


class Document(Arguments):
    """Names a document."""

    namespace: DocumentName


class DocumentText(Document):
    """A document's new text."""

    content: Verbatim
    reason: str = ""
    base_version: int | None = Field(
        default=None, ge=1, description="the version the text was written from: refused when there is a newer one"
    )


class DocumentHistory(Document):
    """Which versions, and whether with their text."""

    text: bool = True
    limit: int = Field(default=10_000, ge=1, le=10_000)


class DocumentVersions(Document):
    """Two versions of a document."""

    v1: int = Field(ge=1)
    v2: int = Field(ge=1)


class DocumentVersion(Document):
    """One version of a document."""

    n: int = Field(ge=1)


class DocumentSearch(Arguments):
    """A search within a document."""

    namespace_type: Namespace
    query: str


@tool(NoArguments)
def load_all_memory(ws: Workspace, args: NoArguments) -> dict[str, str]:
    """The four documents: user profile, company profile, preferences, episodes."""
    return profiles.load_all_memory(ws)


@tool(Document)
def get_memory(ws: Workspace, args: Document) -> str:
    """One document's text; `directives` is Beacon's own: its name, values and tone."""
    return profiles.get_memory(ws, args.namespace)


@tool(DocumentText, writes=True)
def write_memory(ws: Workspace, args: DocumentText) -> dict[str, Any]:
    """Writes a document as its next version; the same text makes none."""
    change = profiles.write_memory(ws, args.namespace, args.content, reason=args.reason, trigger="edit", base_n=args.base_version)
    return _profile_change(change)


@tool(Document)
def document_statements(ws: Workspace, args: Document) -> dict[str, Any]:
    """A document line by line, each line with who or what brought it, when, why, and from which message, gate or run."""
    version, lines = profiles.statement_origins(ws, args.namespace)
    return {**version_json(version), "statements": lines}


@tool(DocumentHistory)
def profile_history(ws: Workspace, args: DocumentHistory) -> list[dict[str, Any]]:
    """The versions of a document, newest first."""
    found = profiles.profile_history(ws, args.namespace) if args.text else profiles.profile_versions(ws, args.namespace)
    rows = [version_json(version) for version in found[: args.limit]]
    return rows if args.text else [{name: value for name, value in row.items() if name != "content"} for row in rows]


@tool(DocumentVersions)
def profile_diff(ws: Workspace, args: DocumentVersions) -> dict[str, Any]:
    """The lines that differ between two versions of a document."""
    return {"namespace": args.namespace, "v1": args.v1, "v2": args.v2, "lines": profiles.profile_diff(ws, args.namespace, args.v1, args.v2)}


@tool(DocumentVersion, writes=True)
def profile_restore(ws: Workspace, args: DocumentVersion) -> dict[str, Any]:
    """Puts back an earlier version of a document, as its newest."""
    return _profile_change(profiles.restore(ws, args.namespace, args.n))


@tool(DocumentSearch)
def search_memory(ws: Workspace, args: DocumentSearch) -> str:
    """The sentences of a document that bear on the query, or the whole document where none does."""
    return profiles.search_memory(ws, args.namespace_type, args.query)


def _profile_change(change: profiles.ProfileChange) -> dict[str, Any]:
    return {**version_json(change.version), "changed": change.changed, "changeset_id": change.changeset_id}


class CauseId(Arguments):
    """Names what a statement came from: a message, a gate or a run."""

    id: str


@tool(CauseId)
def cause_show(ws: Workspace, args: CauseId) -> dict[str, Any]:
    """The message, gate answer or run that a statement came from: {kind, title, text, at, slug, conversation_id}."""
    empty = {"kind": "", "title": "", "text": "", "at": "", "slug": "", "conversation_id": ""}
    with ws.records.read() as tx:
        if message := tx.chats.find_message(args.id):
            conversation = tx.chats.get(message.conversation_id)
            if (conversation.project_id, conversation.user_id) == (ws.project_id, ws.user_id):
                told = {"kind": "message", "title": "What you said", "text": message.content, "at": message.at.isoformat()}
                return {**empty, **told, "conversation_id": conversation.id}
            raise _no_cause(args.id)
        gate = next((one for one in tx.runs.gates(project_id=ws.project_id) if one.id == args.id), None)
        run = tx.runs.find(gate.run_id if gate else args.id)
        if run is None or run.project_id != ws.project_id or (gate and gate.answer.get("user_id") not in (None, ws.user_id)):
            raise _no_cause(args.id)
        topic = tx.topics.get(ws.project_id, run.topic_id)
    if gate is None:
        return {**empty, "kind": "run", "title": f"Research on {topic.title}", "at": run.started_at.isoformat(), "slug": topic.slug}
    payload = dict(gate.answer.get("payload") or {})
    words = str(payload.get("question") or payload.get("reason") or "; ".join(map(str, payload.get("findings") or [])))
    decision = str(gate.answer.get("decision", "")).replace("_", " ")
    title = f"Your answer at the {gate.name.partition('#')[0]} gate of {topic.title}: {decision}"
    at = (gate.answered_at or gate.opened_at).isoformat()
    return {**empty, "kind": "gate", "title": title, "text": words, "at": at, "slug": topic.slug}


def _no_cause(cause_id: str) -> NotFoundError:
    return NotFoundError(f"There is no message, gate or run {cause_id} here.", id=cause_id)
