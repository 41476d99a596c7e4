"""pandas frames of results, for notebooks. pandas comes with `datasets`; it is imported when a frame is asked for."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

NAMED = ("id", "document", "query", "references", "prediction", "requests", "tokens_in", "tokens_out", "cut")


def of_run(folder: Path) -> Any:
    """One row an example: what was asked, what came out, and the figures that it has by itself."""
    import pandas

    from pipelines.comparisons.examples import example_figures
    from pipelines.finished_runs import finished_run

    run = finished_run(folder)
    figures = example_figures(run)
    rows = [
        {name: getattr(one, name) for name in NAMED} | {name: values[place] for name, values in figures.items()}
        for place, one in enumerate(run.predictions)
    ]
    return pandas.DataFrame(rows)


def of_rows(rows: Sequence[dict[str, Any]]) -> Any:
    """One row a mapping; their keys are the columns."""
    import pandas

    return pandas.DataFrame(list(rows))
