"""Finished runs scored again. Thin: make a plan, hand it to the engine, give back a record."""

from pathlib import Path
from typing import Any

from longdoc.arguments import checks_names
from pipelines.api.folders import readable_data
from pipelines.engine.planning.argument_types import (
    DataSpec,
    MetricsSpec,
    ReaderSpec,
)
from pipelines.engine.replay import rescore as rescoring
from pipelines.evaluation.judging.judge_run import judge_for, judge_run, task_of
from pipelines.results import reports


@checks_names
def rescore(
    folder: str | Path,
    *,
    metrics: MetricsSpec = (),
    data: DataSpec | None = None,
    report: bool = True,
    judge: ReaderSpec | None = None,
    judge_prompts_from: str | Path | None = None,
) -> dict[str, Any]:
    """Score a finished run's folder again and rewrite its `scores.json`, which is returned.

    Nothing is asked of the reader.

    - `metrics`: further metrics for the run, which keeps its own.
    - `data`: where the data are now, by default where the run had them. Metrics of the selection and of the evidence
      read the documents again.
    - `judge`: a reader that is asked of each prediction whether it is right, as for `run`; `judge_prompts_from`: the
      file with its prompt.
    - `report`: False writes no page, and removes an outdated one; else it is written anew, without passages where the
      data cannot be read.

    Raises `UserError` for a folder without a finished run, and for a further metric that needs data that cannot be
    read.
    """
    asked_judge = None if judge is judge_prompts_from is None else judge_for(task_of(folder), judge, judge_prompts_from)
    fields = rescoring.rescore(Path(folder), metrics, data)
    if asked_judge is not None:
        fields = {"not_recomputed": fields["not_recomputed"]} | judge_run(Path(folder), asked_judge)
    if not report:
        reports.remove_stale(Path(folder))
        return fields
    opened = readable_data(Path(folder), data)
    if opened is not None or reports.is_stale(Path(folder)):
        reports.write_for(Path(folder), opened)
    return fields
