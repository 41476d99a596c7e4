"""Score a finished run again."""

from pathlib import Path
from typing import Any, Unpack

from pipelines import tasks
from pipelines.api.after_run import last_steps
from pipelines.api.folders import readable_data
from pipelines.engine.planning.argument_types import (
    DataSpec,
    MetricsSpec,
)
from pipelines.engine.planning.options import PLUGIN_ARGUMENTS, refuse_unknown
from pipelines.engine.planning.run_options import PluginOptions
from pipelines.engine.replay import rescore as rescoring
from pipelines.results import reports
from pipelines.results.run_folders.run import run_record


def rescore(
    folder: str | Path,
    *,
    metrics: MetricsSpec = (),
    data: DataSpec | None = None,
    report: bool = True,
    **arguments: Unpack[PluginOptions],
) -> dict[str, Any]:
    """Score a finished run's folder again and rewrite its `scores.json`, which is returned.

    The reader is not asked.

    - `metrics`: further metrics for the run, which keeps its own.
    - `data`: where the data are now, by default where the run had them. Metrics of the selection and of the evidence
      read the documents again.
    - `arguments`: those of plugins, as for `run`: `judge`, `judge_prompts_from`.
    - `report`: False writes no page, and removes an outdated one; else the page is written again, without passages
      where the data cannot be read.

    Raises `UserError` for a folder without a finished run, and where a further metric needs data that cannot be read.
    """
    refuse_unknown(arguments, ("metrics", "data", "report", *PLUGIN_ARGUMENTS))
    path = Path(folder)
    has_steps = any(value is not None for value in arguments.values())
    steps = last_steps(_task_of(path), arguments) if has_steps else []
    content = rescoring.rescore(path, metrics, data)
    for step in steps:
        content = {"not_recomputed": content["not_recomputed"], **(step(path) or content)}
    if not report:
        reports.remove_stale(path)
        return content
    dataset = readable_data(path, data)
    if dataset is not None or reports.is_stale(path):
        reports.write_for(path, dataset)
    return content


def _task_of(folder: Path) -> tasks.Task | None:
    """The task of a run's folder; None for one that this version does not know."""
    return tasks.all_tasks().get(run_record(folder)["spec"]["task"])
