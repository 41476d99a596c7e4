"""From chunks and queries to a ranking. One retriever per file.

`retrievers.get("tfidf").index(chunks).search(queries, k=10)`
"""

import re
from collections.abc import Mapping
from typing import Any

from longdoc.errors import UserError, unknown
from longdoc.folders import is_folder
from longdoc.registry import Registry
from retrievers._contract import (
    CentroidIndex,
    Ids,
    Index,
    Lengths,
    LimitedIndex,
    QuerySource,
    Retriever,
    Scores,
)
from retrievers.shared.labelled_units import JudgedDocument
from retrievers.shared.ranking import ExactIndex, top_k

__all__ = [
    "CentroidIndex", "ExactIndex", "Ids", "Index", "JudgedDocument", "Lengths", "LimitedIndex", "QuerySource",
    "Retriever", "Scores", "get", "names", "registry", "top_k",
]  # fmt: skip


def _folder(name: str) -> Mapping[str, Any]:
    """The retriever that `longdoc train` wrote into a folder."""
    from models.saved import RETRIEVER, saved_description

    if (saved := saved_description(name, RETRIEVER)) is not None:
        return saved
    if is_folder(name):
        raise UserError(
            f"{name} is no retriever's folder (it holds no {RETRIEVER}): a sentence-transformers model is "
            f"retriever='dense:{name}', a cross-encoder or ColBERT model retriever='rerank:model={name}'"
        )
    head = name.partition(":")[0]
    unknown_name = unknown("retriever", head if re.fullmatch(r"[\w-]+", head) else name, names())
    raise UserError(f"{unknown_name} (a trained one is given by its folder, as `longdoc train` wrote it)")


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
