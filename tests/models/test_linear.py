"""The linear network."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from oneof import Answers, models
from oneof.training import Config, Features, fit, predict_classes


def test_it_is_linear_in_items_of_any_shape():
    network = models.create("linear", (2, 3), classes=4)
    one, other = torch.randn(5, 2, 3), torch.randn(5, 2, 3)
    zero = network(torch.zeros(1, 2, 3))
    torch.testing.assert_close(network(one + other) - zero, network(one) + network(other) - 2 * zero)
    assert sum(parameter.numel() for parameter in network.parameters()) == 6 * 4 + 4


def test_exact_labels_make_it_logistic_regression():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=300)
    x = (rng.normal(size=(300, 5)) + 2 * np.eye(3, 5)[labels]).astype(np.float32)
    answers = Answers(np.eye(3, dtype=bool)[labels], np.ones(300, dtype=bool))
    config = Config(backbone="linear", holdout=0.0, epochs=40, learning_rate=0.1, weight_decay=0.0)
    fitted = fit(Features(x), answers, config)
    expected = LogisticRegression(C=np.inf, max_iter=1000).fit(x, labels).predict(x)
    assert (predict_classes(fitted.network, Features(x)) == expected).mean() > 0.98


def test_it_has_no_width():
    with pytest.raises(ValueError, match="has no width, but got 8"):
        models.create("linear", (3,), classes=2, width=8)
