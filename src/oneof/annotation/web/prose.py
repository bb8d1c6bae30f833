"""Guidelines as a page: Markdown by markdown-it-py, made safe by nh3, pictures only from the project's own folder."""

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

PICTURES = "guidelines/"
"""Pictures lie in this folder of the project and are written as `![what it shows](guidelines/NAME.png)`."""

TEXT = {"a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "hr", "img", "p", "pre", "s", "strong"}
TAGS = TEXT | {"li", "ol", "ul", "table", "tbody", "td", "th", "thead", "tr"}
ATTRIBUTES = {"a": {"href", "title"}, "img": {"src", "alt", "title"}, "td": {"style"}, "th": {"style"}, "ol": {"start"}}
_markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def render(text: str, base: str = "") -> str:
    """The text as HTML that carries no script and loads nothing from elsewhere. base: the path of the project.

    >>> render("**Look** twice.")
    '<p><strong>Look</strong> twice.</p>'
    """
    tokens = _markdown.parse(text)
    for token in tokens:
        # The page has its own first and second headings.
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(5, int(token.tag[1]) + 2)}"
        for child in token.children or []:
            if child.type == "image":
                _place(child, base)
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    cleaned = nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        filter_style_properties={"text-align"},
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return cleaned.strip()


def _place(image: Token, base: str) -> None:
    """Point a picture at the project's own; one from elsewhere becomes its description."""
    source = str(image.attrs.get("src", ""))
    if source.startswith(PICTURES):
        image.attrs["src"] = f"{base}/{source}"
    else:
        image.type, image.content, image.tag = "text", image.content or source, ""
