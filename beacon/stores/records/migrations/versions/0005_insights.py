"""Customer evidence, themes, opportunities, decisions."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    """Apply."""
    _create_synthesis()
    for name in ("theme", "opportunity"):
        _create_insight(name)
    _create_finding()
    _create_decision()
    _create_speaker()


def downgrade() -> None:
    """Take back."""
    for name in ("speaker", "decision", "finding", "opportunity", "theme", "synthesis"):
        op.drop_table(name)


def _text(name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.Text, nullable=False)


def _json(name: str) -> "sa.Column[object]":
    return sa.Column(name, JSON, nullable=False)


def _key(length: int, name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.String(length), nullable=False)


def _at(name: str, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _own(table: str) -> list[sa.Constraint]:
    """Its key and the project it is part of."""
    return [
        sa.PrimaryKeyConstraint("id", name=f"pk_{table}"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name=f"fk_{table}_project_id", ondelete="CASCADE"),
    ]


def _index(table: str, *columns: str) -> None:
    for column in columns:
        op.create_index(f"ix_{table}_{column}", table, [column])


def _create_synthesis() -> None:
    op.create_table(
        "synthesis",
        _key(64, "id"),
        _key(64, "project_id"),
        sa.Column("n", sa.Integer, nullable=False),
        _key(16, "status"),
        *(_text(name) for name in ("trigger_type", "model_used", "segment")),
        *(_json(name) for name in ("source_ids", "options", "report")),
        _text("user_id"),
        _at("started_at"),
        _at("finished_at", nullable=True),
        *_own("synthesis"),
        sa.UniqueConstraint("project_id", "n", name="uq_synthesis_project_id_n"),
    )
    _index("synthesis", "project_id", "status")


def _create_insight(table: str) -> None:
    op.create_table(
        table,
        _key(64, "id"),
        _key(64, "project_id"),
        _text("title"),
        _text("own_title"),
        _key(16, "status"),
        _text("merged_into"),
        _text("synthesis_id"),
        _json("body"),
        _at("created_at"),
        _at("updated_at"),
        *_own(table),
    )
    _index(table, "project_id", "status")


def _create_finding() -> None:
    op.create_table(
        "finding",
        _key(64, "synthesis_id"),
        _key(16, "kind"),
        _key(64, "ref"),
        sa.Column("rank", sa.Integer, nullable=False),
        _json("body"),
        sa.PrimaryKeyConstraint("synthesis_id", "kind", "ref", name="pk_finding"),
        sa.ForeignKeyConstraint(["synthesis_id"], ["synthesis.id"], name="fk_finding_synthesis_id", ondelete="CASCADE"),
    )


def _create_decision() -> None:
    op.create_table(
        "decision",
        _key(64, "id"),
        _key(64, "project_id"),
        *(_text(name) for name in ("event_id", "title", "reason")),
        _key(16, "status"),
        _json("evidence"),
        _json("reopened"),
        _text("user_id"),
        _at("decided_at"),
        _at("updated_at"),
        *_own("decision"),
    )
    _index("decision", "project_id", "status")


def _create_speaker() -> None:
    op.create_table(
        "speaker",
        _key(64, "source_id"),
        _key(120, "name"),
        _text("role"),
        _text("participant"),
        sa.PrimaryKeyConstraint("source_id", "name", name="pk_speaker"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name="fk_speaker_source_id", ondelete="CASCADE"),
    )
