"""The shape of the project: which way imports point, tests that mirror the source, examples that run, a CLI that is
documented, and an import that stays quick."""

import ast
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer.main

import oneof

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "oneof"
MODULES = sorted(
    path.relative_to(SOURCE)
    for path in SOURCE.rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py") and "migrations" not in path.parts
)

LAYERS = (
    {"files", "theory"},
    # ask, and answer
    {"queries", "datasets"},
    {"answers"},
    {"items", "encoders"},
    # learn, and judge: training judges after each epoch, so what it judges by comes before it
    {"objectives", "models", "engines"},
    {"evaluation"},
    {"training"},
    {"noise", "planning"},
    # use
    {"classifier"},
    {"experiments"},
    {"annotation"},
    {"cli"},
)
"""A module imports from its own layer or from one further up in this list, never further down."""

HOMES = {
    "exact intervals of a probability": (r"betaincinv|beta\.ppf|proportion_ci", {"evaluation/intervals.py"}),
    "decoding a picture": (r"\bImage\.open\(", {"items/pictures.py"}),
    "files in a folder": (r"\bos\.walk\(", {"files/finding.py"}),
    "log P(answer | class)": (r"log1p\(-(flip|rho|rate)|log\(\w+\.where\(", {"answers/evidence.py"}),
    "the answer before it was flipped": (r"1 - (flip_no|rho0) - (flip_yes|rho1)\)", {"queries/weights.py"}),
    "P(yes) after flips": (r"\(1 - (\w+\.)?(flip_yes|rho1)\) \+ \(1 - \w+\) \*", {"queries/weights.py"}),
    "which items are held out": (r"0x5EED|\bdef (split|kept_aside|halves)\(", {"training/splits.py"}),
    "the consistent set": (r"responses\[:, None\]", {"queries/moment.py", "answers/bitsets.py"}),
    "agreement by chance": (
        r"\(k - m\) \* \(k - m - 1\)|\(classes - size\) \* \(classes - size - 1\)",
        {"queries/weights.py"},
    ),
    "settings of training": (r"\bweight_decay: float \| None = Field", {"training/config.py"}),
}
"""Ideas that have one home: how their code is recognised, and where it may be."""


def imported(path: Path) -> Iterator[str]:
    """The parts of oneof that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == "oneof":
            homes = oneof._HOME | oneof._MODULES
            names = [homes.get(alias.name, f"oneof.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module]
        yield from (name.split(".")[1] for name in names if name.startswith("oneof."))


@pytest.mark.parametrize("part", sorted({path.parts[0].removesuffix(".py") for path in MODULES}))
def test_imports_point_one_way(part: str) -> None:
    layer = {name: number for number, names in enumerate(LAYERS) for name in names}
    assert part in layer, f"say in LAYERS where {part} belongs"
    files = (SOURCE / part).rglob("*.py") if (SOURCE / part).is_dir() else [SOURCE / f"{part}.py"]
    for path in files:
        for name in imported(path):
            assert name in layer, f"{path} imports oneof.{name}: say in LAYERS where it belongs"
            assert layer[name] <= layer[part], f"{path.relative_to(ROOT)} must not import oneof.{name}"


@pytest.mark.parametrize("idea", HOMES)
def test_every_idea_has_one_home(idea: str) -> None:
    pattern, homes = HOMES[idea]
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if re.search(pattern, _code(path.read_text(encoding="utf-8")))
    }
    assert found
    assert found <= homes


def test_the_map_is_complete() -> None:
    """CONTRIBUTING names every package, and every module that it names is there."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    places = re.search(r"^## Where things are$(.*?)^## ", text, flags=re.MULTILINE | re.DOTALL)
    assert places is not None
    tables = "\n".join(line for line in places[1].splitlines() if line.startswith("|"))
    named = set(re.findall(r"`([a-z_/]+(?:/|\.py))`", tables))
    parents = {path.parent for path in SOURCE.rglob("*.py") if path.parent != SOURCE}
    packages = {f"{parent.relative_to(SOURCE).as_posix()}/" for parent in parents}
    # A package that only holds others, and the steps of the migrations, are covered by what is around or inside them.
    assert packages - {"annotation/", "annotation/store/migrations/versions/"} <= named
    assert {"theory.py", "cli/"} <= named
    assert [name for name in named if not (SOURCE / name).exists() and name != "src/oneof/"] == []


