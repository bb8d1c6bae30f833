"""Tables that list pictures."""

from pathlib import Path

import pytest

from oneof.items.listed import PATH_COLUMNS, read_listed
from oneof.items.loading import load


@pytest.mark.parametrize("column", PATH_COLUMNS)
def test_the_usual_names_of_a_column_of_paths(column, tmp_path):
    (tmp_path / "t.csv").write_text(f"id,{column}\n1,a.png\n")
    items = load(str(tmp_path / "t.csv"))
    assert (items.kind, list(items.x.sources)) == ("pictures", [tmp_path / "a.png"])


def test_a_row_without_a_path_is_left_out(tmp_path):
    (tmp_path / "t.csv").write_text("id,path\n1,a.png\n2,\n3,b.png\n4,  \n")
    items = load(str(tmp_path / "t.csv"))
    assert (items.ids.tolist(), items.missing) == (["1", "3"], ("2", "4"))
    assert items.left_out == tuple(f"{tmp_path / 't.csv'}, row {row}, column path: is empty" for row in (1, 3))


def test_spaces_around_a_path_do_not_count_and_those_inside_do(tmp_path):
    (tmp_path / "t.csv").write_text("path\n my a.png  \n")
    found = read_listed(tmp_path / "t.csv", "path")
    assert (found.paths, found.ids.tolist()) == ([tmp_path / "my a.png"], ["my a.png"])


def test_addresses_of_files(tmp_path):
    (tmp_path / "a b.png").touch()
    (tmp_path / "100%20.png").touch()
    places = ((tmp_path / "a b.png").as_uri(), f"file://{tmp_path}/a b.png", f"file://{tmp_path}/100%20.png")
    (tmp_path / "t.csv").write_text("url\n" + "\n".join(places) + "\n")
    found = read_listed(tmp_path / "t.csv", "url")
    assert [Path(path).name for path in found.paths] == ["a b.png", "a b.png", "100%20.png"]


def test_an_address_elsewhere_is_named_with_its_row(tmp_path):
    (tmp_path / "t.csv").write_text("id,url\n1,\n2,a.png\n3,https://example.org/a.png\n")
    with pytest.raises(ValueError, match=r"row 2, column url: 'https://example\.org/a\.png' is not on this machine"):
        read_listed(tmp_path / "t.csv", "url")
