"""The longest common subsequence of two texts: what ROUGE-L counts."""

from collections.abc import Sequence

from rapidfuzz.distance import LCSseq


def longest(tokens: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence; on numbers, because rapidfuzz compares strings by their hashes."""
    number_of_token: dict[str, int] = {}
    first, second = (
        [number_of_token.setdefault(token, len(number_of_token)) for token in sequence] for sequence in (tokens, other)
    )
    return int(LCSseq.similarity(first, second))


def matched(tokens: Sequence[str], other: Sequence[str]) -> set[int]:
    """The positions in `tokens` of the longest common subsequence that rouge-score chooses.

    Going back from the ends, equal tokens are taken; else `other` is shortened if only that keeps the length, else
    `tokens`. A row of the table is a number: bit j is 0 where it grows at token j of `other` (Hyyrö 2004).
    """
    position_bits: dict[str, int] = {}
    for position, token in enumerate(other):
        position_bits[token] = position_bits.get(token, 0) | 1 << position
    row = full = (1 << len(other)) - 1
    rows = [row]
    for token in tokens:
        common = row & position_bits.get(token, 0)
        row = ((row + common) | (row - common)) & full
        rows.append(row)
    matched_positions, i, j = set[int](), len(tokens), len(other)
    while i and j:
        low = (1 << j) - 1
        if tokens[i - 1] == other[j - 1]:
            matched_positions.add(i - 1)
            i, j = i - 1, j - 1
        elif (rows[i] & low).bit_count() < (rows[i - 1] & low).bit_count():  # shorter without tokens[i - 1]
            j -= 1
        else:
            i -= 1
    return matched_positions
