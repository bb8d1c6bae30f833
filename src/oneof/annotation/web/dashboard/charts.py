"""Charts as SVG, made on the server: they need no script, follow the theme, and read themselves to a screen reader.

Lines are drawn in a box of 1000 x 300 that is stretched to the page's width; numbers stand beside it as text, so that
they keep their size on a phone. Strokes do not scale (`vector-effect` in the style sheet).
"""

from collections.abc import Sequence
from math import floor, log10

from markupsafe import Markup

WIDTH, HEIGHT = 1000, 300


def nice_ceiling(value: float) -> float:
    """The smallest of 1, 2, 2.5, 5 times a power of ten that is not below `value`.

    >>> nice_ceiling(7), nice_ceiling(130)
    (10.0, 200.0)
    """
    if value <= 0:
        return 1.0
    scale = 10.0 ** floor(log10(value))
    return next(step * scale for step in (1, 2, 2.5, 5, 10) if step * scale >= value * (1 - 1e-9))


def growth(points: Sequence[tuple[float, float]], goal: float | None, spoken: str) -> Markup:
    """A filled line that climbs from 0, and the goal as a dashed line where the axis reaches it.

    points: (time, value) in order of time. spoken: what a screen reader says, here and below.
    """
    top = ceiling(points, goal)
    where = _placed(points, top)
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in where)
    area = f"{where[0][0]:.1f},{HEIGHT} {line} {where[-1][0]:.1f},{HEIGHT}" if where else ""
    parts = [f'<polygon class="area" points="{area}"/><polyline class="line" points="{line}"/>']
    if goal is not None and goal <= top:
        y = HEIGHT * (1 - goal / top)
        parts.append(f'<path class="goal" d="M0 {y:.1f}H{WIDTH}"/>')
    return _svg(parts, spoken)


def ceiling(points: Sequence[tuple[float, float]], goal: float | None) -> float:
    """Where the axis of `growth` ends: at the goal, unless it is so far away that the line would lie flat."""
    highest = max((value for _, value in points), default=0.0)
    return nice_ceiling(goal if goal is not None and highest > 0.2 * goal else highest)


def intervals(points: Sequence[tuple[float, float, float, float]], spoken: str) -> Markup:
    """The estimate of each version, between 0 and 1, with its interval: (time, value, low, high)."""
    step = WIDTH / max(1, len(points))
    parts = []
    centres = []
    for index, (_, value, low, high) in enumerate(points):
        x = step * (index + 0.5)
        top, middle, bottom = (HEIGHT * (1 - share) for share in (high, value, low))
        centres.append(f"{x:.1f},{middle:.1f}")
        parts.append(f'<path class="whisker" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>')
        # A line of no length with round ends is a dot that stays round when the box is stretched.
        parts.append(f'<path class="dot" d="M{x:.1f} {middle:.1f}h0"/>')
    return _svg([f'<polyline class="thread" points="{" ".join(centres)}"/>', *parts], spoken)


def range_bar(low: float, value: float, high: float, mark: float | None, spoken: str) -> Markup:
    """One estimate on a short axis from 0 to 1; mark: where it is expected to be."""
    parts = [f'<path class="axis" d="M0 150H{WIDTH}"/>']
    if mark is not None:
        parts.append(f'<path class="mark" d="M{WIDTH * mark:.1f} 20V280"/>')
    parts.append(f'<path class="whisker" d="M{WIDTH * low:.1f} 150H{WIDTH * high:.1f}"/>')
    parts.append(f'<path class="dot" d="M{WIDTH * value:.1f} 150h0"/>')
    return _svg(parts, spoken, "range")


def calibration(points: Sequence[tuple[float, float, float, float]], spoken: str) -> Markup:
    """Accuracy over confidence with intervals, and the dashed line where both are equal.

    points: (confidence, accuracy, low, high), all from 0 to 1.
    """
    parts = [f'<path class="goal" d="M0 {HEIGHT}L{WIDTH} 0"/>']
    for sure, value, low, high in points:
        x = WIDTH * sure
        top, middle, bottom = (HEIGHT * (1 - share) for share in (high, value, low))
        parts.append(f'<path class="whisker" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>')
        parts.append(f'<path class="dot" d="M{x:.1f} {middle:.1f}h0"/>')
    return _svg(parts, spoken)


def heat(value: float, whole: float) -> int:
    """How strong a cell of a heat map is, 0 to 10; each is a colour of the style sheet.

    >>> heat(0.05, 0.1), heat(-0.01, 0.1), heat(0.1, 0.0)
    (5, 0, 0)
    """
    return 0 if whole <= 0 else round(10 * min(max(value / whole, 0.0), 1.0))


def _placed(points: Sequence[tuple[float, float]], top: float) -> list[tuple[float, float]]:
    if not points:
        return []
    first, last = points[0][0], points[-1][0]
    span = (last - first) or 1.0
    return [(WIDTH * (x - first) / span, HEIGHT * (1 - y / top)) for x, y in points]


def _svg(parts: Sequence[str], spoken: str, kind: str = "plot") -> Markup:
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    ).format(kind, WIDTH, HEIGHT, spoken, Markup("".join(parts)))


def axis(top: float, steps: int) -> list[float]:
    """Values at the lines of an axis from `top` down to 0.

    >>> axis(200, 2)
    [200.0, 100.0, 0.0]
    """
    return [top * (steps - step) / steps for step in range(steps + 1)]
