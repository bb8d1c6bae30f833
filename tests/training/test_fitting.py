"""From items and answers to a judged network."""

import tracemalloc

import numpy as np
import pytest
import torch
from torch import nn

from oneof import Answers, UniformQueries, WeightedQueries, estimate_accuracy, losses, objectives, respond
from oneof.training import Config, Features, fit, fitting, predict_classes, predict_logits
from oneof.training.fitting import predict_for
from oneof.training.splits import split

CLASSES = 4
QUICK = {"epochs": 15, "batch_size": 32, "width": 32}


def task(items: int = 240, size: int = 2, seed: int = 0, **noise) -> tuple[np.ndarray, np.ndarray, Answers]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(CLASSES, size=items)
    x = rng.normal(size=(items, 6)).astype(np.float32)
    x[np.arange(items), labels] += 4
    subsets = UniformQueries(CLASSES, size).draw(items, rng)
    return x, labels, Answers(subsets, respond(subsets, labels, rng=rng, **noise), **noise)


def accuracy(network: nn.Module, x: np.ndarray, labels: np.ndarray) -> float:
    return float((predict_logits(network, Features(x)).argmax(1).numpy() == labels).mean())


@pytest.mark.parametrize("objective", ["likelihood", "nn", "proden"])
def test_it_learns_and_judges_itself(objective):
    x, _, answers = task(400)
    fitted = fit(Features(x), answers, Config(objective=objective, holdout=0.3, **QUICK))
    unseen, truth, _ = task(400, seed=1)
    true = accuracy(fitted.network, unseen, truth)
    assert true > 0.85
    assert fitted.accuracy.n == 120
    assert fitted.accuracy.low <= true <= fitted.accuracy.high
    assert fitted.best_epoch == 15
    assert [row["label_free"] for row in fitted.history][-1] == fitted.accuracy.value


@pytest.mark.parametrize(("items", "network"), [(2300, "cnn-quick"), (2200, "cnn")])  # a tenth is held out
def test_the_settings_say_which_network_was_taken_for_so_many_images(items, network, monkeypatch):
    rng = np.random.default_rng(0)
    subsets = UniformQueries(CLASSES, 2).draw(items, rng)
    answers = Answers(subsets, respond(subsets, rng.integers(CLASSES, size=items)))
    created = []
    create = fitting.models.create
    monkeypatch.setattr(fitting.models, "create", lambda name, *rest: created.append(name) or create(name, *rest))
    images = rng.integers(0, 256, (items, 1, 16, 16), dtype=np.uint8)
    fitted = fit(Features(images), answers, Config(width=2, epochs=1, batch_size=512))
    assert created == [fitted.config.backbone] == [network]


def test_held_out_answers_do_not_train():
    """Answers about the held-out items may be anything: the weights stay the same."""
    x, _, answers = task()
    held = split(answers, 0.2, seed=0).judging
    responses = answers.responses.copy()
    responses[held.items] = ~responses[held.items]
    changed = Answers(answers.subsets, responses)
    one, other = (fit(Features(x), given, Config(holdout=0.2, **QUICK)) for given in (answers, changed))
    for a, b in zip(one.network.state_dict().values(), other.network.state_dict().values(), strict=True):
        assert torch.equal(a, b)
    assert one.accuracy != other.accuracy


def test_the_answers_that_choose_an_epoch_do_not_judge_it():
    x, _, answers = task(400)
    judged_on = []

    def judgement(predictions, held):
        judged_on.append(set(held.items.tolist()))
        return estimate_accuracy(predictions, held)

    fitted = fit(Features(x), answers, Config(holdout=0.2, selection="best", **QUICK), judgement=judgement)
    *choosing, judging = judged_on
    assert len(choosing) == QUICK["epochs"]
    assert all(one == choosing[0] for one in choosing)
    assert not choosing[0] & judging
    assert choosing[0] | judging == set(split(answers, 0.2, seed=0)[1].items.tolist())
    assert fitted.accuracy.n == 40, "half of the held-out items choose, half judge"
    best = max(row["label_free"] for row in fitted.history)
    assert fitted.history[fitted.best_epoch - 1]["label_free"] == best


def test_without_holdout_nothing_is_judged():
    x, _, answers = task()
    fitted = fit(Features(x), answers, Config(holdout=0.0, **QUICK))
    assert fitted.accuracy is None
    assert "label_free" not in fitted.history[0]


def test_reported_figures_are_kept_and_never_choose():
    x, _, answers = task()
    figures = iter([1.0, *[0.0] * 14])
    config = Config(holdout=0.2, selection="best", **QUICK)
    plain = fit(Features(x), answers, config)
    reported = fit(Features(x), answers, config, report=lambda network: {"true": next(figures)})
    assert [row["true"] for row in reported.history] == [1.0, *[0.0] * 14]
    assert reported.best_epoch == plain.best_epoch


