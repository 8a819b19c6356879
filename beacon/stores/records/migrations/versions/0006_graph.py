"""What the graph and search gained."""

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""


def downgrade() -> None:
    """Take back."""
