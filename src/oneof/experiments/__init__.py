"""The paper's experiments: protocol, runs, tables, figures, claims and the leaderboard; and whatever is registered."""

from oneof.experiments.registration import load_plugins, register

__all__ = ["load_plugins", "register"]
