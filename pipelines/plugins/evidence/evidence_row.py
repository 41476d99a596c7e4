"""A row of a table of evidence: how much gold evidence one way to select passages shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from longdoc.plain_json import Record
from pipelines.results.scores import Scored, Scores

TENTHS = 10
OWN_CHUNKER = "its own"  # the chunker of a retriever that brings one which differs from task to task


@dataclass(frozen=True, slots=True)
class EvidenceRow(Record, Scored):
    """One way to select, on one task: scores 0–100 by name, their intervals by document, the words really shown.

    `budget` is how much was selected, as typed. `examples` counts all, `with_evidence` those that the scores of
    evidence are over; "answer_recall" is over the others, where their task says that answers are in the text. `places`
    is the evidence recall by tenth of the document, None where no evidence is in it. `oracle` says whether the ranking
    knows the gold. `own_chunker` says that the retriever brought the chunker.
    """

    task: str
    chunker: str
    retriever: str
    budget: str
    words: float
    scores: Scores
    places: Sequence[float | None]
    examples: int
    with_evidence: int
    documents: int
    oracle: bool = False
    own_chunker: bool = False

    KEYS: ClassVar[Sequence[str]] = (
        "task", "chunker", "retriever", "budget", "words", "scores", "intervals", "places", "examples",
        "with_evidence", "documents", "oracle", "own_chunker",
    )  # fmt: skip

    @property
    def key(self) -> tuple[str, str, str]:
        """The settings by which rows of several tasks are grouped: chunker, retriever, budget."""
        return (OWN_CHUNKER if self.own_chunker else self.chunker, self.retriever, self.budget)
