"""Results as pandas data frames, for notebooks. pandas is imported only here, when needed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.optional import need
from pipelines.records import Prediction
from pipelines.results.example_scores import example_scores

COLUMNS = (
    "id",
    "document",
    "query",
    "references",
    "prediction",
    "requests",
    "tokens_in",
    "tokens_out",
    "truncated_tokens",
)


def examples_frame(
    folder: Path, specs: Mapping[str, Any], predictions: Sequence[Prediction], scores: Mapping[str, float]
) -> Any:
    """One row per example: query, prediction, counts, and the scores that it has by itself.

    `specs` are the metrics in the record of the run's `folder`.
    """
    pandas: Any = need("pandas", "tables", "a data frame")
    single = example_scores(folder, specs, predictions, scores)
    rows = [
        {name: getattr(prediction, name) for name in COLUMNS} | {name: values[row] for name, values in single.items()}
        for row, prediction in enumerate(predictions)
    ]
    return pandas.DataFrame(rows)


def rows_frame(rows: Sequence[dict[str, Any]]) -> Any:
    """One row per mapping; their keys are the columns."""
    pandas: Any = need("pandas", "tables", "a data frame")
    return pandas.DataFrame(list(rows))
