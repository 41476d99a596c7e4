"""pandas frames of results, for notebooks. pandas comes with `datasets`; it is imported when a frame is asked for."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc import plain_json
from pipelines.records import Prediction
from pipelines.results.example_scores import example_figures

NAMED = (
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


def of_run(folder: Path, predictions: Sequence[Prediction], scores: Mapping[str, float]) -> Any:
    """One row an example: what was asked, what came out, and the figures that it has by itself."""
    import pandas

    specs = plain_json.loads((folder / "run.json").read_bytes())["spec"]["metrics"]
    figures = example_figures(folder, specs, predictions, scores)
    rows = [
        {name: getattr(one, name) for name in NAMED} | {name: values[place] for name, values in figures.items()}
        for place, one in enumerate(predictions)
    ]
    return pandas.DataFrame(rows)


def of_rows(rows: Sequence[dict[str, Any]]) -> Any:
    """One row a mapping; their keys are the columns."""
    import pandas

    return pandas.DataFrame(list(rows))
