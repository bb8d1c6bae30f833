import gzip
import json
import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from oneof.cli.data import app

runner = CliRunner()
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "mnist").mkdir()
    content = b"\0\0\x08\x01" + struct.pack(">I", 2) + b"\1\2"
    (tmp_path / "mnist/t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(content))
    return tmp_path


def test_list_names_all_and_counts_files(root: Path) -> None:
    result = runner.invoke(app, ["list", "--root", str(root), "--json"])
    assert result.exit_code == 0
    rows = {row["name"]: row for row in json.loads(result.stdout)}
    assert len(rows) == 8
    assert rows["mnist"]["files"] == "1 of 4"
    assert rows["digits"]["files"] == "built in"
    assert rows["emnist_letters"]["classes"] == 26


def test_list_is_a_table_by_default(root: Path) -> None:
    result = runner.invoke(app, ["list", "--root", str(root)])
    assert result.exit_code == 0
    assert "emnist_letters" in result.stdout


def test_verify_says_what_differs_and_what_is_missing(root: Path, oneof: Command) -> None:
    code, out, stderr = oneof("data", "verify", "mnist", "--root", root, "--json")
    assert (code, stderr) == (1, "error: 4 of 4 files are not the published ones\n")
    status = {row["file"]: row["status"] for row in json.loads(out)}
    assert status["t10k-labels-idx1-ubyte.gz"] == "differs"
    assert status["train-images-idx3-ubyte.gz"] == "missing"


def test_verify_shows_both_checksums(root: Path) -> None:
    result = runner.invoke(app, ["verify", "mnist", "--root", str(root)])
    assert "expected ec29112dd5afa0611ce80d1b7f02629c, found" in result.stdout


def test_what_was_not_asked_for_may_be_missing(tmp_path: Path) -> None:
    assert runner.invoke(app, ["verify", "--root", str(tmp_path)]).exit_code == 0
    assert runner.invoke(app, ["verify", "usps", "--root", str(tmp_path)]).exit_code == 1


def test_fetch_keeps_a_file_of_the_users(root: Path, oneof: Command) -> None:
    code, _, stderr = oneof("data", "fetch", "mnist", "--root", root)
    assert code == 1
    assert "move it away" in stderr
    assert (root / "mnist/t10k-labels-idx1-ubyte.gz").is_file()


@pytest.mark.parametrize("command", ["fetch", "verify"])
def test_an_unknown_name_is_one_line(command: str, oneof: Command) -> None:
    code, _, stderr = oneof("data", command, "imagenet")
    assert code == 1
    assert stderr.startswith("error: unknown data set 'imagenet'; known: mnist")
    assert len(stderr.splitlines()) == 1


def test_digits_are_always_here(tmp_path: Path) -> None:
    result = runner.invoke(app, ["fetch", "digits", "--root", str(tmp_path), "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout) == [{"name": "digits", "file": "built in", "status": "official"}]


def test_real_files_are_official() -> None:
    root = os.environ.get("ONEOF_DATA")
    if not root or not (Path(root) / "usps/zip.train.gz").is_file():
        pytest.skip("ONEOF_DATA has no usps/zip.train.gz")
    result = runner.invoke(app, ["verify", "usps"])
    assert result.exit_code == 0, result.stdout
