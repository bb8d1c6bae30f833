"""Flip rates from the answers themselves."""

import numpy as np

from oneof import Answers, UniformQueries, respond
from oneof.classifier.noisy import describe_flips, estimate_flips
from oneof.training import Config


def test_an_unreliable_annotator_is_found():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 900)
    x = (np.eye(4)[labels] * 4 + rng.normal(0, 1, (900, 4))).astype(np.float32)
    careless = np.arange(900) % 3 == 0
    rates = np.where(careless, 0.4, 0.02)
    subsets = UniformQueries(4, 2).draw(900, rng=1)
    responses = respond(subsets, labels) ^ (rng.random(900) < rates)
    answers = Answers(subsets, responses, annotators=np.where(careless, "bob", "ann").tolist())
    rated, found = estimate_flips(x, answers, Config(seed=0))
    text = describe_flips(found)
    assert text.splitlines()[0].startswith("bob: flips ")
    assert text.splitlines()[0].endswith("unreliable, these answers say little")
    assert "unreliable" not in text.splitlines()[1]
    assert rated.flip_yes[careless].mean() > rated.flip_yes[~careless].mean() + 0.2
