"""What a fact, a change and a draft gained after the first release."""

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""


def downgrade() -> None:
    """Take back."""