def test_adaptive_questions_give_no_estimate_unless_items_were_put_aside():
    x, labels, _ = task(200)
    subsets = UniformQueries(CLASSES, 2).draw(200, 1)
    answers = Answers(subsets, respond(subsets, labels), adaptive=np.arange(200) % 2 == 0)
    fitted = fit(Features(x), answers, Config(holdout=0.3, **QUICK))
    assert fitted.accuracy is None
    assert "100 of 200 questions were chosen by a model" in fitted.unjudged
    fitted = fit(Features(x), answers, Config(**QUICK), held_out=np.arange(1, 61, 2))
    assert (fitted.accuracy.n, fitted.unjudged) == (30, "")


def test_noisy_answers_are_corrected_for():
    x, _, answers = task(600, flip_yes=0.15, flip_no=0.15)
    fitted = fit(Features(x), answers, Config(holdout=0.2, **QUICK))
    unseen, truth, _ = task(400, seed=1)
    assert accuracy(fitted.network, unseen, truth) > 0.85
    assert fitted.accuracy.value > 0.6


@pytest.mark.parametrize("objective", ["mcl-exp", "mcl-mae", "mcl-log", "pll-avg"])
def test_an_objective_that_cannot_correct_flips_says_so(objective):
    x, _, answers = task(flip_yes=0.1)
    with pytest.raises(ValueError, match=f"{objective} cannot correct for flips; use one of ure"):
        fit(Features(x), answers, Config(objective=objective))


@pytest.mark.parametrize("objective", ["likelihood", "nn"])
def test_other_query_distributions(objective):
    rng = np.random.default_rng(0)
    table = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1]], dtype=bool)
    queries = WeightedQueries(table, [0.3, 0.2, 0.2, 0.2, 0.1])
    x, labels, _ = task(800)
    subsets = queries.draw(800, rng)
    answers = Answers(subsets, respond(subsets, labels))
    fitted = fit(Features(x), answers, Config(objective=objective, holdout=0.3, **QUICK), queries=queries)
    true = accuracy(fitted.network, x, labels)
    assert true > 0.8
    assert fitted.accuracy.low <= true <= fitted.accuracy.high


def test_an_own_network_is_trained_in_place_of_the_configured_one():
    x, _, answers = task()
    own = nn.Linear(6, CLASSES)
    before = own.weight.detach().clone()
    fitted = fit(Features(x), answers, Config(**QUICK), backbone=own)
    assert fitted.network.backbone is own
    assert not torch.equal(own.weight, before)


def test_predictions_for_the_asked_items_alone():
    looked_at: list[int] = []

    class Spy(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            looked_at.extend(x[:, 0].int().tolist())
            return torch.nn.functional.one_hot(x[:, 0].long() % 3, 3).float()

    features = Features(np.arange(10, dtype=np.float32)[:, None])
    answers = Answers([[True, False, False]] * 3, [True] * 3, items=[7, 2, 7])
    assert predict_for(answers, Spy(), features).tolist() == [0, 0, 2, 0, 0, 0, 0, 1, 0, 0]
    assert sorted(looked_at) == [2, 7]
    assert predict_classes(Spy(), features).tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]


@pytest.mark.parametrize("items", [0, 1, 511, 512, 513])
def test_logits_come_in_order_for_any_number_of_items(items):
    network = nn.Linear(3, 2)
    x = np.random.default_rng(0).normal(size=(items, 3)).astype(np.float32)
    logits = predict_logits(network, Features(x))
    assert logits.shape == (items, 2)
    torch.testing.assert_close(logits, network(torch.from_numpy(x)).detach())


