"""Results as pandas data frames, for notebooks. pandas is imported only here, when needed."""

from collections.abc import Sequence
from typing import Any

from longdoc.optional import need
from pipelines.results.run_folders.run import Run

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


def examples_frame(run: Run) -> Any:
    """One row per example: query, prediction, counts, and the scores that it has by itself."""
    single = run.example_scores
    return rows_frame([
        {name: getattr(prediction, name) for name in COLUMNS} | {name: values[row] for name, values in single.items()}
        for row, prediction in enumerate(run.predictions)
    ])  # fmt: skip


def rows_frame(rows: Sequence[dict[str, Any]]) -> Any:
    """One row per mapping; their keys are the columns."""
    pandas: Any = need("pandas", "tables", "a data frame")
    return pandas.DataFrame(list(rows))
