"""What a release says about itself is the same wherever it says it."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_everywhere() -> None:
    assert re.search(r"^version: (\S+)$", read("CITATION.cff"), re.MULTILINE)[1] == PROJECT["version"]
    assert re.search(r"^## \[(\S+)\]", read("CHANGELOG.md"), re.MULTILINE)[1] == PROJECT["version"]


def test_ci_runs_on_the_versions_of_python_that_are_promised() -> None:
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    tried = re.search(r"^ +python: \[(.*)\]$", read(".github/workflows/ci.yml"), re.MULTILINE)[1]
    assert [version.strip('"') for version in tried.split(", ")] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_the_changelog_is_grouped_and_says_nothing_twice() -> None:
    newest = re.split(r"^## ", read("CHANGELOG.md"), flags=re.MULTILINE)[1]
    groups = re.findall(r"^### (.*)$", newest, re.MULTILINE)
    known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    assert set(groups) <= set(known), "the groups of keepachangelog.com; an area such as Training is a line under Added"
    assert len(groups) == len(set(groups))
    entries = re.findall(r"^- .*$", newest, re.MULTILINE)
    assert sorted(entries) == sorted(set(entries))
