"""Do the tests notice? Small mistakes are made in the source, one at a time, and the tests are run on each.

    python -m benchmarks.mutation [--sample 100] [--seed 0] [PACKAGE ...]

A mutant exchanges an operator, a comparison, `and` and `or` or a number, turns a condition round, or leaves out a call
that only checks. It is killed if a test in the folder that mirrors its package fails, the mirrored file first. What
stands in `raise`, in annotations and in texts is left alone. Each mutant lives in a fork of a process that has loaded
the libraries, so the files are never touched. Printed: what became of each, and the share killed.
"""

import argparse
import ast
import contextlib
import copy
import os
import random
import resource
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("objectives", "evaluation", "answers", "queries", "noise")
SECONDS = 240
"""Of computing, after which a mutant counts as killed: some never end."""

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


class Sites(ast.NodeVisitor):
    """The places of a module where a mistake can be made: the nodes, in the order in which they are visited."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.AST, str]] = []

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Raise | ast.JoinedStr):
            return None
        # Nothing is computed by what only types see, nor by asking for a check that never fails.
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return None
        if isinstance(node, ast.keyword) and node.arg in ("strict", "checks", "copy"):
            return None
        if isinstance(node, ast.BoolOp) or (isinstance(node, ast.BinOp) and type(node.op) in SWAPS and not _text(node)):
            self.found.append((node, "operator"))
        elif isinstance(node, ast.Compare):
            self.found.append((node, "comparison"))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            self.found.append((node, "sign"))
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
            self.found.append((node, "number"))
        elif isinstance(node, ast.If | ast.IfExp):
            self.found.append((node, "condition"))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self.found.append((node, "call"))
        for field, value in ast.iter_fields(node):
            # Annotations, decorators and keyword-only markers are not what is computed.
            if field in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.visit(child)
        return None


def _text(node: ast.BinOp) -> bool:
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in (node.left, node.right))


def mutate(tree: ast.Module, number: int) -> tuple[ast.Module, str]:
    """The module with mistake `number` in it, and what the mistake is."""
    tree = copy.deepcopy(tree)
    sites = Sites()
    sites.visit(tree)
    found, kind = sites.found[number]
    node: Any = found
    before = ast.unparse(node.test if kind == "condition" else node)
    if kind == "operator":
        node.op = SWAPS[type(node.op)]()
    elif kind == "comparison":
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif kind == "sign":
        node.operand = ast.UnaryOp(node.op, node.operand)
    elif kind == "number":
        value = node.value
        node.value = (
            (not value) if isinstance(value, bool) else value + 1 if isinstance(value, int) else value * 2 + 0.1
        )
    elif kind == "condition":
        node.test = ast.UnaryOp(ast.Not(), node.test)
    else:
        node.value = ast.Constant(None)
    ast.fix_missing_locations(tree)
    after = ast.unparse(node.test if kind == "condition" else node)
    return tree, f"line {getattr(node, 'lineno', 0)}: {before}  ->  {after}"


def mutants(package: str) -> Iterator[tuple[Path, int]]:
    """Every mistake that can be made in a package."""
    for path in sorted((ROOT / "src" / "oneof" / package).rglob("*.py")):
        sites = Sites()
        sites.visit(ast.parse(path.read_text(encoding="utf-8")))
        yield from ((path, number) for number in range(len(sites.found)))


def survives(path: Path, tree: ast.Module) -> bool:
    """Whether every test that mirrors the package passes with this in place of the module; in a fork."""
    child = os.fork()
    if child == 0:
        _run_tests(path, tree)
    return os.waitpid(child, 0)[1] == 0


def _run_tests(path: Path, tree: ast.Module) -> None:
    """Never comes back: the exit code of the process is that of pytest."""
    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, name: str) -> CodeType | None:
        if Path(self.path) == path:
            return compile(tree, str(path), "exec")
        return original(self, name)

    code = 1
    with contextlib.suppress(BaseException):
        import pytest

        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        package = path.relative_to(ROOT / "src" / "oneof").parts[0]
        folder = ROOT / "tests" / package
        mirror = folder / f"test_{path.name}"
        others = sorted(str(file) for file in folder.rglob("test_*.py") if file != mirror)
        quick = ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
        code = pytest.main([*quick, str(mirror)]) if mirror.exists() else 0
        code = code or pytest.main([*quick, *others])
    os._exit(int(code))


def main() -> None:
    """Make mistakes, count those that the tests notice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=list(PACKAGES))
    parser.add_argument("--sample", type=int, default=100, help="mutants a package, or fewer if it has fewer")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT / "src"))
    import hypothesis  # noqa: F401  loaded once, for every fork
    import pandas as pd  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import pytest  # noqa: F401
    import scipy.stats  # noqa: F401
    import sklearn.model_selection  # noqa: F401
    import torch

    torch.set_num_threads(1)
    assert not any(name.startswith("oneof.") for name in sys.modules), "a fork must load oneof by itself"
    for package in options.packages:
        every = list(mutants(package))
        chosen = random.Random(options.seed).sample(every, min(options.sample, len(every)))
        whole = every[0][0]
        if not survives(whole, ast.parse(whole.read_text(encoding="utf-8"))):
            raise SystemExit(
                f"{package}: the tests fail, or take more than {SECONDS} s of computing, before any mistake is made"
            )
        killed = 0
        for path, number in chosen:
            tree, told = mutate(ast.parse(path.read_text(encoding="utf-8")), number)
            survived = survives(path, tree)
            killed += not survived
            print(f"{'SURVIVED' if survived else 'killed'}: {path.relative_to(ROOT)} {told}", flush=True)
        print(f"{package}: {killed} of {len(chosen)} killed ({killed / len(chosen):.0%}), of {len(every)}", flush=True)


if __name__ == "__main__":
    main()
