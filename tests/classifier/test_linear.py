"""The solved linear layer."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import check_grad

from oneof import Answers, UniformQueries, respond
from oneof.classifier.linear import LinearClassifier, evidence, solve


def blobs(n, classes=6, d=40, seed=0, flip=0.0):
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(0, 1, (classes, d))
    labels = rng.integers(0, classes, n)
    x = (centres[labels] + rng.normal(0, 1.5, (n, d))).astype(np.float32)
    subsets = UniformQueries(classes, classes // 2).draw(n, rng=seed + 100)
    return x, labels, Answers(subsets, respond(subsets, labels, flip_yes=flip, flip_no=flip, rng=seed + 200))


@pytest.mark.parametrize("sparse", [False, True])
def test_few_answers_are_enough(sparse):
    x, _, answers = blobs(600)
    test, truth, _ = blobs(2000, seed=1)
    found = solve(sp.csr_matrix(x) if sparse else x, answers)
    right = found.predict_proba(sp.csr_matrix(test) if sparse else test).argmax(axis=1) == truth
    assert right.mean() > 0.9
    assert found.rows.tolist() == list(range(600)), "each item was held out once"
    np.testing.assert_allclose(found.held_out.sum(axis=1), 1, rtol=1e-6)


def test_evidence_is_the_likelihood_of_all_answers_about_an_item():
    subsets = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 0]], dtype=bool)
    answers = Answers(subsets, [True, False, True], items=[4, 4, 2], flip_yes=[0.1, 0.2, 0.0], flip_no=[0.3, 0.0, 0.0])
    rows, log_likelihoods = evidence(answers)
    assert rows.tolist() == [2, 4]
    np.testing.assert_allclose(np.exp(log_likelihoods), [[1, 0, 0], [0.9 * 1.0, 0.9 * 0.2, 0.3 * 0.2]], atol=1e-12)


def test_the_gradient_is_that_of_the_risk(monkeypatch):
    from oneof.classifier import linear

    seen = {}

    def keep(risk, start, **_):
        seen["risk"] = risk
        return type("Found", (), {"x": start})

    monkeypatch.setattr(linear, "minimize", keep)
    x, _, answers = blobs(50, classes=3, d=4)
    _, log_likelihoods = evidence(answers)
    point = np.random.default_rng(0).normal(0, 0.3, 15)
    for start in (None, np.zeros((5, 3))):
        linear._minimise(x.astype(np.float64), log_likelihoods, 0.1, start)
        assert check_grad(lambda w: seen["risk"](w)[0], lambda w: seen["risk"](w)[1], point, epsilon=1e-3) < 1e-2


def test_an_estimator_for_noisy_answers():
    from oneof.noise import fit_with_noise

    x, labels, answers = blobs(900, flip=0.15)
    found = fit_with_noise(LinearClassifier(), x, answers, rounds=1)
    assert abs(found.rates.flip_yes[0] - 0.15) < 0.08
    assert (found.estimator.predict_proba(x).argmax(axis=1) == labels).mean() > 0.85


def test_a_given_penalty_is_taken_and_nothing_is_held_out():
    x, _, answers = blobs(300)
    found = solve(x, answers)
    again = solve(x, answers, penalty=found.penalty / x.shape[1])
    np.testing.assert_allclose(again.weights, found.weights, atol=1e-3)
    assert len(again.rows) == 0
    assert LinearClassifier(penalty=1.0).fit(x, answers).predict_proba(x).max() < 0.5, "a strong one flattens"
