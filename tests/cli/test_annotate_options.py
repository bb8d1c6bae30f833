"""What the commands of `oneof annotate` share."""

from oneof.cli.annotate_options import SHOWN_PROBLEMS, list_problems, open_database


def test_of_many_problems_the_first_are_listed_and_the_rest_counted(capsys):
    list_problems("left out", [f"file {number}" for number in range(SHOWN_PROBLEMS + 3)])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == SHOWN_PROBLEMS + 1
    assert (lines[0], lines[-1]) == ("left out: file 0", "left out: 3 more")


def test_a_project_is_opened_with_its_database(project):
    opened, database = open_database(project, None)
    assert opened.settings.name == "p"
    assert database.is_sqlite
    database.close()
