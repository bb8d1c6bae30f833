"""The paper's experiments: protocol, runs, tables, figures, claims and the leaderboard; others can be registered."""

from oneof.engines.plugins import load_plugins
from oneof.experiments.registration import register

__all__ = ["load_plugins", "register"]
