"""Learning rate and weight decay, chosen by held-out answers alone."""

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

from rich.progress import track

from oneof.answers import Answers
from oneof.engines.base import Engine, Failed, Report, Unwatched, Work
from oneof.engines.local import Local
from oneof.evaluation import estimate_accuracy
from oneof.training.config import Config
from oneof.training.data import Answered, Features
from oneof.training.fitting import Fitted, fit, predict_asked
from oneof.training.loop import Diverged
from oneof.training.scores import Scores, Setting
from oneof.training.splits import split

LEARNING_RATES = (1e-5, 1e-4, 1e-3, 5e-2, 1e-2, 1e-1, 2e-1)
WEIGHT_DECAYS = (1e-5, 1e-4, 1e-3)
"""The paper's grids (Section V)."""

Ranges = dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Tried:
    """What one setting gave: a trained network and its score, or why its training diverged."""

    fitted: Fitted | None
    score: float | None
    diverged: str = ""


def search_settings(
    features: Features,
    answers: Answers,
    config: Config,
    *,
    how: str = "grid",
    trials: int = 20,
    grid: Ranges | None = None,
    engine: Engine | None = None,
    path: Path | None = None,
    resume: bool = False,
    shown: bool = False,
) -> Fitted:
    """Train once with each setting and keep the one that held-out answers like best.

    how: "grid" (the paper's, or `grid`), or "optuna" with this many trials over the same ranges. engine: where the
    trials of a grid are done (default: here, one after the other); the result is the same anywhere. path: where their
    scores are kept; resume: go on from those. The trials of optuna build on each other, so they are done here.

    The answers that choose are not the ones that judge: those are put aside first, so the winner's accuracy is not too
    good.
    """
    training, judging, unjudged = split(answers, config.holdout, config.seed + 1)
    unjudged = unjudged or split(training, config.holdout, config.seed).unjudged
    if unjudged:
        raise ValueError(f"a search needs held-out answers to choose and to judge by: {unjudged}")
    ranges = grid or {"learning_rate": LEARNING_RATES, "weight_decay": WEIGHT_DECAYS}
    work = partial(_try, features, training, config)
    if how == "grid":
        origin = {"configuration": config.model_dump(), "set of answers": Answered(training).fingerprint()}
        best = _grid(work, ranges, engine or Local(1), Scores(path, origin, resume=resume), shown)
    elif how == "optuna":
        best = _optuna(work, ranges, trials, config.seed, shown)
    else:
        raise ValueError(f"unknown search {how!r}, expected grid or optuna")
    accuracy = estimate_accuracy(predict_asked(best.network, features, judging), judging)
    return Fitted(best.network, best.config, best.history, best.best_epoch, accuracy)


def all_settings(ranges: Ranges) -> list[Setting]:
    """Every combination of the values, the last name varying fastest.

    >>> all_settings({"learning_rate": (0.1, 0.2), "weight_decay": (0.0,)})
    [{'learning_rate': 0.1, 'weight_decay': 0.0}, {'learning_rate': 0.2, 'weight_decay': 0.0}]
    """
    return [dict(zip(ranges, values, strict=True)) for values in product(*ranges.values())]


def _try(features: Features, training: Answers, config: Config, setting: Setting, report: Report) -> Tried:
    try:
        fitted = fit(features, training, config.model_copy(update=setting))
    except Diverged as error:  # a rate that is too high loses; it does not end the search
        return Tried(None, None, str(error))
    return Tried(fitted, fitted.history[fitted.best_epoch - 1]["label_free"])


def _grid(work: Work[Setting, Tried], ranges: Ranges, engine: Engine, scores: Scores, shown: bool) -> Fitted:
    settings = all_settings(ranges)
    missing = {str(number): setting for number, setting in enumerate(settings) if setting not in scores}
    failed: dict[str, str] = {}
    diverged = "see the scores that were kept"
    fitted: dict[int, Fitted] = {}
    ended = engine.run(work, missing, Unwatched())
    for name, tried in track(ended, description="search", total=len(missing), disable=not shown):
        if isinstance(tried, Failed):
            failed[name] = tried.error
            continue
        scores.add(settings[int(name)], tried.score)
        if tried.fitted is None:
            diverged = tried.diverged
        elif scores.best(settings) == int(name):  # of all the networks only the best so far is kept
            fitted = {int(name): tried.fitted}
    if failed:
        name, error = next(iter(failed.items()))
        raise RuntimeError(f"{len(failed)} of {len(settings)} trials failed; that with {settings[int(name)]}: {error}")
    best = scores.best(settings)
    if best is None:
        raise Diverged(f"every setting of the search diverged; the last one: {diverged}")
    # The winner of a search that was cut off left its score alone: it is trained again, which gives the same network.
    return fitted[best] if best in fitted else _fitted(work, settings[best], engine)


def _fitted(work: Work[Setting, Tried], setting: Setting, engine: Engine) -> Fitted:
    ((_, tried),) = engine.run(work, {"winner": setting}, Unwatched())
    if isinstance(tried, Failed) or tried.fitted is None:
        reason = tried.error if isinstance(tried, Failed) else tried.diverged
        raise RuntimeError(f"the best setting, {setting}, could not be trained again: {reason}")
    return tried.fitted


def _optuna(work: Work[Setting, Tried], ranges: Ranges, trials: int, seed: int, shown: bool) -> Fitted:
    settings = _suggestions(ranges, trials, seed)
    best: Tried | None = None
    score, diverged = None, ""
    for _ in track(range(trials), description="search", disable=not shown):
        setting = settings.send(score) if score is not None else next(settings)
        ((_, tried),) = Local(1).run(work, {"trial": setting}, Unwatched())
        if isinstance(tried, Failed):
            raise RuntimeError(f"the trial with {setting} failed: {tried.error}")
        score, diverged = tried.score or 0.0, tried.diverged or diverged
        if tried.score is not None and (best is None or best.score is None or tried.score > best.score):
            best = tried
    if best is None or best.fitted is None:
        raise Diverged(f"every setting of the search diverged; the last one: {diverged}")
    return best.fitted


def _suggestions(ranges: Ranges, trials: int, seed: int) -> Generator[Setting, float, None]:
    """Settings to try one after the other; each is answered by how well the one before did."""
    try:
        import optuna
    except ImportError:
        raise ValueError("this search needs optuna: pip install 'oneof[search]'") from None

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    for _ in range(trials):
        trial = study.ask()
        score = yield {
            name: trial.suggest_float(name, min(values), max(values), log=True) for name, values in ranges.items()
        }
        study.tell(trial, score)
