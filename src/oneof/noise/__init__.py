"""How often annotators flip answers: flip rates from gold items, from repeated questions, or by EM with a model."""

from oneof.noise.em import NoisyFit, fit_with_noise, rates_from_model
from oneof.noise.gold import rates_from_gold
from oneof.noise.rates import FlipRates
from oneof.noise.repeated import rates_from_repeated

__all__ = ["FlipRates", "NoisyFit", "fit_with_noise", "rates_from_gold", "rates_from_model", "rates_from_repeated"]
