"""OneOfClassifier: a scikit-learn estimator, from every kind of items and answers."""

import pickle
from contextlib import suppress
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from torch import nn

from oneof import Answers, OneOfClassifier, UniformQueries, WeightedQueries, losses, objectives, respond
from oneof.classifier import label_free_scorer
from oneof.training import Config

MAY_FAIL = {
    "check_methods_subset_invariance": "float32 sums differ in the last digits with the size of a batch (about 2e-7)",
}
QUICK = {"epochs": 8, "width": 32, "random_state": 0}


@parametrize_with_checks([OneOfClassifier(epochs=20, width=16, learning_rate=1e-2, random_state=0)])
def test_scikit_learn_agrees(estimator, check):
    # SkipTest is raised by scikit-learn where a check is for another environment, which is no failure of ours.
    may_fail = getattr(check, "func", check).__name__ in MAY_FAIL
    with suppress(SkipTest, AssertionError) if may_fail else suppress(SkipTest):
        check(estimator)


@pytest.fixture(scope="module")
def digits():
    images, labels = load_digits(return_X_y=True)
    subsets = UniformQueries(10, 3).draw(len(labels), rng=0)
    return images.astype(np.float32), labels, Answers(subsets, respond(subsets, labels))


@pytest.fixture(scope="module")
def fitted(digits):
    images, _, answers = digits
    return OneOfClassifier(**QUICK).fit(images[:1300], answers[:1300])


