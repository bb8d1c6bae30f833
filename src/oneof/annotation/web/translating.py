"""The words of the annotators' pages, in the language of whoever reads them. The managers' dashboard is in English.

`languages/` has one file for each language: the texts by their names, with {placeholders}. Where a text depends on a
number `{n}`, there is one for each plural form of the language, by Unicode's names (zero, one, two, few, many, other).
What managers wrote (names, definitions, guidelines) is shown as they wrote it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException
from starlette.requests import Request

from oneof.annotation.project.folder import GUIDELINES, QUESTION, Settings

COOKIE = "oneof_language"
FILES = Path(__file__).parent / "languages"
SERVERS_OWN = ("error.", "refused.", "projects.", "private.", "guidelines.default")
"""How the names of those texts begin that only the server uses; the browser does not get them."""

Text = str | Mapping[str, str]


def _one_or_other(n: int) -> str:
    return "one" if n == 1 else "other"


def _arabic(n: int) -> str:
    if n < 3:
        return ("zero", "one", "two")[n]
    return "few" if 3 <= n % 100 <= 10 else "many" if n % 100 >= 11 else "other"


PLURALS: dict[str, Callable[[int], str]] = {
    "ar": _arabic,
    "fr": lambda n: "one" if n < 2 else "other",
    "zh": lambda n: "other",
}
"""The plural form of a whole number, by language; languages that are not here have "one" for 1, else "other"."""


@dataclass(frozen=True)
class Language:
    """One language. fixed: the project has chosen it, so people cannot choose another."""

    code: str
    texts: Mapping[str, Text]
    fixed: bool = False

    @property
    def direction(self) -> str:
        """ "ltr" or "rtl"."""
        return self.pattern("direction")

    @property
    def choices(self) -> list[tuple[str, str, str]]:
        """The languages to choose from, as code, name and direction; none where the project has chosen."""
        return [] if self.fixed else [(one.code, one.pattern("name"), one.direction) for one in languages().values()]

    def pattern(self, key: str, n: int = 0) -> str:
        """A text with its placeholders. n: the number that decides the plural form."""
        found = self.texts[key]
        if isinstance(found, str):
            return found
        form = PLURALS.get(self.code, _one_or_other)(n)
        return found.get(form, found["other"])

    def text(self, key: str, /, **values: Any) -> str:
        """A text with these values in it.

        >>> languages()["de"].text("page.whole", done=3, needed=5)
        '3 von 5'
        """
        return self.pattern(key, values.get("n", 0)).format(**values)

    def markup(self, key: str, /, **values: Any) -> Markup:
        """A text for a page. Whole numbers are marked, so that the page's script writes them as the language does."""
        marked = {name: number(value) if isinstance(value, int) else value for name, value in values.items()}
        return escape(self.pattern(key, values.get("n", 0))).format(**marked)

    def for_scripts(self) -> dict[str, Text]:
        """The texts that scripts write."""
        return {key: text for key, text in self.texts.items() if not key.startswith(SERVERS_OWN)}

    def question(self, settings: Settings) -> str:
        """The question above the labels: as the project's manager wrote it, or the usual one in this language."""
        return self.text("question") if settings.question == QUESTION else settings.question

    def guidelines(self, written: str) -> str:
        """The guidelines: as the project's manager wrote them, or the usual ones in this language."""
        return self.text("guidelines.default") if written == GUIDELINES else written


class Refusal(HTTPException):
    """An error that a page tells in the reader's language; programs get it in English. key: of the text."""

    def __init__(self, status: int, key: str, **values: str) -> None:
        self.key, self.values = f"refused.{key}", values
        super().__init__(status, english().text(self.key, **values))


@cache
def languages() -> dict[str, Language]:
    """Every language by its code, English first."""
    found = sorted(FILES.glob("*.json"), key=lambda path: (path.stem != "en", path.stem))
    return {path.stem: Language(path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in found}


def english() -> Language:
    """The language of programs, and of people whose language is not known."""
    return languages()["en"]


def language_of(request: Request, setting: str = "auto") -> Language:
    """The language of a request: the project's own, else what was chosen on the page, else the browser's."""
    known = languages()
    if setting != "auto":
        return replace(known[setting], fixed=True)
    chosen = request.cookies.get(COOKIE, "")
    wanted = [chosen, *preferred(request.headers.get("accept-language", ""))]
    return next((known[code] for code in wanted if code in known), english())


def message_of(error: HTTPException, language: Language) -> str:
    """The message of an error: in this language if it is a `Refusal`, else as it is."""
    if isinstance(error, Refusal):
        return language.text(error.key, **error.values)
    return language.text("refused.not_found") if error.detail == "Not Found" else str(error.detail)


def context(language: Language, root: str) -> dict[str, Any]:
    """What a template needs for its texts. root: the path of the server, where a chosen language is remembered."""
    return {"language": language, "t": language.markup, "language_path": f"{root}/"}


def add_texts(environment: Environment) -> None:
    """Give the templates English texts, which a page replaces by its own `context`."""
    environment.globals |= context(english(), "")
    environment.filters["number"] = number


def preferred(header: str) -> list[str]:
    """The languages of an Accept-Language header without their regions, best first.

    >>> preferred("de-AT, en;q=0.5, fr;q=0.8, *;q=0.1, es;q=0")
    ['de', 'fr', 'en', '*']
    """
    found = []
    for part in header.split(","):
        tag, _, weight = part.strip().partition(";")
        try:
            share = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if tag and share > 0:
            found.append((-share, tag.strip().partition("-")[0].lower()))
    return [code for _, code in sorted(found, key=lambda one: one[0])]


def number(value: float, unit: str = "") -> Markup:
    """A number that the page's script writes as the language does; plain digits until then.

    >>> number(1234)
    Markup('<data value="1234">1234</data>')
    """
    plain = f"{100 * value:.1f}\u00a0%" if unit == "percent" else f"{value:.1f} s" if unit == "second" else f"{value}"
    attribute = Markup(' data-unit="{}"').format(unit) if unit else ""
    return Markup('<data value="{}"{}>{}</data>').format(value, attribute, plain)
