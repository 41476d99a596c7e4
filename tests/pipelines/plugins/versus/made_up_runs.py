"""Made-up runs, and ways of a table from them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pipelines.plugins.versus.coverage import ConditionResults
from pipelines.records import Prediction
from pipelines.results.run_folders.run import Run
from pipelines.results.scores import Scores

SIGNATURE = "f1|normalization:squad-1.1|references:max"


def prediction(id: str, f1: float, tokens: int = 100, document: str = "", **more: Any) -> Prediction:
    """A prediction whose only row is its F1; `d3-1` is of the document `d3`."""
    fields: dict[str, Any] = {
        "references": ("yes",), "prediction": "yes", "selected": (), "shown_spans": (), "requests": 1,
        "tokens_in": tokens, "tokens_out": 2, "truncated_tokens": 0,
    }  # fmt: skip
    fields |= more
    rows = {"f1": {"f1": f1}}
    return Prediction(id=id, document=document or id.partition("-")[0], query="q", statistics=rows, **fields)


def run(
    predictions: Sequence[Prediction],
    failures: Mapping[str, str] | None = None,
    signature: str = SIGNATURE,
    **more: Any,
) -> Run:
    """A run of `qa` with these predictions."""
    fields: dict[str, Any] = {
        "spec": {
            "chunker": {"name": "whole"}, "retriever": {"name": "all"}, "strategy": {"name": "stuff"},
            "model": {"name": "extractive"}, "prompt": {"text": "{query} {document}"}, "k": None, "budget": None,
        }, "scores": Scores(signatures={"f1": signature} if signature else {}),
        "metrics": {"f1": {"name": "f1"}}, "usage": {"cost": None},
    }  # fmt: skip
    fields |= more
    return Run(Path("runs/made"), "qa", "test", failures=failures or {}, loaded=tuple(predictions), **fields)


def ways(**scores: Mapping[str, float]) -> list[ConditionResults]:
    """Ways by name from the F1 of each example; `whole` is the whole document, `closed` closed book."""
    kinds: dict[str, Any] = {"whole": "whole", "closed": "closed book"}
    return [
        ConditionResults(
            name, kinds.get(name, "retrieval"), run([prediction(id, f1) for id, f1 in by_id.items()]), name
        )
        for name, by_id in scores.items()
    ]