@pytest.mark.parametrize(
    ("size", "objective", "loss", "wanted"),
    [(3, "likelihood", None, 0.93), (5, "nn", "gce", 0.9)],
)
def test_digits_from_one_answer_an_item(size, objective, loss, wanted):
    """A shorter version of benchmarks/digits.py, whose five seeds are in results/digits.csv."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(labels))
    images, labels = images[order], labels[order]
    subsets = UniformQueries(10, size).draw(len(labels), rng=1)
    answers = Answers(subsets, respond(subsets, labels))
    unseen = answers[1347:]
    unseen = Answers(unseen.subsets, unseen.responses)
    model = OneOfClassifier(objective, loss=loss, epochs=25, random_state=0).fit(images[:1347], answers[:1347])
    true = model.score(images[1347:], labels[1347:])
    assert true >= wanted
    estimate = model.accuracy_estimate(images[1347:], unseen)
    assert estimate.low <= true <= estimate.high
    assert estimate.n == 450


def test_what_fitting_leaves_behind(fitted):
    assert fitted.classes_.tolist() == list(range(10))
    assert fitted.n_features_in_ == 64
    assert len(fitted.history_) == fitted.n_iter_ == 8
    assert fitted.accuracy_.n == 130
    assert fitted.config_.objective == "likelihood"
    assert fitted.best_epoch_ == 8


def test_probabilities_decisions_and_predictions_agree(fitted, digits):
    images = digits[0][1300:]
    chances, scores = fitted.predict_proba(images), fitted.decision_function(images)
    assert chances.shape == scores.shape == (497, 10)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_array_equal(fitted.predict(images), chances.argmax(axis=1))
    np.testing.assert_array_equal(scores.argmax(axis=1), chances.argmax(axis=1))


def test_score_is_label_free_for_answers_and_ordinary_for_labels(fitted, digits):
    images, labels, answers = digits
    held = Answers(answers.subsets[1300:], answers.responses[1300:])
    assert fitted.score(images[1300:], held) == fitted.accuracy_estimate(images[1300:], held).value
    assert fitted.score(images[1300:], held.signed) == fitted.score(images[1300:], held)
    predictions = fitted.predict(images[1300:])
    assert fitted.score(images[1300:], labels[1300:]) == (predictions == labels[1300:]).mean()
    assert label_free_scorer(fitted, images[1300:], held.signed) == fitted.score(images[1300:], held)


def kinds(x: np.ndarray) -> dict[str, object]:
    return {
        "list": x.tolist(),
        "float64": x.astype(np.float64),
        "frame": pd.DataFrame(x, columns=[f"pixel {i}" for i in range(64)]),
        "tensor": torch.from_numpy(x),
        "csr": sp.csr_matrix(x),
        "coo array": sp.coo_array(x),
        "uint8": x.astype(np.uint8),
        "images": x.reshape(-1, 8, 8),
        "channels first": x.reshape(-1, 1, 8, 8),
        "channels last": x.reshape(-1, 8, 8, 1),
        "colour": np.repeat(x.reshape(-1, 8, 8, 1), 3, axis=3),
        "tensor images": torch.from_numpy(x.reshape(-1, 1, 8, 8)),
    }


ALIKE = (
    ("list", "float64", "frame", "tensor", "uint8"),
    ("csr", "coo array"),  # scaled, but not centred
    ("images", "channels first", "channels last", "tensor images"),
)


def test_every_kind_of_items_trains_the_same_model(digits):
    images, labels, answers = digits
    given = kinds(images[:200])

    def fit(kind, **options):
        return OneOfClassifier(**{"epochs": 2, "width": 8, "random_state": 0} | options).fit(given[kind], answers[:200])

    for same in ALIKE:
        models = {kind: fit(kind) for kind in same}
        expected = models[same[0]].predict_proba(given[same[0]])
        for kind, model in models.items():
            np.testing.assert_array_equal(model.predict_proba(given[kind]), expected, err_msg=kind)
    assert fit("frame").feature_names_in_[3] == "pixel 3"
    colour = fit("colour", epochs=16, learning_rate=1e-2)
    assert (colour.predict(given["colour"]) == labels[:200]).mean() > 0.5


def test_answers_and_signed_arrays_are_the_same(digits):
    images, _, answers = digits
    one = OneOfClassifier(**QUICK).fit(images[:300], answers[:300])
    other = OneOfClassifier(**QUICK).fit(images[:300], answers[:300].signed)
    np.testing.assert_array_equal(one.predict_proba(images[:50]), other.predict_proba(images[:50]))


def test_class_names_are_what_is_predicted(digits):
    images, labels, answers = digits
    names = [f"digit {number}" for number in range(10)]
    named = Answers(answers.subsets[:600], answers.responses[:600], class_names=names)
    model = OneOfClassifier(**QUICK).fit(images[:600], named)
    assert set(model.predict(images[:100])) <= set(names)
    assert model.score(images[:600], np.array(names)[labels[:600]]) > 0.5
    assert model.score(images[:600], named) > 0.5


def test_exact_labels_for_comparison(digits):
    images, labels, _ = digits
    model = OneOfClassifier(epochs=10, random_state=0).fit(images[:1300], labels[:1300])
    assert model.score(images[1300:], labels[1300:]) > 0.9
    assert model.accuracy_.low < 1
    with pytest.raises(ValueError, match="exact labels train with the likelihood, not with 'ure'"):
        OneOfClassifier("ure").fit(images, labels)


def test_cross_validation_and_grid_search_without_labels(digits):
    images, labels, answers = digits
    signed = answers.signed[:600]
    scores = cross_val_score(OneOfClassifier(**QUICK), images[:600], signed, cv=3, scoring=label_free_scorer)
    assert scores.shape == (3,)
    assert scores.mean() > 0.5
    np.testing.assert_array_equal(scores, cross_val_score(OneOfClassifier(**QUICK), images[:600], signed, cv=3))
    search = GridSearchCV(
        make_pipeline(StandardScaler(), OneOfClassifier(**QUICK)),
        {"oneofclassifier__learning_rate": [1e-7, 1e-2]},
        scoring=label_free_scorer,
        cv=2,
    ).fit(images[:600], signed)
    assert search.best_params_ == {"oneofclassifier__learning_rate": 1e-2}
    assert (search.predict(images[:600]) == labels[:600]).mean() > 0.6


def test_text_through_a_pipeline():
    rng = np.random.default_rng(0)
    topics = [
        ["goal", "match", "team"],
        ["stock", "bank", "market"],
        ["cell", "gene", "protein"],
        ["song", "band", "album"],
    ]
    labels = rng.integers(4, size=300)
    texts = [" ".join([*rng.choice(topics[label], 4), *rng.choice(["the", "a", "of"], 3)]) for label in labels]
    subsets = UniformQueries(4, 2).draw(300, rng)
    answers = Answers(subsets, respond(subsets, labels))
    model = make_pipeline(TfidfVectorizer(), OneOfClassifier(**QUICK)).fit(texts[:200], answers.signed[:200])
    assert (model.predict(texts[200:]) == labels[200:]).mean() > 0.9
    assert label_free_scorer(model, texts[200:], answers.signed[200:]) > 0.7


class Own(nn.Module):
    """A network of the user's own, with tied weights and images as input."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(64, 64)
        self.second = nn.Linear(64, 64)
        self.second.weight = self.first.weight
        self.head = nn.Linear(64, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.first(x.flatten(1)))
        return self.head(torch.relu(self.second(hidden)))


