"""A model that one can use: from raw items to classes, in one folder, with nothing in it that is executed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oneof import encoders
from oneof.answers import Answers
from oneof.classifier.estimator import OneOfClassifier
from oneof.classifier.files import load as load_classifier
from oneof.classifier.files import save as save_classifier
from oneof.encoders.base import Encoder
from oneof.encoders.pixels import Pixels
from oneof.encoders.reading import as_pictures
from oneof.evaluation import Estimate
from oneof.items.hashing import BYTES, among, content_hashes
from oneof.items.loading import PATH_COLUMNS, Items

TRAINED_ON = "trained-on.npy"


class Model:
    """A fitted classifier behind the encoder of its items.

    classifier: takes numbers. encoder: makes them from raw items; None where items are numbers already. trained_on:
    what `oneof.items.hashing.content_hashes` gives for the items it learned from, uint8 (n, 16).
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
        if self.encoder is not None and len(X) == 0:  # which some encoders cannot be asked about
            return np.zeros((0, len(self.classes_)))
        return self.classifier.predict_proba(self._numbers(X))

    def accuracy_estimate(self, X: Any, answers: Answers, confidence: float = 0.95) -> Estimate:
        """Accuracy on items X by answers that were not trained on, without a label."""
        return self.classifier.accuracy_estimate(self._numbers(X), answers, confidence)

    def take(self, items: Items, *, shown: bool = False) -> Items:
        """The items as numbers for `classifier`; what cannot be read is left out and named."""
        if items.kind == "numbers" and (self.encoder is None or np.ndim(items.x) < 3):
            return items
        if self.encoder is not None and items.kind not in ("numbers", self.encoder.takes):
            raise ValueError(f"the model was trained on {self.encoder.takes}, but the items are {items.kind}")
        if self.encoder is None and items.kind == "texts":
            raise ValueError("the model was trained on numbers, but the items are texts")
        found = self._for_pictures().encode(items.x, shown=shown)
        return items.keep(found.x, found.rows, found.problems)

    def predict_parts(self, items: Items, *, shown: bool = False) -> Iterator[tuple[NDArray[Any], NDArray[np.float64]]]:
        """Ids and probabilities, some items at a time; see `take` for those that cannot be read."""
        taken = self.take(items, shown=shown)
        for rows, chances in self.classifier.predict_parts(taken.x):
            yield np.asarray(taken.ids[rows]).astype(str), chances

    def seen(self, items: Items) -> NDArray[np.bool_]:
        """Which of the (raw) items the model was trained on, bool (n,), whatever they are called."""
        if not len(self.trained_on):  # nothing is known, and hashing many items would take its time
            return np.zeros(len(items), dtype=np.bool_)
        return among(content_hashes(items.x), self.trained_on)

    def save(self, path: str | Path) -> None:
        """Write the model as a folder, whole or not at all."""

        def more(folder: Path) -> None:
            np.save(folder / TRAINED_ON, self.trained_on, allow_pickle=False)
            if self.encoder is not None:
                encoders.write(self.encoder, folder)

        save_classifier(self.classifier, Path(path), more)

    def _numbers(self, X: Any) -> Any:
        if self.encoder is None and not isinstance(X, Items):
            return X
        if isinstance(X, Items):
            return self.take(X).x
        assert self.encoder is not None
        if hasattr(X, "columns") and self.encoder.takes == "pictures":
            column = next((name for name in PATH_COLUMNS if name in X), None)
            if column is None:
                raise ValueError(f"expected a column path, found {', '.join(map(str, X.columns))}")
            X = X[column]
        return self.encoder.transform(as_pictures(X) if self.encoder.takes == "pictures" else X)

    def _for_pictures(self) -> Encoder:
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
