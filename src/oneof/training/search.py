"""A search for the learning rate and the weight decay by held-out answers, without labels."""

import math
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from rich.progress import track

from oneof.answers import Answers
from oneof.engines.base import Engine, Failed, Report, Watch, Work
from oneof.engines.local import Local
from oneof.evaluation import estimate_accuracy
from oneof.training.config import Config
from oneof.training.data import Answered, Features
from oneof.training.fitting import fit, predict_for
from oneof.training.loop import Diverged, Fitted
from oneof.training.scores import Scores, Setting
from oneof.training.splits import split

LEARNING_RATES = (1e-5, 1e-4, 1e-3, 5e-2, 1e-2, 1e-1, 2e-1)
WEIGHT_DECAYS = (1e-5, 1e-4, 1e-3)
"""The paper's grids (Section V)."""

Ranges = dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Trial:
    """The result of one setting: a trained network and its score, or why its training diverged."""

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
    """Train once with each setting, and keep the network with the highest accuracy by held-out answers.

    how: "grid" (the paper's grid, or `grid`), or "optuna" with this many trials over the same ranges. engine: what runs
    the trials of a grid (default: this process, one after the other); the result does not depend on it. path: the file
    of their scores. resume: continue from that file. Each trial of optuna depends on those before it, so they always
    run in this process, one after the other.

    The answers that judge the chosen network are held out first, and do not take part in choosing it: otherwise its
    accuracy would be too optimistic.
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
    return replace(best, accuracy=estimate_accuracy(predict_for(judging, best.network, features), judging), unjudged="")


def all_settings(ranges: Ranges) -> list[Setting]:
    """Every combination of the values; the last name varies fastest.

    >>> all_settings({"learning_rate": (0.1, 0.2), "weight_decay": (0.0,)})
    [{'learning_rate': 0.1, 'weight_decay': 0.0}, {'learning_rate': 0.2, 'weight_decay': 0.0}]
    """
    return [dict(zip(ranges, values, strict=True)) for values in product(*ranges.values())]


def _try(features: Features, training: Answers, config: Config, setting: Setting, report: Report) -> Trial:
    try:
        fitted = fit(features, training, config.model_copy(update=setting))
    except Diverged as error:  # one learning rate that is too high must not end the search
        return Trial(None, None, str(error))
    score = fitted.history[fitted.best_epoch - 1].get("label_free")
    if score is None:
        raise ValueError(f"the held-out answers cannot judge a setting: {fitted.unjudged}")
    return Trial(fitted, score)


def _grid(work: Work[Setting, Trial], ranges: Ranges, engine: Engine, scores: Scores, shown: bool) -> Fitted:
    settings = all_settings(ranges)
    missing = {str(number): setting for number, setting in enumerate(settings) if setting not in scores}
    failed: dict[str, str] = {}
    diverged = "see the scores that were kept"
    fitted: dict[int, Fitted] = {}
    finished = engine.run(work, missing, Watch())
    for name, trial in track(finished, description="search", total=len(missing), disable=not shown):
        if isinstance(trial, Failed):
            failed[name] = trial.error
            continue
        scores.add(settings[int(name)], trial.score)
        if trial.fitted is None:
            diverged = trial.diverged
        elif scores.best(settings) == int(name):  # only the best network so far is kept
            fitted = {int(name): trial.fitted}
    if failed:
        name, error = next(iter(failed.items()))
        raise RuntimeError(
            f"{len(failed)} of {len(settings)} trials failed; the first one, {settings[int(name)]}: {error}"
        )
    best = scores.best(settings)
    if best is None:
        raise Diverged(f"every setting of the search diverged; the last one: {diverged}")
    # Of an interrupted search only the scores were kept: the best setting is trained again, with the same result.
    return fitted[best] if best in fitted else _fitted(work, settings[best], engine)


def _fitted(work: Work[Setting, Trial], setting: Setting, engine: Engine) -> Fitted:
    ((_, trial),) = engine.run(work, {"winner": setting}, Watch())
    if isinstance(trial, Failed) or trial.fitted is None:
        reason = trial.error if isinstance(trial, Failed) else trial.diverged
        raise RuntimeError(f"the best setting, {setting}, could not be trained again: {reason}")
    return trial.fitted


def _optuna(work: Work[Setting, Trial], ranges: Ranges, trials: int, seed: int, shown: bool) -> Fitted:
    try:
        import optuna
    except ImportError:
        raise ValueError("this search needs optuna: pip install 'oneof[search]'") from None

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    best: Fitted | None = None
    top, diverged = -math.inf, ""
    for _ in track(range(trials), description="search", disable=not shown):
        suggestion = study.ask()
        setting = {
            name: suggestion.suggest_float(name, min(values), max(values), log=True) for name, values in ranges.items()
        }
        ((_, trial),) = Local(1).run(work, {"trial": setting}, Watch())
        if isinstance(trial, Failed):
            raise RuntimeError(f"the trial with {setting} failed: {trial.error}")
        study.tell(suggestion, trial.score or 0.0)
        diverged = trial.diverged or diverged
        if trial.score is not None and trial.score > top:
            best, top = trial.fitted, trial.score
    if best is None:
        raise Diverged(f"every setting of the search diverged; the last one: {diverged}")
    return best
