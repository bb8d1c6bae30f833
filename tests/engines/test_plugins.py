import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from oneof.engines.base import Watch
from oneof.engines.local import Local
from oneof.engines.plugins import load_plugins
from oneof.objectives import losses

PLUGIN = """
import torch
from oneof.objectives.losses import register

@register("from-a-plugin")
def loss(logits):
    return -torch.log_softmax(logits, dim=1)
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a plugin in the current folder; what it registers is gone after the test."""
    name = "a_plugin_for_this_test"
    (tmp_path / f"{name}.py").write_text(PLUGIN)
    monkeypatch.setattr(losses, "_LOSSES", dict(losses._LOSSES))
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ONEOF_PLUGINS", f" {name}, ")
    yield name
    sys.modules.pop(name, None)


def test_plugins_are_imported_by_name(plugin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    load_plugins()
    load_plugins()
    assert losses.names()[-1] == "from-a-plugin"
    monkeypatch.setenv("ONEOF_PLUGINS", "no_such_plugin")
    with pytest.raises(ValueError, match="ONEOF_PLUGINS names 'no_such_plugin', which cannot be imported"):
        load_plugins()


def test_processes_that_do_trials_import_them_too(plugin: str, driver: ModuleType) -> None:
    with Local(2) as engine:
        found = dict(engine.run(driver.known_loss, {"trial": "from-a-plugin"}, Watch()))
    assert found == {"trial": True}
    assert plugin not in sys.modules
