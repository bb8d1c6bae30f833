"""Learning rate and weight decay, chosen by held-out answers alone."""

from collections.abc import Generator
from itertools import product

from rich.progress import track

from oneof.answers import Answers
from oneof.evaluation import estimate_accuracy
from oneof.training.config import Config
from oneof.training.data import Features
from oneof.training.fit import Fitted, fit, predict_asked, split
from oneof.training.loop import Diverged

LEARNING_RATES = (1e-5, 1e-4, 1e-3, 5e-2, 1e-2, 1e-1, 2e-1)
WEIGHT_DECAYS = (1e-5, 1e-4, 1e-3)
"""The paper's grids (Section V)."""

Settings = Generator[dict[str, float], float, None]
"""Settings to try one after the other; each is answered by how well the one before did."""


def search_settings(
    features: Features,
    answers: Answers,
    config: Config,
    *,
    how: str = "grid",
    trials: int = 20,
    grid: dict[str, tuple[float, ...]] | None = None,
    shown: bool = False,
) -> Fitted:
    """Train once with each setting and keep the one that held-out answers like best.

    how: "grid" (the paper's, or `grid`), or "optuna" with this many trials over the same ranges. The answers that
    choose are not the ones that judge: those are put aside first, so the winner's accuracy is not too good.
    """
    training, judging = split(answers, config.holdout, config.seed + 1)
    if not len(judging) or not len(split(training, config.holdout, config.seed)[1]):
        raise ValueError(
            f"a search needs held-out answers: {len(answers)} answers with holdout {config.holdout:g} "
            "leave none to choose or to judge by"
        )
    ranges = grid or {"learning_rate": LEARNING_RATES, "weight_decay": WEIGHT_DECAYS}
    if how == "grid":
        settings = _grid(ranges)
    elif how == "optuna":
        settings = _optuna(ranges, trials, config.seed)
    else:
        raise ValueError(f"unknown search {how!r}, expected grid or optuna")
    best: Fitted | None = None
    failure: Diverged | None = None
    score = None
    total = trials if how == "optuna" else len(list(product(*ranges.values())))
    for _ in track(range(total), description="search", disable=not shown):
        setting = settings.send(score) if score is not None else next(settings)
        try:
            fitted = fit(features, training, config.model_copy(update=setting))
        except Diverged as error:  # a rate that is too high loses; it does not end the search
            score, failure = 0.0, error
            continue
        score = fitted.history[fitted.best_epoch - 1]["label_free"]
        if best is None or score > best.history[best.best_epoch - 1]["label_free"]:
            best = fitted
    if best is None:
        raise Diverged(f"every setting of the search diverged; the last one: {failure}")
    accuracy = estimate_accuracy(predict_asked(best.network, features, judging), judging)
    return Fitted(best.network, best.config, best.history, best.best_epoch, accuracy)


def _grid(ranges: dict[str, tuple[float, ...]]) -> Settings:
    for values in product(*ranges.values()):
        yield dict(zip(ranges, values, strict=True))


def _optuna(ranges: dict[str, tuple[float, ...]], trials: int, seed: int) -> Settings:
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
