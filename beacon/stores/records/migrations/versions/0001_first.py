"""The first tables."""

from alembic import op

from beacon.stores.records import schema, tables

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    connection = op.get_bind()
    tables.metadata.create_all(connection)
    schema.create_extras(connection)


def downgrade() -> None:
    """Take back."""
    tables.metadata.drop_all(op.get_bind())
