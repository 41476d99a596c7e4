"""The index of a page: the columns of its list of examples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipelines.display.page import sound
from pipelines.records import Document, Example, Prediction, references_text
from pipelines.results.lost_evidence.blame import shows_all, stages_losing
from pipelines.results.lost_evidence.stages import STAGES
from pipelines.results.run_folders.run import Run


@dataclass(slots=True)
class Index:
    """Columns with one item per example, filled in the order of the blocks. `starts` has each block's first index.

    `textless` counts the documents whose texts would make the page too large.
    """

    runs: Sequence[Run]
    ids: list[str] = field(default_factory=list)
    documents: list[tuple[str, str]] = field(default_factory=list)
    document: list[int] = field(default_factory=list)
    query: list[str] = field(default_factory=list)
    references: list[list[str]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    textless: int = 0
    _order: list[str] = field(default_factory=list)
    _rows: list[dict[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rows = [{p.id: number for number, p in enumerate(run.predictions)} for run in self.runs]

    def predictions(self, id: str) -> list[Prediction | None]:
        """Each run's prediction for an example."""
        pairs = zip(self.runs, self._rows, strict=True)
        return [run.predictions[rows[id]] if id in rows else None for run, rows in pairs]

    def example_ids(self) -> set[str]:
        """The ids that some run has, failed ones included."""
        return {id for run, rows in zip(self.runs, self._rows, strict=True) for id in (*rows, *run.failures)}

    def add_document(self, document: Document) -> int:
        """Add a document and return its number."""
        self.documents.append((sound(document.id), sound(document.title)))
        return len(self.documents) - 1

    def add(self, example: Example, document: int) -> None:
        """Add an example."""
        self.ids.append(sound(example.id))
        self.document.append(document)
        self.query.append(sound(example.query))
        self.references.append([sound(text) for text in references_text(example.references)])
        self._order.append(example.id)

    def to_dict(self) -> dict[str, Any]:
        """The columns, those of each run under `runs`."""
        columns = {name: getattr(self, name) for name in ("ids", "documents", "document", "query", "references")}
        runs = [self._columns(run, rows) for run, rows in zip(self.runs, self._rows, strict=True)]
        return {**columns, "starts": self.starts, "runs": runs}

    def _columns(self, run: Run, rows: Mapping[str, int]) -> dict[str, Any]:
        order = [rows.get(id) for id in self._order]
        predictions = [None if row is None else run.predictions[row] for row in order]
        scores = {
            name: [None if row is None else _rounded(values[row]) for row in order]
            for name, values in run.example_scores.items()
        }
        return {
            "prediction": [None if prediction is None else sound(prediction.prediction) for prediction in predictions],
            "truncated_tokens": [
                0 if prediction is None else prediction.truncated_tokens for prediction in predictions
            ],
            "lost": [0 if prediction is None else _lost_bits(prediction) for prediction in predictions],
            "scores": scores,
            "failures": {str(n): sound(run.failures[id]) for n, id in enumerate(self._order) if id in run.failures},
        }


def _lost_bits(prediction: Prediction) -> int:
    """The stages at which an example loses evidence, as bits in their order; one more bit if all of it was shown."""
    bits = sum(1 << place for place, name in enumerate(STAGES) if name in stages_losing(prediction))
    return bits | (shows_all(prediction) << len(STAGES))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
