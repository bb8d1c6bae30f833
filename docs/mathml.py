"""A Sphinx extension: formulas become MathML when the pages are built.

Every current browser draws MathML by itself, so the pages need no script, no font and no network. A formula that cannot
be converted is an error of the build.
"""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def inline(translator: HTML5Translator, node: nodes.math) -> None:
    """A formula in the line."""
    translator.body.append(f'<span class="math">{convert(node.astext())}</span>')
    raise nodes.SkipNode


def displayed(translator: HTML5Translator, node: nodes.math_block) -> None:
    """A formula on lines of its own; a wide one scrolls."""
    translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer; `html_math_renderer = "mathml"` chooses it."""
    app.add_html_math_renderer("mathml", (inline, None), (displayed, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
