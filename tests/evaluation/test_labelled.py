import numpy as np

from oneof.evaluation import metrics


def test_metrics() -> None:
    found = metrics([0, 1, 1, 2], [0, 1, 2, 2], classes=4)
    assert found["accuracy"] == 0.75
    assert found["per_class_accuracy"][:3].tolist() == [1.0, 0.5, 1.0]
    assert np.isnan(found["per_class_accuracy"][3])
    assert found["confusion"].tolist() == [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
