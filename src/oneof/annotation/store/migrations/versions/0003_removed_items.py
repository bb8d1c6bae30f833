"""Items can be taken out: when and why, and what that did to their questions."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; everything that is there is in."""
    op.add_column("items", sa.Column("removed_at", sa.Float(), nullable=True))
    op.add_column("items", sa.Column("removed_because", sa.Text(), nullable=True))
    op.add_column("tasks", sa.Column("removed", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("tasks", sa.Column("aside", sa.Integer(), nullable=False, server_default="0"))
