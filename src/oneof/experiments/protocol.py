"""Section V of the paper as data: what is trained, on what, and for how long, in several presets.

`paper`  as written, for a GPU: all data sets, CNN and ResNet-34, 100 epochs, five seeds, the whole grids.
`cpu`    every data set at a budget that two cores can pay: small networks, fewer epochs, fixed rates but for USPS.
`cpu-mlp`  KMNIST and EMNIST-Letters with a multilayer perceptron: do the claims depend on the network?
`cpu-dropout`  KMNIST as in `cpu-mlp`, but with dropout.
`smoke`  minutes, on scikit-learn's digits, which need no download.
`fast`   the leaderboard: a modern recipe, few epochs, every data set.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from oneof.training.search import LEARNING_RATES, WEIGHT_DECAYS

P_YES = (0.3, 0.5, 0.7)
SIX = ("MNIST", "FashionMNIST", "KMNIST", "USPS", "SVHN", "CIFAR-10")
"""The paper's data sets with ten classes."""
LETTERS = "EMNIST-Letters"
BATCH_SIZES = (128, 256, 512, 1024)
STANDARD_BATCH = 128
"""The batch size of all tables but Table VI."""


@dataclass(frozen=True)
class Budget:
    """How one data set is trained in a preset.

    search_epochs: the length of the runs that choose the rates; 0 for no search: the rates given here are used.
    step_size: epochs between the steps of the schedule; None for the recipe's. seeds: how many of the preset's seeds;
    None for all. baselines: whether Table II is run on it.
    """

    backbone: str
    epochs: int
    search_epochs: int = 0
    learning_rate: float = 0.1
    weight_decay: float = 1e-4
    width: int | None = None
    augment: str = "none"
    average: float = 0.0
    views: str = "none"
    precision: str = "32"
    step_size: int | None = None
    seeds: int | None = None
    baselines: bool = True

    def settings(self) -> dict[str, Any]:
        """The fields of a run that its budget decides.

        >>> Budget("mlp", 5).settings()["epochs"]
        5
        """
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name in _RUN_FIELDS}


@dataclass(frozen=True)
class Preset:
    """A budget per data set (by registry name), the seeds, the recipe, and what is searched label-free.

    candidates: other budgets for a data set; the one under which held-out answers are likeliest replaces its own.
    full_search: all pairs of learning rate and weight decay are tried, not one after the other.
    """

    name: str
    recipe: str
    seeds: tuple[int, ...]
    budgets: Mapping[str, Budget]
    candidates: Mapping[str, tuple[Budget, ...]] = field(default_factory=dict)
    learning_rates: tuple[float, ...] = LEARNING_RATES
    weight_decays: tuple[float, ...] = WEIGHT_DECAYS
    full_search: bool = False
    batch_sizes: tuple[int, ...] = BATCH_SIZES
    methods: tuple[str, ...] = ()
    """Methods that are run beside those of Table II and get a column there."""


