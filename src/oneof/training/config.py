"""What a training run is made of. Unknown keys are errors; what a recipe leaves open is settled by the data."""

import tomllib
from difflib import get_close_matches
from math import ceil
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

RECIPES: dict[str, dict[str, Any]] = {
    # Section V of the paper. It is silent on the step of StepLR and on how the epoch was chosen: ours.
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
    # One cycle ends at its best, so the last epoch is taken and no answer is spent on choosing one.
    "fast": {
        "optimizer": "adamw",
        "schedule": "one-cycle",
        "learning_rate": 4e-3,
        "weight_decay": 1e-2,
        "augment": "auto",
        "selection": "last",
    },
}


class Config(BaseModel):
    """The configuration of a run. None means: as the recipe, or else the data, say.

    >>> Config(recipe="paper").resolve(items=5000, image=True).epochs
    100
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    objective: str = "likelihood"
    loss: str | None = None
    weights: str | None = None
    recipe: Literal["fast", "paper"] = "fast"
    backbone: str = "auto"
    width: int | None = Field(default=None, ge=1)
    epochs: int | None = Field(default=None, ge=1)
    batch_size: int | None = Field(default=None, ge=2)
    optimizer: Literal["adamw", "adadelta"] | None = None
    learning_rate: float | None = Field(default=None, gt=0)
    weight_decay: float | None = Field(default=None, ge=0)
    schedule: Literal["one-cycle", "step"] | None = None
    step_size: int = Field(default=30, ge=1, description="epochs between the steps of the step schedule")
    gamma: float = Field(default=0.5, gt=0, le=1, description="what the step schedule multiplies the rate by")
    augment: Literal["auto", "none", "shift", "shift-flip", "warp", "warp-flip", "warp-invert"] | None = None
    average: float = Field(
        default=0.0, ge=0, lt=1, description="decay of the running average of the weights; 0 for none"
    )
    precision: Literal["32", "bf16", "16"] = Field(
        default="32", description="numbers that the network computes with; weights and risk always have 32 bits"
    )
    accumulate: int = Field(default=1, ge=1, description="micro-batches that a batch is cut into, to save memory")
    holdout: float = Field(
        default=0.1, ge=0, lt=1, description="share of the items whose answers judge and do not train"
    )
    selection: Literal["best", "last"] | None = None
    seed: int = Field(default=0, ge=0, lt=2**32)

    @model_validator(mode="before")
    @classmethod
    def _suggest(cls, values: Any) -> Any:
        for key in values if isinstance(values, dict) else ():
            if key not in cls.model_fields:
                near = get_close_matches(key, cls.model_fields, n=1, cutoff=0.4)
                hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(cls.model_fields)}"
                raise ValueError(f"unknown key {key!r}; {hint}")
        return values

    @classmethod
    def read(cls, path: str | Path | None, **overrides: Any) -> "Config":
        """From a TOML file, if any, with the overrides that are not None put over it.

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
        """Every None filled in, for this many training items."""
        known = {key: value for key, value in self.model_dump().items() if value is not None}
        full = RECIPES[self.recipe] | known
        full.setdefault("batch_size", 64 if items < 10_000 else 128)
        # Enough steps for a small data set, few passes over a large one.
        full.setdefault("epochs", min(100, max(8, ceil(3000 * full["batch_size"] / max(items, 1)))))
        if full["augment"] == "auto":
            full["augment"] = "shift" if image else "none"
        return Config(**full)

    def objective_options(self) -> dict[str, str]:
        """The options of the objective that are set."""
        options = {"loss": self.loss, "weights": self.weights}
        return {name: value for name, value in options.items() if value is not None}
