"""kill -9 of the server under load, again and again: nothing acknowledged is lost, stored twice or claimed twice."""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter

import httpx
import pytest
from sqlalchemy import func, select

from oneof.annotation.store.auditing import audit
from oneof.annotation.store.schema import claims, events, tasks

KILLS = 6
ANNOTATORS = 4

# Loading the libraries takes longer than serving, so one process loads them and forks a server for each line it reads.
LAUNCHER = """
import os, sys
from pathlib import Path
from oneof.annotation.web.hosting import Host, Hosting
from oneof.annotation.web.serving import serve

for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        serve(Host(Hosting(folders=[Path(line.strip())], log_level="warning")), "127.0.0.1", int(sys.argv[1]))
        os._exit(0)
    print(pid, flush=True)
    os.waitpid(pid, 0)
"""


class Launcher:
    """One for both databases."""

    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        command = [sys.executable, "-c", LAUNCHER, str(self.port)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(self, folder):
        self.process.stdin.write(f"{folder}\n")
        self.process.stdin.flush()
        self.pid = int(self.process.stdout.readline())
        for _ in range(2000):
            try:
                return httpx.get(f"http://127.0.0.1:{self.port}/healthz", timeout=5, verify=False).raise_for_status()
            except httpx.HTTPError:
                time.sleep(0.01)
        raise AssertionError("the server did not start")

    def kill(self):
        # Only ever the server that this launcher has just forked.
        os.kill(self.pid, signal.SIGKILL)

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=20)


@pytest.fixture(scope="module")
def launcher():
    one = Launcher()
    yield one
    one.close()


class Annotator(threading.Thread):
    """Answers as fast as it can; sends each answer again, under the same id, until it hears that it is stored."""

    def __init__(self, port, token, stop):
        super().__init__()
        self.base, self.token, self.stop = f"http://127.0.0.1:{port}", token, stop
        self.acknowledged = []
        self.answered = set()
        self.shown_again = []
        self.failures = Counter()

    def run(self):
        client = httpx.Client(base_url=self.base, timeout=30, verify=False)
        self.insist(client, "GET", f"/join/{self.token}", None, (303,))
        while not self.stop.is_set():
            claimed = self.insist(client, "POST", "/api/claim", {}, (200, 204))
            if claimed is None or claimed.status_code == 204:
                time.sleep(0.01)
                continue
            task = claimed.json()["task"]
            if task in self.answered:
                self.shown_again.append(task)
            body = {
                "id": str(uuid.uuid4()),
                "task": task,
                "answer": random.choice(["yes", "no", "skip"]),
                "seconds": 0.1,
            }
            stored = self.insist(client, "POST", "/api/answers", body, (200, 201))
            if stored is not None:
                self.answered.add(task)
                self.acknowledged.append(body["id"])
            if random.random() < 0.05:
                undone = self.insist(client, "POST", "/api/undo", {"id": str(uuid.uuid4())}, (200, 409))
                if undone is not None and undone.status_code == 200:
                    self.answered.discard(undone.json()["task"]["task"])
        client.close()

    def insist(self, client, method, path, body, expected):
        while True:
            try:
                reply = client.request(method, path, json=body, headers={"X-Oneof": "1"})
            except httpx.HTTPError:
                if self.stop.is_set():
                    return None
                time.sleep(0.02)
                continue
            if reply.status_code not in expected:
                self.failures[path, reply.status_code, reply.text[:200]] += 1
                return None
            return reply


@pytest.mark.timeout(240)
def test_g1_acknowledged_answers_survive_kill_9(make_world, launcher):
    world = make_world(1500, overlap=2, claim_seconds=3)
    tokens = [world.invite(f"p{number}") for number in range(ANNOTATORS)]
    stop = threading.Event()
    launcher.start(world.project.folder)
    people = [Annotator(launcher.port, token, stop) for token in tokens]
    for person in people:
        person.start()
    rng = random.Random(0)

    def wait_for_answers(more):
        """Until so many more are acknowledged: every kill falls on a server under load."""
        wanted = more + sum(len(person.acknowledged) for person in people)
        while sum(len(person.acknowledged) for person in people) < wanted:
            assert all(person.is_alive() for person in people)
            time.sleep(0.002)

    try:
        for _ in range(KILLS):
            wait_for_answers(rng.randint(1, 15))
            time.sleep(rng.uniform(0, 0.02))
            launcher.kill()
            launcher.start(world.project.folder)
        wait_for_answers(20)
    finally:
        stop.set()
        for person in people:
            person.join()
        launcher.kill()
    acknowledged = [one for person in people for one in person.acknowledged]
    stored = Counter(one for (one,) in world.rows(select(events.c.client_id).where(events.c.kind == "answer")))
    lost = [one for one in acknowledged if one not in stored]
    duplicates = [one for one, count in stored.items() if count > 1]
    over_quota = world.rows(
        select(claims.c.task_id)
        .join(tasks, tasks.c.id == claims.c.task_id)
        .where(claims.c.placed, claims.c.state.in_(("held", "answered")))
        .group_by(claims.c.task_id, tasks.c.quota)
        .having(func.count() > tasks.c.quota)
    )
    assert sum(map(bool, [person.failures for person in people])) == 0, [person.failures for person in people]
    assert len(acknowledged) >= KILLS + 20
    assert (len(lost), len(duplicates), len(over_quota)) == (0, 0, 0)
    assert [person.shown_again for person in people] == [[]] * ANNOTATORS
    assert audit(world.database) == []
    print(
        f"\n{world.database.url.get_backend_name()}: {KILLS} kills, {len(acknowledged)} acknowledged, lost 0, twice 0"
    )
