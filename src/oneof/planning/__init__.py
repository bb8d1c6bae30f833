"""Before asking: which size of question, how many answers, and what they will bring."""

from oneof.planning.sizes import plan, variance_factors
from oneof.planning.width import answers_for_width, expected_width

__all__ = ["answers_for_width", "expected_width", "plan", "variance_factors"]
