"""How each question was chosen, guesses after "can't tell", what was shown, and lists of classes that change."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Questions were uniform or adaptive so far; whether predictions were shown is not known of earlier answers."""
    for table in ("draws", "tasks"):
        op.add_column(table, sa.Column("design", sa.String(length=12), nullable=False, server_default="uniform"))
        op.execute(f"UPDATE {table} SET design = 'adaptive' WHERE adaptive")
        op.drop_column(table, "adaptive")
    op.add_column("draws", sa.Column("edition", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("tasks", sa.Column("predicted", sa.Integer(), nullable=True))
    op.add_column("tasks", sa.Column("model_id", sa.BigInteger(), nullable=True))
    op.add_column("claims", sa.Column("shown", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("events", sa.Column("guess", sa.String(length=4), nullable=True))
    op.add_column("events", sa.Column("shown", sa.Boolean(), nullable=True))
    op.add_column("models", sa.Column("edition", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("models", sa.Column("aside_share", sa.Float(), nullable=True))
    op.add_column("models", sa.Column("last_item", sa.BigInteger(), nullable=False, server_default="0"))
    # Items that came in after a training have no prediction yet: those after the last that has one.
    op.execute(
        "UPDATE models SET last_item = "
        "(SELECT coalesce(max(item_id), 0) FROM predictions WHERE predictions.model_id = models.id)"
    )
