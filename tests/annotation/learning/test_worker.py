"""The process of a job."""

import subprocess
import sys

import pytest
from sqlalchemy import insert

from oneof.annotation.learning import jobs, worker
from oneof.annotation.store.schema import jobs as table

without_postgresql = pytest.mark.parametrize("backend", ["sqlite"])


@without_postgresql
def test_a_process_of_its_own_does_the_job(world, tmp_path):
    row = {"id": 1, "kind": "import", "state": "waiting", "request": '{"path": "nowhere.csv"}', "message": ""}
    world.database.write(lambda c: c.execute(insert(table).values(row | {"created_at": 0.0, "beat_at": 0.0})))
    command = [sys.executable, "-m", worker.__name__, str(world.project.folder), "1"]
    assert subprocess.run(command, check=False).returncode == 0
    with world.database.read() as connection:
        ended = jobs.latest(connection, "import", 1.0)
    assert (ended.state, "nowhere.csv: no such file" in ended.message) == ("failed", True)
