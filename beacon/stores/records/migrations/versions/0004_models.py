"""What models, spend and the web gained."""

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""


def downgrade() -> None:
    """Take back."""
