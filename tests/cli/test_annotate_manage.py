"""oneof annotate: what managers do to people and items, asked first and undone by a command."""


def test_people_and_items(run, project):
    run("invite", project, "ann")
    assert run("pause", project).stdout == "The project is paused.\n"
    assert run("resume", project, "ann").stdout == "ann is going on.\n"
    assert run("reassign", project, "ann").stdout == "0 questions of ann go to others.\n"
    assert "0 answers of ann" in run("withdraw", project, "ann", "--yes").stdout
    run("withdraw", project, "ann", code=1)  # nobody confirmed
    assert run("restore", project, "--annotator", "ann").stdout == "0 answers of ann count again.\n"
    assert "Took out 1 item." in run("remove", project, "1", "--because", "empty", "--yes").stdout
    assert run("remove", project).stdout == "1: empty\n"
    assert run("restore", project, "1").stdout == "Brought back 1 item.\n"
    assert "no access" in run("revoke", project, "ann").stdout


def test_what_a_command_does_is_in_the_history_as_from_the_dashboard(run, project):
    run("invite", project, "ann")
    run("pause", project)
    run("pause", project, "ann")
    run("reassign", project, "ann")
    run("withdraw", project, "ann", "--yes")
    run("restore", project, "--annotator", "ann")
    run("revoke", project, "ann")
    actions = [line.split("  ", 2)[2] for line in run("history", project).stdout.splitlines()[:7]]
    assert actions == [
        "revoke  name ann",
        "restore  name ann, answers 0",
        "withdraw  name ann, answers 0",
        "reassign  name ann, questions 0",
        "pause  name ann",
        "pause",
        "invite  name ann, role annotator, again False",
    ]
