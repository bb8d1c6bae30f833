"""Planning: which size of question, how many answers, and which accuracy to expect."""

from oneof.planning.sizes import plan, variance_factors
from oneof.planning.width import answers_for_width, expected_width

__all__ = ["answers_for_width", "expected_width", "plan", "variance_factors"]
