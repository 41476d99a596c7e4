"""Checks of a retriever's rankings before they are used: a user's own retriever may have errors."""

from typing import Any

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError
from longdoc.registry import name_of
from retrievers import Ids, Scores


def checked_rankings(retriever: Any, ranking: Any, queries: int, width: int, chunks: int) -> tuple[Scores, Ids]:
    """The scores as float32 and the chunk numbers as int64, each [queries, width], over `chunks` chunks.

    Raises `UserError`, which names the retriever, for another shape, scores that are not finite, and numbers that are
    not of a chunk or are repeated.
    """
    scores, ids = _arrays(retriever, ranking)
    shape = (queries, width)
    if scores.shape != shape or ids.shape != shape:
        raise _ranking_error(
            retriever,
            f"scores of shape {scores.shape} and ids of shape {ids.shape} where {queries} queries and "
            f"the {width} best of {chunks} chunks make {shape}",
        )
    with np.errstate(over="ignore"):
        scores = scores.astype(np.float32)  # a float64 beyond its range becomes infinite, and is refused
    if bad_count := int((~np.isfinite(scores)).any(axis=1).sum()):
        raise _ranking_error(retriever, f"NaN or infinite scores for {bad_count} of {queries} queries")
    if ids.size and not (ids.min() >= 0 and ids.max() < chunks):
        number = int(ids.min() if ids.min() < 0 else ids.max())
        raise _ranking_error(retriever, f"the chunk number {number} where there are {chunks} chunks, numbered from 0")
    if any(len(set(row)) < width for row in ids.tolist()):
        raise _ranking_error(retriever, "a chunk twice among the best of one query")
    return scores, ids.astype(np.int64)


def checked_ranking(retriever: Any, ranking: Any, width: int, chunks: int) -> tuple[Scores, Ids]:
    """The scores and chunk numbers of one ranking, by the document's centroid, each [width]; checked likewise."""
    scores, ids = _arrays(retriever, ranking)
    if scores.ndim != 1 or ids.ndim != 1:
        raise _ranking_error(
            retriever, f"a centroid's ranking of shapes {scores.shape} and {ids.shape}, not ({width},)"
        )
    scores, ids = checked_rankings(retriever, (scores[None], ids[None]), 1, width, chunks)
    return scores[0], ids[0]


def _arrays(retriever: Any, ranking: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The scores and chunk numbers as arrays. Raises `UserError` for other results."""
    try:
        scores, ids = (np.asarray(value) for value in ranking)
    except (TypeError, ValueError):
        raise _ranking_error(
            retriever, f"{type(ranking).__name__}, not scores and ids as two tables of numbers"
        ) from None
    if scores.dtype.kind not in "fiu" or ids.dtype.kind not in "iu":
        raise _ranking_error(
            retriever, f"scores of dtype {scores.dtype} and ids of dtype {ids.dtype}, not float and integer"
        )
    return scores, ids


def _ranking_error(retriever: Any, description: str) -> UserError:
    return UserError(
        f"retriever {name_of(retriever)} gave {description}; retrievers.Index.search says what it must return"
    )
