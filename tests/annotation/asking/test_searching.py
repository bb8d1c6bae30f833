"""The search for the next question: it goes round, and no click reads a table that grows with the project."""

import re
import threading

import pytest
from psycopg import sql
from sqlalchemy import event, text

TASKS = 20_000
LARGE = {"items", "tasks", "claims", "events", "predictions"}
SMALL_INDEXES = {"ix_claims_held", "ix_tasks_gold"}
"""Indexes of what people hold at this moment, and of known items: these are few, and may be gone through."""

NUMBERS = f"WITH RECURSIVE numbers(n) AS (SELECT 101 UNION ALL SELECT n + 1 FROM numbers WHERE n < {TASKS}) "
FILL = (
    "INSERT INTO items (key, name, kind, content_hash, text) "
    f"{NUMBERS} SELECT 'k' || n, 'n' || n, 'text', 'ffffffff' || n, 'a text' FROM numbers",
    # One in twenty is about a known item. Of the others the first half has one place left, the second half two.
    "INSERT INTO tasks (item_id, kind, subset, draw_id, draw_row, quota, free, position) "
    f"{NUMBERS} SELECT n, CASE WHEN n % 20 = 0 THEN 'gold' ELSE 'question' END, '0,1', 1, n, "
    "CASE WHEN n % 20 = 0 THEN 0 ELSE 2 END, CASE WHEN n % 20 = 0 THEN 0 WHEN n <= 10000 THEN 1 ELSE 2 END, "
    "1000000 + n FROM numbers",
    "INSERT INTO events (client_id, person_id, kind, task_id, at, answer, late, flip) "
    f"{NUMBERS} SELECT 'e' || n, :ann, 'answer', n, n, 'yes', FALSE, 0 FROM numbers WHERE n <= 10000",
    "INSERT INTO claims (task_id, person_id, state, ordinal, claimed_at, expires_at, placed, event_id, answer) "
    f"{NUMBERS} SELECT n, :ann, 'answered', n, n, n, TRUE, n - 100, 'yes' FROM numbers WHERE n <= 10000",
    f"INSERT INTO models (trained_at, last_event, answers, held_out, last_item) SELECT 0, 1, 1, 0, {TASKS}",
    f"INSERT INTO predictions (model_id, item_id, label, held_out) {NUMBERS} SELECT 1, n, 0, FALSE FROM numbers",
    "UPDATE people SET claimed = 10000, repeat_cursor = 5000 WHERE id = :ann",
    "UPDATE tasks SET reserved_for = :ann WHERE id = 15001",
)
"""A project in the middle of its life: Ann has answered half of 20,000 questions, and starts again at the first."""


def test_the_search_goes_round_and_stays_short(make_world):
    """An annotator who has had everything scans a bounded number of tasks, and still learns of a freed one."""
    world = make_world(24, overlap=2)
    ann, bob = world.annotator("ann"), world.annotator("bob")
    for _ in range(24):
        world.give(ann)
    assert ann.post("/api/claim", json={}).headers["x-oneof-reason"] == "done"
    assert len({world.give(bob)["task"] for _ in range(24)}) == 24


def test_item_20_a_click_takes_few_trips_to_the_database(make_world):
    """On a busy machine the trips are what people wait for."""
    world = make_world(9, gold_share=0.0)
    ann = world.annotator("ann")
    world.give(ann)
    trips = []

    def count(*_):
        trips.append(1)

    for kind in ("begin", "before_cursor_execute", "commit"):
        event.listen(world.database.engine, kind, count)
    task = world.claim(ann)["task"]
    claimed = len(trips)
    ann.post("/api/answers", json=world.body(task))
    for kind in ("begin", "before_cursor_execute", "commit"):
        event.remove(world.database.engine, kind, count)
    # SQLite's BEGIN is both an event and a statement.
    sqlite = world.database.is_sqlite
    assert (claimed - sqlite, len(trips) - claimed - sqlite) == (7, 8)


def plans_of_sqlite(connection, statement, parameters):
    """What SQLite says about each table that it reads."""
    return [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]


