"""Sphinx configuration. `make docs` runs every example and builds the pages; a warning is an error."""

import doctest
import re
import sys
from importlib import metadata
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

sys.path.insert(0, str(Path(__file__).parent))

project = "oneof"
author = "The oneof developers"
project_copyright = author
release = metadata.version("oneof")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.doctest", "mathml"]
html_math_renderer = "mathml"  # formulas are in the page itself: it reads offline and without scripts
exclude_patterns = ["_build"]
smartquotes = False  # options begin with two hyphens, not with a dash
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_title = "oneof"
html_theme_options = {
    "light_css_variables": {
        "code-font-size": "var(--font-size--small--3)",
        "color-brand-primary": "#2458a6",
        "color-brand-content": "#2458a6",
    },
    "dark_css_variables": {"color-brand-primary": "#8fb4f0", "color-brand-content": "#8fb4f0"},
}

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings give shapes, which say more than array types
python_maximum_signature_line_length = 90

# The tests run the examples of docstrings; here only the blocks of the pages are run.
doctest_test_doctest_blocks = ""
# Unlike the default, the text of an error is compared too.
doctest_default_flags = doctest.ELLIPSIS | doctest.DONT_ACCEPT_TRUE_FOR_1


class RunnableExamples(SphinxTransform):
    """Every ```pycon block is an example to run; unlike {doctest}, it is also highlighted on GitHub.

    The README shows a training run, whose digits differ from processor to processor: there numbers with a point are
    not compared. Its last line prints what must hold on every processor.
    """

    default_priority = 500

    def apply(self) -> None:
        for block in self.document.findall(nodes.literal_block):
            if block.get("language") == "pycon":
                block.rawsource = block.astext().rstrip()  # where the two differ, Sphinx does not highlight
                block[:] = [nodes.Text(block.rawsource)]
                block["testnodetype"] = "doctest"
                block["groups"] = ["default"]
                if str(block.source or "").endswith("README.md"):
                    block["test"] = re.sub(
                        r"^(?!>>>|\.\.\.).*$",
                        lambda output: re.sub(r"\d\.\d+", "...", output[0]),
                        block.astext(),
                        flags=re.MULTILINE,
                    )


def plain_docstring(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Escape docstrings for reStructuredText: plain text with `code` and *emphasis*; |S| and 2*x are no markup."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = re.split(r"(`+[^`]*`+|(?<!\w)\*\w[^*]*\w\*(?!\w))", line)
            parts[::2] = [re.sub(r"([|*\\]|_(?=\W|$))", r"\\\1", part) for part in parts[::2]]
            parts[1::2] = [f"``{part.strip('`')}``" if part.startswith("`") else part for part in parts[1::2]]
            lines[number] = "".join(parts)


def setup(app: Sphinx) -> None:
    app.add_transform(RunnableExamples)
    app.connect("autodoc-process-docstring", plain_docstring)
