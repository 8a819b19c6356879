"""What memory gained: where a document's version came from, summaries of long conversations, and what was in mind at each step."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    """Apply."""
    op.add_column("profile_version", sa.Column("cause", sa.Text, nullable=False, server_default=""))
    op.add_column("memory", sa.Column("changed", sa.BigInteger, nullable=False, server_default="0"))
    op.create_index("ix_memory_project_changed", "memory", ["project_id", "changed"])
    _create_conversation_summary()
    _create_context_pack()


def downgrade() -> None:
    """Take back."""
    op.drop_table("context_pack")
    op.drop_table("conversation_summary")
    op.drop_index("ix_memory_project_changed", "memory")
    op.drop_column("memory", "changed")
    op.drop_column("profile_version", "cause")


def _create_conversation_summary() -> None:
    op.create_table(
        "conversation_summary",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("conversation_id", sa.String(64), nullable=False),
        sa.Column("level", sa.String(8), nullable=False),
        sa.Column("first", sa.Integer, nullable=False),
        sa.Column("last", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("citations", JSON, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_conversation_summary"),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name="fk_conversation_summary_conversation_id", ondelete="CASCADE"
        ),
        sa.UniqueConstraint("conversation_id", "level", "first", name="uq_conversation_summary_conversation_id_level_first"),
    )
    op.create_index("ix_conversation_summary_conversation_id", "conversation_summary", ["conversation_id"])


def _create_context_pack() -> None:
    op.create_table(
        "context_pack",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("project_id", sa.String(64), nullable=False),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("step", sa.String(40), nullable=False),
        sa.Column("ref", sa.String(64), nullable=False),
        sa.Column("budget", sa.Integer, nullable=False),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("parts", JSON, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_context_pack"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_context_pack_project_id", ondelete="CASCADE"),
    )
    op.create_index("ix_context_pack_project_id", "context_pack", ["project_id"])
    op.create_index("ix_context_pack_ref", "context_pack", ["ref"])
