"""The settings of a training run: one list, from which command line, estimator and experiments take names, defaults and
help. Unknown keys are errors; settings that neither the user nor the recipe gives depend on the data."""

import tomllib
from collections.abc import Callable
from difflib import get_close_matches
from math import ceil
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_serializer, model_validator

RECIPES: dict[str, dict[str, Any]] = {
    # Section V of the paper. The step of StepLR and how the epoch was chosen are not in it: those are our choice.
    "paper": {
        "optimizer": "adadelta",
        "schedule": "step",
        "learning_rate": 0.1,
        "weight_decay": 1e-4,
        "epochs": 100,
        "batch_size": 128,
        "augment": "none",
        "selection": "best",
    },
    # With one cycle the last epoch is the best, so no answers are needed to choose one.
    "fast": {
        "optimizer": "adamw",
        "schedule": "one-cycle",
        "learning_rate": 4e-3,
        "weight_decay": 1e-2,
        "augment": "auto",
        "selection": "last",
    },
}

Value = bool | int | float | str


class Config(BaseModel):
    """The settings of a run. None means: as the recipe says, or else by the data.

    >>> Config(recipe="paper").resolve(items=5000, image=True).epochs
    100
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    objective: str | Callable[..., Any] = Field(
        default="likelihood",
        description="What training minimises: {objectives}; in Python also an objective of your own.",
    )
    loss: str | Callable[..., Any] | None = Field(
        default=None,
        description="The loss of one class, for objectives that take one: {losses}; in Python also a function.",
    )
    weights: str | None = Field(
        default=None, description="The weights of an unbiased risk: {weights}; for the objectives {weighted}."
    )
    options: dict[str, Value] = Field(
        default_factory=dict, description="Further options of the objective by name, such as kappa=0.5 of abs."
    )
    recipe: Literal["fast", "paper"] = Field(default="fast", description="Where settings that are not given come from.")
    backbone: str = Field(
        default="auto",
        description="The network: auto (for images cnn, or cnn-quick from 15 pixels and 2,000 items on; for rows of "
        "numbers linear or mlp, by held-out answers), {backbones}.",
    )
    width: int | None = Field(default=None, ge=1, description="Width of the network. Default: the network's own.")
    epochs: int | None = Field(
        default=None, ge=1, description="Passes over the items. Default: by their number; recipe paper 100."
    )
    batch_size: int | None = Field(
        default=None, ge=2, description="Items in a batch. Default: by their number; recipe paper 128."
    )
    optimizer: Literal["adamw", "adadelta"] | None = Field(default=None, description="How the weights are moved.")
    learning_rate: float | None = Field(default=None, gt=0, description="Peak learning rate.")
    weight_decay: float | None = Field(default=None, ge=0, description="Weight decay.")
    schedule: Literal["one-cycle", "step"] | None = Field(default=None, description="How the learning rate changes.")
    step_size: int = Field(default=30, ge=1, description="Epochs between the steps of the step schedule.")
    gamma: float = Field(default=0.5, gt=0, le=1, description="What the step schedule multiplies the learning rate by.")
    augment: (
        Literal[
            "auto",
            "none",
            "shift",
            "shift-flip",
            "shift-cutout",
            "shift-flip-cutout",
            "warp",
            "warp-flip",
            "warp-invert",
        ]
        | None
    ) = Field(default=None, description="Random changes of images that keep their class; auto is shift for images.")
    views: Literal["none", "mirror", "shift", "auto"] = Field(
        default="none",
        description="Views of an image that its prediction is the mean of: mirror (the image and its mirror image), "
        "shift (also moved by a pixel, five in all), or auto: what half of the held-out answers find likeliest.",
    )
    average: float = Field(
        default=0.0, ge=0, lt=1, description="Decay of the running average of the weights; 0 for none."
    )
    precision: Literal["32", "bf16", "16"] = Field(
        default="32",
        description="Bits that the network computes with (16: CUDA only); weights and risk always have 32.",
    )
    device: Literal["auto", "cpu", "cuda", "mps"] = Field(default="auto", description="What the network computes on.")
    accumulate: int = Field(default=1, ge=1, description="Micro-batches that a batch is cut into, to save memory.")
    holdout: float = Field(
        default=0.1, ge=0, lt=1, description="Share of the items whose answers judge instead of train."
    )
    selection: Literal["best", "last"] | None = Field(
        default=None, description="The epoch that is kept: last, or the best by half of the held-out answers."
    )
    seed: int = Field(
        default=0, ge=0, lt=2**32, description="Fixes initial weights, batch order and the held-out items."
    )

    @model_validator(mode="before")
    @classmethod
    def _suggest(cls, values: Any) -> Any:
        for key in values if isinstance(values, dict) else ():
            if key not in cls.model_fields:
                near = get_close_matches(key, cls.model_fields, n=1, cutoff=0.4)
                hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(cls.model_fields)}"
                raise ValueError(f"unknown key {key!r}; {hint}")
        return values

    @field_serializer("objective", "loss")
    def _by_name(self, value: Any) -> str | None:
        """An objective or a function as text that is the same in every process, for files."""
        if value is None or isinstance(value, str):
            return value
        from oneof.objectives.losses import spell

        return spell(value)

    @classmethod
    def read(cls, path: str | Path | None, **overrides: Any) -> "Config":
        """The settings of a TOML file, if there is one; overrides that are not None replace them.

        >>> Config.read(None, epochs=3, seed=None).epochs
        3
        """
        try:
            values = {} if path is None else tomllib.loads(Path(path).read_text(encoding="utf-8"))
            return cls(**values | {key: value for key, value in overrides.items() if value is not None})
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{path}: not a TOML file: {error}") from None
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            message = first["msg"].removeprefix("Value error, ")
            raise ValueError(f"{path or 'configuration'}: {where + ': ' if where else ''}{message}") from None

    def resolve(self, items: int, image: bool) -> "Config":
        """The settings with a value for every None, for this number of training items."""
        full = RECIPES[self.recipe] | {key: value for key, value in self if value is not None}
        full.setdefault("batch_size", 64 if items < 10_000 else 128)
        # Many epochs for a small data set, few for a large one: about 3000 steps.
        full.setdefault("epochs", min(100, max(8, ceil(3000 * full["batch_size"] / max(items, 1)))))
        if full["augment"] == "auto":
            full["augment"] = "shift" if image else "none"
        if full["views"] != "none" and not image:
            if full["views"] != "auto":
                raise ValueError(f"views={full['views']!r} is for images; rows of numbers have one view")
            full["views"] = "none"
        return Config(**full)

    def objective_options(self) -> dict[str, Any]:
        """The options of the objective that were given.

        >>> Config(objective="abs", loss="gce", options={"kappa": 0.5}).objective_options()
        {'loss': 'gce', 'kappa': 0.5}
        """
        options = {"loss": self.loss, "weights": self.weights} | self.options
        return {name: value for name, value in options.items() if value is not None}


def describe(setting: str) -> str:
    """The help text of a setting: what it means, the values it may have, and its default.

    >>> describe("gamma")
    'What the step schedule multiplies the learning rate by. Default: 0.5.'
    """
    from oneof import models, objectives  # here, because they import torch, which is slow

    field = Config.model_fields[setting]
    known = {
        "objectives": objectives.names(),
        "losses": objectives.losses.names(),
        "weights": objectives.unbiased.WEIGHTS,
        "weighted": [name for name in objectives.names() if "weights" in objectives.options(name)],
        "backbones": models.names(),
    }
    text = (field.description or "").format(**{what: ", ".join(names) for what, names in known.items()})
    values = choices(setting)
    text += f" One of {', '.join(values)}." if values else ""
    by_recipe = ", ".join(f"{recipe} {given[setting]}" for recipe, given in RECIPES.items() if setting in given)
    if by_recipe and "Default" not in text:
        return f"{text} Default by recipe: {by_recipe}."
    return text if field.default is None or setting == "options" else f"{text} Default: {field.default}."


def choices(setting: str) -> tuple[str, ...]:
    """The values that a setting may have, or nothing if they cannot be listed.

    >>> choices("recipe")
    ('fast', 'paper')
    """
    annotation: Any = Config.model_fields[setting].annotation
    for part in (annotation, *getattr(annotation, "__args__", ())):
        if getattr(part, "__origin__", None) is Literal:
            return tuple(part.__args__)
    return ()
