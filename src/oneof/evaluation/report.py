"""A report on how good a model is: one HTML file with its pictures inside, to send to somebody.

It has the accuracy with its interval and the meaning of that, the answers that judge, precision and recall of each
class, the confusion matrix, the calibration, and what was left out and why. It loads nothing from elsewhere, and has no
scripts.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from oneof.answers import Answers
from oneof.evaluation.accuracy import judges_of
from oneof.evaluation.by_class import class_report, estimate_confusion
from oneof.evaluation.calibration import estimate_calibration
from oneof.evaluation.estimate import KINDS, Estimate, counted, percent
from oneof.evaluation.judges import Judges
from oneof.evaluation.plots import as_svg, class_whiskers, confusion_heat_map, reliability_diagram
from oneof.queries.moment import Queries

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1d2330; background: #fff; max-width: 62rem; margin: 2rem auto;
  padding: 0 1.2rem; }
h1 { font-size: 1.5rem; margin: 0 0 .2rem; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
.quiet { color: #5b6475; } .small { font-size: .9rem; }
.accuracy { display: flex; gap: 1.6rem; align-items: center; flex-wrap: wrap; margin: 1.2rem 0 .4rem; }
.accuracy b { font-size: 3rem; line-height: 1; }
.scale { position: relative; flex: 1 1 18rem; height: 2.6rem; }
.scale .line { position: absolute; inset: .8rem 0 auto; height: .5rem; background: #e7eaf0; border-radius: 1rem; }
.scale .part { position: absolute; top: .8rem; height: .5rem; background: #0072b2; border-radius: 1rem; }
.scale .dot { position: absolute; top: .55rem; width: .25rem; height: 1rem; margin-left: -.12rem; background: #111; }
.scale .end { position: absolute; top: 1.5rem; font-size: .85rem; color: #5b6475; white-space: nowrap; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { text-align: right; padding: .25rem .8rem; border-bottom: 1px solid #e7eaf0; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal; } td i { color: #5b6475; font-style: normal; }
.wide { overflow-x: auto; } svg { max-width: 100%; height: auto; }
.pair { display: flex; flex-wrap: wrap; gap: 1.5rem; }
.pair > section { flex: 1 1 24rem; min-width: 0; max-width: 34rem; }
"""


def html_report(
    accuracy: Estimate,
    probabilities: ArrayLike,
    answers: Answers,
    *,
    title: str = "How good is the model?",
    queries: Queries | None = None,
    trained_on: ArrayLike | None = None,
    true_accuracy: float | None = None,
    unread: Sequence[str] = (),
) -> str:
    """The report as HTML. accuracy: from `estimate_accuracy`. probabilities: (items, k); `answers.items` are its rows.

    true_accuracy: for comparison, if labels are known. unread: items that could not be read, and why. Other
    arguments: see `estimate_accuracy`.

    >>> from oneof import UniformQueries, estimate_accuracy, respond
    >>> labels = np.arange(900) % 3
    >>> subsets = UniformQueries(3, 1).draw(900, rng=0)
    >>> answers = Answers(subsets, respond(subsets, labels))
    >>> page = html_report(estimate_accuracy(labels, answers), np.eye(3)[labels], answers)
    >>> page[:15], page.count("<svg")
    ('<!doctype html>', 3)
    """
    p = np.asarray(probabilities, dtype=np.float64)
    predictions = p.argmax(axis=1)
    judges = judges_of(predictions, answers, 0.95, check=True, queries=queries, trained_on=trained_on)
    by_class = class_report(predictions, answers, queries=queries, trained_on=trained_on)
    calibration = estimate_calibration(p, answers, queries=queries, trained_on=trained_on)
    parts = [
        f"<h1>{escape(title)}</h1>",
        '<p class="quiet">Judged by answers about items that the model has not learned from, without labels.</p>',
        _accuracy(accuracy, true_accuracy),
        "<h2>The answers that judge</h2>",
        _list(_about_answers(judges)),
        f'<h2>Class by class</h2><div class="wide">{_table(by_class)}</div>',
        f'<p class="quiet small">{escape(by_class.attrs["note"])}. {_shares_missing(by_class)}</p>',
        '<div class="pair"><section><h2>Precision and recall</h2>',
        as_svg(class_whiskers(by_class)),
        "</section><section><h2>What is taken for what</h2>",
        _confusion(predictions, answers, queries, trained_on)
        if not judges.decoy.all()
        else '<p class="quiet">This needs uniform questions: these were made from the predictions.</p>',
        "</section><section><h2>As sure as it is right?</h2>",
        as_svg(reliability_diagram(calibration)),
        f'<p class="quiet small">{escape(calibration.attrs["note"])}. Below the dashed line the model is surer than it '
        "is right.</p></section></div>",
        "<h2>Left out</h2>",
        _list([*accuracy.notes, *unread]) if accuracy.notes or unread else "<p>Nothing.</p>",
        '<p class="quiet small">Figures by class and confidence are for one look at them. Errors of annotators that '
        "depend on the item (hard ones are answered wrongly more often) are not corrected for.</p>",
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>\n' + "\n".join(
        [*parts, "</body></html>\n"]
    )


