"""The tables of an annotation project.

Two kinds of rows. *Events* are append-only: every answer, undo, redo, flag and withdrawal, in order; database triggers
refuse to change or delete one. Everything that says how things stand now (who holds which question, the current
answer, the counters) is derived from them and kept beside them in the same transaction, so that no click ever counts
a table; `audit.py` derives it again and compares.

Times are seconds since 1970 (UTC).
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

Id = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only in a column of type INTEGER."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

facts = Table(
    "facts",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)
"""Single values: the project's id, whether it is paused, how many answers it needs."""

people = Table(
    "people",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("role", String(16), nullable=False),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("created_at", Float, nullable=False),
    Column("revoked_at", Float),
    Column("paused", Boolean, nullable=False, default=False),
    Column("guidelines", Integer),
    # Where this annotator's search for the next question stands: a pointer that goes round the questions.
    Column("cursor", BigInteger, nullable=False, default=-1),
    Column("claimed", Integer, nullable=False, default=0),
    Column("repeat_cursor", Integer, nullable=False, default=0),
    # What this annotator has answered and skipped, and how much of it fills a wanted place of the project.
    Column("answered", Integer, nullable=False, default=0),
    Column("skipped", Integer, nullable=False, default=0),
    Column("counted_answered", Integer, nullable=False, default=0),
    Column("counted_skipped", Integer, nullable=False, default=0),
    # Tops of the undo and redo stacks: linked lists that run through events.previous.
    Column("undo_top", BigInteger),
    Column("redo_top", BigInteger),
)

sessions = Table(
    "sessions",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("person_id", ForeignKey("people.id"), nullable=False, index=True),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
)

guidelines = Table(
    "guidelines",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
    Column("created_at", Float, nullable=False),
)

sources = Table(
    "sources",
    metadata,
    Column("id", Id, primary_key=True),
    Column("root", Text, nullable=False, unique=True),
)
"""Folders that image items live in."""

items = Table(
    "items",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", String(32), nullable=False, unique=True),
    Column("name", Text, nullable=False, unique=True),
    Column("kind", String(8), nullable=False),
    Column("content_hash", String(64), nullable=False, unique=True),
    Column("source_id", ForeignKey("sources.id")),
    Column("text", Text),
    Column("gold", Integer),
    # Taken out of the project, and why; None while it is in.
    Column("removed_at", Float),
    Column("removed_because", Text),
)

