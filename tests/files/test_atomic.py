"""Files that are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from oneof.files.atomic import replacing


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "results.csv"
    target.write_text("old")

    def fail() -> None:
        with replacing(target) as part:
            part.write_text("ne")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["results.csv"]


def test_the_new_file_appears_at_the_end_only(tmp_path: Path) -> None:
    target = tmp_path / "results.csv"
    with replacing(target) as part:
        part.write_text("new")
        assert part.parent == tmp_path
        assert part.suffix == ".csv"
        assert not target.exists()
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["results.csv"]


def test_permissions_are_those_of_an_ordinary_file(tmp_path: Path) -> None:
    ordinary = tmp_path / "ordinary"
    ordinary.touch()
    with replacing(tmp_path / "atomic") as part:
        part.write_text("")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ordinary", "atomic")}
    assert len(modes) == 1


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "nowhere" / "file"):
        pass


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"), replacing(tmp_path / "no" / "where.csv"):
        pytest.fail("the block must not run")


def test_a_secret_is_for_its_owner_alone(tmp_path):
    with replacing(tmp_path / "secret", mode=0o600) as part:
        part.write_text("token")
        assert part.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
