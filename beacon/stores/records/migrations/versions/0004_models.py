"""What models, spend and the web gained."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
MOMENT = sa.DateTime(timezone=True)
COLUMNS: tuple[tuple[str, sa.types.TypeEngine[Any], Any], ...] = (
    ("conversation_id", sa.String(64), ""),
    ("topic_id", sa.String(64), ""),
    ("provider", sa.String(16), ""),
    ("tier", sa.String(16), ""),
    ("reason", sa.Text(), ""),
    ("status", sa.String(8), "spent"),
    ("cached_tokens", sa.Integer(), "0"),
    ("priced", sa.Boolean(), sa.true()),
)
INDEXES = ("at", "conversation_id", "topic_id")


def upgrade() -> None:
    """Apply."""
    for name, kind, default in COLUMNS:
        op.add_column("usage", sa.Column(name, kind, nullable=False, server_default=default))
    for name in INDEXES:
        op.create_index(f"ix_usage_{name}", "usage", [name])
    op.create_table(
        "notice",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("project_id", sa.String(64), nullable=False),
        sa.Column("channel", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", JSON, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("sent_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_notice_project_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_notice"),
    )
    for name in ("at", "project_id"):
        op.create_index(f"ix_notice_{name}", "notice", [name])


def downgrade() -> None:
    """Take back."""
    op.drop_table("notice")
    for name in INDEXES:
        op.drop_index(f"ix_usage_{name}", table_name="usage")
    for name, _, _ in COLUMNS:
        op.drop_column("usage", name)