def _accuracy(found: Estimate, truth: float | None) -> str:
    start, width = 100 * found.low, 100 * (found.high - found.low)
    # The numbers are under the interval, but must not exceed the line.
    side = f"left:{start:.2f}%" if found.low < 0.7 else "right:0"
    line = (
        f'<div class="scale" role="img" aria-label="from {found.low:.1%} to {found.high:.1%}"><div class="line"></div>'
        f'<div class="part" style="left:{start:.2f}%;width:{max(width, 0.4):.2f}%"></div>'
        f'<div class="dot" style="left:{100 * found.value:.2f}%"></div>'
        f'<div class="end" style="{side}">{percent(found.low)} to {percent(found.high)}</div></div>'
    )
    promise = KINDS[found.kind].removeprefix("conservative: ")
    compared = "" if truth is None else f"<p>True accuracy, by labels: <b>{percent(truth)}</b>.</p>"
    return (
        f'<div class="accuracy"><b>{percent(found.value)}</b>{line}</div>'
        f"<p>Accuracy with its 95 % interval, from {counted(found.n)}. "
        f"<b>{escape(found.kind.capitalize())}</b>: it {escape(promise)}.</p>{compared}"
    )


def _about_answers(judges: Judges) -> list[str]:
    """Sentences on the answers that judge."""
    answers, items = judges.answers, len(np.unique(judges.answers.items))
    lines = [f"{counted(len(judges))} about {counted(items, 'item')}, {answers.classes} classes"]
    decoys = int(judges.decoy.sum())
    if decoys:
        lines.append(f"{counted(decoys)} to questions that show the prediction among random others")
    if answers.annotators is not None:
        lines.append(f"{counted(len(np.unique(answers.annotators)), 'annotator')}")
    skips = int(judges.unknown.sum())
    if skips:
        lines.append(f"{skips:,} of them ({percent(skips / len(judges))}) are “can't tell”: they widen the interval")
    rates = [rate for rate in (judges.rho1, judges.rho0) if rate.any()]
    if not rates:
        lines.append("answers are taken as right: annotators who err make the model look worse than it is")
    else:
        means = f"{percent(float(judges.rho1.mean()))} of the yes and {percent(float(judges.rho0.mean()))} of the no"
        known = [count for count in (answers.known_yes, answers.known_no) if count is not None]
        sure = not any(np.isfinite(count).any() for count in known)
        lines.append(
            f"flips are corrected for: {means}, "
            + ("known rates" if sure else "estimated, and the interval includes it")
        )
    return lines


def _table(report: pd.DataFrame) -> str:
    head = "".join(f"<th>{name}</th>" for name in ("class", "share", "predicted", "precision", "recall", "answers"))
    rows = []
    for row in report.to_dict("records"):
        cells = "".join(f"<td>{_interval(row, name)}</td>" for name in ("share", "predicted", "precision", "recall"))
        rows.append(f"<tr><td>{escape(str(row['class']))}</td>{cells}<td>{row['n']:,}</td></tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _interval(row: dict[Any, Any], name: str) -> str:
    if np.isnan(row[name]):
        return "<i>–</i>"
    low, high = 100 * row[f"{name}_low"], 100 * row[f"{name}_high"]
    return f"{percent(row[name])} <i>{low:.0f}–{high:.0f}</i>"


def _shares_missing(report: pd.DataFrame) -> str:
    if not report["share"].isna().all():
        return ""
    return "Shares and recalls need uniform questions: those that show the prediction tell the precision alone."


def _confusion(predictions: ArrayLike, answers: Answers, queries: Queries | None, trained_on: ArrayLike | None) -> str:
    found = estimate_confusion(predictions, answers, queries=queries, trained_on=trained_on)
    return f'{as_svg(confusion_heat_map(found))}<p class="quiet small">Percent of all items. {escape(found.note)}.</p>'


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"
