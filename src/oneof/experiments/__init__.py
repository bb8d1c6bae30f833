"""The paper's experiments: protocol, runs, tables, figures, claims and the leaderboard; others can be registered."""

from oneof.experiments.registration import load_plugins, register

__all__ = ["load_plugins", "register"]
