"""pass@k and pass^k: how often at least one, or every one, of k repeats is right.

Of n repeats of a question, c of them right, at least one of k drawn ones is right with probability
pass@k = 1 - C(n - c, k) / C(n, k) (Chen et al. 2021, "Evaluating Large Language Models Trained on Code", equation 1),
and all of them with pass^k = C(c, k) / C(n, k) (Yao et al. 2024, "τ-bench", section 4). Both are unbiased.
"""

from collections.abc import Sequence
from math import comb


def pass_at(k: int, right: Sequence[int], repeats: Sequence[int]) -> float:
    """pass@k, 0–1, the mean over questions with counts of `right` among `repeats`. Raises `ValueError` for k > n."""
    _check(k, right, repeats)
    return sum(1 - comb(n - c, k) / comb(n, k) for c, n in zip(right, repeats, strict=True)) / len(right)


def pass_all(k: int, right: Sequence[int], repeats: Sequence[int]) -> float:
    """pass^k, 0–1, the mean over questions with counts of `right` among `repeats`. Raises `ValueError` for k > n."""
    _check(k, right, repeats)
    return sum(comb(c, k) / comb(n, k) for c, n in zip(right, repeats, strict=True)) / len(right)


def _check(k: int, right: Sequence[int], repeats: Sequence[int]) -> None:
    if k < 1 or not right or not all(k <= n and 0 <= c <= n for c, n in zip(right, repeats, strict=True)):
        raise ValueError(f"k={k} of the repeats of {len(right)} questions")
