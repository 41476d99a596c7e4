"""Merge the shards of a run, or of an ablation."""

import time
from dataclasses import replace
from pathlib import Path

from longdoc.arguments import checks_names
from pipelines.api.folders import readable_data
from pipelines.api.grids import report_ablation
from pipelines.engine import interruption_note
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.engine.planning.metric_names import named_metrics
from pipelines.plugins.cluster.merging.ablations import is_ablation, merge_ablations
from pipelines.plugins.cluster.merging.merge import merge_runs
from pipelines.results import reports
from pipelines.results.ablations.ablation import Ablation
from pipelines.results.result import Result


@checks_names
def merge(
    *shards: str | Path, out: str | Path | None = None, metrics: MetricsSpec = (), report: bool = True
) -> Result | Ablation:
    """Join the shards of a run, made with `shard="1/3"`, `"2/3"`, `"3/3"`, into the run that they make up together.

    Or those of an ablation, cell by cell.

    Predictions, scores with their intervals, and report are those of the run without shards, computed over all
    predictions; nothing is asked. The folder is a run's like any other: it is scored, compared and resumed without
    `shard`.

    - `shards`: the folders of all shards of one run, or of one ablation, in any order.
    - `out`: the folder for the run, by default the one that it would have without `shard`; an ablation needs it. An
      earlier merge of the same run there is replaced, at once and only when the new one is whole.
    - `metrics`: those of the run that are your own code, which the shards' records may not name.
    - `report`: False writes no page.

    Raises one `UserError` that names all shards that are missing, given twice, not finished, being written by another
    process, or of another run.
    """
    start_time = time.monotonic()
    folders, place = [Path(shard) for shard in shards], None if out is None else Path(out)
    known_metrics = named_metrics(metrics)
    if any(map(is_ablation, folders)):
        ablation = merge_ablations(folders, place, known_metrics)
        data = {cell.folder: readable_data(cell.folder) for cell in ablation.finished if cell.folder is not None}
        with interruption_note.noting_errors(lambda: interruption_note.missing_page_note("ablation", ablation.folder)):
            report_ablation(ablation, data, report)
        return replace(ablation, seconds=time.monotonic() - start_time)
    result = merge_runs(folders, place, known_metrics)
    if report:
        with interruption_note.noting_errors(lambda: interruption_note.missing_page_note("run", result.folder)):
            result = replace(result, report=reports.write_for(result.folder, readable_data(result.folder)))
    return replace(result, seconds=time.monotonic() - start_time)
