"""The longest common subsequence of two texts: what ROUGE-L counts."""

from collections.abc import Sequence

from rapidfuzz.distance import LCSseq


def longest(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence; on numbers, because rapidfuzz compares strings by their hashes."""
    number: dict[str, int] = {}
    first, second = ([number.setdefault(token, len(number)) for token in tokens] for tokens in (one, other))
    return int(LCSseq.similarity(first, second))
