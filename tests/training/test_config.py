"""The configuration: unknown keys, bad values, recipes, TOML files, and what the data settle."""

import pytest
from pydantic import ValidationError

from oneof import losses, objectives
from oneof.training import Config
from oneof.training.config import RECIPES, choices, describe


def test_every_recipe_resolves_to_a_whole_configuration():
    for recipe in RECIPES:
        resolved = Config(recipe=recipe).resolve(items=1347, image=True)
        open_keys = {key for key, value in resolved.model_dump().items() if value is None}
        assert open_keys == {"loss", "weights", "width"}, recipe
        assert resolved.augment != "auto"


def test_the_paper_recipe():
    paper = Config(recipe="paper").resolve(items=60_000, image=True)
    assert (paper.optimizer, paper.schedule, paper.epochs, paper.batch_size) == ("adadelta", "step", 100, 128)
    assert (paper.augment, paper.selection) == ("none", "best")


def test_what_is_given_comes_before_the_recipe():
    given = {"epochs": 7, "learning_rate": 0.5, "batch_size": 16, "selection": "last", "augment": "shift-flip"}
    resolved = Config(recipe="paper", **given).resolve(items=100, image=True)
    assert {key: getattr(resolved, key) for key in given} == given


def test_augmentation_is_for_images_alone():
    assert Config().resolve(100, image=True).augment == "shift"
    assert Config().resolve(100, image=False).augment == "none"


def test_a_small_data_set_gets_more_epochs_and_a_smaller_batch():
    small, large = Config().resolve(1000, image=False), Config().resolve(60_000, image=False)
    assert small.epochs == 100
    assert large.epochs == 8
    assert (small.batch_size, large.batch_size) == (64, 128)


def test_resolving_twice_changes_nothing():
    once = Config().resolve(1000, image=True)
    assert once.resolve(60_000, image=False) == once


@pytest.mark.parametrize(
    ("key", "hint"),
    [("epoch", "did you mean 'epochs'?"), ("lerning_rate", "did you mean 'learning_rate'?"), ("zzz", "known keys: ")],
)
def test_an_unknown_key_is_an_error_that_suggests_the_nearest(key, hint):
    with pytest.raises(ValueError, match=f"unknown key '{key}'") as caught:
        Config.read(None, **{key: 1})
    assert hint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("epochs", 0),
        ("batch_size", 1),
        ("learning_rate", 0.0),
        ("learning_rate", float("nan")),
        ("weight_decay", -1e-3),
        ("holdout", 1.0),
        ("average", 1.0),
        ("seed", -1),
        ("recipe", "slow"),
        ("selection", "first"),
        ("augment", "rotate"),
        ("epochs", "many"),
    ],
)
def test_a_bad_value_is_an_error_that_names_the_key(key, value):
    with pytest.raises(ValueError, match=f"^configuration: {key}: "):
        Config.read(None, **{key: value})


def test_a_configuration_does_not_change():
    with pytest.raises(ValidationError, match="frozen"):
        Config().epochs = 3


def test_read_puts_options_over_the_file(tmp_path):
    file = tmp_path / "run.toml"
    file.write_text('objective = "ure"\nloss = "gce"\nepochs = 12\n')
    config = Config.read(file, epochs=3, loss=None)
    assert (config.objective, config.loss, config.epochs) == ("ure", "gce", 3)
    assert config.objective_options() == {"loss": "gce"}


@pytest.mark.parametrize(
    ("text", "message"),
    [("epochs 3", "not a TOML file"), ("[training]\nepochs = 3", "unknown key 'training'"), ("epochs = -1", "epochs:")],
)
def test_a_bad_file_is_named(tmp_path, text, message):
    file = tmp_path / "run.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        Config.read(file)
    assert str(caught.value).startswith(f"{file}: ")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.toml"):
        Config.read(tmp_path / "none.toml")


def test_a_dumped_configuration_reads_back():
    config = Config(objective="abs", loss="gce", average=0.9).resolve(500, image=True)
    assert Config(**config.model_dump()) == config


@pytest.mark.parametrize("setting", list(Config.model_fields))
def test_every_setting_is_described_with_its_choices_and_its_default(setting):
    text = describe(setting)
    assert text[0].isupper()
    assert text.endswith(".")
    assert "{" not in text
    assert all(choice in text for choice in choices(setting))
    default = Config.model_fields[setting].default
    if isinstance(default, str | int | float):
        assert f"Default: {default}." in text


def test_names_in_the_descriptions_come_from_the_registries():
    assert all(name in describe("objective") for name in objectives.names())
    assert all(name in describe("loss") for name in losses.names())
    assert "minimum-norm, agreement; for the objectives ure, nn, abs" in describe("weights")


def test_objects_are_kept_and_dumped_by_name():
    objective = objectives.create("abs", loss=losses.gce(q=0.5), kappa=0.3)
    config = Config(objective=objective, loss=losses.mse).resolve(100, image=False)
    assert config.objective is objective
    assert config.loss is losses.mse
    dumped = config.model_dump()
    assert dumped["objective"] == ("Absolute(loss=gce(q=0.5, eps=1e-06), weights='paper', queries=None, kappa=0.3)")
    assert dumped["loss"] == "mse"
