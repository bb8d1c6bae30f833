"""oneof annotate: what managers do to people and items, asked first and undone by a command."""


def test_people_and_items(run, project):
    run("invite", project, "ann")
    assert run("pause", project).stdout == "The project is paused.\n"
    assert run("resume", project, "ann").stdout == "ann is going on.\n"
    assert run("reassign", project, "ann").stdout == "0 questions of ann go to others.\n"
    assert "0 answers of ann" in run("withdraw", project, "ann", "--yes").stdout
    run("withdraw", project, "ann", code=1)  # nobody confirmed
    assert run("restore", project, "--annotator", "ann").stdout == "0 answers of ann stand again.\n"
    assert "1 items are out" in run("remove", project, "1", "--because", "empty", "--yes").stdout
    assert run("remove", project).stdout == "1: empty\n"
    assert run("restore", project, "1").stdout == "1 items are back.\n"
    assert "no access" in run("revoke", project, "ann").stdout
