"""A model for raw items: a classifier and the encoder of its items, in one folder. Loading it executes nothing."""

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneof import encoders
from oneof.answers import Answers
from oneof.classifier.estimator import OneOfClassifier, aligned
from oneof.classifier.files import load as load_classifier
from oneof.classifier.files import save as save_classifier
from oneof.encoders.base import Encoder
from oneof.encoders.pixels import Pixels
from oneof.encoders.reading import as_pictures
from oneof.evaluation import Estimate
from oneof.items.hashing import BYTES, among, content_hashes
from oneof.items.listed import PATH_COLUMNS
from oneof.items.loading import Items

TRAINED_ON = "trained-on.npy"


class Model:
    """A fitted classifier, which takes numbers, behind an encoder that makes them from raw items.

    encoder: None where items are numbers already. trained_on: `content_hashes` (`oneof.items.hashing`) of the items
    that the classifier was trained on, uint8 (n, 16).
    """

    def __init__(
        self, classifier: OneOfClassifier, encoder: Encoder | None = None, trained_on: NDArray[np.uint8] | None = None
    ) -> None:
        self.classifier = classifier
        self.encoder = encoder
        self.trained_on = np.zeros((0, BYTES), dtype=np.uint8) if trained_on is None else trained_on
        self.classes_ = classifier.classes_
        self.accuracy_ = classifier.accuracy_
        self.config_ = classifier.config_

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each item, (n,). X: as in `predict_proba`."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, (n, k).

        X: a list of texts; a list of paths of pictures, of PIL images or of arrays; an array of pictures or of numbers;
        or a data frame with a column `text`, `path`, or numbers. An item that cannot be read is an error that names it.
        """
        if self.encoder is not None and len(X) == 0:  # some encoders do not take an empty list
            return np.zeros((0, len(self.classes_)))
        return self.classifier.predict_proba(self._numbers(X))

    def accuracy_estimate(self, X: Any, answers: Answers, confidence: float = 0.95) -> Estimate:
        """Accuracy on items X by answers that were not trained on, without a label.

        answers: about rows of X, or about names in the index of a frame X.
        """
        return self.classifier.accuracy_estimate(self._numbers(X), aligned(answers, X), confidence)

    def take(self, items: Items, *, shown: bool = False) -> Items:
        """The items as numbers for `classifier`; items that cannot be read are left out, and named in `left_out`."""
        if items.kind == "numbers" and (self.encoder is None or np.ndim(items.x) < 3):
            return items
        if self.encoder is not None and items.kind not in ("numbers", self.encoder.takes):
            raise ValueError(f"the model was trained on {self.encoder.takes}, but the items are {items.kind}")
        if self.encoder is None and items.kind == "texts":
            raise ValueError("the model was trained on numbers, but the items are texts")
        found = self._picture_encoder().encode(items.x, shown=shown)
        return items.keep(found.x, found.rows, found.problems)

    def seen(self, items: Items) -> NDArray[np.bool_]:
        """Which of the (raw) items the model was trained on, bool (n,), by their content."""
        if not len(self.trained_on):  # no need to hash many items
            return np.zeros(len(items), dtype=np.bool_)
        return among(content_hashes(items.x), self.trained_on)

    def save(self, path: str | Path) -> None:
        """Write the model as a folder, whole or not at all."""

        def write_more(folder: Path) -> None:
            np.save(folder / TRAINED_ON, self.trained_on, allow_pickle=False)
            if self.encoder is not None:
                encoders.write(self.encoder, folder)

        save_classifier(self.classifier, Path(path), write_more)

    def _numbers(self, X: Any) -> Any:
        if isinstance(X, Items):
            return self.take(X).x
        if self.encoder is None:
            if isinstance(X, (list, tuple, np.ndarray)) and isinstance(next(iter(X), None), (str, PathLike)):
                raise ValueError(
                    "the model was trained on numbers, but the items are texts or paths; if it was trained on such "
                    "items, encoder.json is missing from its folder"
                )
            return X
        if hasattr(X, "columns") and self.encoder.takes == "pictures":
            column = next((name for name in PATH_COLUMNS if name in X), None)
            if column is None:
                raise ValueError(f"expected a column path, found {', '.join(map(str, X.columns))}")
            X = X[column]
        return self.encoder.transform(as_pictures(X) if self.encoder.takes == "pictures" else X)

    def _picture_encoder(self) -> Encoder:
        if self.encoder is not None:
            return self.encoder
        if len(self.classifier.shape_) != 3:
            raise ValueError("the model was trained on numbers, but the items are pictures")
        channels, height, width = self.classifier.shape_
        return Pixels().framed(height, width, grey=channels == 1)


def load(folder: str | Path) -> Model:
    """The model in a folder that `oneof train` wrote, ready for raw items.

    >>> import oneof
    >>> from tempfile import mkdtemp
    >>> from pathlib import Path
    >>> X = np.repeat([[0.0], [1.0]], 100, axis=0)
    >>> classifier = OneOfClassifier(epochs=5, random_state=0).fit(X, np.repeat(["no", "yes"], 100))
    >>> folder = Path(mkdtemp()) / "model"
    >>> Model(classifier).save(folder)
    >>> load(folder).classes_
    array(['no', 'yes'], dtype='<U3')
    """
    path = Path(folder)
    classifier = load_classifier(path)
    encoder = encoders.read(path)
    trained_on = None
    if (path / TRAINED_ON).is_file():
        try:
            trained_on = np.load(path / TRAINED_ON, allow_pickle=False).reshape(-1, BYTES).astype(np.uint8)
        except (ValueError, EOFError) as error:
            raise ValueError(f"{path / TRAINED_ON}: not the items of this model: {error}") from None
    return Model(classifier, encoder, trained_on)
