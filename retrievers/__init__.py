"""From chunks and queries to a ranking. One retriever per file.

`retrievers.get("tfidf").index(chunks).search(queries, k=10)`
"""

from typing import Any

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
from retrievers._ranking import ExactIndex, top_k

__all__ = [
    "CentroidIndex", "ExactIndex", "Ids", "Index", "Lengths", "LimitedIndex", "QuerySource", "Retriever", "Scores",
    "get", "names", "registry", "top_k",
]  # fmt: skip

# In a run "best" is the preset that the task declares (`pipelines.tasks.Task.evidence`).
registry: Registry[Retriever] = Registry(
    __name__, "retriever", contract=Retriever, presets={"best": "evidence:general"}
)


def get(spec: Any, /, **fields: Any) -> Retriever:
    """The retriever for a name, `NAME:ARGS`, a mapping or an object. Raises `UserError` with the nearest names."""
    return registry.get(spec, **fields)


def names() -> list[str]:
    """The names of all retrievers."""
    return registry.names()