def test_an_own_network_everywhere(digits, tmp_path):
    images, labels, answers = digits
    x = images[:600].reshape(-1, 1, 8, 8)
    torch.manual_seed(0)
    own = Own()
    before = own.head.weight.detach().clone()
    model = OneOfClassifier(backbone=own, epochs=30, random_state=0).fit(x, answers[:600])
    assert (model.predict(x) == labels[:600]).mean() > 0.6
    assert torch.equal(own.head.weight, before), (
        "a copy is trained: fitting leaves the parameters of an estimator alone"
    )
    again = clone(model).fit(x, answers[:600])
    np.testing.assert_array_equal(model.predict_proba(x), again.predict_proba(x))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(x), model.predict(x))
    assert cross_val_score(clone(model), x, answers.signed[:600], cv=2).min() > 0.2

    model.save(tmp_path / "model")
    loaded = OneOfClassifier.load(tmp_path / "model", backbone=Own())
    np.testing.assert_array_equal(loaded.predict_proba(x), model.predict_proba(x))
    with pytest.raises(ValueError, match="trained with a network of your own: pass it as backbone"):
        OneOfClassifier.load(tmp_path / "model")
    with pytest.raises(ValueError, match="not the weights of this model"):
        OneOfClassifier.load(tmp_path / "model", backbone=nn.Linear(3, 4))


def test_an_own_network_with_other_outputs_is_refused(digits):
    images, _, answers = digits
    with pytest.raises(ValueError, match=r"logits \(\d+, 4\) and subsets \(\d+, 10\)"):
        OneOfClassifier(backbone=nn.Linear(64, 4)).fit(images, answers)


def test_clone_and_pickle(fitted, digits):
    images = digits[0][1300:]
    assert clone(fitted).get_params() == fitted.get_params()
    assert not hasattr(clone(fitted), "network_")
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict_proba(images), fitted.predict_proba(images))
    assert copy.history_ == fitted.history_


def test_the_seed_decides(digits):
    images, _, answers = digits

    def weights(seed):
        model = OneOfClassifier(epochs=2, width=8, random_state=seed).fit(images[:200], answers[:200])
        return model.network_.state_dict()["backbone.layers.1.weight"]

    assert torch.equal(weights(3), weights(3))
    assert torch.equal(weights(np.random.RandomState(3)), weights(np.random.RandomState(3)))
    assert not torch.equal(weights(3), weights(4))
    assert not torch.equal(weights(None), weights(None))


def test_query_distributions_reach_the_judge(digits):
    images, labels, _ = digits
    table = np.concatenate([np.eye(10, dtype=bool), np.tile([True, False], (1, 5)), np.arange(10)[None] < 5])
    queries = WeightedQueries(table, np.array([1] * 10 + [5] * 2) / 20)
    subsets = queries.draw(len(labels), rng=0)
    answers = Answers(subsets, respond(subsets, labels))
    model = OneOfClassifier(**QUICK, queries=queries).fit(images[:1000], answers[:1000])
    held = Answers(answers.subsets[1000:], answers.responses[1000:])
    true = model.score(images[1000:], labels[1000:])
    estimate = model.accuracy_estimate(images[1000:], held)
    assert estimate.low <= true <= estimate.high
    assert label_free_scorer(model, images[1000:], held) == estimate.value


