"""Networks chosen by held-out answers."""

import numpy as np
import pytest

from oneof import Answers, UniformQueries, respond
from oneof.classifier import choosing_networks
from oneof.classifier.choosing_encoders import choose_encoder
from oneof.classifier.choosing_networks import fit_chosen
from oneof.training import Config


def test_encoded_items_get_a_linear_layer(texts):
    items, answers = texts(300)
    chosen = choose_encoder(items, answers, "words")
    fitted = fit_chosen(chosen.items.x, chosen.items.align(answers), Config(seed=0), encoded=True)
    assert fitted.config.backbone == "linear"
    assert fitted.accuracy.n == 30
    assert fitted.accuracy.value > 0.8
    kept = fit_chosen(chosen.items.x, chosen.items.align(answers), Config(seed=0), held_out=np.arange(100))
    assert kept.accuracy.n == 100


def test_settings_that_are_given_are_followed(texts):
    items, answers = texts(80)
    x = choose_encoder(items, answers, "words").items
    fitted = fit_chosen(x.x, x.align(answers), Config(backbone="mlp", epochs=2, width=8), encoded=True)
    assert (fitted.config.backbone, len(fitted.history)) == ("mlp", 2)
    assert fit_chosen(x.x, x.align(answers), Config(epochs=2), encoded=True).config.backbone == "linear"


def rings(n, seed=0):
    """Four classes by sign and distance, which no linear layer tells apart."""
    x = np.random.default_rng(seed).normal(0, 1, (n, 2)).astype(np.float32)
    labels = ((x[:, 0] > 0) ^ (x[:, 1] > 0)).astype(int) + 2 * (np.hypot(*x.T) > 1.6)
    subsets = UniformQueries(4, 2).draw(n, rng=seed + 1)
    return x, labels, Answers(subsets, respond(subsets, labels))


def clouds(n, seed=0):
    """Three classes far apart in three of thirty directions."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    x = rng.normal(0, 1, (n, 30)).astype(np.float32)
    x[np.arange(n), labels] += 3
    subsets = UniformQueries(3, 1).draw(n, rng=seed + 1)
    return x, labels, Answers(subsets, respond(subsets, labels))


def test_hidden_layers_where_held_out_answers_like_them_better():
    x, _, answers = rings(300)
    fitted = fit_chosen(x, answers, Config(seed=0))
    assert fitted.config.backbone == "mlp"
    linear, hidden = fitted.choice
    assert (linear["network"], linear["chosen"], hidden["network"], hidden["chosen"]) == ("linear", False, "mlp", True)
    assert hidden["log_likelihood"] > linear["log_likelihood"]
    assert fitted.accuracy.n == 30  # what judges had no part in the choice, and a tenth was held out once


def test_a_linear_layer_where_held_out_answers_like_it_better(capsys):
    x, _, answers = clouds(100)
    heard = []
    fitted = fit_chosen(x, answers, Config(seed=0), callbacks=[heard.append], shown=True)
    assert fitted.config.backbone == "linear"
    assert [row["chosen"] for row in fitted.choice] == [True, False]
    assert heard == fitted.history
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("* linear ")
    assert shown[1].startswith("  mlp ")
    assert fit_chosen(x, answers, Config(seed=0)).choice == fitted.choice


def test_what_judges_has_no_part_in_the_choice(monkeypatch):
    seen = []
    real = choosing_networks.solve

    def watched(x, answers, *others, **more):
        seen.append(set(answers.items.tolist()))
        return real(x, answers, *others, **more)

    monkeypatch.setattr(choosing_networks, "solve", watched)
    x, _, answers = clouds(60)
    fitted = fit_chosen(x, answers, Config(seed=0), held_out=np.arange(10))
    assert fitted.accuracy.n == 10
    assert len(seen) > 1
    assert not set.union(*seen) & set(range(10))


def test_encoded_items_get_hidden_layers_only_where_there_are_many_answers(monkeypatch):
    x, _, answers = rings(200)
    few = fit_chosen(x, answers, Config(seed=0), encoded=True)
    assert few.config.backbone == "linear"
    assert "fewer than 5000" in few.choice[0]["why"]
    monkeypatch.setattr(choosing_networks, "ENOUGH_FOR_HIDDEN_LAYERS", 100)
    assert fit_chosen(x, answers, Config(seed=0), encoded=True).config.backbone == "mlp"


def test_too_many_numbers_to_solve_get_hidden_layers_at_once(monkeypatch):
    monkeypatch.setattr(choosing_networks, "MOST_NUMBERS", 1000)
    x, _, answers = clouds(60)
    fitted = fit_chosen(x, answers, Config(seed=0))
    assert fitted.config.backbone == "mlp"
    assert "too many" in fitted.choice[0]["why"]


def test_a_handful_of_answers_skips_and_labels_train_too():
    x, _, answers = clouds(12)
    fitted = fit_chosen(x, answers, Config(seed=0, holdout=0.0))
    assert fitted.config.backbone == "linear"
    assert "too few" in fitted.choice[0]["why"]
    skipped = np.arange(12) < 3
    some = Answers(answers.subsets, np.where(skipped, False, answers.responses), skipped=skipped)
    left = fit_chosen(x, some, Config(seed=0, holdout=0.0))
    without = fit_chosen(x, answers[3:], Config(seed=0, holdout=0.0))
    for one, other in zip(left.network.parameters(), without.network.parameters(), strict=True):
        np.testing.assert_allclose(one.detach(), other.detach(), atol=1e-6)


def test_temperature_does_not_decide():
    """Logits that are twice too large are as good as the others, once both are scaled."""
    truth = np.eye(3, dtype=bool)[np.arange(90) % 3]
    logits = np.random.default_rng(0).normal(0, 1, (90, 3)) + truth
    log_likelihoods = np.where(truth, 0.0, -np.inf)
    once, twice = (choosing_networks._scaled_log_likelihood(scale * logits, log_likelihoods).mean() for scale in (1, 2))
    np.testing.assert_allclose(once, twice, atol=1e-4)


def test_contradictions_are_refused():
    subsets = np.array([[True, False], [True, False]])
    with pytest.raises(ValueError, match="contradict each other"):
        fit_chosen(np.zeros((1, 2), np.float32), Answers(subsets, [True, False], items=[0, 0]), Config(holdout=0.0))
