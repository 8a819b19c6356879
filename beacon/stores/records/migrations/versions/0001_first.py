"""The first tables, as they were on the day of the first release: later revisions change them, this one never."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
SEARCHED = ("label", "heading", "text", "bigrams")
DOCUMENT = "to_tsvector('english', label || ' ' || heading || ' ' || text || ' ' || bigrams)"


def upgrade() -> None:
    """Apply."""
    for create, _ in TABLES:
        create()
    if op.get_bind().dialect.name == "sqlite":
        _sqlite_full_text()
        _sqlite_append_only()
    else:
        _postgres_full_text()
        _postgres_append_only()


def downgrade() -> None:
    """Take back."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE chunk_fts")
    for _, name in reversed(TABLES):
        op.drop_table(name)
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP FUNCTION beacon_append_only()")


def _create_app_user() -> None:
    op.create_table(
        "app_user",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("settings", JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_app_user")),
    )


def _create_embedding() -> None:
    op.create_table(
        "embedding",
        sa.Column("embedder", sa.String(length=80), nullable=False),
        sa.Column("text_sha256", sa.String(length=64), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("embedder", "text_sha256", name=op.f("pk_embedding")),
    )


def _create_heartbeat() -> None:
    op.create_table(
        "heartbeat",
        sa.Column("slot", sa.String(length=64), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("slot", name=op.f("pk_heartbeat")),
    )


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("seq", KEY, autoincrement=True, nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("target", sa.String(length=16), nullable=False),
        sa.Column("op", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("ref", sa.String(length=64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_outbox")),
    )
    op.create_index(op.f("ix_outbox_target"), "outbox", ["target"], unique=False)


def _create_project() -> None:
    op.create_table(
        "project",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("state", JSON, nullable=False),
        sa.Column("settings", JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
        sa.UniqueConstraint("name", name=op.f("uq_project_name")),
    )


def _create_setting() -> None:
    op.create_table(
        "setting",
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("value", JSON, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_setting")),
    )


def _create_changeset() -> None:
    op.create_table(
        "changeset",
        sa.Column("seq", KEY, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("undone_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_changeset_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_changeset")),
        sa.UniqueConstraint("id", name=op.f("uq_changeset_id")),
    )
    op.create_index(op.f("ix_changeset_project_id"), "changeset", ["project_id"], unique=False)


def _create_conversation() -> None:
    op.create_table(
        "conversation",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("state", JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_conversation_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversation")),
    )
    op.create_index(op.f("ix_conversation_project_id"), "conversation", ["project_id"], unique=False)


def _create_entity() -> None:
    op.create_table(
        "entity",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("aliases", JSON, nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_entity_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entity")),
        sa.UniqueConstraint("project_id", "key", name=op.f("uq_entity_project_id_key")),
    )
    op.create_index(op.f("ix_entity_project_id"), "entity", ["project_id"], unique=False)


def _create_event() -> None:
    op.create_table(
        "event",
        sa.Column("seq", KEY, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("payload", JSON, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("people", JSON, nullable=False),
        sa.Column("tone", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_event_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_event")),
        sa.UniqueConstraint("id", name=op.f("uq_event_id")),
    )
    op.create_index(op.f("ix_event_at"), "event", ["at"], unique=False)
    op.create_index(op.f("ix_event_project_id"), "event", ["project_id"], unique=False)
    op.create_index(op.f("ix_event_type"), "event", ["type"], unique=False)
    op.create_index(op.f("ix_event_user_id"), "event", ["user_id"], unique=False)


def _create_memory() -> None:
    op.create_table(
        "memory",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("scope", sa.String(length=16), nullable=False),
        sa.Column("tier", sa.String(length=16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("attribute", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("importance", sa.Float(), nullable=False),
        sa.Column("importance_parts", JSON, nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("access_count", sa.Integer(), nullable=False),
        sa.Column("last_access_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("check_by", sa.DateTime(timezone=True), nullable=True),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=True),
        sa.Column("valid_to", sa.DateTime(timezone=True), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retired_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("replaced_by", sa.Text(), nullable=False),
        sa.Column("citations", JSON, nullable=False),
        sa.Column("topic_id", sa.String(length=64), nullable=False),
        sa.Column("people", JSON, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("emotion", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("metadata", JSON, nullable=False),
        sa.Column("text_sha256", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_memory_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memory")),
    )
    op.create_index(op.f("ix_memory_project_id"), "memory", ["project_id"], unique=False)
    op.create_index(op.f("ix_memory_status"), "memory", ["status"], unique=False)
    op.create_index(op.f("ix_memory_tier"), "memory", ["tier"], unique=False)
    op.create_index(op.f("ix_memory_topic_id"), "memory", ["topic_id"], unique=False)
    op.create_index(op.f("ix_memory_user_id"), "memory", ["user_id"], unique=False)


def _create_profile_version() -> None:
    op.create_table(
        "profile_version",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=64), nullable=False),
        sa.Column("namespace", sa.String(length=32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("changed_by", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_profile_version_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile_version")),
        sa.UniqueConstraint("project_id", "user_id", "namespace", "n", name=op.f("uq_profile_version_project_id_user_id_namespace_n")),
    )
    op.create_index(op.f("ix_profile_version_project_id"), "profile_version", ["project_id"], unique=False)


def _create_schedule() -> None:
    op.create_table(
        "schedule",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("cron", sa.Text(), nullable=False),
        sa.Column("tz", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("grace_s", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_job", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_schedule_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule")),
    )
    op.create_index(op.f("ix_schedule_project_id"), "schedule", ["project_id"], unique=False)


def _create_source() -> None:
    op.create_table(
        "source",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("voice", sa.String(length=16), nullable=False),
        sa.Column("participant", sa.Text(), nullable=False),
        sa.Column("segment", sa.Text(), nullable=False),
        sa.Column("series", sa.Text(), nullable=False),
        sa.Column("derived_from", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("metadata", JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_source_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source")),
        sa.UniqueConstraint("project_id", "key", name=op.f("uq_source_project_id_key")),
    )
    op.create_index(op.f("ix_source_project_id"), "source", ["project_id"], unique=False)
    op.create_index("ix_source_project_url", "source", ["project_id", "url"], unique=False)


def _create_summary() -> None:
    op.create_table(
        "summary",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("segment", sa.Text(), nullable=False),
        sa.Column("period", sa.String(length=16), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("citations", JSON, nullable=False),
        sa.Column("flagged", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_summary_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_summary")),
    )
    op.create_index(op.f("ix_summary_project_id"), "summary", ["project_id"], unique=False)


def _create_topic() -> None:
    op.create_table(
        "topic",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("slug", sa.String(length=80), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("queries", JSON, nullable=False),
        sa.Column("feeds", JSON, nullable=False),
        sa.Column("pages", JSON, nullable=False),
        sa.Column("folders", JSON, nullable=False),
        sa.Column("tone", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("guidelines", JSON, nullable=False),
        sa.Column("retention_days", sa.Integer(), nullable=False),
        sa.Column("gates", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_topic_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic")),
        sa.UniqueConstraint("project_id", "slug", name=op.f("uq_topic_project_id_slug")),
    )
    op.create_index(op.f("ix_topic_project_id"), "topic", ["project_id"], unique=False)


def _create_usage() -> None:
    op.create_table(
        "usage",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.Float(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_usage_project_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_usage")),
    )
    op.create_index(op.f("ix_usage_project_id"), "usage", ["project_id"], unique=False)
    op.create_index(op.f("ix_usage_run_id"), "usage", ["run_id"], unique=False)


def _create_change_item() -> None:
    op.create_table(
        "change_item",
        sa.Column("changeset_id", sa.String(length=64), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("ref", sa.String(length=128), nullable=False),
        sa.Column("before", JSON, nullable=True),
        sa.Column("after", JSON, nullable=True),
        sa.ForeignKeyConstraint(["changeset_id"], ["changeset.id"], name=op.f("fk_change_item_changeset_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("changeset_id", "n", name=op.f("pk_change_item")),
    )
    op.create_index(op.f("ix_change_item_ref"), "change_item", ["ref"], unique=False)


def _create_message() -> None:
    op.create_table(
        "message",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("conversation_id", sa.String(length=64), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("metadata", JSON, nullable=False),
        sa.Column("pack", JSON, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["conversation_id"], ["conversation.id"], name=op.f("fk_message_conversation_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_message")),
        sa.UniqueConstraint("conversation_id", "n", name=op.f("uq_message_conversation_id_n")),
    )
    op.create_index(op.f("ix_message_conversation_id"), "message", ["conversation_id"], unique=False)


def _create_node_place() -> None:
    op.create_table(
        "node_place",
        sa.Column("entity_id", sa.String(length=64), nullable=False),
        sa.Column("x", sa.Float(), nullable=False),
        sa.Column("y", sa.Float(), nullable=False),
        sa.Column("rank", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["entity_id"], ["entity.id"], name=op.f("fk_node_place_entity_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("entity_id", name=op.f("pk_node_place")),
    )


def _create_relation() -> None:
    op.create_table(
        "relation",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("head_id", sa.String(length=64), nullable=False),
        sa.Column("tail_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["head_id"], ["entity.id"], name=op.f("fk_relation_head_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_relation_project_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["tail_id"], ["entity.id"], name=op.f("fk_relation_tail_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_relation")),
    )
    op.create_index(op.f("ix_relation_head_id"), "relation", ["head_id"], unique=False)
    op.create_index(op.f("ix_relation_project_id"), "relation", ["project_id"], unique=False)
    op.create_index(op.f("ix_relation_tail_id"), "relation", ["tail_id"], unique=False)


def _create_run() -> None:
    op.create_table(
        "run",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("topic_id", sa.String(length=64), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("phase", sa.String(length=32), nullable=False),
        sa.Column("completed_phases", JSON, nullable=False),
        sa.Column("state", JSON, nullable=False),
        sa.Column("progress", JSON, nullable=False),
        sa.Column("as_of", sa.DateTime(timezone=True), nullable=True),
        sa.Column("trigger", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("output_dir", sa.Text(), nullable=False),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_run_project_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_run_topic_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
    )
    op.create_index(op.f("ix_run_project_id"), "run", ["project_id"], unique=False)
    op.create_index(op.f("ix_run_status"), "run", ["status"], unique=False)
    op.create_index(op.f("ix_run_topic_id"), "run", ["topic_id"], unique=False)


def _create_topic_memory() -> None:
    op.create_table(
        "topic_memory",
        sa.Column("topic_id", sa.String(length=64), nullable=False),
        sa.Column("seen_urls", JSON, nullable=False),
        sa.Column("key_facts", JSON, nullable=False),
        sa.Column("report_summary", sa.Text(), nullable=False),
        sa.Column("run_count", sa.Integer(), nullable=False),
        sa.Column("last_run_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_topic_memory_topic_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("topic_id", name=op.f("pk_topic_memory")),
    )


def _create_topic_source() -> None:
    op.create_table(
        "topic_source",
        sa.Column("topic_id", sa.String(length=64), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_topic_source_source_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_topic_source_topic_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("topic_id", "source_id", name=op.f("pk_topic_source")),
    )
    op.create_index(op.f("ix_topic_source_source_id"), "topic_source", ["source_id"], unique=False)


def _create_version() -> None:
    op.create_table(
        "version",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("blocks", JSON, nullable=False),
        sa.Column("metadata", JSON, nullable=False),
        sa.Column("version_date", sa.DateTime(timezone=True), nullable=True),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_version_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_version")),
        sa.UniqueConstraint("source_id", "n", name=op.f("uq_version_source_id_n")),
    )
    op.create_index(op.f("ix_version_source_id"), "version", ["source_id"], unique=False)
    op.create_index(op.f("ix_version_version_date"), "version", ["version_date"], unique=False)


def _create_change() -> None:
    op.create_table(
        "change",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("topic_id", sa.String(length=64), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("attribute", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=True),
        sa.Column("source", JSON, nullable=True),
        sa.Column("old", JSON, nullable=True),
        sa.Column("materiality", sa.Float(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("parts", JSON, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_change_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_change_topic_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change")),
    )
    op.create_index(op.f("ix_change_run_id"), "change", ["run_id"], unique=False)
    op.create_index(op.f("ix_change_topic_id"), "change", ["topic_id"], unique=False)


def _create_checkpoint() -> None:
    op.create_table(
        "checkpoint",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("step", sa.String(length=80), nullable=False),
        sa.Column("result", JSON, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_checkpoint_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "step", name=op.f("pk_checkpoint")),
    )


def _create_chunk() -> None:
    op.create_table(
        "chunk",
        sa.Column("no", KEY, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("version_id", sa.String(length=64), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("heading", sa.Text(), nullable=False),
        sa.Column("speaker", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("bigrams", sa.Text(), nullable=False),
        sa.Column("text_sha256", sa.String(length=64), nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_chunk_project_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_chunk_source_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_chunk_version_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("no", name=op.f("pk_chunk")),
        sa.UniqueConstraint("id", name=op.f("uq_chunk_id")),
    )
    op.create_index(op.f("ix_chunk_project_id"), "chunk", ["project_id"], unique=False)
    op.create_index(op.f("ix_chunk_source_id"), "chunk", ["source_id"], unique=False)
    op.create_index(op.f("ix_chunk_text_sha256"), "chunk", ["text_sha256"], unique=False)
    op.create_index(op.f("ix_chunk_version_id"), "chunk", ["version_id"], unique=False)


def _create_draft() -> None:
    op.create_table(
        "draft",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("phase", sa.String(length=32), nullable=False),
        sa.Column("part", sa.String(length=80), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("metadata", JSON, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_draft_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft")),
    )
    op.create_index(op.f("ix_draft_run_id"), "draft", ["run_id"], unique=False)


def _create_gate() -> None:
    op.create_table(
        "gate",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("payload", JSON, nullable=False),
        sa.Column("answer", JSON, nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_gate_run_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gate")),
    )
    op.create_index(op.f("ix_gate_run_id"), "gate", ["run_id"], unique=False)


def _create_run_version() -> None:
    op.create_table(
        "run_version",
        sa.Column("run_id", sa.String(length=64), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("version_id", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_run_version_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_run_version_source_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_run_version_version_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "source_id", name=op.f("pk_run_version")),
    )
    op.create_index(op.f("ix_run_version_version_id"), "run_version", ["version_id"], unique=False)


def _create_mention() -> None:
    op.create_table(
        "mention",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("project_id", sa.String(length=64), nullable=False),
        sa.Column("entity_id", sa.String(length=64), nullable=False),
        sa.Column("chunk_id", sa.String(length=64), nullable=False),
        sa.Column("version_id", sa.String(length=64), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["chunk_id"], ["chunk.id"], name=op.f("fk_mention_chunk_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["entity_id"], ["entity.id"], name=op.f("fk_mention_entity_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=op.f("fk_mention_project_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name=op.f("fk_mention_source_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mention")),
    )
    op.create_index(op.f("ix_mention_chunk_id"), "mention", ["chunk_id"], unique=False)
    op.create_index(op.f("ix_mention_entity_id"), "mention", ["entity_id"], unique=False)
    op.create_index(op.f("ix_mention_project_id"), "mention", ["project_id"], unique=False)
    op.create_index(op.f("ix_mention_source_id"), "mention", ["source_id"], unique=False)
    op.create_index(op.f("ix_mention_version_id"), "mention", ["version_id"], unique=False)


def _create_relation_evidence() -> None:
    op.create_table(
        "relation_evidence",
        sa.Column("relation_id", sa.String(length=64), nullable=False),
        sa.Column("chunk_id", sa.String(length=64), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["chunk_id"], ["chunk.id"], name=op.f("fk_relation_evidence_chunk_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["relation_id"], ["relation.id"], name=op.f("fk_relation_evidence_relation_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("relation_id", "chunk_id", "start", name=op.f("pk_relation_evidence")),
    )
    op.create_index(op.f("ix_relation_evidence_chunk_id"), "relation_evidence", ["chunk_id"], unique=False)


def _sqlite_full_text() -> None:
    columns = ", ".join(SEARCHED)
    new, old = (", ".join(f"{which}.{name}" for name in SEARCHED) for which in ("new", "old"))
    gone = f"INSERT INTO chunk_fts(chunk_fts, rowid, {columns}) VALUES ('delete', old.no, {old});"
    come = f"INSERT INTO chunk_fts(rowid, {columns}) VALUES (new.no, {new});"
    options = "content='chunk', content_rowid='no', tokenize='porter unicode61 remove_diacritics 2'"
    _execute(f"CREATE VIRTUAL TABLE chunk_fts USING fts5({columns}, {options})")
    _execute(f"CREATE TRIGGER chunk_fts_insert AFTER INSERT ON chunk BEGIN {come} END")
    _execute(f"CREATE TRIGGER chunk_fts_delete AFTER DELETE ON chunk BEGIN {gone} END")
    _execute(f"CREATE TRIGGER chunk_fts_update AFTER UPDATE OF {columns} ON chunk BEGIN {gone} {come} END")


def _sqlite_append_only() -> None:
    for verb in ("UPDATE", "DELETE"):
        _execute(
            f"CREATE TRIGGER event_no_{verb.lower()} BEFORE {verb} ON event "
            "WHEN NOT EXISTS (SELECT 1 FROM setting WHERE name = 'erasing') BEGIN SELECT RAISE(ABORT, 'events are append-only'); END"
        )


def _postgres_full_text() -> None:
    _execute(f"CREATE INDEX ix_chunk_fts ON chunk USING gin (({DOCUMENT}))")


def _postgres_append_only() -> None:
    _execute(
        "CREATE FUNCTION beacon_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF EXISTS (SELECT 1 FROM setting WHERE name = 'erasing') THEN RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END; END IF; "
        "RAISE EXCEPTION 'events are append-only'; END $$"
    )
    _execute("CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION beacon_append_only()")
    _execute("CREATE TRIGGER event_not_truncated BEFORE TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION beacon_append_only()")


def _execute(statement: str) -> None:
    op.get_bind().exec_driver_sql(statement)


TABLES = (
    (_create_app_user, "app_user"),
    (_create_embedding, "embedding"),
    (_create_heartbeat, "heartbeat"),
    (_create_outbox, "outbox"),
    (_create_project, "project"),
    (_create_setting, "setting"),
    (_create_changeset, "changeset"),
    (_create_conversation, "conversation"),
    (_create_entity, "entity"),
    (_create_event, "event"),
    (_create_memory, "memory"),
    (_create_profile_version, "profile_version"),
    (_create_schedule, "schedule"),
    (_create_source, "source"),
    (_create_summary, "summary"),
    (_create_topic, "topic"),
    (_create_usage, "usage"),
    (_create_change_item, "change_item"),
    (_create_message, "message"),
    (_create_node_place, "node_place"),
    (_create_relation, "relation"),
    (_create_run, "run"),
    (_create_topic_memory, "topic_memory"),
    (_create_topic_source, "topic_source"),
    (_create_version, "version"),
    (_create_change, "change"),
    (_create_checkpoint, "checkpoint"),
    (_create_chunk, "chunk"),
    (_create_draft, "draft"),
    (_create_gate, "gate"),
    (_create_run_version, "run_version"),
    (_create_mention, "mention"),
    (_create_relation_evidence, "relation_evidence"),
)