def test_bad_input(fitted, digits):
    images, _, answers = digits
    quick = OneOfClassifier(**QUICK)
    with pytest.raises(ValueError, match="about item 1796, but there are only 1000 items"):
        quick.fit(images[:1000], answers[-1:])
    with pytest.raises(ValueError, match="1000 items but 1797 rows of y"):
        quick.fit(images[:1000], answers.signed)
    with pytest.raises(ValueError, match=r"row 0: .*expected 1\.\.9"):
        quick.fit(images[:2], np.zeros((2, 10), dtype=int))
    with pytest.raises(ValueError, match=r"row 1: .*expected 1\.\.9"):
        quick.fit(images[:2], np.array([[1] + [0] * 9, [1] * 10]))
    with pytest.raises(ValueError, match="holds both"):
        quick.fit(images[:1], np.array([[1, -1] + [0] * 8]))
    broken = images[:100].copy()
    broken[3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        quick.fit(broken, answers[:100])
    with pytest.raises(ValueError, match="NaN or infinity in item 3, feature 0, 0, 4"):
        quick.fit(broken.reshape(-1, 8, 8), answers[:100])
    with pytest.raises(ValueError, match="X has 63 features, but OneOfClassifier is expecting 64"):
        fitted.predict(images[:, :63])
    with pytest.raises(ValueError, match="unknown objective"):
        OneOfClassifier("guess").fit(images, answers)
    with pytest.raises(ValueError, match="configuration: recipe: "):
        OneOfClassifier(recipe="slow").fit(images, answers)


def test_answers_about_other_classes_are_refused(fitted, digits):
    images, _, answers = digits
    fewer = Answers(UniformQueries(4, 2).draw(10, 0), np.ones(10, dtype=bool))
    for judge in (fitted.accuracy_estimate, fitted.score, lambda x, y: label_free_scorer(fitted, x, y)):
        with pytest.raises(ValueError, match="the model knows 10 classes, but the answers are about 4"):
            judge(images[:10], fewer)
    named = Answers(answers.subsets, answers.responses, class_names=list("jihgfedcba"))
    with pytest.raises(ValueError, match=r"the model knows the classes 0, 1, .* but the answers are about j, i"):
        fitted.accuracy_estimate(images, named)


def test_memory_mapped_items_stay_on_disk(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 4)).astype(np.float16)
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    subsets = UniformQueries(3, 1).draw(60, rng)
    answers = Answers(subsets, respond(subsets, rng.integers(3, size=60)))
    model = OneOfClassifier(epochs=1, width=8, random_state=0).fit(mapped, answers)
    whole = OneOfClassifier(epochs=1, width=8, random_state=0).fit(x.astype(np.float32), answers)
    assert model._features(mapped)._tensor.data_ptr() == mapped.ctypes.data
    np.testing.assert_array_equal(model.predict_proba(mapped), whole.predict_proba(x))
    parts = list(model.predict_parts(mapped, size=25))
    assert [rows for rows, _ in parts] == [slice(0, 25), slice(25, 50), slice(50, 60)]
    # A product of another shape may take another kernel and add in another order: the layers' sums have at most 8 terms
    # of size 1 and the probabilities are at most 1, so a few roundings of float32 apart is all that may come of it.
    joined = np.concatenate([part for _, part in parts])
    np.testing.assert_allclose(joined, model.predict_proba(mapped), rtol=0, atol=32 * np.finfo(np.float32).eps)


def test_every_setting_is_a_parameter_with_the_same_default():
    parameters = OneOfClassifier().get_params()
    settings = {name: field.get_default(call_default_factory=True) for name, field in Config.model_fields.items()}
    assert settings.pop("seed") == 0
    assert settings.pop("options") == {}
    assert parameters["options"] is None
    assert {name: parameters[name] for name in settings} == settings
    assert set(parameters) - set(settings) == {"options", "callbacks", "queries", "random_state", "verbose"}


