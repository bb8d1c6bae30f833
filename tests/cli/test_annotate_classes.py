"""oneof annotate classes: listed, and changed after asking."""


def test_classes_are_listed_and_changed(run, project, oneof):
    before = run("classes", project).stdout.split()
    printed = run("classes", project, "--add", "zebra", "--before", "none", "--definition", "striped", "--yes").stdout
    assert "Of 0 answers so far" in printed
    assert run("classes", project).stdout.splitlines() == [*before, "zebra: striped"]
    run("classes", project, "--rename", "zebra", "--to", "zebu", "--yes")
    run("classes", project, "--retire", "zebu", "--yes")
    assert run("classes", project).stdout.split() == before
    printed = run("classes", project, "--take-back", "--yes").stdout
    assert "The last change: “zebu” was retired." in printed
    assert "is asked about again" in printed
    assert run("classes", project).stdout.split()[-2:] == ["zebu:", "striped"]
    for _ in range(2):
        run("classes", project, "--take-back", "--yes")
    assert run("classes", project).stdout.split() == before
    code, _, stderr = oneof("annotate", "classes", project, "--add", "a", "--retire", "b")
    assert (code, "one change at a time" in stderr) == (1, True)
