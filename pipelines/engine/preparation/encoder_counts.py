"""How many passages and queries of an example are longer than a retriever's encoder reads."""

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from retrievers import Index, Lengths, LimitedIndex


class EncoderCounts:
    """Counts the passages of an index, and the queries of one example, each once.

    A strategy may search further while it runs: its queries are added then.
    """

    def __init__(self, index: Index, per_query: bool) -> None:
        self._index, self._per_query = index, per_query
        self._queries: dict[str, None] = {}

    def add_query(self, query: str) -> None:
        """Count a query."""
        self._queries[query] = None

    def by_retriever(self) -> dict[str, dict[str, Any]]:
        """The counts that `pipelines.results.over_limit` describes; empty for indexes without an encoder's limit."""
        if not _is_limited(type(self._index)):
            return {}
        index = cast(LimitedIndex, self._index)
        passages = index.passages()
        queried = index.queries(list(self._queries)) or (None,) * len(passages)
        return {
            name: _counts(lengths, queries) | ({"per_query": True} if self._per_query else {})
            for name, lengths, queries in zip(_names(passages), passages, queried, strict=True)
        }


@cache
def _is_limited(index_class: type) -> bool:
    """Whether a class is that of an index whose encoder has a limit: once a class, as protocols are slow to check."""
    return issubclass(index_class, LimitedIndex)


def _names(passages: Sequence[Lengths]) -> list[str]:
    """The retrievers' names; a second one of a name is numbered."""
    names: list[str] = []
    for passage in passages:
        same_count = sum(name.partition(" ")[0] == passage.retriever for name in names)
        names.append(f"{passage.retriever} {same_count + 1}" if same_count else passage.retriever)
    return names


def _counts(passages: Lengths, queries: Lengths | None) -> dict[str, Any]:
    return {
        "limit": passages.limit,
        "long": passages.long,
        "passages": passages.texts,
        "over": passages.over,
        "tokens": passages.tokens,
        "beyond": passages.beyond,
        "queries": queries.texts if queries else 0,
        "queries_over": queries.over if queries else 0,
        "queries_beyond": queries.beyond if queries else 0,
    }