def test_an_objective_and_a_loss_of_ones_own_are_cloned_trained_and_saved(digits, tmp_path):
    images, _, answers = digits
    own = objectives.create("abs", loss="gce", kappa=0.5)
    models = [
        OneOfClassifier(own, **QUICK),
        OneOfClassifier("abs", loss=losses.gce, options={"kappa": 0.5}, **QUICK),
        OneOfClassifier("abs", loss="gce", options={"kappa": 0.5}, **QUICK),
    ]
    fits = [clone(model).fit(images[:300], answers[:300]) for model in models]
    assert len({model.history_[-1]["objective"] for model in fits}) == 1
    fits[1].save(tmp_path / "model")
    again = OneOfClassifier.load(tmp_path / "model")
    assert again.config_.loss == "gce"
    assert again.predict(images[:9]).tolist() == fits[1].predict(images[:9]).tolist()


@pytest.fixture(scope="module")
def named_table():
    """A small table with named columns and rows, and a model of it."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=240)
    x = rng.normal(size=(240, 4)) + 4 * np.eye(3, 4)[labels]
    frame = pd.DataFrame(x, columns=list("abcd"), index=[f"item {row}" for row in range(240)])
    subsets = UniformQueries(3, 1).draw(240, rng=1)
    answers = Answers(subsets, respond(subsets, labels), item_names=list(frame.index))
    model = OneOfClassifier(backbone="linear", learning_rate=0.1, epochs=20, random_state=0)
    return frame, labels, answers, model.fit(frame, answers)


def test_columns_in_another_order_are_refused(named_table, tmp_path):
    frame, labels, answers, model = named_table
    assert model.feature_names_in_.tolist() == list("abcd")
    assert model.score(frame, labels) > 0.9
    permuted = frame[list("dcba")]
    for ask in (
        lambda: model.predict(permuted),
        lambda: model.score(permuted, labels),
        lambda: model.accuracy_estimate(permuted, answers),
    ):
        with pytest.raises(ValueError, match="Feature names must be in the same order"):
            ask()
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(frame.to_numpy())
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        OneOfClassifier.load(tmp_path / "model").predict(permuted)


def test_answers_that_name_their_items_are_aligned_with_the_index(named_table):
    frame, labels, answers, model = named_table
    order = np.random.default_rng(3).permutation(240)
    shuffled = frame.iloc[order]
    again = clone(model).fit(shuffled, answers)
    assert again.score(shuffled, labels[order]) > 0.9
    assert again.accuracy_estimate(shuffled, answers).value > 0.85
    assert label_free_scorer(again, shuffled, answers) > 0.85
    with pytest.raises(ValueError, match="the answers name their items, such as 'item 0', but X has no names"):
        clone(model).fit(frame.to_numpy(), answers)
    with pytest.raises(ValueError, match="item item 0 is not among the 240 items"):
        clone(model).fit(frame.reset_index(drop=True), answers)


@pytest.mark.parametrize("items", ["numbers", "in order"])
def test_row_numbers_beside_an_index_of_other_numbers(named_table, items):
    frame, _, answers, model = named_table
    order = np.random.default_rng(3).permutation(240)
    shuffled = frame.reset_index(drop=True).iloc[order]
    if items == "in order":  # as after train_test_split: answer i is about row i
        rows = answers.replace(item_names=None)[order].replace(items=np.arange(240))
        assert model.accuracy_estimate(shuffled, rows).value > 0.85
        return
    numbers = answers.replace(item_names=None)[order]
    with pytest.warns(UserWarning, match="counted from 0, but its index has other whole numbers"):
        clone(model).fit(shuffled, numbers)
    assert model.accuracy_estimate(shuffled, numbers.align(shuffled.index)).value > 0.85
    assert model.accuracy_estimate(frame.reset_index(drop=True), numbers).value > 0.85


def test_the_default_tells_which_network_it_took_and_why(tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 60)
    frame = pd.DataFrame(rng.normal(0, 1, (60, 4)), columns=list("abcd"))
    frame["a"] += 4 * labels
    model = OneOfClassifier(random_state=0).fit(frame, labels)
    assert model.config_.backbone == "linear"
    assert (model.predict(frame) == labels).mean() > 0.9
    assert model.accuracy_.n == 6
    assert [(row["network"], row["chosen"]) for row in model.choice_] == [("linear", True), ("mlp", False)]
    model.save(tmp_path / "model")
    again = OneOfClassifier.load(tmp_path / "model")
    assert again.choice_ == model.choice_
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
