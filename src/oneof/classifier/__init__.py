"""A model to use: the scikit-learn estimator and its folder."""

from oneof.classifier.estimator import OneOfClassifier, label_free_scorer

__all__ = ["OneOfClassifier", "label_free_scorer"]
