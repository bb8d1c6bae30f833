"""G8: random sequences of claim, answer, undo, redo, release, expiry and crash, against a model in plain Python."""

import random
import shutil
import uuid
from itertools import count

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from oneof.annotation.asking import claims, recording
from oneof.annotation.asking.recording import ConflictError, Given, UnknownTaskError
from oneof.annotation.store.auditing import audit, replay
from oneof.annotation.store.database import Database, sqlite_url

PEOPLE = 3
ITEMS = 4
OVERLAP = 2
who = st.integers(0, PEOPLE - 1)


class CrashError(Exception):
    """The process dies after all its work, an instant before the commit."""


class Annotating(RuleBasedStateMachine):
    """What a correct server must do, told by dictionaries; the database must agree after every step."""

    def __init__(self, copy_database, project, person_ids):
        super().__init__()
        self.database = copy_database()
        self.project, self.ids = project, person_ids
        self.now = 1_000.0
        self.held = [{} for _ in person_ids]  # task -> when it runs out
        self.standing = [{} for _ in person_ids]  # task -> (client id, answer)
        self.undo_stack = [[] for _ in person_ids]  # (client id, task, answer), the last on top
        self.redo_stack = [[] for _ in person_ids]
        self.ever = [set() for _ in person_ids]
        self.sent = []

    def teardown(self):
        self.database.close()

    @rule(person=who, wanted=st.integers(1, 3), resume=st.booleans())
    def claim(self, person, wanted, resume):
        got = self.database.write(
            lambda c: claims.claim(c, self.project, self.ids[person], self.now, count=wanted, resume=resume)
        )
        mine = {task for task, until in self.held[person].items() if until >= self.now}
        if resume:
            assert mine <= set(got.tasks)
        else:
            assert not mine & set(got.tasks)
        assert not set(got.tasks) & set(self.standing[person])
        assert len(got.tasks) == len(set(got.tasks))
        for task in got.tasks:
            self.held[person][task] = self.now + self.project.settings.claim_seconds
            self.ever[person].add(task)

    @rule(person=who, task=st.integers(1, ITEMS), answer=st.sampled_from(["yes", "no", "skip"]))
    def answer(self, person, task, answer):
        client_id = str(uuid.UUID(int=random.getrandbits(128)))
        given = Given(client_id, task, answer, 1.0, None, 1)
        try:
            event, new = self.database.write(
                lambda c: recording.record_answer(c, self.project, self.ids[person], given, self.now)
            )
        except UnknownTaskError:
            assert task not in self.ever[person]
            return
        except ConflictError:
            assert task in self.standing[person]
            return
        assert new
        assert task in self.ever[person]
        assert task not in self.standing[person]
        until = self.held[person].pop(task, None)
        assert event.late == (until is None or until < self.now)
        self.standing[person][task] = (client_id, answer)
        self.undo_stack[person].append((client_id, task, answer))
        self.sent.append((person, given))

    @precondition(lambda self: self.sent)
    @rule(which=st.integers(0, 1000))
    def send_again(self, which):
        person, given = self.sent[which % len(self.sent)]
        event, new = self.database.write(
            lambda c: recording.record_answer(c, self.project, self.ids[person], given, self.now)
        )
        assert not new
        assert (event.client_id, event.task_id, event.answer) == (given.id, given.task, given.answer)

    @rule(person=who)
    def undo(self, person):
        stack, standing = self.undo_stack[person], self.standing[person]
        while stack and standing.get(stack[-1][1], (None,))[0] != stack[-1][0]:
            stack.pop()
        try:
            undone = self.database.write(
                lambda c: recording.undo(c, self.project, self.ids[person], str(uuid.uuid4()), self.now)
            )
        except ConflictError:
            assert not stack
            return
        entry = stack.pop()
        assert (undone.client_id, undone.task_id) == entry[:2]
        del standing[entry[1]]
        self.held[person][entry[1]] = self.now + self.project.settings.claim_seconds
        self.redo_stack[person].append(entry)

    @rule(person=who)
    def redo(self, person):
        stack, standing = self.redo_stack[person], self.standing[person]
        while stack and stack[-1][1] in standing:
            stack.pop()
        try:
            redone = self.database.write(lambda c: recording.redo(c, self.ids[person], str(uuid.uuid4()), self.now))
        except ConflictError:
            assert not stack
            return
        entry = stack.pop()
        assert (redone.client_id, redone.task_id) == entry[:2]
        standing[entry[1]] = (entry[0], entry[2])
        self.held[person].pop(entry[1], None)
        self.undo_stack[person].append(entry)

    @rule(person=who, tasks=st.lists(st.integers(1, ITEMS), max_size=3))
    def release(self, person, tasks):
        self.database.write(lambda c: claims.release(c, self.ids[person], tasks))
        for task in tasks:
            self.held[person].pop(task, None)

    @rule(seconds=st.sampled_from([1.0, 30.0, 61.0]))
    def wait(self, seconds):
        self.now += seconds

    @rule(person=who, step=st.sampled_from(["claim", "answer", "undo", "redo"]), task=st.integers(1, ITEMS))
    def crash(self, person, step, task):
        me = self.ids[person]
        given = Given(str(uuid.uuid4()), task, "yes", 1.0, None, 1)
        steps = {
            "claim": lambda c: claims.claim(c, self.project, me, self.now, count=2),
            "answer": lambda c: recording.record_answer(c, self.project, me, given, self.now),
            "undo": lambda c: recording.undo(c, self.project, me, given.id, self.now),
            "redo": lambda c: recording.redo(c, me, given.id, self.now),
        }

        def work(connection):
            steps[step](connection)
            raise CrashError

        with pytest.raises((CrashError, ConflictError, UnknownTaskError)):
            self.database.write(work)
        url = self.database.url.render_as_string(hide_password=False)
        self.database.close()
        self.database = Database(url)

    @invariant()
    def adds_up(self):
        assert audit(self.database) == []
        with self.database.read() as connection:
            derived = {key: answer for key, (_, answer) in replay(connection).items()}
        expected = {
            (self.ids[person], task): answer
            for person in range(PEOPLE)
            for task, (_, answer) in self.standing[person].items()
        }
        assert derived == expected


@pytest.mark.timeout(300)
def test_g8_state_machine(make_world, backend, new_database_url, tmp_path):
    world = make_world(ITEMS, overlap=OVERLAP, claim_seconds=60)
    for number in range(PEOPLE):
        world.invite(f"p{number}")
    ids = [world.person(f"p{number}") for number in range(PEOPLE)]
    url = world.database.url
    world.database.close()
    numbers = count()

    def copy_database():
        if backend == "sqlite":
            path = tmp_path / f"copy{next(numbers)}.sqlite"
            shutil.copyfile(url.database, path)
            return Database(sqlite_url(path))
        return Database(new_database_url(like=url.render_as_string(hide_password=False)))

    run_state_machine_as_test(
        lambda: Annotating(copy_database, world.project, ids),
        settings=settings(
            max_examples=20 if backend == "sqlite" else 8,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )
