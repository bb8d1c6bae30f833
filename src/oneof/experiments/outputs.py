"""Write tables and figures to files: markdown and LaTeX, PNG and PDF, and one HTML page that needs nothing else."""

import base64
import html
import re
from collections.abc import Sequence
from pathlib import Path

from oneof.experiments.figures.catalogue import FIGURES, save
from oneof.experiments.store import Evidence, Results
from oneof.experiments.table_format import Table, to_html, to_latex, to_markdown
from oneof.experiments.tables import TABLES
from oneof.files.atomic import replacing

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 74rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } nav a { margin-right: .8rem; }
figure { margin: 2.5rem 0; } figcaption { font-weight: 600; margin-bottom: .6rem; } figure.plot img { max-width: 100%; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { text-align: left; padding: .2rem .7rem; white-space: nowrap; }
thead th { border-bottom: 1.5px solid #444; } tbody tr:nth-child(even) { background: #f7f7f5; }
td.pale { color: #6b6b6b; } ul { color: #444; font-size: .88rem; }
"""

_RUNS = re.compile(r'<meta name="oneof-runs" content="(\S+) (\d+)">')


def write_output(key: str, evidence: Evidence, folder: Path) -> list[Path]:
    """Write one table (.md, .tex) or figure (.png, .pdf) into a folder; the paths of the files."""
    if key not in TABLES and key not in FIGURES:
        raise ValueError(f"unknown table or figure {key!r}; known: {', '.join([*TABLES, *FIGURES])}")
    folder.mkdir(parents=True, exist_ok=True)
    if key in TABLES:
        table = TABLES[key](evidence.rows)
        contents = {".md": to_markdown(table).encode(), ".tex": to_latex(table).encode()}
    else:
        figure = FIGURES[key].draw(evidence)
        contents = {".png": save(figure, "png"), ".pdf": save(figure, "pdf")}
    paths = []
    for suffix, content in contents.items():
        path = folder / f"{key}{suffix}"
        _write(path, content)
        paths.append(path)
    return paths


def before_overwriting(path: Path, preset: str, results: Results) -> list[str]:
    """Remarks about what a report of this preset replaces, where it shows other or more runs; else none.

    path: of the report, which may be there already. An empty report is refused where the one there has runs, or where
    the folder has runs of other presets: the option --preset was forgotten. The error names the presets that have runs.
    """
    counts = results.rows()["preset"].value_counts()
    runs = int(counts.get(preset, 0))
    found = _RUNS.search(path.read_text(encoding="utf-8")) if path.is_file() else None
    before, preset_before = (int(found[2]), found[1]) if found else (0, preset)
    if not runs and (before or len(counts)):
        known = ", ".join(f"{name} ({count})" for name, count in counts.items()) or "none"
        raise ValueError(
            f"{results.folder} has no finished run of the preset {preset}, so {path} was left as it is; finished runs "
            f"by preset: {known}. Choose one with --preset, or write elsewhere with --output"
        )
    if preset_before != preset or runs < before:
        return [f"{path} showed {before} runs of the preset {preset_before}; now it shows {runs} of {preset}"]
    return []


def write_report(evidence: Evidence, path: Path, *, title: str, extra: Sequence[Table] = ()) -> Path:
    """Write one self-contained HTML page with all tables and figures."""
    parts, links = [], []
    for table in (*(draw(evidence.rows) for draw in TABLES.values()), *extra):
        links.append(f'<a href="#{table.key}">{html.escape(table.caption.split(".")[0])}</a>')
        parts.append(to_html(table))
    for key, entry in FIGURES.items():
        links.append(f'<a href="#{key}">{html.escape(entry.caption.split(".")[0])}</a>')
        picture = base64.b64encode(save(entry.draw(evidence), "svg")).decode()
        parts.append(
            f'<figure id="{key}" class="plot"><figcaption>{html.escape(entry.caption)}</figcaption>\n'
            f'<img alt="{html.escape(entry.caption)}" src="data:image/svg+xml;base64,{picture}"></figure>\n'
        )
    page = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n{_runs(evidence)}'
        f"<style>{STYLE}</style></head>\n"
        f"<body>\n<h1>{html.escape(title)}</h1>\n"
        "<p>Lines marked <em>paper</em> are the paper's published numbers; lines marked <em>here</em> were run with "
        "this library. A cell that was not run says so.</p>\n"
        f"<nav>{' '.join(links)}</nav>\n{''.join(parts)}</body></html>\n"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, page.encode())
    return path


def _runs(evidence: Evidence) -> str:
    """The line by which `before_overwriting` recognises what a page shows."""
    if evidence.rows.empty:
        return ""
    return f'<meta name="oneof-runs" content="{evidence.rows["preset"].iloc[0]} {len(evidence.rows)}">\n'


def _write(path: Path, content: bytes) -> None:
    with replacing(path) as part:
        part.write_bytes(content)
