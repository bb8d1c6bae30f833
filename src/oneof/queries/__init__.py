"""How questions are chosen, and a simulated annotator who answers them."""

from oneof.queries.moment import Queries
from oneof.queries.prediction import PredictionQueries
from oneof.queries.respond import respond
from oneof.queries.uniform import UniformQueries
from oneof.queries.weighted import WeightedQueries

__all__ = ["PredictionQueries", "Queries", "UniformQueries", "WeightedQueries", "respond"]
