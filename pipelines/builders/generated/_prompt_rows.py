"""Prompts in our own words around a generated document, with where the document, its question and its evidence are."""

from collections.abc import Callable
from typing import Any, NamedTuple

from pipelines.records import Span
from pipelines.sources.published.zero_scrolls import EDGES
from pipelines.tasks.prompts.zero_scrolls_prompts import Wording


class Question(NamedTuple):
    """A document with a question; `evidence` are spans of the document."""

    document: str
    query: str
    outputs: list[str]
    evidence: list[Span]


Draft = Callable[[int], Question]  # a question about a document of so many pieces


def prompt(words: Wording, question: Question) -> tuple[str, dict[str, Any]]:
    """The prompt, and the fields that say where its parts are, in code points of it."""
    before = f"{words.instruction}\n\n{words.context}\n"
    link = f"\n\n{words.query}\n"
    start, end = len(before), len(before) + len(question.document)
    query_start, query_end = end + len(link), end + len(link) + len(question.query)
    text = f"{before}{question.document}{link}{question.query}\n\n{words.response}"
    spans = [[start + first, start + last] for first, last in question.evidence]
    edges = dict(zip(EDGES, (start, end, query_start, query_end), strict=True))
    return text, edges | ({"evidence": spans} if spans else {})
