"""Customer evidence, themes, opportunities, decisions."""

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""


def downgrade() -> None:
    """Take back."""
