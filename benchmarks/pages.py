"""Pages with numbers, filled in from the committed rows: nobody types a number into a document.

    python -m benchmarks.pages             # rebuild every page
    python -m benchmarks.pages --check     # write nothing; name the pages that differ from what the rows give

A page is written by hand, except for the text between two marks. The first mark names a benchmark and one of its facts:

    reading takes <!-- rows: scaling reading -->3.7<!-- /rows --> times as long, and in a table

    <!-- rows: beyond.noise table -->

    <!-- /rows -->

`facts()` in `benchmarks/beyond/noise.py` reads its rows and gives a text for each name. A mark inside a sentence must
not begin a line: Markdown would take the line for HTML. The pages on the paper's experiments contain nothing written by
hand: `oneof.experiments.pages` gives them, as for `oneof report --docs docs`.
"""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from oneof.experiments.pages import pages as paper_pages
from oneof.experiments.store import Results
from oneof.files.atomic import replacing

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "results"
MARK = re.compile(r"(?P<start><!-- rows: (?P<module>[\w.]+) (?P<name>[\w-]+) -->)(?P<old>.*?)<!-- /rows -->", re.DOTALL)
Facts = Callable[[str], Mapping[str, str]]


@cache
def facts_of(module: str) -> Mapping[str, str]:
    """The facts of a benchmark, a text for each name, from its rows.

    >>> "table" in facts_of("against")
    True
    """
    found: Mapping[str, str] = import_module(f"benchmarks.{module}").facts()
    return found


def filled(text: str, facts: Facts = facts_of) -> str:
    """The page with the facts that its marks name.

    >>> filled("<!-- rows: a b -->old<!-- /rows --> times", {"a": {"b": "3.7"}}.__getitem__)
    Traceback (most recent call last):
        ...
    ValueError: a b: inside a sentence, a mark must not begin a line
    >>> filled("by <!-- rows: a b -->old<!-- /rows --> times", {"a": {"b": "3.7"}}.__getitem__)
    'by <!-- rows: a b -->3.7<!-- /rows --> times'
    """

    def replaced(mark: re.Match[str]) -> str:
        known = facts(mark["module"])
        if mark["name"] not in known:
            raise ValueError(f"{mark['module']} has no fact {mark['name']!r}; it has {', '.join(known)}")
        new, block = known[mark["name"]].strip(), mark["old"].startswith("\n")
        if not block and (mark.start() == 0 or text[mark.start() - 1] == "\n"):
            raise ValueError(f"{mark['module']} {mark['name']}: inside a sentence, a mark must not begin a line")
        around = "\n\n" if block else ""
        return f"{mark['start']}{around}{new}{around}<!-- /rows -->"

    return MARK.sub(replaced, text)


def rebuilt() -> dict[Path, str]:
    """Every page that contains facts from rows, as the rows give it now."""
    made = {ROOT / "docs" / name: text for name, text in paper_pages(Results(RESULTS), "cpu", ROOT / "docs").items()}
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = path.read_text(encoding="utf-8")
        if MARK.search(text) and path not in made:
            made[path] = filled(text)
    return made


def table(rows: pd.DataFrame) -> str:
    """Rows as a table in Markdown.

    >>> print(table(pd.DataFrame({"k": [3], "share": ["5 %"]})))
    | k | share |
    |---|---|
    | 3 | 5 % |
    """
    lines: list[list[Any]] = [list(rows.columns), *rows.astype(str).to_numpy().tolist()]
    drawn = [f"| {' | '.join(map(str, line))} |" for line in lines]
    return "\n".join([drawn[0], f"{'|---' * len(rows.columns)}|", *drawn[1:]])


def main() -> None:
    """Rebuild the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if a page differs")
    check = parser.parse_args().check
    differ = {path: text for path, text in rebuilt().items() if path.read_text(encoding="utf-8") != text}
    for path, text in differ.items():
        print(path.relative_to(ROOT))
        if not check:
            with replacing(path) as part:
                part.write_text(text, encoding="utf-8")
    sys.exit(1 if check and differ else 0)


if __name__ == "__main__":
    main()