@dataclass(frozen=True)
class RunSpec:
    """All that one run needs to be done again. Its identity `run` is a hash of this, so that equal runs are one run.

    >>> spec = RunSpec("smoke", "digits", 0.3, "GCE-ABS", 0, "mlp", "paper", 0.1, 1e-4, 128, 5)
    >>> spec.run == RunSpec.from_json(spec.to_json()).run
    True
    """

    preset: str
    dataset: str
    p_yes: float
    method: str
    seed: int
    backbone: str
    recipe: str
    learning_rate: float
    weight_decay: float
    batch_size: int
    epochs: int
    width: int | None = None
    augment: str = "none"
    average: float = 0.0
    holdout: float = 0.0
    """Share of the training items whose answers do not train but judge, without labels."""
    step_size: int | None = None
    """Epochs between the steps of the step schedule; None for the recipe's."""
    views: str = "none"
    """What predictions are averaged over."""
    precision: str = "32"
    """Bits that the network computes with."""

    def to_json(self) -> str:
        """The specification as one line of JSON, keys sorted."""
        values = asdict(self)
        # Left out where they are not set, so that runs from before they could be set keep their identity.
        for name in ("step_size", "views", "precision"):
            if values[name] == RunSpec.__dataclass_fields__[name].default:
                del values[name]
        return json.dumps(values, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "RunSpec":
        """Read what `to_json` wrote; an unknown or missing key is an error."""
        try:
            values: dict[str, Any] = json.loads(text)
            return cls(**values)
        except (TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"not the configuration of a run: {text[:80]!r} ({error})") from error

    @property
    def run(self) -> str:
        """The identity of the run, 12 hexadecimal digits."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:12]

    @property
    def network(self) -> str:
        """The network with its width, where that is set, such as cnn-12."""
        return self.backbone if self.width is None else f"{self.backbone}-{self.width}"

    def describe(self) -> str:
        """The run in a few words, for people."""
        return f"{self.dataset} P(s=1)={self.p_yes} {self.method} batch {self.batch_size} seed {self.seed}"


_RUN_FIELDS = {field.name for field in fields(RunSpec)}

_GREY = ("mnist", "fashionmnist", "kmnist", "usps", "emnist_letters")
_COLOUR = ("svhn", "cifar10")
# The schedule steps after about the same shares of a run as in the paper preset, whose 100 epochs have a step every 30.
# No search: the rates are those that most searches on USPS, KMNIST and EMNIST-Letters chose (see results/rows.csv).
_STRIDED = Budget("cnn-strided", 20, learning_rate=0.2, width=8, step_size=6, seeds=3)
_RESIDUAL = Budget("resnet9", 15, learning_rate=0.2, width=8, step_size=4, seeds=3)
_KMNIST_MLP = Budget("mlp-plain", 40, search_epochs=4, seeds=3, baselines=False)


def _fast(backbone: str, width: int, epochs: int, augment: str) -> Budget:
    return Budget(backbone, epochs, 0, 4e-3, 1e-2, width, augment)


def _quick(epochs: int, *augment: str, views: str = "none") -> tuple[Budget, ...]:
    one = replace(_fast("cnn-quick", 16, epochs, "none"), average=0.99, views=views, precision="bf16")
    return tuple(replace(one, augment=how) for how in augment)


def _changed(own: Budget) -> tuple[Budget, ...]:
    """Budgets that each change one thing of that one, at about the same training time."""
    return (
        *(replace(own, augment=how) for how in ("none", "shift-cutout", "warp")),
        replace(own, average=0.995),
        replace(own, backbone="cnn-strided", width=16, epochs=4 * own.epochs),
    )


_KMNIST, _USPS = _fast("cnn", 12, 5, "shift"), _fast("cnn", 12, 40, "shift")
_GREY_CHANGES = ("shift", "shift-cutout", "warp")
# Held-out answers choose among these. Widths and epochs are what two cores can pay.
_CANDIDATES = {
    "mnist": _quick(3, *_GREY_CHANGES),
    "fashionmnist": _quick(5, *_GREY_CHANGES),
    "kmnist": (_KMNIST, *_changed(_KMNIST), *_quick(5, *_GREY_CHANGES)),
    "usps": (_USPS, *_changed(_USPS)),
    "emnist_letters": _quick(3, *_GREY_CHANGES),
    "svhn": _quick(8, "warp-invert", "warp", "shift"),
    "cifar10": (
        *_quick(9, "shift-flip"),
        *_quick(9, "shift-flip", "shift-flip-cutout", "warp-flip", views="mirror"),
        *_quick(24, "shift-flip", views="mirror"),
    ),
}


PRESETS = {
    "paper": Preset(
        name="paper",
        recipe="paper",
        seeds=(0, 1, 2, 3, 4),
        budgets={name: Budget("cnn", 100, search_epochs=100) for name in _GREY}
        | {name: Budget("resnet34", 100, search_epochs=100) for name in _COLOUR},
        full_search=True,
    ),
    "cpu": Preset(
        name="cpu",
        recipe="paper",
        seeds=(0, 1, 2, 3, 4),
        budgets={
            "usps": Budget("cnn", 100, search_epochs=10, width=12),
            "mnist": _STRIDED,
            "fashionmnist": _STRIDED,
            "kmnist": _STRIDED,
            "emnist_letters": _STRIDED,
            "svhn": _RESIDUAL,
            "cifar10": _RESIDUAL,
        },
    ),
    "cpu-mlp": Preset(
        name="cpu-mlp",
        recipe="paper",
        seeds=(0, 1, 2, 3, 4),
        budgets={"kmnist": _KMNIST_MLP, "emnist_letters": Budget("mlp-plain", 20, search_epochs=2, seeds=3)},
    ),
    "cpu-dropout": Preset(
        name="cpu-dropout",
        recipe="paper",
        seeds=(0, 1, 2),
        budgets={"kmnist": replace(_KMNIST_MLP, backbone="mlp")},
    ),
    "fast": Preset(
        name="fast",
        recipe="fast",
        seeds=(0, 1, 2),
        budgets={name: first for name, (first, *_) in _CANDIDATES.items()},
        candidates={name: tuple(others) for name, (_, *others) in _CANDIDATES.items()},
    ),
    "smoke": Preset(
        name="smoke",
        recipe="paper",
        seeds=(0, 1),
        budgets={"digits": Budget("mlp", 6, search_epochs=0, learning_rate=0.2)},
        batch_sizes=(128, 256),
    ),
}


def preset(name: str) -> Preset:
    """The preset of that name."""
    if name not in PRESETS:
        raise ValueError(f"unknown preset {name!r}; known: {', '.join(PRESETS)}")
    return PRESETS[name]


def register(added: Preset) -> None:
    """Make a preset known under its name."""
    if added.name in PRESETS:
        raise ValueError(f"there is a preset {added.name!r} already")
    PRESETS[added.name] = added
