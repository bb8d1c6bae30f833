"""Numbers and times as people read them; the templates use these as filters."""

from datetime import UTC, datetime
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

NOTHING = "–"


def percent(value: float | None, digits: int = 1) -> str:
    """A share.

    >>> percent(0.987), percent(None)
    ('98.7\\xa0%', '–')
    """
    # The sum with zero makes a zero of what is rounded to minus zero.
    return NOTHING if value is None else f"{round(100 * value, digits) + 0.0:.{digits}f}\u00a0%"


def count(value: float | None) -> str:
    """A whole number, in groups of three digits.

    >>> count(12345.0)
    '12\\u202f345'
    """
    return NOTHING if value is None else f"{round(value):,}".replace(",", "\u202f")


def seconds(value: float | None) -> str:
    """A short time.

    >>> seconds(1.23), seconds(200)
    ('1.2 s', '3 min')
    """
    if value is None:
        return NOTHING
    return f"{value:.1f} s" if value < 60 else duration(value)


def duration(value: float) -> str:
    """A long time, in its largest unit.

    >>> duration(5400), duration(200_000)
    ('1.5 h', '2.3 days')
    """
    for size, unit in ((86_400.0, "days"), (3600.0, "h")):
        if value >= size:
            return f"{value / size:.1f} {unit}"
    return f"{max(1, round(value / 60))} min"


def moment(at: float | None) -> str | Markup:
    """A point in time: UTC from the server, which the page's script turns into the reader's own time."""
    if at is None:
        return NOTHING
    when = datetime.fromtimestamp(at, UTC)
    machine, human = when.strftime("%Y-%m-%dT%H:%M:%SZ"), f"{when.day} {when:%b %Y, %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(machine, human)


def size(value: int) -> str:
    """A number of bytes.

    >>> size(1_500_000)
    '1.5 MB'
    """
    number = float(value)
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1000
    raise AssertionError


def sentence(text: str) -> str:
    """With a capital letter at its beginning; names further on stay as they are.

    >>> sentence("no answers about BMWs")
    'No answers about BMWs'
    """
    return text[:1].upper() + text[1:]


def with_code(text: str) -> Markup:
    """What stands between backticks, as code.

    >>> with_code("go on with `after` < 5")
    Markup('go on with <code>after</code> &lt; 5')
    """
    parts = enumerate(text.split("`"))
    return Markup("").join(Markup("<code>{}</code>" if place % 2 else "{}").format(part) for place, part in parts)


def noted(value: Any) -> str:
    """A detail of an entry in the journal: a list by its length, a fraction by three digits.

    >>> noted(0.5776098901098903), noted(["a.png", "b.png"]), noted("robin"), noted(267)
    ('0.578', '2', 'robin', '267')
    """
    if isinstance(value, list):
        return str(len(value))
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def add_filters(environment: Environment) -> None:
    """Give the templates these filters."""
    filters: dict[str, Any] = {"percent": percent, "count": count, "seconds": seconds, "duration": duration}
    environment.filters |= filters | {
        "moment": moment,
        "bytes": size,
        "sentence": sentence,
        "with_code": with_code,
        "noted": noted,
    }
