"""The chunks and indexes of one document, shared by plans whose components are equal."""

import json
from typing import Any

from chunkers import Chunk
from longdoc.registry import describe
from pipelines.engine.planning.plan import Plan
from pipelines.records import Document
from retrievers import Index

# by the `id` of a component, the component itself, so that no other gets that id, and its key
Keys = dict[int, tuple[Any, str]]


class IndexCache:
    """The chunks and indexes of one document, by the descriptions of the components that made them.

    Caches of documents that are prepared by the same plans can share `keys`, so that a component is described once.
    """

    def __init__(self, keys: Keys | None = None) -> None:
        self._keys: Keys = {} if keys is None else keys
        self._chunks: dict[tuple[str, str | None], list[Chunk]] = {}
        self._indexes: dict[tuple[str, str | None, str], Index] = {}

    def chunks(self, plan: Plan, document: Document, query: str | None) -> list[Chunk]:
        """The document split by the plan's chunker."""
        key = (self._chunker_key(plan), query)
        if key not in self._chunks:
            self._chunks[key] = plan.chunker.split_document(document.text, document.layout, query)
        return self._chunks[key]

    def index(self, plan: Plan, document: Document, query: str | None) -> Index:
        """The index of the document's chunks by the plan's retriever."""
        key = (self._chunker_key(plan), query, self._key(plan.retriever))
        if key not in self._indexes:
            self._indexes[key] = plan.retriever.index(self.chunks(plan, document, query))
        return self._indexes[key]

    def _chunker_key(self, plan: Plan) -> str:
        """The key of the plan's chunker, with its reader's where it counts the reader's tokens."""
        key = self._key(plan.chunker, plan.chunker_record)
        by_reader = plan.chunker_record.get("unit") == "reader"  # chunk sizes are in this reader's tokens
        return f"{key} {self._key(plan.reader)}" if by_reader else key

    def _key(self, component: Any, record: Any = None) -> str:
        """The key of a component, which is computed once."""
        if id(component) not in self._keys:
            self._keys[id(component)] = component, component_key(component, record)
        return self._keys[id(component)][1]


def component_key(component: Any, record: Any = None) -> str:
    """A key that is equal for components that do the same: the description, with the `id` of what has none."""
    text = json.dumps(describe(component) if record is None else record, sort_keys=True, default=id)
    return f"{text} {id(component)}" if '"repeatable": false' in text else text
