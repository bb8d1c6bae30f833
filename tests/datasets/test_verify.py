import hashlib
import os
import re
from pathlib import Path

import pytest

from oneof.datasets import ChecksumError, UnverifiedDataWarning
from oneof.datasets import verify as module


def checksum(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def test_the_official_file_passes_silently(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"content")
    module.require_official(path, checksum(b"content"), accept_unverified=False)


def test_another_file_is_refused_with_both_checksums(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"other")
    expected, found = checksum(b"content")[7:], checksum(b"other")[7:]
    with pytest.raises(ChecksumError, match=f"{re.escape(str(path))}.*expected sha256 {expected}, found {found}"):
        module.require_official(path, checksum(b"content"), accept_unverified=False)


def test_an_accepted_file_is_said_aloud(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"other")
    with pytest.warns(UnverifiedDataWarning, match="not the official file"):
        module.require_official(path, checksum(b"content"), accept_unverified=True)


def test_a_file_is_read_once_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"first")
    reads = []
    original = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *given: reads.append(1) or original(*given))
    assert module.digest(path, "md5") == module.digest(path, "md5") == hashlib.md5(b"first").hexdigest()
    assert len(reads) == 1
    path.write_bytes(b"secnd")
    os.utime(path, ns=(0, 1))
    assert module.digest(path, "md5") == hashlib.md5(b"secnd").hexdigest()
    assert len(reads) == 2


@pytest.mark.parametrize(("value", "accepted"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_the_environment_can_accept(monkeypatch: pytest.MonkeyPatch, value: str, accepted: bool) -> None:
    monkeypatch.setenv("ONEOF_ACCEPT_UNVERIFIED", value)
    assert module.accepts_unverified() is accepted
