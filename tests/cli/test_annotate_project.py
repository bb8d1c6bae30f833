"""Settings, guidelines, review and the model's file as commands."""

import time
import uuid
from typing import Any

from oneof.annotation.asking import access, claims, recording
from oneof.annotation.project.folder import open_project


def test_settings_and_guidelines(run: Any, project: Any) -> None:
    assert "size = 1" in run("settings", project).output
    changed = run("settings", project, "prefetch=5", "question=Is it any of these?", "train_every_answers=none").output
    assert "prefetch = 5" in changed
    assert "question = Is it any of these?" in changed
    assert open_project(project).settings.prefetch == 5
    for wrong in ("prefetch", "size=2", "colour=red", "prefetch=many"):
        run("settings", project, wrong, code=1)
    assert "cannot tell" in run("guidelines", project).output
    (run.home / "new.md").write_text("**Look** twice.")
    assert "version 2" in run("guidelines", project, "--file", run.home / "new.md").output
    assert run("guidelines", project).output == "**Look** twice.\n"
    run("guidelines", project, "--file", run.home / "missing.md", code=1)


def test_a_remark_is_reviewed(run: Any, project: Any) -> None:
    opened = open_project(project)
    database = opened.database()

    def work(connection: Any) -> int:
        access.invite(connection, "ann", "annotator", 0.0)
        ann = access.find(connection, "ann")
        (task,) = claims.claim(connection, opened, ann, time.time()).tasks
        recording.record_answer(
            connection, opened, ann, recording.Given(str(uuid.uuid4()), task, "yes", 1.0), time.time()
        )
        recording.flag(connection, ann, str(uuid.uuid4()), task, "blurred", time.time())
        return task

    task = database.write(work)
    database.close()
    run("invite", project, "rita", "--reviewer")
    listed = run("review", project).output
    assert "blurred" in listed
    target = listed.split("--target ")[1].split()[0]
    run("review", project, task, "perhaps", "--as", "rita", code=1)
    run("review", project, task, "no", code=1)
    run("review", project, task, "no", "--as", "ann", code=1)
    assert "1 answers are overruled" in run("review", project, task, "no", "--as", "rita", "--target", target).output
    assert run("review", project).output == ""


def test_there_is_no_file_of_a_model_that_is_not_there(run: Any, project: Any) -> None:
    run("model", project, "--out", run.home / "m.zip", code=1)
    run("model", project, "--out", run.home / "m.zip", "--version", 3, code=1)
    assert not (run.home / "m.zip").exists()
