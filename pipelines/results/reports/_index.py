"""The index of a page: what its list of examples shows, searches and sorts by, a list a column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipelines.records import Document, Example, Prediction
from pipelines.results.reports._markup import sound
from pipelines.results.run_folders.finished import FinishedRun


@dataclass(slots=True)
class Index:
    """One item an example in each column; filled in the order of the blocks. `starts` are the blocks' first places.

    `textless` documents have no text in the page although it was at hand.
    """

    runs: Sequence[FinishedRun]
    ids: list[str] = field(default_factory=list)
    documents: list[tuple[str, str]] = field(default_factory=list)
    document: list[int] = field(default_factory=list)
    query: list[str] = field(default_factory=list)
    references: list[list[str]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    textless: int = 0
    _order: list[str] = field(default_factory=list)
    _at: list[dict[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._at = [{p.id: number for number, p in enumerate(run.predictions)} for run in self.runs]

    def predictions(self, id: str) -> list[Prediction | None]:
        """What each run says about an example."""
        pairs = zip(self.runs, self._at, strict=True)
        return [run.predictions[at[id]] if id in at else None for run, at in pairs]

    def wanted(self) -> set[str]:
        """The ids that some run has, failed ones too."""
        return {id for run, at in zip(self.runs, self._at, strict=True) for id in (*at, *run.failures)}

    def add_document(self, document: Document) -> int:
        """One more document; its number."""
        self.documents.append((sound(document.id), sound(document.title)))
        return len(self.documents) - 1

    def add(self, example: Example, document: int) -> None:
        """One more line."""
        self.ids.append(sound(example.id))
        self.document.append(document)
        self.query.append(sound(example.query))
        self.references.append([sound(one) for one in example.references])
        self._order.append(example.id)

    def to_dict(self) -> dict[str, Any]:
        """The columns, those of each run under `runs`."""
        columns = {name: getattr(self, name) for name in ("ids", "documents", "document", "query", "references")}
        runs = [self._columns(run, at) for run, at in zip(self.runs, self._at, strict=True)]
        return {**columns, "starts": self.starts, "runs": runs}

    def _columns(self, run: FinishedRun, at: Mapping[str, int]) -> dict[str, Any]:
        places = [at.get(id) for id in self._order]
        said = [None if place is None else run.predictions[place] for place in places]
        figures = {
            name: [None if place is None else _rounded(values[place]) for place in places]
            for name, values in run.figures.items()
        }
        return {
            "prediction": [None if one is None else sound(one.prediction) for one in said],
            "cut": [0 if one is None else one.truncated_tokens for one in said],
            "figures": figures,
            "failures": {str(n): sound(run.failures[id]) for n, id in enumerate(self._order) if id in run.failures},
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