def _code(text: str) -> str:
    """The text without its docstrings and comments, which may speak of anything."""
    return re.sub(r'""".*?"""|#[^\n]*', "", text, flags=re.DOTALL)


def test_tests_mirror_the_source() -> None:
    wanted = [Path("tests") / module.parent / f"test_{module.name}" for module in MODULES]
    assert [path.as_posix() for path in wanted if not (ROOT / path).is_file()] == [], "files that are missing"


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_examples_run(module: Path) -> None:
    if module.parts[0] == "annotation":
        pytest.importorskip("fastapi", reason="the annotation extra is not installed")
    name = ".".join(("oneof", *module.with_suffix("").parts))
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_docstrings_speak_one_dialect() -> None:
    """What a function gives, not "Return ..."; single backticks; arguments in sentences, not under headings."""
    other = re.compile(r'"""Return |(?<!`)``(?!`)|^\s+(Args|Returns|Raises|Yields):$', re.MULTILINE)
    for module in MODULES:
        found = other.search((SOURCE / module).read_text(encoding="utf-8"))
        assert found is None, f"{module}: {found[0].strip()!r}"


@pytest.mark.parametrize("name", oneof.__all__)
def test_public_names_have_an_example(name: str) -> None:
    value = getattr(oneof, name)
    text = value.__doc__ or ""
    if inspect.ismodule(value):
        public = [each for name, each in vars(value).items() if not name.startswith("_")]
        public = [each for each in public if inspect.isfunction(each) or inspect.isclass(each)]
        text = "".join(each.__doc__ or "" for each in public if each.__module__.startswith("oneof."))
    assert ">>>" in text, f"oneof.{name} has no example"


def test_a_file_is_one_idea() -> None:
    for module in MODULES:
        lines = len((SOURCE / module).read_text(encoding="utf-8").splitlines())
        assert lines <= 400, f"{module} has {lines} lines"


def test_torch_is_not_imported_where_it_is_not_needed() -> None:
    code = """if True:
        import sys
        from importlib import import_module

        for name in ("oneof", "oneof.answers", "oneof.queries", "oneof.evaluation", "oneof.theory", "oneof.cli"):
            import_module(name)
            assert "torch" not in sys.modules, f"{name} imports torch"
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_python_m_is_the_command_line() -> None:
    again = subprocess.run([sys.executable, "-m", "oneof", "--help"], check=True, capture_output=True, text=True)
    assert "Usage: python -m oneof" in again.stdout


def test_every_public_name_is_there() -> None:
    for name in oneof.__all__:
        assert getattr(oneof, name) is not None
    assert set(dir(oneof)) >= set(oneof.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = oneof.nothing


def commands() -> Iterator[tuple[str, click.Command]]:
    from oneof.cli import app

    def walk(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
        if isinstance(command, click.Group) or hasattr(command, "commands"):
            for name, child in command.commands.items():
                yield from walk(f"{path} {name}", child)
        else:
            yield path, command

    yield from walk("oneof", typer.main.get_command(app))


def documented() -> dict[str, str]:
    """The text under each heading that is a command."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    sections = re.split(r"^#+ `(oneof[^`]*)`.*$", text, flags=re.MULTILINE)
    return dict(zip(sections[1::2], sections[2::2], strict=True))


def test_every_command_and_option_is_documented() -> None:
    sections = documented()
    seen = set()
    for path, command in commands():
        if command.hidden:
            continue
        seen.add(path)
        assert path in sections, f"docs/cli.md has no section on `{path}`"
        for parameter in command.params:
            if getattr(parameter, "hidden", False) or parameter.name == "help":
                continue
            argument = parameter.metavar or (parameter.name or "").upper()
            shown = argument if parameter.param_type_name == "argument" else parameter.opts[0]
            assert f"`{shown}" in sections[path], f"docs/cli.md does not mention {shown} of `{path}`"
    groups = {path.rsplit(" ", 1)[0] for path in seen}
    for path in sections:
        assert path in seen | groups, f"docs/cli.md documents `{path}`, which does not exist"