def reads_much_on_sqlite(step):
    table, index = re.match(r"(?:SCAN|SEARCH) (\w+)(?: USING (?:COVERING )?INDEX (\w+))?|", step).groups()
    all_of_it = step.startswith("SCAN") and index not in SMALL_INDEXES
    half_of_it = step.endswith(("(person_id=?)", "(rowid>?)"))
    return table in LARGE and (all_of_it or half_of_it)


def plans_of_postgresql(connection, statement, parameters):
    """Every node of the plan for these values, and of the plan for any values, which a server keeps after a while."""
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", statement)))
    numbered = re.sub(r"%\((\w+)\)s", lambda found: f"${names.index(found[1]) + 1}", statement).replace("%%", "%")
    driver = connection.connection.dbapi_connection
    values = sql.SQL(", ").join(sql.Literal(parameters[name]) for name in names).as_string(driver)
    nodes = []
    driver.execute(f"PREPARE statement AS {numbered}")
    for mode in ("force_custom_plan", "force_generic_plan"):
        driver.execute(f"SET LOCAL plan_cache_mode = {mode}")
        explained = driver.execute(f"EXPLAIN (FORMAT JSON) EXECUTE statement{f'({values})' if names else ''}")
        left = [explained.fetchone()[0][0]["Plan"]]
        while left:
            nodes.append(left.pop())
            left += nodes[-1].get("Plans", [])
    driver.execute("DEALLOCATE statement")
    return nodes


def reads_much_on_postgresql(node):
    if "Relation Name" not in node and "Index Name" not in node:
        return False
    condition = node.get("Index Cond", "")
    if node["Node Type"] == "Seq Scan":
        return node["Relation Name"] in LARGE
    if node["Node Type"] in ("Index Scan", "Index Only Scan", "Bitmap Index Scan"):
        all_of_it = not condition and node["Index Name"] not in SMALL_INDEXES
        return all_of_it or re.fullmatch(r"\(person_id = \S+\)", condition) is not None
    return False


@pytest.mark.timeout(120)
def test_item_20_no_click_reads_a_table_that_grows(make_world, backend):
    """Every statement of every kind of click, explained by the database."""
    shares = {"gold_share": 0.5, "repeat_share": 0.5}
    world = make_world(100, overlap=2, claim_seconds=60, show_predictions=True, **shares)
    ann, bob = world.annotator("ann"), world.annotator("bob")

    def fill(connection):
        for statement in FILL:
            connection.execute(text(statement), {"ann": world.person("ann")} if ":ann" in statement else {})

    world.database.write(fill)
    if backend == "postgresql":
        world.database.write(lambda connection: connection.exec_driver_sql("ANALYZE"))
    seen = {}

    def remember(connection, cursor, statement, parameters, context, many):
        by_itself = threading.current_thread().name.startswith("ticking")
        if statement.startswith(("SELECT", "UPDATE")) and not by_itself:
            seen[statement] = parameters[0] if many else parameters

    event.listen(world.database.engine, "before_cursor_execute", remember)
    asked = [world.give(ann)["task"] for _ in range(12)]
    world.claim(bob, count=3)
    world.clock.ahead = 61
    world.give(ann)
    world.step(ann, "undo")
    world.step(ann, "redo")
    if backend == "sqlite":
        ann.get("/api/history")  # no claim and no answer: PostgreSQL may read back from the last event
    ann.get("/api/progress")
    held = world.claim(ann, resume=True)
    ann.post("/api/release", json={"tasks": [held["task"]]})
    event.remove(world.database.engine, "before_cursor_execute", remember)
    # The first was kept for Ann; among the next are known items, beyond the 500 that she has had, and repeats.
    assert asked[0] == 15001
    assert {10020, TASKS + 1} <= set(asked[1:])
    assert len(seen) > 25
    plans, reads_much = {
        "sqlite": (plans_of_sqlite, reads_much_on_sqlite),
        "postgresql": (plans_of_postgresql, reads_much_on_postgresql),
    }[backend]
    for statement, parameters in seen.items():
        with world.database.read() as connection:
            bad = [part for part in plans(connection, statement, parameters) if reads_much(part)]
        assert bad == [], (statement, bad)
