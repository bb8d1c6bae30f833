"""How much of the gap to full supervision does each idea close, at equal time?

    ONEOF_DATA=... python -m benchmarks.gap cifar10 --seeds 0
    ONEOF_DATA=... python -m benchmarks.gap cifar10 --ideas labels likelihood targets --seeds 1 2
    ONEOF_DATA=... python -m benchmarks.gap cifar10-long --ideas labels likelihood visits --no-cutout
    ONEOF_DATA=... python -m benchmarks.gap cifar10-whole --ideas labels likelihood visits --no-cutout --asked 5

One uniform question about each picture (`labels`: every label instead), a small network, weights averaged. 20,000
pictures; `long` is several times the training, `whole` all pictures but those held out (of SVHN 48,000) and two to
three times the leaderboard's epochs, `longest` a third more.

    labels       full supervision
    likelihood   the default objective
    proden       PRODEN: the target of a picture is what the network and the answer said at its last visit
    mixture      the mean of likelihood and PRODEN
    targets      from 30 % of the way on, the mean of the likelihood and the cross-entropy to a target kept for each
                 picture: the evidence of its answer times the geometric mean of the predictions over the views so far
    sharp        the same, with predictions squared and normalised
    pushed       the same as `targets`, and -log(1 - p) of each class that the answer ruled out
    balance      the likelihood, and a small bonus for predictions of a batch that are balanced over the classes, as
                 those of all data sets here are
    balanced     the same with five times the bonus
    student      two stages of half the epochs each: a network by likelihood; then a new one learns its predictions,
                 restricted to the classes that the answers leave possible
    mixup        the same; the second network sees pictures mixed in pairs, and learns mixed predictions
    visits       the objective agreeing-visits: the likelihood of the geometric mean of the predictions at this visit of
                 a picture and at its last one, and how far these disagree
    teacher      a second network, the running average of the first one's weights, sees the picture; the first sees it
                 with a square cut out, and learns the teacher's prediction, restricted to the classes that the answers
                 leave possible, besides the likelihood and a small bonus for predictions balanced over the classes.
                 A step takes 2.3 times as long, so there are fewer epochs

Each trial is judged on the test pictures as they are, and averaged with their mirror images (`mirror`). The held-out
log-likelihood is that of an annotator's answers about 2,000 other pictures: choices are made by it, not by test labels.
"""

import argparse
import os
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from benchmarks.pages import table
from benchmarks.rows import append_rows, has_row
from oneof import Answers, OneOfClassifier, UniformQueries, datasets, models, respond
from oneof.objectives import Batch, Objective
from oneof.objectives.base import Counts
from oneof.objectives.likelihood import Likelihood, evidence
from oneof.objectives.memory import Remembering
from oneof.objectives.proden import Proden
from oneof.training.augment import cutout

RESULTS = Path(__file__).parents[1] / "results" / "gap.csv"
HELD_OUT = 2000


@dataclass(frozen=True)
class Trial:
    """A data set, how many of its pictures are trained on, and how."""

    dataset: str
    items: int
    settings: dict[str, Any]


_STRIDED = {"backbone": "cnn-strided", "width": 16, "epochs": 16, "augment": "shift"}
_QUICK = {"backbone": "cnn-quick", "width": 16, "augment": "shift-flip", "average": 0.99, "precision": "bf16"}
TRIALS = {
    "cifar10": Trial("cifar10", 20_000, {"backbone": "resnet9", "width": 8, "epochs": 16, "augment": "shift-flip"}),
    "cifar10-long": Trial("cifar10", 20_000, {**_QUICK, "epochs": 60}),
    "cifar10-whole": Trial("cifar10", 48_000, {**_QUICK, "epochs": 48}),
    "cifar10-longest": Trial("cifar10", 48_000, {**_QUICK, "epochs": 64}),
    "fashionmnist": Trial("fashionmnist", 20_000, _STRIDED),
    "fashionmnist-whole": Trial("fashionmnist", 58_000, {**_QUICK, "epochs": 15, "augment": "shift"}),
    "kmnist": Trial("kmnist", 20_000, _STRIDED),
    "kmnist-whole": Trial("kmnist", 58_000, {**_QUICK, "epochs": 15, "augment": "shift"}),
    "svhn-whole": Trial("svhn", 48_000, {**_QUICK, "epochs": 16, "augment": "warp"}),
}
IDEAS = (
    "labels", "likelihood", "proden", "mixture", "targets", "sharp", "pushed", "balance", "balanced", "student",
    "mixup", "teacher", "visits", "flatter", "sharper", "product",
)  # fmt: skip


