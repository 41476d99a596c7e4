"""Prompts in our own words around a generated document, with the positions of document, question and evidence."""

from collections.abc import Callable
from typing import Any, NamedTuple

from pipelines.prompts.row_prompt import RowWording
from pipelines.records import Span
from pipelines.sources.prompt_rows import EDGES


class Question(NamedTuple):
    """A document with a question and its references (`outputs`); `evidence` are spans of the document."""

    document: str
    query: str
    outputs: list[str]
    evidence: list[Span]


Draft = Callable[[int], Question]  # returns a question about a document of that many pieces


def prompt(words: RowWording, question: Question) -> tuple[str, dict[str, Any]]:
    """The prompt, and fields with the positions of its parts, in code points."""
    before = f"{words.instruction}\n\n{words.context}\n"
    link = f"\n\n{words.query}\n"
    start, end = len(before), len(before) + len(question.document)
    query_start, query_end = end + len(link), end + len(link) + len(question.query)
    text = f"{before}{question.document}{link}{question.query}\n\n{words.response}"
    spans = [[start + first, start + last] for first, last in question.evidence]
    edges = dict(zip(EDGES, (start, end, query_start, query_end), strict=True))
    return text, edges | ({"evidence": spans} if spans else {})
