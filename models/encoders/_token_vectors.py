"""A vector for each token of a text, which is encoded together with the texts around it.

Texts that stand one after the other are encoded together, as many as fit, so that a token's vector knows what is around
its text ("late chunking": Günther et al. 2024, section 3); each also has a text more on either side where that fits.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from models.encoders import TokenVectors

OWN_SHARE = 0.75  # of a window's room: the rest is for the texts around
BETWEEN = "\n"

Tokens = Sequence[tuple[int, tuple[int, int]]]  # (number in the vocabulary, where it stands in the text) of each
Tokenize = Callable[[Sequence[str]], list[Tokens]]
Encode = Callable[[Sequence[str]], list[npt.NDArray[np.floating]]]  # a row for each token, special ones among them


@dataclass(frozen=True, slots=True)
class _Piece:
    """A text, or a part of one that is longer than a window."""

    owner: int
    text: str
    tokens: int


def token_vectors(
    texts: Sequence[str], budget: int, tokenize: Tokenize, encode: Encode, special: tuple[int, int], is_together: bool
) -> TokenVectors:
    """The token vectors of texts, normalized. `special`: number of special tokens before and after a text's own.

    At most `budget` tokens are encoded at once; with `is_together` those of neighbouring texts.
    """
    split = zip(texts, tokenize(texts), strict=True)
    pieces = [piece for owner, (text, tokens) in enumerate(split) for piece in _pieces(owner, text, tokens, budget)]
    counts = [piece.tokens for piece in pieces]
    windows = (
        _windows(counts, budget)
        if is_together
        else [(position, position, position + 1, position + 1) for position in range(len(pieces))]
    )
    joined = [BETWEEN.join(piece.text for piece in pieces[low:high]) for low, _, _, high in windows]
    parts = [np.zeros((0, 1), np.float32)] if not windows else []
    ids, owners = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for (low, first, last, _), tokens, vectors in zip(windows, tokenize(joined), encode(joined), strict=True):
        inner = vectors[special[0] : len(vectors) - special[1]]
        ends = list(accumulate(len(piece.text) + len(BETWEEN) for piece in pieces[low:last]))
        starts = np.array([start for _, (start, _) in tokens[: len(inner)]], np.int64)
        places = low + np.searchsorted(ends, starts, "right")
        own = np.flatnonzero((places >= first) & (places < last))
        parts.append(np.asarray(inner[own], np.float32))
        ids.append(np.array([number for number, _ in tokens], np.int64)[own])
        owners.append(np.array([piece.owner for piece in pieces], np.int64)[places[own]])
    all_vectors = np.concatenate(parts)
    all_vectors /= np.maximum(np.linalg.norm(all_vectors, axis=1, keepdims=True), 1e-12)
    sizes = np.bincount(np.concatenate(owners), minlength=len(texts))
    return TokenVectors(all_vectors, np.concatenate(ids), np.concatenate(([0], np.cumsum(sizes))).astype(np.int64))


def _pieces(owner: int, text: str, tokens: Tokens, budget: int) -> Iterator[_Piece]:
    for low in range(0, len(tokens), budget):
        part = tokens[low : low + budget]
        yield _Piece(owner, text[part[0][1][0] : part[-1][1][1]], len(part))


def _windows(counts: Sequence[int], budget: int) -> list[tuple[int, int, int, int]]:
    """(low, first, last, high) of each window: it encodes the pieces low to high, and gives vectors of first to last.

    The pieces first to last follow each other from window to window.
    """
    windows = []
    first = 0
    while first < len(counts):
        last, used = first + 1, counts[first]
        while last < len(counts) and used + counts[last] <= OWN_SHARE * budget:
            used += counts[last]
            last += 1
        low, high = first, last
        if first and used + counts[first - 1] <= budget:
            low, used = first - 1, used + counts[first - 1]
        if last < len(counts) and used + counts[last] <= budget:
            high = last + 1
        windows.append((low, first, last, high))
        first = last
    return windows