class Mixture(Proden):
    """The mean of likelihood and PRODEN."""

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        return (super().raw(logits, batch, counts) + Likelihood().raw(logits, batch, counts)) / 2


class Targets(Objective):
    """The likelihood, later with a cross-entropy to targets that are kept for each item over the views of it."""

    corrects_flips = True

    def __init__(
        self, epochs: int, power: float = 1.0, push: float = 0.0, keep: float = 0.7, start: float = 0.3
    ) -> None:
        self.epochs, self.power, self.push, self.keep, self.start = epochs, power, push, keep, start

    def prepare(self, items: int, classes: int) -> None:
        self.mean = torch.zeros(items, classes)
        self.visits = torch.zeros(items)

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        likelihood = Likelihood().raw(logits, batch, counts)
        assert batch.items is not None
        log_p, visits = torch.log_softmax(logits, 1), self.visits[batch.items]
        target = torch.softmax(self.power * self.mean[batch.items] + evidence(batch, len(logits), logits.dtype), 1)
        kept = torch.where(visits[:, None] > 0, self.keep, 0.0)
        self.mean[batch.items] = kept * self.mean[batch.items] + (1 - kept) * log_p.detach()
        self.visits[batch.items] += 1
        if visits.mean() < self.start * self.epochs:
            return likelihood
        consistency = -(target * log_p).sum() / counts[0]
        if self.push:
            ruled_out = evidence(batch, len(logits), logits.dtype).isinf()
            consistency = (
                consistency - self.push * torch.log1p(-log_p.exp().clamp(max=0.999))[ruled_out].sum() / counts[0]
            )
        return (likelihood + consistency) / 2


def imbalance(logits: Tensor) -> Tensor:
    """How far the mean prediction of a batch is from balanced: log k minus its entropy, but for a constant."""
    mean = torch.softmax(logits, 1).mean(0)
    return (mean * mean.log()).sum()


class Balanced(Likelihood):
    """The likelihood, and a bonus for balance."""

    def __init__(self, bonus: float) -> None:
        super().__init__()
        self.bonus = bonus

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        return super().raw(logits, batch, counts) + self.bonus * imbalance(logits)


class Powered(Remembering):
    """The objective agreeing-visits with another power of the predictions than a half, up to a factor."""

    corrects_flips = True

    def __init__(self, power: float) -> None:
        super().__init__()
        self.power = power

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        assert batch.items is not None
        log_p = torch.log_softmax(logits, 1)
        now, last = log_p.detach(), self.recall(batch.items, log_p)
        self.remember(batch.items, now)
        joint = self.power * (now + torch.where(last.sum(1, keepdim=True) == 0, now, last))
        target = torch.softmax(joint + evidence(batch, len(logits), logits.dtype), 1)
        return -(target * log_p).sum() / counts[0]


class Pairs:
    """How the pictures of a batch are mixed: each with another, of which it takes this share. Shared, never copied."""

    other: Tensor
    share = 0.0

    def __deepcopy__(self, memo: object) -> "Pairs":
        return self

    def mix(self, values: Tensor) -> Tensor:
        return values.lerp(values[self.other], self.share) if self.share else values


class Mixed(nn.Module):
    """A network that sees the pictures of a batch mixed in pairs while it is trained."""

    def __init__(self, network: nn.Module, pairs: Pairs, seed: int) -> None:
        super().__init__()
        self.network, self.pairs, self.rng = network, pairs, np.random.default_rng(seed)

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return torch.as_tensor(self.network(x))
        self.pairs.other = torch.from_numpy(self.rng.permutation(len(x)))
        self.pairs.share = float(self.rng.beta(0.5, 0.5))
        return torch.as_tensor(self.network(self.pairs.mix(x)))


class Distilled(Objective):
    """The cross-entropy to a target that is given for each item, (items, k), mixed as the pictures are."""

    def __init__(self, target: NDArray[Any], pairs: Pairs) -> None:
        self.target, self.pairs = torch.from_numpy(target).float(), pairs

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        assert batch.items is not None
        return -(self.pairs.mix(self.target[batch.items]) * torch.log_softmax(logits, 1)).sum() / counts[0]


