"""Who was asked what about which item, and what they said."""

from oneof.answers.table import Answers

__all__ = ["Answers"]
