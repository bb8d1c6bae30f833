"""Answers: which question was asked about which item, and what was answered."""

from oneof.answers.table import Answers

__all__ = ["Answers"]
