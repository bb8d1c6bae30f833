"""Texts as the weights of their words and of short runs of characters, fitted to the texts at hand (tf-idf).

Runs of characters serve languages that do not put spaces between words, endings, and misspelt words.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from oneof.encoders.base import Encoded, Encoder, State
from oneof.encoders.reading import as_texts

PARTS: dict[str, dict[str, Any]] = {
    "words": {"ngram_range": (1, 2)},
    "characters": {"analyzer": "char_wb", "ngram_range": (2, 5)},
}


class Words(Encoder):
    """A sparse row of weights for each text, of unit length in words and in characters.

    most: of words, and of runs of characters, at most this many features are taken, the commonest first.

    >>> encoder = Words().fit(["a red fox", "a blue bird", "a blue whale"])
    >>> rows = encoder.transform(["blue bird", "早上好"])
    >>> rows[0].nnz > 0, rows[1].nnz
    (True, 0)
    """

    name: str = "words"
    takes: str = "texts"
    vectorizers_: dict[str, TfidfVectorizer]

    def __init__(self, most: int = 20_000) -> None:
        self.most = most

    def fit(self, X: Any, y: Any = None) -> "Words":
        """Learn which words and runs of characters there are, and how rare each is."""
        texts = as_texts(X)
        self.vectorizers_ = {}
        for name in PARTS:
            vectorizer = self._vectorizer(name, min_df=2 if len(texts) >= 100 else 1)
            try:
                self.vectorizers_[name] = vectorizer.fit(texts)
            except ValueError:  # there are none in these texts, such as words in texts of punctuation alone
                continue
        if not self.vectorizers_:
            raise ValueError(f"there are no words in the {len(texts)} texts")
        return self

    def encode(self, X: Any, *, shown: bool = False) -> Encoded:
        """A sparse float32 matrix (n, d)."""
        texts = as_texts(X)
        parts = [vectorizer.transform(texts) for vectorizer in self.vectorizers_.values()]
        x = sp.hstack(parts, format="csr", dtype=np.float32)
        return Encoded(x, np.arange(len(texts)), {})

    def state(self) -> State:
        """The vocabularies, and how rare each entry is."""
        vocabularies = {
            name: sorted(vectorizer.vocabulary_, key=vectorizer.vocabulary_.__getitem__)
            for name, vectorizer in self.vectorizers_.items()
        }
        return vocabularies, {name: np.asarray(one.idf_, np.float64) for name, one in self.vectorizers_.items()}

    def restore(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> "Words":
        """This encoder with the vocabularies of another."""
        self.vectorizers_ = {}
        for name, vocabulary in facts.items():
            vectorizer = self._vectorizer(name, vocabulary={entry: column for column, entry in enumerate(vocabulary)})
            vectorizer.idf_ = arrays[name]
            self.vectorizers_[name] = vectorizer
        return self

    def _vectorizer(self, name: str, **more: Any) -> TfidfVectorizer:
        return TfidfVectorizer(max_features=self.most, sublinear_tf=True, dtype=np.float32, **PARTS[name], **more)
