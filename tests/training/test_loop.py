"""The training loop: exact resume, divergence, history, selection, the user's own network."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from oneof import Answers, UniformQueries, datasets, objectives, respond
from oneof.training import (
    Answered,
    Config,
    Diverged,
    Features,
    Network,
    checkpoint,
    loop,
    predict_classes,
    train,
)
from oneof.training.network import standardise
from oneof.training.workers import launch

CLASSES = 4


def task(items: int = 96, seed: int = 0) -> tuple[Features, Answered]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(CLASSES, size=items)
    x = rng.normal(size=(items, 6)).astype(np.float32)
    x[np.arange(items), labels] += 4
    subsets = UniformQueries(CLASSES, 2).draw(items, rng)
    return Features(x), Answered(Answers(subsets, respond(subsets, labels)))


def own_network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, CLASSES))


def settings(**options) -> Config:
    return Config(**{"epochs": 3, "batch_size": 32} | options).resolve(96, image=False)


def run(config: Config, **options) -> loop.Fitted:
    features, answered = task()
    objective = objectives.create(config.objective, **config.objective_options())
    return train(own_network(), features, answered, objective, config, **options)


def same_weights(one: nn.Module, other: nn.Module) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one.state_dict().values(), other.state_dict().values(), strict=True))


def same_nested(one, other) -> bool:
    if isinstance(one, torch.Tensor):
        return torch.equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_nested(one[key], other[key]) for key in one)
    return one == other


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("killed")
    driver = Path(__file__).with_name("killed_driver.py")
    done = subprocess.run([sys.executable, str(driver), str(out)], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.slow
@pytest.mark.parametrize("case", ["ure", "proden", "ure-average-best", "proden-average-paper"])
def test_a_run_killed_again_and_again_ends_in_the_same_weights_bit_for_bit(case, killed):
    folder = killed / case
    whole, broken = (torch.load(folder / name / "outcome", weights_only=True) for name in ("whole", "broken"))
    # Six are meant; a run may get to its end while whoever kills it waits for a processor.
    assert len(torch.load(folder / "kills")["kills"]) >= 3
    for part in ("weights", "history", "best_epoch", "accuracy", "memory", "optimizer"):
        assert same_nested(whole[part], broken[part]), part
    assert sorted(path.name for path in (folder / "broken").glob("[!.]*")) == ["outcome", "run.checkpoint"]


@pytest.mark.parametrize("objective", objectives.names())
def test_every_objective_trains_and_lowers_its_risk(objective):
    outcome = run(settings(objective=objective, epochs=12, learning_rate=1e-2))
    history = outcome.history
    assert [row["epoch"] for row in history] == list(range(1, 13))
    assert history[-1]["raw"] < history[0]["raw"]
    assert not outcome.network.training
    features, _ = task()
    assert torch.isfinite(outcome.network(features[torch.arange(96)])).all()


def test_the_same_seed_gives_the_same_weights_and_another_one_does_not():
    first, again, other = run(settings()), run(settings()), run(settings(seed=1))
    assert same_weights(first.network, again.network)
    assert not same_weights(first.network, other.network)


def test_the_history_tells_what_happened():
    history = run(settings(objective="ure", loss="cross_entropy", epochs=30, learning_rate=3e-2)).history
    assert set(history[0]) == {"epoch", "objective", "raw", "negative", "one_sided", "learning_rate", "seconds"}
    assert history[-1]["negative"] > 0
    assert history[-1]["raw"] < 0
    seconds = [row["seconds"] for row in history]
    assert seconds == sorted(seconds)


def test_batches_without_a_yes_are_counted():
    features, answered = task()
    config = settings(batch_size=2)
    outcome = train(own_network(), features, answered, objectives.create("likelihood"), config)
    assert 0 < outcome.history[0]["one_sided"] < 1


def test_every_item_is_seen_once_an_epoch_and_never_alone():
    seen: list[torch.Tensor] = []

    class Spy(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            seen.append(x)
            return super().forward(x)

    for items, batch_size in ((96, 32), (33, 32), (3, 2), (65, 64)):
        seen.clear()
        features, answered = task(items)
        config = Config(epochs=2, batch_size=batch_size).resolve(items, image=False)
        train(Spy(6, CLASSES), features, answered, objectives.create("likelihood"), config)
        assert min(len(batch) for batch in seen) >= 2
        everything = features[torch.arange(items)]
        half = len(seen) // 2
        for epoch in (seen[:half], seen[half:]):
            assert {tuple(row) for row in torch.cat(epoch).tolist()} == {tuple(row) for row in everything.tolist()}
            assert sum(map(len, epoch)) == items


def test_the_best_epoch_by_the_judge_is_kept():
    scores = iter([0.2, 0.9, 0.5, 0.9, 0.1])
    weights: list[dict[str, torch.Tensor]] = []

    def judge(network: nn.Module) -> dict[str, float]:
        assert not network.training
        weights.append({name: tensor.clone() for name, tensor in network.state_dict().items()})
        return {"select": next(scores), "extra": 1.0}

    outcome = run(settings(epochs=5, selection="best"), judge=judge)
    assert outcome.best_epoch == 4, "of equals the later one"
    assert same_nested(dict(outcome.network.state_dict()), weights[3])
    assert all(row["extra"] == 1.0 and "select" not in row for row in outcome.history)


def test_without_a_choice_the_last_epoch_is_kept():
    scores = iter([0.9, 0.5, 0.1])
    outcome = run(settings(selection="last"), judge=lambda network: {"select": next(scores)})
    assert outcome.best_epoch == 3


def test_averaged_weights_are_another_network_than_the_last():
    plain, averaged = run(settings()), run(settings(average=0.9))
    assert not same_weights(plain.network, averaged.network)


@pytest.mark.parametrize("objective", ["likelihood", "ure"])
def test_a_risk_that_is_not_finite_stops_and_leaves_the_last_good_checkpoint(objective, tmp_path):
    class Bursts(nn.Linear):
        calls = 0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            Bursts.calls += 1
            return super().forward(x) * (float("nan") if Bursts.calls == 5 else 1.0)

    features, answered = task()
    path = tmp_path / "run.checkpoint"
    with pytest.raises(Diverged, match=r"the risk became nan in epoch 2: lower the learning rate") as caught:
        train(Bursts(6, CLASSES), features, answered, objectives.create(objective), settings(), path=path)
    assert f"the last good state is in {path}" in str(caught.value)
    state = checkpoint.load(path)
    assert state["position"] == 3
    assert all(tensor.isfinite().all() for tensor in state["network"].values())


def test_weights_that_are_not_finite_never_reach_a_checkpoint(tmp_path):
    class Poisons(nn.Linear):
        """Finite logits, but from the third batch on a gradient that is not."""

        calls = 0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            logits = super().forward(x)
            Poisons.calls += 1
            if Poisons.calls == 6:
                logits.register_hook(lambda gradient: gradient * float("inf"))
            return logits

    features, answered = task()
    path = tmp_path / "run.checkpoint"
    with pytest.raises(Diverged, match=r"the weights became nan in epoch 2.*last good state is in"):
        train(Poisons(6, CLASSES), features, answered, objectives.create("likelihood"), settings(), path=path)
    state = checkpoint.load(path)
    assert state["position"] == 3
    assert all(tensor.isfinite().all() for tensor in state["network"].values())


def test_a_rate_far_too_high_is_a_clear_error_without_a_checkpoint_too():
    with pytest.raises(Diverged, match=r"lower the learning rate \(now 1e\+30\) or use a bounded loss$"):
        run(settings(learning_rate=1e30, weight_decay=1.0, epochs=20))


@pytest.mark.parametrize("change", [{"epochs": 4}, {"seed": 1}, {"learning_rate": 1e-3}, {"objective": "proden"}])
def test_resuming_with_another_configuration_is_refused(change, tmp_path):
    path = tmp_path / "run.checkpoint"
    run(settings(), path=path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="of another configuration; resume with the same"):
        run(settings(**change), path=path, resume=True)
    assert path.read_bytes() == before


def test_resuming_with_other_answers_is_refused(tmp_path):
    path = tmp_path / "run.checkpoint"
    run(settings(), path=path)
    features, answered = task(seed=1)
    with pytest.raises(ValueError, match="of another set of answers"):
        train(own_network(), features, answered, objectives.create("likelihood"), settings(), path=path, resume=True)


def test_resuming_with_another_network_is_refused(tmp_path):
    path = tmp_path / "run.checkpoint"
    run(settings(), path=path)
    features, answered = task()
    with pytest.raises(ValueError, match="of another network"):
        train(nn.Linear(6, 4), features, answered, objectives.create("likelihood"), settings(), path=path, resume=True)


def test_resuming_a_finished_run_changes_nothing(tmp_path):
    path = tmp_path / "run.checkpoint"
    first = run(settings(), path=path)
    again = run(settings(), path=path, resume=True)
    assert same_weights(first.network, again.network)
    assert first.history == again.history


def test_without_resume_an_old_checkpoint_is_not_looked_at(tmp_path):
    path = tmp_path / "run.checkpoint"
    path.write_bytes(b"something old")
    assert same_weights(run(settings(), path=path).network, run(settings()).network)


def test_an_unresolved_configuration_is_refused():
    features, answered = task()
    with pytest.raises(ValueError, match="not resolved"):
        train(own_network(), features, answered, objectives.create("likelihood"), Config())


def test_the_loop_stays_readable():
    lines = Path(loop.__file__).read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("def train("))
    length = next(n for n, line in enumerate(lines[start + 1 :]) if line.startswith(("def ", "class ")))
    assert length < 150


def test_half_precision_learns_digits_as_well():
    digits, unseen = datasets.load("digits", "train"), datasets.load("digits", "test")
    subsets = UniformQueries(10, 3).draw(len(digits), 0)
    features = Features(digits.images.reshape(len(digits), -1))
    answered = Answered(Answers(subsets, respond(subsets, digits.labels)))
    accuracies, kinds = {}, set()

    class Spy(type(objectives.create("likelihood"))):
        def raw(self, logits, batch, counts):
            kinds.add(logits.dtype)
            return super().raw(logits, batch, counts)

    class Layer(nn.Linear):
        def forward(self, x):
            out = super().forward(x)
            inside.add(out.dtype)
            return out

    for precision in ("32", "bf16"):
        inside: set[torch.dtype] = set()
        torch.manual_seed(0)
        network = Network(nn.Sequential(Layer(64, 64), nn.ReLU(), Layer(64, 10)), *standardise(features))
        config = Config(epochs=20, batch_size=64, precision=precision).resolve(len(digits), image=False)
        trained = train(network, features, answered, Spy(), config).network
        assert inside >= {torch.float32 if precision == "32" else torch.bfloat16}
        assert {tensor.dtype for tensor in trained.state_dict().values()} == {torch.float32}
        guesses = predict_classes(trained, Features(unseen.images.reshape(len(unseen), -1)))
        accuracies[precision] = float((guesses == unseen.labels).mean())
    assert kinds == {torch.float32}, "the risk is computed in 32 bits in either case"
    assert min(accuracies.values()) > 0.9
    assert abs(accuracies["32"] - accuracies["bf16"]) < 0.03


def test_half_precision_resumes_exactly(tmp_path):
    config = settings(precision="bf16", epochs=4)
    whole = run(config)

    class Stop(Exception):
        pass

    def judge(network):
        if (tmp_path / "run.checkpoint").exists():
            raise Stop
        return {}

    with pytest.raises(Stop):
        run(config, judge=judge, path=tmp_path / "run.checkpoint")
    resumed = run(config, path=tmp_path / "run.checkpoint", resume=True)
    assert same_weights(whole.network, resumed.network)


def test_workers_of_another_precision_are_refused():
    with pytest.raises(ValueError, match="the workers compute in 32-true, but the configuration says bf16"):
        run(settings(precision="bf16"), fabric=launch())
