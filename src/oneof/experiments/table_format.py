"""A table as data, and its three written forms: markdown, LaTeX and HTML."""

import html
from dataclasses import dataclass

_LATEX_ESCAPES = str.maketrans(
    {
        "&": r"\&",
        "%": r"\%",
        "_": r"\_",
        "#": r"\#",
        "±": r"$\pm$",
        "–": "--",
        "−": "$-$",
        "≥": r"$\ge$",
        "×": r"$\times$",
    }
)


@dataclass(frozen=True)
class Cell:
    """One entry. bold: it is the best of its block. pale: it is the paper's, or absent."""

    text: str
    bold: bool = False
    pale: bool = False


@dataclass(frozen=True)
class Table:
    """A caption, a header, rows of cells as long as the header, and notes below. key: the name of its file, table2."""

    key: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.header):
                raise ValueError(f"{self.key}, row {number}: {len(row)} cells under {len(self.header)} columns")


def to_markdown(table: Table) -> str:
    """The table in markdown."""

    def entry(cell: Cell) -> str:
        text = cell.text.replace("|", r"\|")
        return f"**{text}**" if cell.bold else text

    lines = [f"**{table.caption}**", ""]
    lines.append("| " + " | ".join(column.replace("|", r"\|") for column in table.header) + " |")
    lines.append("|" + "---|" * len(table.header))
    lines += ["| " + " | ".join(entry(cell) for cell in row) + " |" for row in table.rows]
    if table.notes:
        lines += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def to_latex(table: Table) -> str:
    """The table in LaTeX, with booktabs."""

    def entry(cell: Cell) -> str:
        text = cell.text.translate(_LATEX_ESCAPES)
        if cell.bold:
            return rf"\textbf{{{text}}}"
        return rf"\textcolor{{gray}}{{{text}}}" if cell.pale else text

    body = [" & ".join(entry(cell) for cell in row) + r" \\" for row in table.rows]
    notes = [rf"\par\footnotesize {note.translate(_LATEX_ESCAPES)}" for note in table.notes]
    return "\n".join(
        [
            r"% needs \usepackage{booktabs,xcolor}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{table.caption.translate(_LATEX_ESCAPES)}}}",
            rf"\label{{tab:{table.key}}}",
            rf"\begin{{tabular}}{{{'l' * len(table.header)}}}",
            r"\toprule",
            " & ".join(column.translate(_LATEX_ESCAPES) for column in table.header) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            *notes,
            r"\end{table}",
            "",
        ]
    )


def to_html(table: Table) -> str:
    """The table as a fragment of HTML."""

    def entry(cell: Cell) -> str:
        text = html.escape(cell.text)
        opening = '<td class="pale">' if cell.pale else "<td>"
        return f"{opening}<strong>{text}</strong></td>" if cell.bold else f"{opening}{text}</td>"

    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in table.header)
    body = "\n".join(f"<tr>{''.join(entry(cell) for cell in row)}</tr>" for row in table.rows)
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in table.notes)
    return (
        f'<figure id="{table.key}" class="table"><figcaption>{html.escape(table.caption)}</figcaption>\n'
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>\n'
        + (f"<ul>{notes}</ul>\n" if notes else "")
        + "</figure>\n"
    )
