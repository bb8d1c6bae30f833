"""oneof annotate report: a line per class, or JSON."""

import json
from pathlib import Path

from sqlalchemy import insert

from oneof.annotation.project.folder import open_project
from oneof.annotation.store.schema import models


def test_a_report_needs_a_model_and_says_what_it_cannot_tell(run, project, oneof):
    code, _, stderr = oneof("annotate", "report", project)
    assert (code, "there is no model yet" in stderr) == (1, True)
    database = open_project(Path(project)).database()
    row = {"trained_at": 1.0, "last_event": 0, "answers": 0, "held_out": 0}
    database.write(lambda connection: connection.execute(insert(models).values(row)))
    database.close()
    assert "no answers judge it yet" in run("report", project).stdout
    assert json.loads(run("report", project, "--json").stdout)["version"] == 1
