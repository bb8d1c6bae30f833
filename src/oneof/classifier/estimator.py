"""OneOfClassifier: a scikit-learn estimator that learns from answers."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data
from torch import nn

from oneof.answers import Answers
from oneof.classifier.choosing_networks import fit_chosen
from oneof.evaluation import Estimate, clopper_pearson, estimate_accuracy
from oneof.objectives.base import Objective
from oneof.objectives.likelihood import Likelihood
from oneof.objectives.losses import Loss
from oneof.queries.moment import Queries
from oneof.training import Config, Features, Fitted, predict_classes, predict_logits
from oneof.training.callbacks import Callback

_SETTINGS = tuple(name for name in Config.model_fields if name not in ("backbone", "seed"))
"""The parameters that are settings of a training run, under the same names; the seed is `random_state`."""


class OneOfClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Learn a classifier from yes/no answers to "is it one of these?".

    Every setting of `oneof.training.Config` is a parameter under its name, with the same default; `oneof train --help`
    explains each. None stands for what the recipe and the data suggest. objective: a name, or an `Objective` of your
    own; loss: a name, or a function of the logits. backbone: a name, or an `nn.Module` of your own, of which a copy is
    trained and sees standardised items; "auto" takes a CNN for pictures, and for rows of numbers, where no other
    setting of training is given, a linear layer or hidden layers, whichever makes held-out answers likelier: `choice_`
    has the figures. holdout: the share of the items whose answers do not train but judge. queries: the law of the
    questions where it is not uniform. callbacks: functions that are called after each epoch with its figures, see
    `oneof.training.callbacks`. random_state: the seed.

    >>> from sklearn.datasets import load_digits
    >>> import oneof
    >>> X, labels = load_digits(return_X_y=True)
    >>> subsets = oneof.UniformQueries(classes=10, size=3).draw(len(X), rng=0)
    >>> answers = oneof.Answers(subsets, oneof.respond(subsets, labels))
    >>> model = OneOfClassifier(epochs=30, random_state=0).fit(X, answers)
    >>> bool(model.accuracy_.low < 0.97 <= model.accuracy_.high)
    True
    """

    def __init__(
        self,
        objective: str | Objective = "likelihood",
        *,
        loss: str | Loss | None = None,
        weights: str | None = None,
        options: dict[str, Any] | None = None,
        recipe: str = "fast",
        backbone: str | nn.Module = "auto",
        width: int | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        optimizer: str | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        schedule: str | None = None,
        step_size: int = 30,
        gamma: float = 0.5,
        augment: str | None = None,
        views: str = "none",
        average: float = 0.0,
        precision: str = "32",
        device: str = "auto",
        accumulate: int = 1,
        holdout: float = 0.1,
        selection: str | None = None,
        queries: Queries | None = None,
        callbacks: Sequence[Callback] | None = None,
        random_state: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.objective = objective
        self.loss = loss
        self.weights = weights
        self.options = options
        self.recipe = recipe
        self.backbone = backbone
        self.width = width
        self.epochs = epochs
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.step_size = step_size
        self.gamma = gamma
        self.augment = augment
        self.views = views
        self.average = average
        self.precision = precision
        self.device = device
        self.accumulate = accumulate
        self.holdout = holdout
        self.selection = selection
        self.queries = queries
        self.callbacks = callbacks
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Answers | ArrayLike, held_out: ArrayLike | None = None) -> "OneOfClassifier":
        """Train on items X and answers y.

        X: images (n, h, w), (n, c, h, w) or (n, h, w, c); tables or sparse matrices (n, d); tensors and frames too.
        y: `Answers`, about rows of X or about names in the index of a frame X; or a signed array (n, k) as
        `Answers.signed` gives, one answer per item; or, for comparison with full supervision, exact labels (n,), each
        of which counts as a yes to a question about itself alone.
        held_out: the rows of X that were put aside to judge before any question was chosen by a model, in place of a
        random share of them.
        """
        features = self._features(X, reset=True)
        answers, exact = self._answers(y, X, len(features))
        if answers.classes < 2:
            raise ValueError(f"OneOfClassifier needs at least 2 classes, found {answers.classes} class")
        if exact and not (self.objective == "likelihood" or isinstance(self.objective, Likelihood)):
            raise ValueError(f"exact labels train with the likelihood, not with {self.objective!r}")
        # A copy, so that fitting again starts from the same weights, and the module that was passed stays as it is.
        backbone = deepcopy(self.backbone) if isinstance(self.backbone, nn.Module) else None
        fitted = fit_chosen(
            features,
            answers,
            self._config(),
            backbone=backbone,
            queries=self.queries,
            held_out=held_out,
            judgement=_exact_accuracy if exact else None,
            callbacks=self.callbacks or (),
            shown=self.verbose,
        )
        if fitted.accuracy is None and self.holdout:
            warnings.warn(f"the model was not judged: {fitted.unjudged}", UserWarning, stacklevel=2)
        return self._adopt(fitted, features.shape)

    @classmethod
    def from_fitted(
        cls, fitted: Fitted, classes: Iterable[Any], shape: tuple[int, ...], backbone: nn.Module | None = None
    ) -> "OneOfClassifier":
        """A fitted classifier around a network that was trained elsewhere. shape: of one item."""
        settings = dict(fitted.config)
        seed = settings.pop("seed")
        model = cls(**settings | ({} if backbone is None else {"backbone": backbone}), random_state=seed)
        model.classes_ = np.asarray(list(classes))
        model.n_features_in_ = int(np.prod(shape))
        return model._adopt(fitted, shape)

    def _adopt(self, fitted: Fitted, shape: tuple[int, ...]) -> "OneOfClassifier":
        self.network_ = fitted.network
        self.config_ = fitted.config
        self.history_ = fitted.history
        self.best_epoch_ = fitted.best_epoch
        self.n_iter_ = len(fitted.history)
        self.accuracy_ = fitted.accuracy
        self.choice_ = fitted.choice
        self.shape_ = shape
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Logits, (n, k); for two classes their difference, (n,)."""
        logits = self._logits(X).double().numpy()
        return np.asarray(logits[:, 1] - logits[:, 0] if logits.shape[1] == 2 else logits)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, (n, k)."""
        return torch.softmax(self._logits(X).double(), dim=1).numpy()

    def predict_parts(self, X: Any, size: int = 1 << 16) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """As `predict_proba`, `size` rows at a time: which rows, and their probabilities. No items: one empty part."""
        check_is_fitted(self, "network_")
        features = self._features(X)
        for start in range(0, max(1, len(features)), size):
            rows = np.arange(start, min(start + size, len(features)))
            logits = predict_logits(self.network_, features, rows)
            yield slice(start, start + len(rows)), torch.softmax(logits.double(), dim=1).numpy()

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each item, (n,): an entry of `classes_`."""
        numbers = self._class_numbers(X)  # first, as this refuses where there is no fit yet
        return np.asarray(self.classes_[numbers])

    def accuracy_estimate(
        self,
        X: Any,
        answers: Answers | ArrayLike,
        confidence: float = 0.95,
        *,
        anytime: bool = False,
        trained_on: ArrayLike | None = None,
    ) -> Estimate:
        """Accuracy on items X by answers that were not trained on, without a label.

        answers: about items X, as `y` in `fit`. anytime: an interval that stays true if you look again after every few
        answers. trained_on: rows of X that the model was trained on; they do not judge.
        """
        judging = aligned(answers, X) if isinstance(answers, Answers) else Answers.from_signed(answers)
        check_is_fitted(self, "network_")
        _refuse_other_classes(self.classes_, judging)
        predictions = self._class_numbers(X)
        return estimate_accuracy(
            predictions, judging, confidence, queries=self.queries, anytime=anytime, trained_on=trained_on
        )

    def score(self, X: Any, y: Answers | ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Label-free accuracy where y are answers (or signed), ordinary accuracy where y are labels."""
        if isinstance(y, Answers) or np.asarray(y).ndim == 2:
            return self.accuracy_estimate(X, y).value
        return float(super().score(X, y, sample_weight))

    def save(self, path: str | Path) -> None:
        """Write the model as a folder: weights (safetensors) and a JSON of everything else."""
        from oneof.classifier.files import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, backbone: nn.Module | None = None) -> "OneOfClassifier":
        """Read a model that `save` wrote; nothing in it is executed. backbone: your own module, if it was one."""
        from oneof.classifier.files import load

        return load(Path(path), backbone)

    def _config(self) -> Config:
        seed = np.random.default_rng().integers(2**31) if self.random_state is None else self.random_state
        if isinstance(seed, np.random.RandomState):
            seed = seed.randint(2**31)
        given = {name: getattr(self, name) for name in _SETTINGS}
        backbone = self.backbone if isinstance(self.backbone, str) else "auto"
        return Config.read(None, **given, backbone=backbone, seed=int(seed))

    def _features(self, X: Any, reset: bool = False) -> Features:
        # scikit-learn's check may copy an array, and then a memory-mapped one would not stay on disk.
        if isinstance(X, (torch.Tensor, np.memmap)) or (isinstance(X, np.ndarray) and X.ndim > 2):
            features = Features(X)
            features.check_finite()
        else:
            # This also compares the names of columns, and their order, with those that the model was fitted on.
            table = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=[np.float32, np.uint8])
            features = Features(table)
        if reset:
            self.n_features_in_ = int(np.prod(features.shape))
        elif features.shape != self.shape_:
            raise ValueError(
                f"X has {int(np.prod(features.shape))} features, but OneOfClassifier is expecting "
                f"{self.n_features_in_} features as input (items of shape {self.shape_}, not {features.shape})"
            )
        return features

    def _answers(self, y: Any, X: Any, items: int) -> tuple[Answers, bool]:
        """The answers, and whether they are exact labels in disguise; sets `classes_`."""
        if y is None:
            raise ValueError("This OneOfClassifier estimator requires y to be passed, but the target y is None")
        if not isinstance(y, Answers):
            y = np.asarray(y)
        if isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] > 1:
            y = Answers.from_signed(y)
            if len(y) != items:
                raise ValueError(f"{items} items but {len(y)} rows of y: one signed row per item is expected")
        if isinstance(y, Answers):
            y = aligned(y, X)
            self.classes_ = np.asarray(y.class_names if y.class_names else np.arange(y.classes))
            return y, False
        labels = column_or_1d(y, warn=True)
        if len(labels) != items:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[items, len(labels)]}")
        if labels.dtype.kind == "f":
            assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"OneOfClassifier needs at least 2 classes, found {len(self.classes_)} class")
        return Answers(np.eye(len(self.classes_), dtype=np.bool_)[numbers], np.ones(items, dtype=np.bool_)), True

    def _logits(self, X: Any) -> torch.Tensor:
        check_is_fitted(self, "network_")
        return predict_logits(self.network_, self._features(X))

    def _class_numbers(self, X: Any) -> NDArray[np.int64]:
        check_is_fitted(self, "network_")
        return predict_classes(self.network_, self._features(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def label_free_scorer(estimator: Any, X: Any, y: Answers | ArrayLike) -> float:
    """Accuracy by answers, for `cross_val_score` and `GridSearchCV`, where the estimator may be a Pipeline.

    >>> from sklearn.model_selection import GridSearchCV
    >>> search = GridSearchCV(OneOfClassifier(), {"learning_rate": [1e-3, 4e-3]}, scoring=label_free_scorer)
    """
    answers = aligned(y, X) if isinstance(y, Answers) else Answers.from_signed(y)
    _refuse_other_classes(estimator.classes_, answers)
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    place = {name: number for number, name in enumerate(np.asarray(estimator.classes_).tolist())}
    predictions = np.array([place[name] for name in np.asarray(estimator.predict(X)).tolist()])
    return estimate_accuracy(predictions, answers, queries=getattr(last, "queries", None)).value


def aligned(answers: Answers, X: Any) -> Answers:
    """The answers with `items` pointing at rows of X; names of items are looked up in the index of a frame X.

    Numbers of items count the rows from 0. A warning says so where the index of X has other whole numbers, which the
    answers might mean, unless answer i is simply about row i.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": [1.0, 2.0]}, index=["a", "b"])
    >>> aligned(Answers([[True, False]], [True], item_names=["b"]), frame).items
    array([1])
    """
    index = np.asarray(X.index) if hasattr(X, "columns") and hasattr(X, "index") else None
    if answers.item_names is None:
        if index is not None and index.dtype.kind in "iu" and not _counts_up(index) and not _counts_up(answers.items):
            warnings.warn(
                "the answers are about rows of X, counted from 0, but its index has other whole numbers: if those are "
                "meant, pass answers.align(X.index), and if not, X.reset_index(drop=True)",
                UserWarning,
                stacklevel=3,
            )
        return answers
    if index is not None:
        return answers.align(index)
    raise ValueError(
        f"the answers name their items, such as {answers.item_names[0]!r}, but X has no names: pass a DataFrame whose "
        "index holds them, or say which row is which with answers.align(ids)"
    )


def _counts_up(numbers: NDArray[np.int64]) -> bool:
    return np.array_equal(numbers, np.arange(len(numbers)))


def _refuse_other_classes(known: ArrayLike, answers: Answers) -> None:
    """Raise unless the answers are about as many classes as the model knows, under the same names if they have any."""
    names = np.asarray(known)
    if answers.classes != len(names):
        raise ValueError(f"the model knows {len(names)} classes, but the answers are about {answers.classes}")
    if answers.class_names is not None and list(answers.class_names) != names.astype(str).tolist():
        raise ValueError(
            f"the model knows the classes {', '.join(names.astype(str))}, but the answers are about "
            f"{', '.join(answers.class_names)}"
        )


def _exact_accuracy(predictions: NDArray[np.int64], answers: Answers) -> Estimate:
    """Ordinary accuracy with its Clopper-Pearson interval, where each answer names the label itself."""
    hits = answers.contains(predictions[answers.items])
    low, high = clopper_pearson(int(hits.sum()), len(hits), confidence=0.95)
    return Estimate(float(hits.mean()), float(low), float(high), len(hits))
