"""Estimate: a figure with its confidence interval and the kind of the interval; and numbers as text."""

from html import escape
from typing import NamedTuple

KINDS = {
    "exact": "holds the truth with at least the stated probability, at any number of answers",
    "at least": "conservative: holds the truth with at least the stated probability",
    "asymptotic": "holds the truth with about the stated probability, if there are enough answers",
    "anytime": "may be looked at after every answer, and stopped at will",
}
"""What an interval promises."""


class _Figures(NamedTuple):
    value: float
    low: float
    high: float
    n: int


class Estimate(_Figures):
    """An estimate with its confidence interval, from n answers: a tuple (value, low, high, n).

    kind: what the interval promises, one of `KINDS`. notes: sentences on what was left out, and why.

    >>> value, low, high, n = Estimate(0.9, 0.85, 0.94, 400, notes=("left out 3 answers about items trained on",))
    >>> print(Estimate(0.9, 0.85, 0.94, 400, kind="asymptotic"))
    0.9000 [0.8500, 0.9400] from 400 answers (asymptotic)
    """

    kind: str
    notes: tuple[str, ...]

    def __new__(
        cls, value: float, low: float, high: float, n: int, kind: str = "exact", notes: tuple[str, ...] = ()
    ) -> "Estimate":
        """The tuple has four entries; kind and notes are attributes."""
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
        self = super().__new__(cls, value, low, high, n)
        self.kind, self.notes = kind, notes
        return self

    @property
    def width(self) -> float:
        """high - low."""
        return self.high - self.low

    def within(self, lowest: float, highest: float) -> "Estimate":
        """The same estimate, cut to the range in which the truth must lie."""
        value, low, high = (float(min(highest, max(lowest, end))) for end in self[:3])
        return Estimate(value, low, high, self.n, self.kind, self.notes)

    def __str__(self) -> str:
        text = f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}] from {self.n} answers"
        return text if self.kind == "exact" else f"{text} ({self.kind})"

    def __repr__(self) -> str:
        more = "".join(f", {name}={value!r}" for name, value in vars(self).items() if value not in ("exact", ()))
        return f"Estimate(value={self.value!r}, low={self.low!r}, high={self.high!r}, n={self.n!r}{more})"

    def _repr_html_(self) -> str:
        notes = "".join(f"<br>{escape(note)}" for note in self.notes)
        return (
            f"<b>{self.value:.1%}</b> [{self.low:.1%}, {self.high:.1%}] from {self.n:,} answers"
            f"<br><small>{self.kind}: {KINDS[self.kind]}{notes}</small>"
        )


def counted(count: int, what: str = "answer") -> str:
    """A number with its noun, in the plural if it is not one.

    >>> counted(1200)
    '1,200 answers'
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


def percent(share: float) -> str:
    """A share in percent.

    >>> percent(0.25)
    '25.0 %'
    """
    return f"{100 * share:.1f} %"
