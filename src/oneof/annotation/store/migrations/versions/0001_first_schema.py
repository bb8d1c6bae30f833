"""The first schema, and the triggers that keep events append-only."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SQLITE_TRIGGER = """
CREATE TRIGGER events_are_append_only_{verb} BEFORE {verb} ON events
BEGIN SELECT RAISE(ABORT, 'events are append-only'); END
"""
POSTGRES_FUNCTION = """
CREATE FUNCTION events_are_append_only() RETURNS trigger AS
$$ BEGIN RAISE EXCEPTION 'events are append-only'; END $$ LANGUAGE plpgsql
"""
POSTGRES_TRIGGER = """
CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events
FOR EACH STATEMENT EXECUTE FUNCTION events_are_append_only()
"""


def upgrade() -> None:
    """Create everything. Written out in full, so that this step stays what it was when the schema moves on."""
    op.create_table(
        "draws",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("classes", sa.Integer(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("drawn", sa.Integer(), nullable=False),
        sa.Column("adaptive", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draws")),
    )
    op.create_table(
        "facts",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_facts")),
    )
    op.create_table(
        "guidelines",
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_guidelines")),
    )
    op.create_table(
        "models",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("trained_at", sa.Float(), nullable=False),
        sa.Column("last_event", sa.BigInteger(), nullable=False),
        sa.Column("answers", sa.Integer(), nullable=False),
        sa.Column("accuracy", sa.Float(), nullable=True),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("held_out", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_models")),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("revoked_at", sa.Float(), nullable=True),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("guidelines", sa.Integer(), nullable=True),
        sa.Column("cursor", sa.BigInteger(), nullable=False),
        sa.Column("claimed", sa.Integer(), nullable=False),
        sa.Column("repeat_cursor", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=False),
        sa.Column("skipped", sa.Integer(), nullable=False),
        sa.Column("counted_answered", sa.Integer(), nullable=False),
        sa.Column("counted_skipped", sa.Integer(), nullable=False),
        sa.Column("undo_top", sa.BigInteger(), nullable=True),
        sa.Column("redo_top", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("name", name=op.f("uq_people_name")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_people_token_hash")),
    )
    op.create_table(
        "sources",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("root", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
        sa.UniqueConstraint("root", name=op.f("uq_sources_root")),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("client_id", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("task_id", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("answer", sa.String(length=4), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("guidelines", sa.Integer(), nullable=True),
        sa.Column("claimed_at", sa.Float(), nullable=True),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("flip", sa.Float(), nullable=False),
        sa.Column("target", sa.BigInteger(), nullable=True),
        sa.Column("previous", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_events_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("person_id", "client_id", name=op.f("uq_events_person_id_client_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_person_at", "events", ["person_id", "at"], unique=False)
    op.create_table(
        "items",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key", sa.String(length=32), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=False),
        sa.Column("source_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("gold", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_items_source_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
        sa.UniqueConstraint("content_hash", name=op.f("uq_items_content_hash")),
        sa.UniqueConstraint("key", name=op.f("uq_items_key")),
        sa.UniqueConstraint("name", name=op.f("uq_items_name")),
    )
    op.create_table(
        "sessions",
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("person_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("expires_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_sessions_person_id")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_sessions")),
    )
    op.create_index(op.f("ix_sessions_person_id"), "sessions", ["person_id"], unique=False)
    op.create_table(
        "predictions",
        sa.Column("model_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("item_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("label", sa.Integer(), nullable=False),
        sa.Column("held_out", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_predictions_item_id")),
        sa.ForeignKeyConstraint(["model_id"], ["models.id"], name=op.f("fk_predictions_model_id")),
        sa.PrimaryKeyConstraint("model_id", "item_id", name=op.f("pk_predictions")),
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("item_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("subset", sa.Text(), nullable=False),
        sa.Column("draw_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("draw_row", sa.Integer(), nullable=False),
        sa.Column("adaptive", sa.Boolean(), nullable=False),
        sa.Column("quota", sa.Integer(), nullable=False),
        sa.Column("free", sa.Integer(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("reserved_for", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("repeat_of", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["draw_id"], ["draws.id"], name=op.f("fk_tasks_draw_id")),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_tasks_item_id")),
        sa.ForeignKeyConstraint(["reserved_for"], ["people.id"], name=op.f("fk_tasks_reserved_for")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tasks")),
    )
    op.create_index(
        "ix_tasks_free",
        "tasks",
        ["position", "id"],
        unique=False,
        sqlite_where=sa.text("free > 0 AND reserved_for IS NULL"),
        postgresql_where=sa.text("free > 0 AND reserved_for IS NULL"),
    )
    op.create_index(
        "ix_tasks_gold",
        "tasks",
        ["id"],
        unique=False,
        sqlite_where=sa.text("kind = 'gold'"),
        postgresql_where=sa.text("kind = 'gold'"),
    )
    op.create_index("ix_tasks_item_id", "tasks", ["item_id"], unique=False)
    op.create_index(
        "ix_tasks_reserved",
        "tasks",
        ["reserved_for"],
        unique=False,
        sqlite_where=sa.text("reserved_for IS NOT NULL"),
        postgresql_where=sa.text("reserved_for IS NOT NULL"),
    )
    op.create_table(
        "claims",
        sa.Column("task_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("person_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("claimed_at", sa.Float(), nullable=False),
        sa.Column("expires_at", sa.Float(), nullable=False),
        sa.Column("placed", sa.Boolean(), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=True),
        sa.Column("answer", sa.String(length=4), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_claims_person_id")),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name=op.f("fk_claims_task_id")),
        sa.PrimaryKeyConstraint("task_id", "person_id", name=op.f("pk_claims")),
    )
    op.create_index(
        "ix_claims_held",
        "claims",
        ["expires_at"],
        unique=False,
        sqlite_where=sa.text("state = 'held'"),
        postgresql_where=sa.text("state = 'held'"),
    )
    op.create_index("ix_claims_person_ordinal", "claims", ["person_id", "ordinal"], unique=False)
    op.create_index("ix_claims_person_state", "claims", ["person_id", "state", "event_id"], unique=False)
    if op.get_bind().dialect.name == "sqlite":
        for verb in ("UPDATE", "DELETE"):
            op.execute(SQLITE_TRIGGER.format(verb=verb))
    else:
        op.execute(POSTGRES_FUNCTION)
        op.execute(POSTGRES_TRIGGER)
