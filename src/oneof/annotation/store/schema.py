"""The tables of an annotation project.

*Events* are append-only: every answer, undo, redo, flag and withdrawal, in order; database triggers refuse to change or
delete one. The present state (who holds which question, the current answer, the counters) follows from the events, and
is stored beside them in the same transaction, so that no click has to count the rows of a table. `auditing` derives it
again from the events and compares.

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
    # How far this annotator's search for the next question has come: a pointer that goes round the questions.
    Column("cursor", BigInteger, nullable=False, default=-1),
    Column("claimed", Integer, nullable=False, default=0),
    Column("repeat_cursor", Integer, nullable=False, default=0),
    # How much this annotator has answered and skipped, and how much of it fills places (see tasks.quota).
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
"""Folders that hold the files of pictures and sounds."""

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
    # When and why it was taken out of the project; None while it is in.
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
    # Which list of classes it was drawn from: how often the list had changed before; see `project/lineage.py`.
    Column("edition", Integer, nullable=False, default=0, server_default="0"),
    Column("created_at", Float, nullable=False),
)
"""One draw of many questions. A uniform draw can be made again from its seed and sizes."""

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
    # How the question was chosen: uniform, adaptive, or prediction (what a model predicts, among decoys, to judge it).
    Column("design", String(12), nullable=False, default="uniform", server_default="uniform"),
    Column("predicted", Integer),
    Column("model_id", BigInteger),
    # Places: how many answers are wanted, and how many of those nobody holds or has given.
    Column("quota", Integer, nullable=False),
    Column("free", Integer, nullable=False),
    # The order of asking: round by round, random within a round, so that the first answers are a fair sample.
    Column("position", BigInteger, nullable=False),
    Column("reserved_for", ForeignKey("people.id")),
    Column("repeat_of", BigInteger),
    # The item was removed: nobody is asked any more. Open places wait in `aside` until the item is brought back.
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
    # held: on somebody's screen; answered; returned: given back, or expired; withdrawn: answered, but no longer used;
    # overruled: answered, but a reviewer's answer is used instead.
    Column("state", String(12), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("claimed_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    # Whether it takes one of the task's places; a late answer to a question that has all its answers does not.
    Column("placed", Boolean, nullable=False),
    Column("event_id", BigInteger),
    Column("answer", String(4)),
    # Whether this person was ever shown the model's prediction beside the question.
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
"""Who was asked what, and their current answer: at most one row for each task and person."""

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
    # After a skip of a question that judges: what the person would say if they had to. It is never used as an answer.
    Column("guess", String(4)),
    # Whether the model's prediction was shown beside the question; None for answers from before this was stored.
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
    # The last event that training saw: the model has not learned from later answers.
    Column("last_event", BigInteger, nullable=False),
    Column("answers", Integer, nullable=False),
    Column("accuracy", Float),
    Column("low", Float),
    Column("high", Float),
    Column("held_out", Integer, nullable=False),
    # Which list of classes its answers are about.
    Column("edition", Integer, nullable=False, default=0, server_default="0"),
    # The share of items that were kept aside, and the last item that the model has tried to predict.
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
    # The probability that the model gives this label; None for predictions from before it was stored.
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
"""What managers did, in order; append-only. person_id: None for the command line. detail: JSON."""

jobs = Table(
    "jobs",
    metadata,
    Column("id", Id, primary_key=True),
    Column("kind", String(16), nullable=False),
    # waiting, running, done or failed; a job that runs updates beat_at every few seconds.
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
"""Work that takes longer than a request: training, imports and predictions, each in a process of its own."""

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
"""Keys by which programs use the project: each acts for the person who made it."""

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Id, primary_key=True),
    Column("url", Text, nullable=False),
    Column("secret", String(64), nullable=False),
    Column("kinds", String(64), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("removed_at", Float),
    # The last event, and the last entry of the journal, that were sent to this address.
    Column("told_event", BigInteger, nullable=False),
    Column("told_entry", BigInteger, nullable=False),
    Column("failures", Integer, nullable=False, default=0),
    Column("retry_at", Float, nullable=False, default=0.0),
    Column("last_reply", Text),
)
"""Addresses that are told of answers, of trained models, and when all wanted answers are given."""
