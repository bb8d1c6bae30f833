import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from oneof.datasets import FormatError
from oneof.datasets.archive import extract_members


def make(path: Path, members: dict[str, bytes]) -> Path:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name, content in members.items():
                zipped.writestr(name, content)
    else:
        with tarfile.open(path, "w:gz") as tarred:
            for name, content in members.items():
                header = tarfile.TarInfo(name)
                header.size = len(content)
                tarred.addfile(header, io.BytesIO(content))
    return path


CONTENT = bytes(range(256)) * 500


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_only_the_members_asked_for_are_written(tmp_path: Path, name: str) -> None:
    archive = make(tmp_path / name, {"gzip/x": CONTENT, "gzip/y": b"no", "../evil": b"no"})
    extract_members(archive, {"gzip/x": "deep/x"}, tmp_path / "out")
    assert (tmp_path / "out/deep/x").read_bytes() == CONTENT
    assert [path.name for path in (tmp_path / "out").rglob("*") if path.is_file()] == ["x"]
    assert not (tmp_path.parent / "evil").exists()


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_a_member_that_is_absent_is_named(tmp_path: Path, name: str) -> None:
    archive = make(tmp_path / name, {"x": CONTENT})
    with pytest.raises(FormatError, match="gzip/z is not in the archive"):
        extract_members(archive, {"gzip/z": "z"}, tmp_path / "out")


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_a_truncated_archive_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    archive = make(tmp_path / name, {"x": CONTENT})
    archive.write_bytes(archive.read_bytes()[:200])
    with pytest.raises(FormatError, match="broken archive"):
        extract_members(archive, {"x": "x"}, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
