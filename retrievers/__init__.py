"""From chunks and queries to a ranking. One retriever per file.

`retrievers.get("tfidf").index(chunks).search(queries, k=10)`
"""

import re
from collections.abc import Mapping
from typing import Any

from longdoc.errors import UserError, unknown
from longdoc.files import is_folder
from longdoc.registry import Registry
from retrievers._contract import (
    CentroidIndex,
    Ids,
    Index,
    JudgedDocument,
    Lengths,
    LimitedIndex,
    QuerySource,
    Retriever,
    Scores,
)
from retrievers.shared.ranking import ExactIndex, top_k

__all__ = [
    "CentroidIndex", "ExactIndex", "Ids", "Index", "JudgedDocument", "Lengths", "LimitedIndex", "QuerySource",
    "Retriever", "Scores", "get", "names", "registry", "top_k",
]  # fmt: skip


def _folder(name: str) -> Mapping[str, Any]:
    """The description of a retriever that `longdoc train` saved in the folder `name`. Raises `UserError` otherwise."""
    from models.saved import RETRIEVER, saved_description

    if (description := saved_description(name, RETRIEVER)) is not None:
        return description
    if is_folder(name):
        raise UserError(
            f"{name} is not a trained retriever (it has no {RETRIEVER}). For a sentence-transformers model, use "
            f"retriever='dense:{name}'; for a cross-encoder or ColBERT model, use retriever='rerank:model={name}'"
        )
    head = name.partition(":")[0]
    error = unknown("retriever", head if re.fullmatch(r"[\w-]+", head) else name, names())
    raise UserError(f"{error} (for a trained retriever, give the folder that `longdoc train` wrote)")


# In a run "best" is the preset that the task declares (`pipelines.tasks.Task.evidence`).
registry: Registry[Retriever] = Registry(
    __name__,
    "retriever",
    contract=Retriever,
    hidden=("lists", "nothing", "scales", "spread"),
    presets={"best": "evidence:general", "none": "nothing"},
    otherwise=_folder,
    example="retriever='bm25'",
)


def get(spec: Any, /, **fields: Any) -> Retriever:
    """The retriever for a name, `NAME:ARGS`, a folder trained here, a mapping or an object.

    Raises `UserError` with the nearest names.
    """
    return registry.get(spec, **fields)


def names() -> list[str]:
    """The names of all retrievers."""
    return registry.names()