def test_memory_grows_by_bits_and_not_by_numbers(tmp_path):
    """What `fit` adds to answers and items on disk, beside a step: far less than a byte per label of every answer."""
    n, k = 100_000, 200
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(n, 2)).astype(np.float32))
    features = Features(np.load(tmp_path / "x.npy", mmap_mode="r"))
    packed = np.random.default_rng(0).integers(1, 255, (n, k // 8), dtype=np.uint8)
    answers = Answers.from_packed(packed, k, np.arange(n) % 2 == 0)
    config = Config(epochs=1, batch_size=256, width=4, holdout=0.1)
    tracemalloc.start()
    try:
        fit(features, answers, config)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.6 * n * k, f"{peak / (n * k):.2f} bytes per label"


def bad_answers() -> dict[str, tuple[Answers, dict[str, object], str]]:
    subsets = UniformQueries(CLASSES, 2).draw(240, 0)
    some = np.random.default_rng(0).random(240) < 0.5
    mixed = subsets.copy()
    mixed[3] = [True, False, False, False]
    return {
        "none": (Answers(subsets[:0], some[:0]), {}, "there are no answers to learn from"),
        "unknown item": (Answers(subsets, some, np.arange(240) + 1), {}, "answer 239 is about item 240, but there are"),
        "all yes": (Answers(subsets, np.ones(240, bool)), {"objective": "ure"}, r"answers are yes: ure needs both"),
        "all no": (Answers(subsets, np.zeros(240, bool)), {"objective": "abs"}, r"answers are no: abs needs both"),
        "sizes": (
            Answers(mixed, some),
            {"objective": "nn", "holdout": 0.0},
            "sizes 1 to 2: the paper's weights need one",
        ),
        "many contradictions": (
            Answers(np.eye(4, dtype=bool)[[0, 1, 0, 2, 2]], [True] * 5, [9, 7, 9, 2, 7]),
            {"holdout": 0.0},
            "about item 7 contradict each other",
        ),
        "contradiction": (
            Answers([[1, 0, 0, 0], [0, 1, 0, 0]], [True, True], [3, 3]),
            {"holdout": 0.0},
            "about item 3 contradict each other",
        ),
        "holdout": (
            Answers(subsets[:3], some[:3]),
            {"holdout": 0.99},
            "a holdout of 0.99 leaves none of the 3 answers",
        ),
        "objective": (Answers(subsets, some), {"objective": "best"}, "unknown objective 'best'"),
        "option": (Answers(subsets, some), {"objective": "likelihood", "loss": "mae"}, "has no option 'loss'"),
        "backbone": (Answers(subsets, some), {"backbone": "vit"}, "unknown backbone 'vit'"),
        "cnn": (Answers(subsets, some), {"backbone": "cnn"}, "CNN needs images"),
    }


@pytest.mark.parametrize("case", list(bad_answers()))
def test_bad_input_is_refused_and_nothing_is_written(case, tmp_path):
    x, _, _ = task()
    answers, options, message = bad_answers()[case]
    with pytest.raises(ValueError, match=message):
        fit(Features(x), answers, Config(**options), path=tmp_path / "run.checkpoint")
    assert list(tmp_path.iterdir()) == []


def test_nan_features_are_refused_and_nothing_is_written(tmp_path):
    x, _, answers = task()
    x[17, 3] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity in item 17, feature 3"):
        fit(Features(x), answers, Config(), path=tmp_path / "run.checkpoint")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("weights", ["minimum-norm", "agreement"])
def test_other_weights_take_mixed_sizes_and_one_sided_answers(weights):
    x, labels, _ = task()
    subsets = np.concatenate([UniformQueries(CLASSES, size).draw(120, size) for size in (1, 2)])
    answers = Answers(subsets, respond(subsets, labels))
    fitted = fit(Features(x), answers, Config(objective="nn", weights=weights, **QUICK))
    assert np.isfinite(fitted.history[-1]["raw"])


def test_an_objective_a_loss_and_options_count_as_much_as_their_names():
    x, _, answers = task(60)
    small = {"epochs": 15, "batch_size": 4, "width": 8}  # so that the risk of some batch is negative
    named = fit(Features(x), answers, Config(objective="abs", loss="gce", options={"kappa": 0.2}, **small))
    own = objectives.create("abs", loss="gce", kappa=0.2)
    for config in (
        Config(objective=own, **small),
        Config(objective="abs", loss=losses.gce, options={"kappa": 0.2}, **small),
    ):
        fitted = fit(Features(x), answers, config)
        assert fitted.history[-1]["objective"] == named.history[-1]["objective"]
    other = fit(Features(x), answers, Config(objective="abs", loss="gce", **small))
    assert other.history[-1]["objective"] != named.history[-1]["objective"], "kappa changes the correction"


def test_an_objective_that_remembers_is_not_changed_by_training():
    x, _, answers = task(60)
    own = objectives.create("proden")
    fit(Features(x), answers, Config(objective=own, **QUICK))
    assert own.memory is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"objective": nn.Linear(2, 2)}, "is not an objective, expected one of"),
        ({"objective": objectives.Objective}, "is not an objective, expected one of"),
        ({"objective": objectives.create("nn"), "loss": "gce"}, "has its options already: give loss to the objective"),
        ({"objective": "nn", "options": {"kappa": 1.0}}, "objective 'nn' has no option 'kappa'"),
    ],
)
def test_what_is_no_objective_is_refused(settings, message):
    x, _, answers = task(60)
    with pytest.raises(ValueError, match=message):
        fit(Features(x), answers, Config(**settings, **QUICK))


def test_an_objective_of_ones_own_needs_the_queries_too():
    x, _, answers = task(60)
    queries = WeightedQueries(np.eye(CLASSES, dtype=bool), np.full(CLASSES, 1 / CLASSES))
    with pytest.raises(ValueError, match="is made for uniform questions: give it the queries too"):
        fit(Features(x), answers, Config(objective=objectives.create("ure"), **QUICK), queries=queries)


def test_flip_columns_of_zeros_are_no_noise():
    x, _, answers = task(60)
    zeros = Answers(answers.subsets, answers.responses, flip_yes=0.0, flip_no=0.0)
    for objective in ("mcl-exp", "ure"):
        one, other = (fit(Features(x), given, Config(objective=objective, **QUICK)) for given in (answers, zeros))
        assert one.history[-1]["objective"] == other.history[-1]["objective"]
    twice = Answers(np.eye(CLASSES, dtype=bool)[[0, 1]], [True, True], [3, 3], flip_yes=0.0, flip_no=0.0)
    with pytest.raises(ValueError, match="about item 3 contradict each other"):
        fit(Features(x), twice, Config(holdout=0.0, **QUICK))
