"""The tables of the record store: one set of definitions for SQLite and PostgreSQL.

Names in the table list never meet those of the durable engine (workflow_status, notifications, queues, streams, …).
"""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator

from beacon.errors import InputError

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

JSON = sa.JSON().with_variant(JSONB(), "postgresql")
BigKey = sa.BigInteger().with_variant(Integer(), "sqlite")


class Moment(TypeDecorator[datetime]):
    """A UTC-aware time; a naive one is refused."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise InputError(f"The time {value.isoformat()} has no zone.")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _id() -> Column[str]:
    return Column("id", String(64), primary_key=True)


def _project() -> Column[str]:
    return Column("project_id", String(64), ForeignKey("project.id", ondelete="CASCADE"), nullable=False, index=True)


def _at(name: str, *, nullable: bool = False, index: bool = False) -> Column[Any]:
    return Column(name, Moment, nullable=nullable, index=index)


def _text(name: str, default: str = "") -> Column[str]:
    return Column(name, Text, nullable=False, default=default)


def _json(name: str, default: type[Any] = dict) -> Column[Any]:
    return Column(name, JSON, nullable=False, default=default)


def _ref(name: str, target: str, *, nullable: bool = False, index: bool = True) -> Column[Any]:
    return Column(name, String(64), ForeignKey(f"{target}.id", ondelete="CASCADE"), nullable=nullable, index=index)


project = Table(
    "project",
    metadata,
    _id(),
    Column("name", String(80), nullable=False, unique=True),
    _text("title"),
    _json("state"),
    _json("settings"),
    _at("created_at"),
)

app_user = Table("app_user", metadata, _id(), _text("name"), _json("settings"), _at("created_at"))

topic = Table(
    "topic",
    metadata,
    _id(),
    _project(),
    Column("slug", String(80), nullable=False),
    _text("title"),
    _json("queries", list),
    _json("feeds", list),
    _json("pages", list),
    _json("folders", list),
    _text("tone", "objective"),
    _text("language", "en"),
    _json("guidelines", list),
    Column("retention_days", Integer, nullable=False, default=30),
    Column("gates", sa.Boolean, nullable=False, default=False),
    Column("status", String(16), nullable=False, default="active"),  # active | removed
    _at("created_at"),
    _at("updated_at"),
    UniqueConstraint("project_id", "slug"),
)

# Requirement 000's AgentMemory: what a topic's next run starts from.
topic_memory = Table(
    "topic_memory",
    metadata,
    Column("topic_id", String(64), ForeignKey("topic.id", ondelete="CASCADE"), primary_key=True),
    _json("seen_urls", list),
    _json("key_facts", list),
    _text("report_summary"),
    Column("run_count", Integer, nullable=False, default=0),
    Column("flagged", sa.Boolean, nullable=False, default=False, server_default=sa.false()),  # a key fact no longer holds as it was read
    _at("last_run_at", nullable=True),
    _at("expires_at", nullable=True),
    _at("archived_at", nullable=True),
)

source = Table(
    "source",
    metadata,
    _id(),
    _project(),
    _text("key"),
    _text("url"),
    _text("title"),
    _text("kind"),
    Column("role", String(16), nullable=False, default="source"),
    Column("voice", String(16), nullable=False, default=""),
    _text("participant"),
    _text("segment"),
    _text("series"),
    _text("derived_from"),
    Column("status", String(16), nullable=False, default="current"),  # current | withdrawn | removed
    _json("metadata"),
    _at("created_at"),
    UniqueConstraint("project_id", "key"),
    Index("ix_source_project_url", "project_id", "url"),
)

topic_source = Table(
    "topic_source",
    metadata,
    Column("topic_id", String(64), ForeignKey("topic.id", ondelete="CASCADE"), primary_key=True),
    Column("source_id", String(64), ForeignKey("source.id", ondelete="CASCADE"), primary_key=True, index=True),
    _text("origin"),
)

version = Table(
    "version",
    metadata,
    _id(),
    _ref("source_id", "source"),
    Column("n", Integer, nullable=False),
    Column("sha256", String(64), nullable=False),
    _text("text"),
    _text("title"),
    _text("media_type"),
    _text("language"),
    _json("blocks", list),
    _json("metadata"),
    _at("version_date", nullable=True, index=True),
    _at("published_at", nullable=True),
    _at("fetched_at"),
    Column("withdrawn", sa.Boolean, nullable=False, default=False),
    UniqueConstraint("source_id", "n"),
)

chunk = Table(
    "chunk",
    metadata,
    Column("no", BigKey, primary_key=True, autoincrement=True),
    Column("id", String(64), nullable=False, unique=True),
    _project(),
    _ref("version_id", "version"),
    _ref("source_id", "source"),
    Column("ordinal", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    _text("text"),
    _text("heading"),
    _text("speaker"),
    _text("label"),
    _text("bigrams"),  # searched beside the text: title, date and speaker; two-letter tokens of scripts without spaces
    Column("text_sha256", String(64), nullable=False, index=True),
    Column("current", sa.Boolean, nullable=False, default=True),  # whether its version is the source's newest
)

embedding = Table(
    "embedding",
    metadata,
    Column("embedder", String(80), primary_key=True),
    Column("text_sha256", String(64), primary_key=True),
    Column("vector", sa.LargeBinary, nullable=False),  # float32, little-endian, L2-normalised
)

event = Table(
    "event",
    metadata,
    Column("seq", BigKey, primary_key=True, autoincrement=True),
    Column("id", String(64), nullable=False, unique=True),
    _project(),
    Column("user_id", String(64), nullable=False, default="", index=True),
    Column("type", String(64), nullable=False, index=True),
    _text("text"),
    _json("payload"),
    _text("channel"),
    _json("people", list),
    _text("tone"),
    _at("at", index=True),
    _at("recorded_at"),
)

memory = Table(
    "memory",
    metadata,
    _id(),
    _project(),
    Column("user_id", String(64), nullable=False, default="", index=True),
    Column("scope", String(16), nullable=False, default="user"),
    Column("tier", String(16), nullable=False, index=True),
    _text("text"),
    _text("subject"),
    _text("attribute"),
    _text("value"),
    Column("importance", sa.Float, nullable=False, default=0.0),
    _json("importance_parts"),
    Column("pinned", sa.Boolean, nullable=False, default=False),
    Column("access_count", Integer, nullable=False, default=0),
    _at("last_access_at"),
    _at("check_by", nullable=True),
    _at("valid_from", nullable=True),
    _at("valid_to", nullable=True),
    _at("recorded_at"),
    _at("retired_at", nullable=True),
    Column("status", String(16), nullable=False, default="current", index=True),
    _text("replaced_by"),
    _json("citations", list),
    Column("topic_id", String(64), nullable=False, default="", index=True),
    _json("people", list),
    _text("channel"),
    _text("emotion"),
    Column("version", Integer, nullable=False, default=1),
    _json("metadata"),
    _text("text_sha256"),
    Column("changed", sa.BigInteger, nullable=False, default=0, server_default="0"),  # the number of the write that touched it last
    Index("ix_memory_project_changed", "project_id", "changed"),
)

# What each version claims, read once a version: the evidence that the life of facts is reckoned from. Gone with its version.
claim = Table(
    "claim",
    metadata,
    _id(),
    _project(),
    _ref("version_id", "version"),
    _ref("source_id", "source"),
    Column("point_id", String(64), nullable=False, index=True),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    _text("text"),
    _text("point"),
    _json("body"),
)

claim_reading = Table(
    "claim_reading",
    metadata,
    Column("version_id", String(64), ForeignKey("version.id", ondelete="CASCADE"), primary_key=True),
    Column("method", Integer, nullable=False),
    Column("corrects", sa.Boolean, nullable=False, default=False),  # it says of itself that it corrects an error
    _text("made_from"),  # the source it is a copy of, found by its words
    _at("at"),
)

# Where sources differ about one point: both sides stay until a person rules, one side goes, or a later value takes the place of both.
contradiction = Table(
    "contradiction",
    metadata,
    _id(),
    _project(),
    Column("point_id", String(64), nullable=False, index=True),
    _text("subject"),
    _text("attribute"),
    Column("status", String(16), nullable=False, index=True),  # open | ruled | settled
    _json("sides", list),
    _json("ruling"),
    _at("opened_at"),
    _at("updated_at"),
)

profile_version = Table(
    "profile_version",
    metadata,
    _id(),
    _project(),
    Column("user_id", String(64), nullable=False),
    Column("namespace", String(32), nullable=False),
    Column("n", Integer, nullable=False),
    _text("content"),
    _text("changed_by"),
    _text("reason"),
    _text("trigger"),
    _text("origin"),
    Column("cause", Text, nullable=False, default="", server_default=""),  # the message, gate or run it came from
    _at("at"),
    UniqueConstraint("project_id", "user_id", "namespace", "n"),
)

changeset = Table(
    "changeset",
    metadata,
    Column("seq", BigKey, primary_key=True, autoincrement=True),
    Column("id", String(64), nullable=False, unique=True),
    _project(),
    Column("user_id", String(64), nullable=False, default=""),
    _text("actor"),
    _text("action"),
    _text("title"),
    _at("at"),
    Column("status", String(16), nullable=False, default="applied"),
    _text("undone_by"),  # applied | undone
)

change_item = Table(
    "change_item",
    metadata,
    Column("changeset_id", String(64), ForeignKey("changeset.id", ondelete="CASCADE"), primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("ref", String(128), nullable=False, index=True),
    Column("before", JSON),
    Column("after", JSON),
)

run = Table(
    "run",
    metadata,
    _id(),
    _project(),
    _ref("topic_id", "topic"),
    Column("n", Integer, nullable=False, default=0),  # 0 until it is done
    Column("status", String(16), nullable=False, default="queued", index=True),
    Column("phase", String(32), nullable=False, default=""),
    _json("completed_phases", list),
    _json("state"),
    _json("progress"),
    _at("as_of", nullable=True),
    _text("trigger"),
    _text("user_id"),
    _at("started_at"),
    _at("updated_at"),
    _at("finished_at", nullable=True),
    _text("error"),
    _text("output_dir"),
    Column("archived", sa.Boolean, nullable=False, default=False),
)

# One row a finished step of a run, written in the transaction of its effects: a step found here is never run again.
checkpoint = Table(
    "checkpoint",
    metadata,
    Column("run_id", String(64), ForeignKey("run.id", ondelete="CASCADE"), primary_key=True),
    Column("step", String(80), primary_key=True),
    _json("result"),
    _at("at"),
)

run_version = Table(
    "run_version",
    metadata,
    Column("run_id", String(64), ForeignKey("run.id", ondelete="CASCADE"), primary_key=True),
    Column("source_id", String(64), ForeignKey("source.id", ondelete="CASCADE"), primary_key=True),
    _ref("version_id", "version"),
    Column("status", String(16), nullable=False),  # new | changed | same | withdrawn
)

draft = Table(
    "draft",
    metadata,
    _id(),
    _ref("run_id", "run"),
    Column("phase", String(32), nullable=False),
    Column("part", String(80), nullable=False, default=""),
    Column("n", Integer, nullable=False),
    _text("content"),
    _json("metadata"),
    _at("at"),
)

gate = Table(
    "gate",
    metadata,
    _id(),
    _ref("run_id", "run"),
    Column("name", String(32), nullable=False),
    Column("status", String(16), nullable=False, default="open"),
    _json("payload"),
    _json("answer"),
    _at("opened_at"),
    _at("answered_at", nullable=True),
)

change = Table(
    "change",
    metadata,
    _id(),
    _ref("run_id", "run"),
    _ref("topic_id", "topic"),
    Column("ordinal", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    _text("subject"),
    _text("attribute"),
    _text("text"),
    Column("quote", Text),
    Column("source", JSON),
    Column("old", JSON),
    Column("materiality", sa.Float, nullable=False),
    _text("reason"),
    _json("parts"),
)

schedule = Table(
    "schedule",
    metadata,
    _id(),
    _project(),
    Column("kind", String(16), nullable=False),
    _text("target"),
    _text("cron"),
    _text("tz", "UTC"),
    Column("enabled", sa.Boolean, nullable=False, default=True),
    Column("grace_s", Integer, nullable=False, default=86_400),
    _at("next_at"),
    _at("last_at", nullable=True),
    _text("last_job"),
    _text("user_id"),
)

conversation = Table(
    "conversation",
    metadata,
    _id(),
    _project(),
    Column("user_id", String(64), nullable=False),
    _text("title"),
    _json("state"),
    _at("created_at"),
    _at("updated_at"),
)

message = Table(
    "message",
    metadata,
    _id(),
    _ref("conversation_id", "conversation"),
    Column("n", Integer, nullable=False),
    Column("role", String(16), nullable=False),
    _text("content"),
    _json("metadata"),
    _json("pack"),
    _at("at"),
    UniqueConstraint("conversation_id", "n"),
)

# What older messages of a conversation amount to: a view of them, never a replacement. Each row is written once.
conversation_summary = Table(
    "conversation_summary",
    metadata,
    _id(),
    _ref("conversation_id", "conversation"),
    Column("level", String(8), nullable=False),  # detail | outline | era
    Column("first", Integer, nullable=False),  # numbers of the messages it covers
    Column("last", Integer, nullable=False),
    _text("text"),
    _json("citations", list),
    _text("origin"),  # rules | model
    _at("at"),
    UniqueConstraint("conversation_id", "level", "first"),
)

# What was in mind at one step of thinking, as it was packed: part by part, with what had to be left out.
context_pack = Table(
    "context_pack",
    metadata,
    _id(),
    _project(),
    Column("user_id", String(64), nullable=False, default=""),
    Column("step", String(40), nullable=False),  # answer, or a run's step
    Column("ref", String(64), nullable=False, index=True),  # the message or run it was made for
    Column("budget", Integer, nullable=False),  # tokens
    Column("tokens", Integer, nullable=False),
    _text("query"),
    _json("parts", list),
    _at("at"),
)

entity = Table(
    "entity",
    metadata,
    _id(),
    _project(),
    _text("key"),
    _text("name"),
    Column("type", String(16), nullable=False),
    _json("aliases", list),
    UniqueConstraint("project_id", "key"),
)

mention = Table(
    "mention",
    metadata,
    _id(),
    _project(),
    _ref("entity_id", "entity"),
    _ref("chunk_id", "chunk"),
    Column("version_id", String(64), nullable=False, index=True),
    _ref("source_id", "source"),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    _text("surface"),
)

relation = Table(
    "relation",
    metadata,
    _id(),
    _project(),
    _ref("head_id", "entity"),
    _ref("tail_id", "entity"),
    Column("kind", String(32), nullable=False),
)

# Where two entities stand in one sentence; a relation's weight is the number of these.
relation_evidence = Table(
    "relation_evidence",
    metadata,
    Column("relation_id", String(64), ForeignKey("relation.id", ondelete="CASCADE"), primary_key=True),
    Column("chunk_id", String(64), ForeignKey("chunk.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("start", Integer, primary_key=True),
    Column("end", Integer, nullable=False),
    _at("at", nullable=True),
)

node_place = Table(
    "node_place",
    metadata,
    Column("entity_id", String(64), ForeignKey("entity.id", ondelete="CASCADE"), primary_key=True),
    Column("x", sa.Float, nullable=False),
    Column("y", sa.Float, nullable=False),
    Column("rank", sa.Float, nullable=False),
)

summary = Table(
    "summary",
    metadata,
    _id(),
    _project(),
    _text("segment"),
    Column("period", String(16), nullable=False),
    Column("kind", String(16), nullable=False, default="segment"),
    _text("text"),
    _json("citations", list),
    Column("flagged", sa.Boolean, nullable=False, default=False),
    _at("at"),
)

# One row a call of a model: written as a hold of the most it can use before the call, turned into what it used after it.
usage = Table(
    "usage",
    metadata,
    _id(),
    _project(),
    Column("run_id", String(64), nullable=False, default="", index=True),
    _text("model"),
    _text("purpose"),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("cost_usd", sa.Float, nullable=False),
    _at("at", index=True),
    Column("conversation_id", String(64), nullable=False, default="", server_default="", index=True),
    Column("topic_id", String(64), nullable=False, default="", server_default="", index=True),
    Column("provider", String(16), nullable=False, default="", server_default=""),
    Column("tier", String(16), nullable=False, default="", server_default=""),
    Column("reason", Text, nullable=False, default="", server_default=""),  # why a model of this tier was asked
    Column("status", String(8), nullable=False, default="spent", server_default="spent"),  # held | spent
    Column("cached_tokens", Integer, nullable=False, default=0, server_default="0"),
    Column("priced", sa.Boolean, nullable=False, default=True, server_default=sa.true()),  # false: the dearest price was counted
)

# What was told to somebody, or is to be: claimed before it is sent, so that nothing is sent twice.
notice = Table(
    "notice",
    metadata,
    _id(),
    _project(),
    Column("channel", String(16), nullable=False),  # email | webhook | feed
    Column("status", String(16), nullable=False, default="waiting"),  # waiting | claimed | sent | failed
    _text("title"),
    _json("body"),
    Column("tries", Integer, nullable=False, default=0),
    _text("problem"),
    _at("at", index=True),
    _at("sent_at", nullable=True),
)

# One working-out of themes and opportunities. One that was stopped half-way stays open, and what was finished before it goes on to hold.
synthesis = Table(
    "synthesis",
    metadata,
    _id(),
    _project(),
    Column("n", Integer, nullable=False),
    Column("status", String(16), nullable=False, index=True),  # open | done | stopped
    _text("trigger_type"),
    _text("model_used"),
    _text("segment"),
    _json("source_ids", list),
    _json("options"),
    _json("report"),
    _text("user_id"),
    _at("started_at"),
    _at("finished_at", nullable=True),
    UniqueConstraint("project_id", "n"),
)

# What several people say. Its id outlives a synthesis: evidence that mostly stays the same keeps it, and what a person made of it.
theme = Table(
    "theme",
    metadata,
    _id(),
    _project(),
    _text("title"),
    _text("own_title"),  # the name a person gave it
    Column("status", String(16), nullable=False, default="active", index=True),  # active | dismissed | merged
    _text("merged_into"),
    _text("synthesis_id"),  # the last one that found it
    _json("body"),
    _at("created_at"),
    _at("updated_at"),
)

opportunity = Table(
    "opportunity",
    metadata,
    _id(),
    _project(),
    _text("title"),
    _text("own_title"),
    Column("status", String(16), nullable=False, default="active", index=True),  # active | dismissed | merged
    _text("merged_into"),
    _text("synthesis_id"),
    _json("body"),
    _at("created_at"),
    _at("updated_at"),
)

# Each theme and opportunity as one synthesis found it: what syntheses are compared by.
finding = Table(
    "finding",
    metadata,
    Column("synthesis_id", String(64), ForeignKey("synthesis.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", String(16), primary_key=True),  # theme | opportunity
    Column("ref", String(64), primary_key=True),
    Column("rank", Integer, nullable=False),
    _json("body"),
)

# What was decided, by whom and on what evidence; the event says it for good, this row says whether it still stands.
decision = Table(
    "decision",
    metadata,
    _id(),
    _project(),
    _text("event_id"),
    _text("title"),
    _text("reason"),
    Column("status", String(16), nullable=False, default="standing", index=True),  # standing | reopened | closed
    _json("evidence"),
    _json("reopened"),
    _text("user_id"),
    _at("decided_at"),
    _at("updated_at"),
)

# What a person said of who speaks in a source.
speaker = Table(
    "speaker",
    metadata,
    Column("source_id", String(64), ForeignKey("source.id", ondelete="CASCADE"), primary_key=True),
    Column("name", String(120), primary_key=True),
    _text("role"),  # customer | interviewer | observer
    _text("participant"),
)

heartbeat = Table(
    "heartbeat", metadata, Column("slot", String(64), primary_key=True), Column("pid", Integer, nullable=False), _text("host"), _at("at")
)

outbox = Table(
    "outbox",
    metadata,
    Column("seq", BigKey, primary_key=True, autoincrement=True),
    Column("project_id", String(64), nullable=False),
    Column("target", String(16), nullable=False, index=True),  # vectors | graph
    Column("op", String(16), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("ref", String(64), nullable=False),
    _at("at"),
)

# Small named values: projection state, consolidation cursors, graph version.
setting = Table("setting", metadata, Column("name", String(120), primary_key=True), _json("value"), _at("at"))

OWN_TABLES = frozenset(metadata.tables)
