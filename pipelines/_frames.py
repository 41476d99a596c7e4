"""pandas frames of results, for notebooks. pandas comes with `datasets`; it is imported when a frame is asked for."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipelines.records import Prediction


def of_predictions(folder: Path, predictions: Sequence[Prediction]) -> Any:
    """One row an example: what was asked, what came out, and the figures that each metric has for one example alone."""
    import pandas

    from pipelines import metrics

    specs = json.loads((folder / "run.json").read_text(encoding="utf-8"))["spec"]["metrics"]
    known = {name: metrics.get(spec) for name, spec in specs.items()}
    return pandas.DataFrame([_row(prediction, known) for prediction in predictions])


def of_rows(rows: Sequence[dict[str, Any]]) -> Any:
    """One row a mapping; their keys are the columns."""
    import pandas

    return pandas.DataFrame(list(rows))


def _row(prediction: Prediction, metrics: dict[str, Any]) -> dict[str, Any]:
    named = ("id", "document", "query", "references", "prediction", "requests", "tokens_in", "tokens_out", "cut")
    row: dict[str, Any] = {name: getattr(prediction, name) for name in named}
    for name, statistics in prediction.statistics.items():
        if name in metrics:
            row |= metrics[name].aggregate([statistics])
    return row
