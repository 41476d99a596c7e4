"""The upper tail of the binomial distribution."""

from math import exp, fsum, lgamma, log


def upper_tail(successes: int, trials: int, probability: float) -> float:
    """The probability of `successes` or more in independent `trials`; `probability`, of each, is between 0 and 1."""
    return min(1.0, fsum(_mass(count, trials, probability) for count in range(successes, trials + 1)))


def _mass(successes: int, trials: int, probability: float) -> float:
    """The probability of exactly `successes`, from logarithms, as factorials of many trials overflow."""
    combinations = lgamma(trials + 1) - lgamma(successes + 1) - lgamma(trials - successes + 1)
    return exp(combinations + successes * log(probability) + (trials - successes) * log(1 - probability))
