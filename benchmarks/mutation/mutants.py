"""Small mistakes that could be made in a package: where, and how the module would read.

A mutant exchanges an operator, a comparison, `and` and `or` or a number, negates a condition, or leaves out a call
whose result is not used. Code that computes nothing is left alone: `raise`, texts, annotations, `TYPE_CHECKING`, and
what `SILENT`, `AMOUNTS` and `LOOKS` name.
"""

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src" / "oneof"
SILENT = ("strict", "checks", "copy", "stacklevel")
"""Arguments that ask for a check that never fails, say whether memory is shared, or where a warning points to."""

AMOUNTS = ("CELLS", "CHUNK", "CHUNK_CELLS", "ROWS_READ")
"""Constants that say how much is worked on at a time; no result depends on them."""

LOOKS = ("grid", "set_axisbelow", "set_visible", "tick_params")
"""Calls that say how a picture looks, not what it shows."""

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One mistake: its number among those of the file, its place there, and the lines of its function, if any."""

    path: Path
    number: int
    line: int
    column: int
    function: range | None
    change: str

    @property
    def file(self) -> str:
        """The path below the root, as rows name it."""
        return self.path.relative_to(ROOT).as_posix()

    def within(self, functions: Iterable[tuple[str, int]]) -> bool:
        """Whether it is in one of these functions, given by file and first line."""
        return any(file == str(self.path) and line in (self.function or ()) for file, line in functions)

    def tree(self) -> ast.Module:
        """The module with the mistake in it."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        _mistake(_sites(tree)[self.number])
        return ast.fix_missing_locations(tree)


@dataclass(frozen=True)
class Site:
    node: Any
    kind: str
    function: ast.FunctionDef | None

    def text(self) -> str:
        return ast.unparse(self.node.test if self.kind == "condition" else self.node)


class Sites(ast.NodeVisitor):
    """The places of a module where a mistake can be made, in the order in which they are visited."""

    def __init__(self) -> None:
        self.found: list[Site] = []
        self._function: ast.FunctionDef | None = None

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.Raise | ast.JoinedStr):
            return
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return
        if isinstance(node, ast.keyword) and node.arg in SILENT:
            return
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in AMOUNTS:
            return
        if isinstance(node, ast.Expr) and getattr(getattr(node.value, "func", None), "attr", "") in LOOKS:
            return
        if (kind := _kind(node)) is not None:
            self.found.append(Site(node, kind, self._function))
        for field, value in ast.iter_fields(node):
            # Annotations, decorators and keyword-only markers are not what is computed.
            if field in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            outside = self._function
            if isinstance(node, ast.FunctionDef) and field == "body" and outside is None:
                self._function = node
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.visit(child)
            self._function = outside


def _sites(tree: ast.Module) -> list[Site]:
    sites = Sites()
    sites.visit(tree)
    return sites.found


def _kind(node: ast.AST) -> str | None:
    if isinstance(node, ast.BoolOp) or (isinstance(node, ast.BinOp) and type(node.op) in SWAPS and not _text(node)):
        return "operator"
    if isinstance(node, ast.Compare):
        return "comparison"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        return "sign"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        return "number"
    if isinstance(node, ast.If | ast.IfExp):
        return "condition"
    return "call" if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None


def _text(node: ast.BinOp) -> bool:
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in (node.left, node.right))


def _mistake(site: Site) -> None:
    """Make the mistake, in the tree."""
    node = site.node
    if site.kind == "operator":
        node.op = SWAPS[type(node.op)]()
    elif site.kind == "comparison":
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif site.kind == "sign":
        node.operand = ast.UnaryOp(node.op, node.operand)
    elif site.kind == "number":
        value = node.value
        node.value = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else value * 2 + 0.1
    elif site.kind == "condition":
        node.test = ast.UnaryOp(ast.Not(), node.test)
    else:
        node.value = ast.Constant(None)


def _lines(function: ast.FunctionDef | None) -> range | None:
    if function is None:
        return None
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    return range(first, (function.end_lineno or 0) + 1)


def mutants(package: str) -> Iterator[Mutant]:
    """Every mistake that can be made in a package."""
    for path in sorted((SOURCE / package).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for number, (before, after) in enumerate(zip(_sites(tree), _sites(copy.deepcopy(tree)), strict=True)):
            _mistake(after)
            change = f"{before.text()}  ->  {after.text()}"
            yield Mutant(path, number, before.node.lineno, before.node.col_offset + 1, _lines(before.function), change)


def drawn(package: str, size: int, seed: int) -> list[Mutant]:
    """A random sample of the mutants of a package, by their hashes, so that a change elsewhere alters nothing."""
    seen: Counter[str] = Counter()
    by_hash = {}
    for mutant in mutants(package):
        name = f"{seed} {mutant.file} {mutant.change}"
        seen[name] += 1
        by_hash[hashlib.sha256(f"{name} {seen[name]}".encode()).hexdigest()] = mutant
    return [by_hash[key] for key in sorted(by_hash)[:size]]
