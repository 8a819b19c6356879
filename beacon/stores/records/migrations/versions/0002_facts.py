"""What a fact, a change and a draft gained after the first release."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    """Apply."""
    _create_claim()
    _create_claim_reading()
    _create_contradiction()
    op.add_column("topic_memory", sa.Column("flagged", sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Take back."""
    with op.batch_alter_table("topic_memory") as batch:
        batch.drop_column("flagged")
    for name in ("contradiction", "claim_reading", "claim"):
        op.drop_table(name)


def _create_claim() -> None:
    op.create_table(
        "claim",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("project_id", sa.String(64), nullable=False),
        sa.Column("version_id", sa.String(64), nullable=False),
        sa.Column("source_id", sa.String(64), nullable=False),
        sa.Column("point_id", sa.String(64), nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("end", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("point", sa.Text, nullable=False),
        sa.Column("body", JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_claim"),
        *(
            sa.ForeignKeyConstraint([f"{other}_id"], [f"{other}.id"], name=f"fk_claim_{other}_id", ondelete="CASCADE")
            for other in ("project", "version", "source")
        ),
    )
    for name in ("project_id", "version_id", "source_id", "point_id"):
        op.create_index(f"ix_claim_{name}", "claim", [name])


def _create_claim_reading() -> None:
    op.create_table(
        "claim_reading",
        sa.Column("version_id", sa.String(64), nullable=False),
        sa.Column("method", sa.Integer, nullable=False),
        sa.Column("corrects", sa.Boolean, nullable=False),
        sa.Column("made_from", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("version_id", name="pk_claim_reading"),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name="fk_claim_reading_version_id", ondelete="CASCADE"),
    )


def _create_contradiction() -> None:
    op.create_table(
        "contradiction",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("project_id", sa.String(64), nullable=False),
        sa.Column("point_id", sa.String(64), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("attribute", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("sides", JSON, nullable=False),
        sa.Column("ruling", JSON, nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_contradiction"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_contradiction_project_id", ondelete="CASCADE"),
    )
    for name in ("project_id", "point_id", "status"):
        op.create_index(f"ix_contradiction_{name}", "contradiction", [name])
