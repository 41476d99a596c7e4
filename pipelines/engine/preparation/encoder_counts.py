"""Counts of an example's passages and queries, and of those that are longer than a retriever's encoder reads."""

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from retrievers import Index, Lengths, LimitedIndex


class EncoderCounts:
    """Counts the passages of an index, and the queries of one example, each once.

    A strategy that searches again while it runs adds its queries.
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
        queries = index.queries(list(self._queries)) or (None,) * len(passages)
        per_query = {"per_query": True} if self._per_query else {}
        return {
            name: _counts(passage_lengths, query_lengths) | per_query
            for name, passage_lengths, query_lengths in zip(_retriever_names(passages), passages, queries, strict=True)
        }


@cache
def _is_limited(index_class: type) -> bool:
    """Whether indexes of this class have an encoder with a limit. Cached, as protocols are slow to check."""
    return issubclass(index_class, LimitedIndex)


def _retriever_names(passages: Sequence[Lengths]) -> list[str]:
    """The names of the retrievers; the second retriever of one name gets " 2", and so on."""
    names: list[str] = []
    for lengths in passages:
        namesakes = sum(name.partition(" ")[0] == lengths.retriever for name in names)
        names.append(f"{lengths.retriever} {namesakes + 1}" if namesakes else lengths.retriever)
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
