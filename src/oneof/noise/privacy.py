"""Privacy by randomised response: answers are flipped at random, so that a single answer reveals little.

Randomised response (Warner 1965): report the true yes/no with probability e^eps / (1 + e^eps), and the opposite
otherwise. The probability of any report differs between the two truths by a factor of at most e^eps: this is local
differential privacy with budget eps. The flips are ordinary noise with known rates,

    rho0 = rho1 = 1 / (1 + e^eps),

so every objective and estimate of this library corrects for them. Estimates that are linear in the answers then need
((e^eps + 1) / (e^eps - 1))^2 times as many answers if yes and no are equally likely, and more otherwise, because the
flips add variance. `oneof.plan` gives the exact figure for an accuracy.
"""

from math import exp, inf, log, tanh

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oneof.answers import Answers
from oneof.evaluation import Estimate, clopper_pearson
from oneof.queries.weights import flipped_again


def flip_rate(epsilon: float) -> float:
    """The rate at which to flip answers for a budget epsilon: 1 / (1 + e^epsilon).

    >>> round(flip_rate(2.0), 4)
    0.1192
    """
    _check(epsilon)
    return exp(-epsilon) / (1 + exp(-epsilon))


def epsilon_of(flip_yes: float, flip_no: float) -> float:
    """The privacy budget of flips at these rates; infinite if one kind of answer is never flipped.

    >>> round(epsilon_of(flip_rate(2.0), flip_rate(2.0)), 6)
    2.0
    """
    for name, rate in (("flip_yes", flip_yes), ("flip_no", flip_no)):
        if not 0 <= rate <= 1:
            raise ValueError(f"{name} is {rate}, expected a rate in [0, 1]")
    return max(_distance(1 - flip_yes, flip_no), _distance(1 - flip_no, flip_yes))


def cost(epsilon: float) -> float:
    """How many times more answers a linear estimate needs, at least: ((e^eps + 1) / (e^eps - 1))^2.

    >>> [round(cost(epsilon), 2) for epsilon in (1, 2, 4)]
    [4.68, 1.72, 1.08]
    """
    _check(epsilon)
    return 1 / tanh(epsilon / 2) ** 2


def randomise(responses: ArrayLike, epsilon: float, rng: np.random.Generator | int) -> NDArray[np.bool_]:
    """True answers after randomised response, bool (n,) -> bool (n,). Apply it before anything is stored.

    >>> randomise([True, True, False, False], epsilon=1.0, rng=3)
    array([False, False, False, False])
    """
    truth = np.asarray(responses)
    if truth.dtype != np.bool_:
        raise ValueError(f"responses must be true or false, not {truth.dtype}")
    flipped = np.random.default_rng(rng).random(truth.shape) < flip_rate(epsilon)
    return np.asarray(truth ^ flipped)


def privatise(answers: Answers, epsilon: float, rng: np.random.Generator | int) -> Answers:
    """Answers after randomised response, with their flip rates, so that training and judging correct for them.

    Flip rates that the answers have already (annotators err) are combined with the new ones.

    >>> true = Answers([[True, False, False]] * 4, [True, True, False, False])
    >>> private = privatise(true, epsilon=1.0, rng=3)
    >>> private.responses, private.flip_yes.round(3)
    (array([False, False, False, False]), array([0.269, 0.269, 0.269, 0.269]))
    """
    rate = flip_rate(epsilon)
    rho1, rho0 = answers.flips(None, None)
    before = np.zeros(len(answers)) if answers.randomised is None else answers.randomised
    changes = {
        "responses": randomise(answers.responses, epsilon, rng),
        "flip_yes": flipped_again(rho1, rate),
        "flip_no": flipped_again(rho0, rate),
        "randomised": flipped_again(before, rate),
    }
    for name, old, new in (("known_yes", rho1, changes["flip_yes"]), ("known_no", rho0, changes["flip_no"])):
        known = getattr(answers, name)
        if known is not None:  # the count at which the new rate has the old standard error times 1 - 2 rate
            changes[name] = known * new * (1 - new) / np.maximum((1 - 2 * rate) ** 2 * old * (1 - old), 1e-12)
    return answers.replace(**changes)


def spent(answers: Answers, items: int | None = None) -> NDArray[np.float64]:
    """The privacy budget spent on each item, (items,): the budgets of all answers about an item are added up.

    Only flips on purpose protect privacy (`Answers.randomised`, which `privatise` sets), not the errors of annotators.
    Infinite for an item with an answer that was not randomised; a skip counts as an answer.

    >>> rate = flip_rate(1.0)
    >>> twice = Answers([[True, False]] * 2, [True, True], items=[0, 0], flip_yes=rate, flip_no=rate, randomised=rate)
    >>> spent(twice).round(6)
    array([2.])
    """
    last = int(answers.items.max(initial=-1))
    if items is not None and items <= last:
        raise ValueError(f"there are answers about item {last}, but only {items} items")
    on_purpose = np.zeros(len(answers)) if answers.randomised is None else answers.randomised
    rates, kind = np.unique(on_purpose, return_inverse=True)
    budgets = np.array([epsilon_of(rate, rate) for rate in rates.tolist()])
    total = np.zeros(last + 1 if items is None else items)
    np.add.at(total, answers.items, budgets[kind] if len(answers) else 0.0)
    return total


def measured_epsilon(truth: ArrayLike, reported: ArrayLike, confidence: float = 0.95) -> Estimate:
    """The privacy budget of a flipping device, from a test run on known answers. truth, reported: bool (n,).

    The interval contains the true budget with at least this confidence: exact intervals for the two flip rates,
    combined by Bonferroni. If a device promises epsilon and `low` is above it, the promise is broken.

    >>> truth = np.arange(20_000) % 2 == 0
    >>> estimate = measured_epsilon(truth, randomise(truth, epsilon=2.0, rng=0))
    >>> estimate.low < 2.0 < estimate.high
    True
    """
    true, report = np.asarray(truth), np.asarray(reported)
    if true.dtype != np.bool_ or report.dtype != np.bool_ or true.shape != report.shape or true.ndim != 1:
        raise ValueError(
            f"truth and reported must be bool (n,), not {true.dtype} {true.shape}, {report.dtype} {report.shape}"
        )
    if not true.any() or true.all():
        raise ValueError("the test run needs true answers of both kinds, yes and no")
    rates, lows, highs = [], [], []
    for kind in (True, False):
        flips = report[true == kind] != kind
        low, high = clopper_pearson(int(flips.sum()), len(flips), (1 + confidence) / 2)
        rates.append(float(flips.mean()))
        lows.append(float(low))
        highs.append(float(high))
    # Below one half a lower rate means a larger budget; rates above one half would reverse this, and are refused.
    if max(rates) > 0.5:
        raise ValueError(f"more than half of the answers are flipped ({max(rates):.2f}): yes and no may be mixed up")
    ends = (epsilon_of(*rates), epsilon_of(*(min(rate, 0.5) for rate in highs)), epsilon_of(*lows))
    return Estimate(*ends, len(true))


def _distance(p: float, q: float) -> float:
    """|log(p / q)|: how much the probability of one report differs between the two truths."""
    if p == q:
        return 0.0
    return abs(log(p / q)) if p > 0 and q > 0 else inf


def _check(epsilon: float) -> None:
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive, not {epsilon}")