draws = Table(
    "draws",
    metadata,
    Column("id", Id, primary_key=True),
    Column("seed", BigInteger, nullable=False),
    Column("classes", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("drawn", Integer, nullable=False),
    Column("design", String(12), nullable=False, server_default="uniform"),
    # Which list of classes it was drawn from: the number of changes to them before; see `project/lineage.py`.
    Column("edition", Integer, nullable=False, default=0, server_default="0"),
    Column("created_at", Float, nullable=False),
)
"""One draw of many subsets: for a uniform one the seed and the sizes are enough to draw them again."""

tasks = Table(
    "tasks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("item_id", ForeignKey("items.id"), nullable=False),
    Column("kind", String(8), nullable=False),
    # Class numbers in the order in which the labels are shown.
    Column("subset", Text, nullable=False),
    Column("draw_id", ForeignKey("draws.id"), nullable=False),
    Column("draw_row", Integer, nullable=False),
    # How the question was chosen: uniform, adaptive, or prediction (a model's guess among decoys, to judge that model).
    Column("design", String(12), nullable=False, default="uniform", server_default="uniform"),
    Column("predicted", Integer),
    Column("model_id", BigInteger),
    # Places: how many answers are wanted, and how many of them nobody holds or has filled.
    Column("quota", Integer, nullable=False),
    Column("free", Integer, nullable=False),
    # The order of asking: rounds first, random within a round, so that the first answers are a fair sample.
    Column("position", BigInteger, nullable=False),
    Column("reserved_for", ForeignKey("people.id")),
    Column("repeat_of", BigInteger),
    # Of a removed item: asked no more. Its open places wait in `aside` until the item is brought back.
    Column("removed", Boolean, nullable=False, default=False, server_default=false()),
    Column("aside", Integer, nullable=False, default=0, server_default="0"),
    Index(
        "ix_tasks_free",
        "position",
        "id",
        sqlite_where=text("free > 0 AND reserved_for IS NULL"),
        postgresql_where=text("free > 0 AND reserved_for IS NULL"),
    ),
    Index(
        "ix_tasks_reserved",
        "reserved_for",
        sqlite_where=text("reserved_for IS NOT NULL"),
        postgresql_where=text("reserved_for IS NOT NULL"),
    ),
    Index("ix_tasks_gold", "id", sqlite_where=text("kind = 'gold'"), postgresql_where=text("kind = 'gold'")),
    Index("ix_tasks_item_id", "item_id"),
)
"""One question: an item and a subset. kind: question, gold (the answer is known) or repeat (to one annotator)."""

claims = Table(
    "claims",
    metadata,
    Column("task_id", ForeignKey("tasks.id"), primary_key=True),
    Column("person_id", ForeignKey("people.id"), primary_key=True),
    # held: on somebody's screen; answered; returned: given back or run out; withdrawn: answered, but no longer used;
    # overruled: answered, but a reviewer's answer is used in its place.
    Column("state", String(12), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("claimed_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    # Whether it takes one of the task's places. A late answer beyond the quota does not.
    Column("placed", Boolean, nullable=False),
    Column("event_id", BigInteger),
    Column("answer", String(4)),
    # Whether the question was ever shown to this person beside the model's guess.
    Column("shown", Boolean, nullable=False, default=False, server_default=false()),
    Index(
        "ix_claims_held",
        "expires_at",
        sqlite_where=text("state = 'held'"),
        postgresql_where=text("state = 'held'"),
    ),
    Index("ix_claims_person_ordinal", "person_id", "ordinal"),
    Index("ix_claims_person_state", "person_id", "state", "event_id"),
)
"""Who was asked what, and the current answer: at most one row a person and task."""

events = Table(
    "events",
    metadata,
    Column("id", Id, primary_key=True),
    Column("client_id", String(64), nullable=False),
    Column("person_id", ForeignKey("people.id"), nullable=False),
    Column("kind", String(10), nullable=False),
    Column("task_id", BigInteger),
    Column("at", Float, nullable=False),
    Column("answer", String(4)),
    Column("seconds", Float),
    Column("comment", Text),
    Column("guidelines", Integer),
    Column("claimed_at", Float),
    Column("late", Boolean, nullable=False, default=False),
    Column("flip", Float, nullable=False, default=0.0),
    # After "can't tell" to a question that judges: what the person would say if they had to. Never an answer.
    Column("guess", String(4)),
    # Whether the model's guess stood beside the question; not known of answers from before this was kept.
    Column("shown", Boolean),
    Column("target", BigInteger),
    Column("previous", BigInteger),
    UniqueConstraint("person_id", "client_id"),
    Index("ix_events_person_at", "person_id", "at"),
    Index("ix_events_flag", "id", sqlite_where=text("kind = 'flag'"), postgresql_where=text("kind = 'flag'")),
    sqlite_autoincrement=True,
)
"""kind: answer, undo, redo, flag, withdraw, reassign, overrule, reinstate, resolve. Append-only."""

models = Table(
    "models",
    metadata,
    Column("id", Id, primary_key=True),
    Column("trained_at", Float, nullable=False),
    # The last event training saw: later answers are fresh evidence about the model.
    Column("last_event", BigInteger, nullable=False),
    Column("answers", Integer, nullable=False),
    Column("accuracy", Float),
    Column("low", Float),
    Column("high", Float),
    Column("held_out", Integer, nullable=False),
    # Which list of classes its answers are about.
    Column("edition", Integer, nullable=False, default=0, server_default="0"),
    # The share of items that were kept aside, and the last item that has its prediction, if it could be read.
    Column("aside_share", Float),
    Column("last_item", BigInteger, nullable=False, default=0, server_default="0"),
)

predictions = Table(
    "predictions",
    metadata,
    Column("model_id", ForeignKey("models.id"), primary_key=True),
    Column("item_id", ForeignKey("items.id"), primary_key=True),
    Column("label", Integer, nullable=False),
    Column("held_out", Boolean, nullable=False),
    # The probability that the model gives this label; unknown for predictions of before it was kept.
    Column("confidence", Float),
)

journal = Table(
    "journal",
    metadata,
    Column("id", Id, primary_key=True),
    Column("at", Float, nullable=False),
    Column("person_id", ForeignKey("people.id")),
    Column("action", String(40), nullable=False),
    Column("detail", Text, nullable=False),
    sqlite_autoincrement=True,
)
"""What managers did, in order and append-only. person_id: None for the command line. detail: JSON."""

jobs = Table(
    "jobs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("kind", String(16), nullable=False),
    # waiting, running, done or failed; what runs says so every few seconds in beat_at.
    Column("state", String(12), nullable=False),
    Column("person_id", ForeignKey("people.id")),
    Column("request", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("beat_at", Float, nullable=False),
    Column("finished_at", Float),
    Column("done", Integer, nullable=False, default=0),
    Column("total", Integer, nullable=False, default=0),
    Column("message", Text, nullable=False, default=""),
)
"""Work that takes longer than a request: training and imports, each in a process of its own."""

tokens = Table(
    "tokens",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("person_id", ForeignKey("people.id"), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("used_at", Float),
    Column("revoked_at", Float),
)
"""Keys of programs: each acts for the person who made it."""

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("url", Text, nullable=False),
    Column("secret", String(64), nullable=False),
    Column("kinds", String(64), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("removed_at", Float),
    # How far this address has been told: the last event, and the last entry of the journal.
    Column("told_event", BigInteger, nullable=False),
    Column("told_entry", BigInteger, nullable=False),
    Column("failures", Integer, nullable=False, default=0),
    Column("retry_at", Float, nullable=False, default=0.0),
    Column("last_reply", Text),
)
"""Addresses that are told of answers, of a trained model and of the end."""