class Views:
    """What the teacher and the first network said about the batch: log p, (b, k) each. Shared, never copied."""

    teacher: Tensor
    strong: Tensor

    def __deepcopy__(self, memo: object) -> "Views":
        return self


class Taught(nn.Module):
    """A network that keeps the running average of its own weights as its teacher."""

    def __init__(self, student: nn.Module, views: Views, keep: float = 0.99) -> None:
        super().__init__()
        self.student, self.teacher = student, deepcopy(student).requires_grad_(False)
        self.views, self.keep = views, keep
        self.generator = torch.Generator().manual_seed(0)

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            with torch.no_grad():
                for mine, its in zip(
                    self.teacher.state_dict().values(), self.student.state_dict().values(), strict=True
                ):
                    mine.lerp_(its, 1 - self.keep) if mine.is_floating_point() else mine.copy_(its)
                self.views.teacher = torch.log_softmax(self.teacher.eval()(x), 1)
            self.views.strong = torch.log_softmax(self.student(cutout(x, self.generator)), 1)
        return torch.as_tensor(self.student(x))


class FromTeacher(Objective):
    """The likelihood, the cross-entropy of the strong view to the teacher's restricted prediction, and balance."""

    corrects_flips = True

    def __init__(self, said: Views, steps: int) -> None:
        self.said, self.steps, self.step = said, steps, 0

    def raw(self, logits: Tensor, batch: Batch, counts: Counts) -> Tensor:
        self.step += 1
        n = logits.shape[0]
        target = torch.softmax(self.said.teacher + evidence(batch, n, logits.dtype), 1)
        ramp = min(1.0, self.step / (0.3 * self.steps))
        consistency = -(target * self.said.strong).sum() / counts[0]
        return Likelihood().raw(logits, batch, counts) + ramp * consistency + 0.1 * imbalance(logits)


def trained(data: str, idea: str, cut: bool, seed: int, pictures: NDArray[Any], known: Any) -> OneOfClassifier:
    """A model by this idea. pictures: (n, c, h, w). known: labels (n,), or answers."""
    given = TRIALS[data].settings
    settings = {"average": 0.995, "holdout": 0.0} | given | {"augment": given["augment"] + "-cutout" * cut}
    backbone, epochs = settings.pop("backbone"), settings.pop("epochs")

    def model(objective: Any, share: float = 1.0, network: str | nn.Module = backbone) -> OneOfClassifier:
        return OneOfClassifier(
            backbone=network, objective=objective, epochs=round(share * epochs), random_state=seed, **settings
        )

    plain: dict[str, Any] = {"labels": "likelihood", "likelihood": "likelihood", "proden": "proden"}
    plain |= {"visits": "agreeing-visits", "flatter": Powered(0.4), "sharper": Powered(0.6), "product": Powered(1.0)}
    plain |= {"mixture": Mixture(), "balance": Balanced(0.1), "balanced": Balanced(0.5)}
    kept = {"targets": Targets(epochs), "sharp": Targets(epochs, power=2.0), "pushed": Targets(epochs, push=0.5)}
    if idea in plain | kept:
        return model((plain | kept)[idea]).fit(pictures, known)
    torch.manual_seed(seed)
    network = models.create(backbone, pictures.shape[1:], known.classes, settings["width"])
    if idea == "teacher":
        views, share = Views(), 1 / 2.3
        steps = round(share * epochs) * len(pictures) // 128
        return model(FromTeacher(views, steps), share, Taught(network, views)).fit(pictures, known)
    teacher = model("likelihood", 0.5).fit(pictures, known)
    believed = mirrored(teacher, pictures)["mirror"] * np.exp(known.evidence(len(pictures)))
    pairs = Pairs()
    distilled = Distilled(believed / believed.sum(axis=1, keepdims=True), pairs)
    student = model(distilled, 0.5, Mixed(network, pairs, seed) if idea == "mixup" else backbone)
    student.random_state = seed + 1000
    return student.fit(pictures, known)


