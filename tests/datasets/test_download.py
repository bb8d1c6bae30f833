import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from rich.console import Console

from oneof.datasets import ChecksumError, DataError, info
from oneof.datasets.download import data_root, fetch
from oneof.datasets.registry import DatasetInfo, Download, SourceFile


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Serve a folder on this machine; nothing leaves it."""
    folder = tmp_path / "served"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder))) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/", folder
        http.shutdown()
        thread.join()


def md5(content: bytes) -> str:
    return "md5:" + hashlib.md5(content).hexdigest()


def entry(downloads: tuple[Download, ...], files: tuple[SourceFile, ...]) -> DatasetInfo:
    return DatasetInfo("toy", "Toy", "", (1, 1), (1, 1), (1, 1, 1), ("a", "b"), files, (), downloads)


def plain(base: str, *, urls: tuple[str, ...] = ()) -> DatasetInfo:
    file = SourceFile("a.bin", md5(b"content"))
    return entry((Download("a.bin", (*urls, base + "a.bin"), file.checksum, 7),), (file,))


def test_a_file_is_fetched_checked_and_kept(tmp_path: Path, server: tuple[str, Path]) -> None:
    base, served = server
    (served / "a.bin").write_bytes(b"content")
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    (path,) = fetch(plain(base), tmp_path / "data", console=console)
    assert path == tmp_path / "data/toy/a.bin"
    assert path.read_bytes() == b"content"
    assert "a.bin" in console.file.getvalue()
    (served / "a.bin").unlink()
    assert fetch(plain(base), tmp_path / "data") == [path]


def test_the_next_address_is_tried(tmp_path: Path, server: tuple[str, Path]) -> None:
    base, served = server
    (served / "a.bin").write_bytes(b"content")
    (path,) = fetch(plain(base, urls=(base + "gone.bin",)), tmp_path / "data")
    assert path.is_file()


def test_a_wrong_file_is_not_kept(tmp_path: Path, server: tuple[str, Path]) -> None:
    base, served = server
    (served / "a.bin").write_bytes(b"changed")
    with pytest.raises(DataError, match=r"could not fetch a\.bin.*hash"):
        fetch(plain(base), tmp_path / "data")
    assert list((tmp_path / "data/toy").iterdir()) == []


def test_a_file_that_differs_is_not_overwritten(tmp_path: Path) -> None:
    mine = tmp_path / "data/toy/a.bin"
    mine.parent.mkdir(parents=True)
    mine.write_bytes(b"my own")
    with pytest.raises(ChecksumError, match="move it away"):
        fetch(plain("http://127.0.0.1:9/"), tmp_path / "data")
    assert mine.read_bytes() == b"my own"


def zipped(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("gzip/a.bin", content)
    return buffer.getvalue()


def from_archive(base: str, archive: bytes) -> DatasetInfo:
    file = SourceFile("a.bin", md5(b"content"))
    download = Download("all.zip", (base + "all.zip",), md5(archive), len(archive), {"gzip/a.bin": "a.bin"})
    return entry((download,), (file,))


def test_an_archive_is_unpacked_and_not_kept(tmp_path: Path, server: tuple[str, Path]) -> None:
    base, served = server
    archive = zipped(b"content")
    (served / "all.zip").write_bytes(archive)
    (path,) = fetch(from_archive(base, archive), tmp_path / "data")
    assert path.read_bytes() == b"content"
    assert [file.name for file in path.parent.iterdir()] == ["a.bin"]


def test_an_archive_that_was_there_is_used_and_stays(tmp_path: Path) -> None:
    archive = zipped(b"content")
    folder = tmp_path / "data/toy"
    folder.mkdir(parents=True)
    (folder / "all.zip").write_bytes(archive)
    (path,) = fetch(from_archive("http://127.0.0.1:9/", archive), tmp_path / "data")
    assert path.read_bytes() == b"content"
    assert (folder / "all.zip").is_file()


def test_a_member_that_differs_is_refused(tmp_path: Path, server: tuple[str, Path]) -> None:
    base, served = server
    archive = zipped(b"changed")
    (served / "all.zip").write_bytes(archive)
    with pytest.raises(ChecksumError, match=r"a\.bin, from .*all\.zip, is not the official file"):
        fetch(from_archive(base, archive), tmp_path / "data")


def test_digits_need_no_download(tmp_path: Path) -> None:
    assert fetch(info("digits"), tmp_path) == []


def test_where_data_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEOF_DATA", str(tmp_path))
    assert data_root() == tmp_path
    assert data_root("elsewhere") == Path("elsewhere")
    monkeypatch.delenv("ONEOF_DATA")
    assert data_root().parts[-2:] == ("oneof", "datasets")
