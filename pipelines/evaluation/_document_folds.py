"""What is fitted on documents and judged on others: fits without each document, and the scores of what they decide."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from pipelines.display import numbers
from pipelines.display.table import Column, Score
from pipelines.results.scores import Scored, Scores
from pipelines.statistics.bootstrap import intervals
from pipelines.statistics.sample import Aggregation


class OfDocument(Protocol):
    """A row that is about a document."""

    @property
    def document(self) -> str:
        """The document's id."""


R = TypeVar("R", bound=OfDocument)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NamedScores(Scored):
    """The scores, 0–100, of what is called `name`: a rule, a way to withhold answers."""

    name: str
    scores: Scores


def named_scores(
    name: str, aggregation: Aggregation, rows: Sequence[Mapping[str, float]], documents: Sequence[str]
) -> NamedScores:
    """The scores of rows, with intervals by the document of each."""
    return NamedScores(name, Scores(aggregation.aggregate(rows), intervals(aggregation, rows, documents)))


def score_column(name: str, is_optional: bool = False) -> Column:
    """A column of a table of `NamedScores`: a score with its interval, a dash where there is none."""
    return Column(name, partial(_cell, name), "right", optional=is_optional)


def _cell(name: str, scores: NamedScores) -> Score | str:
    return scores.scores.entry(name) or numbers.MISSING


def fits_without_each(rows: Sequence[R], fit: Callable[[list[R]], T]) -> dict[str, T]:
    """By document, what is fitted on the rows of all other documents."""
    return {
        document: fit([row for row in rows if row.document != document])
        for document in dict.fromkeys(row.document for row in rows)
    }