def mirrored(model: OneOfClassifier, pictures: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    """Probabilities (n, k) from the pictures as they are, and averaged with those of their mirror images."""
    straight = model.predict_proba(pictures)
    return {"none": straight, "mirror": (straight + model.predict_proba(np.ascontiguousarray(pictures[..., ::-1]))) / 2}


def measure(data: str, idea: str, cutout: bool, asked: int, seed: int) -> pd.DataFrame:
    """One row for each kind of averaging. asked: labels in a question."""
    trial = TRIALS[data]
    train, test = datasets.load(trial.dataset, "train"), datasets.load(trial.dataset, "test")
    rows = np.random.default_rng([seed, 0]).permutation(len(train))[: trial.items + HELD_OUT]
    learned, held = slice(trial.items), slice(trial.items, None)
    pictures, labels = train.images[rows], train.labels[rows]
    subsets = UniformQueries(10, asked).draw(len(rows), rng=np.random.default_rng([seed, 1]))
    responses = respond(subsets, labels)
    known = labels[learned] if idea == "labels" else Answers(subsets[learned], responses[learned])
    model = trained(data, idea, cutout, seed, pictures[learned], known)
    possible = np.where(responses[held, None], subsets[held], ~subsets[held])
    of_test, of_held = mirrored(model, test.images), mirrored(model, pictures[held])
    return pd.DataFrame(
        [
            {
                "data": data,
                "idea": idea,
                "cutout": cutout,
                "asked": asked,
                "seed": seed,
                "views": views,
                "accuracy": float((of_test[views].argmax(axis=1) == test.labels).mean()),
                "held_out_log_likelihood": float(np.log((of_held[views] * possible).sum(1).clip(1e-12, 1)).mean()),
            }
            for views in of_test
        ]
    )


def facts() -> dict[str, str]:
    """What pages say from the rows."""
    rows = pd.read_csv(RESULTS)
    keys = ["data", "asked", "idea", "cutout"]
    by_trial = rows.pivot_table(index=keys, columns="views", values="accuracy", sort=False)
    held_out = rows[rows["views"] == "none"].groupby(keys)["held_out_log_likelihood"].mean()
    seeds = rows.groupby(keys)["seed"].nunique()
    shown = (100 * by_trial[["none", "mirror"]]).map("{:.1f} %".format)
    shown = shown.rename(columns={"none": "accuracy", "mirror": "with mirror images"})
    shown["held-out log-likelihood"], shown["seeds"] = held_out.map("{:.4f}".format), seeds
    shown = shown.reset_index()
    whole = pd.DataFrame(_closed(rows[rows["data"].str.endswith("-whole")]))
    return {"table": table(shown.assign(cutout=shown["cutout"].map({True: "yes", False: "no"}))), "whole": table(whole)}


def _closed(rows: pd.DataFrame) -> Iterator[dict[str, object]]:
    """For each data set and size of the questions: every label, `visits`, and the gap between them over the seeds."""
    for data, trials in rows.groupby("data", sort=False):
        averaged = str(trials.groupby("views")["held_out_log_likelihood"].mean().idxmax())
        trials = trials[trials["views"] == averaged].set_index("seed")
        accuracy = {idea: 100 * of["accuracy"] for idea, of in trials.groupby("idea")}
        for asked, ours in trials[trials["idea"] == "visits"].groupby("asked"):
            labels, visits = accuracy["labels"].loc[ours.index], 100 * ours["accuracy"]
            gaps = labels - visits
            yield {
                "data": data,
                "asked": asked,
                "mirror images": "yes" if averaged == "mirror" else "no",
                "every label": f"{labels.mean():.2f}",
                "visits": f"{visits.mean():.2f}",
                "gap": f"{gaps.mean():.2f}" + (f" ± {gaps.std():.2f}" if len(gaps) > 1 else ""),
                "seeds": len(gaps),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", choices=TRIALS)
    parser.add_argument("--ideas", nargs="+", choices=IDEAS, default=list(IDEAS))
    parser.add_argument("--no-cutout", action="store_true", help="without cutout")
    parser.add_argument("--asked", type=int, default=3, help="labels in a question")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    options = parser.parse_args()
    torch.set_num_threads(1)
    for seed in options.seeds:
        for idea in options.ideas:
            spec = {
                "data": options.data,
                "idea": idea,
                "cutout": not options.no_cutout,
                "asked": options.asked,
                "seed": seed,
            }
            if has_row(RESULTS, **spec):
                continue
            rows = measure(**spec)
            append_rows(RESULTS, rows, "%.6g")
            print(rows.to_string(header=False, index=False), flush=True)


if __name__ == "__main__":
    main()
