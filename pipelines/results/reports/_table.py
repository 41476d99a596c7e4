"""The content of a report as the table that Markdown and LaTeX render."""

from collections.abc import Sequence
from dataclasses import replace

from longdoc.errors import unknown
from pipelines.display.table import Table
from pipelines.results.analysis.stages import STAGES
from pipelines.results.comparisons.summary import summary
from pipelines.results.reports._remarks import warnings_of
from pipelines.results.reports.content import Content

FEW_LIMIT = 6  # runs


def table(content: Content, scores: Sequence[str] | None = None) -> Table:
    """One row per run. `scores` names those to show, by default the first. Raises `UserError` for unknown names."""
    for name in scores or ():
        if name not in content.score_names:
            raise unknown("score", name, content.score_names)
    title = ", ".join(part for part in (content.task, content.split, content.part) if part)
    warnings = warnings_of(content)
    table = summary(title, content.runs, content.primary_metric, content.baseline, content.axes, scores, warnings)
    return replace(table, notes=(*table.notes, *_lost_names(content)))


def _lost_names(content: Content) -> list[str]:
    """How much gold evidence is left at each stage, a line a run; nothing where there are many runs."""
    contents = [run for run in content.finished if run.stages is not None and run.stages.stages]
    if len(contents) > FEW_LIMIT:
        return []
    lines = []
    for run in contents:
        stages = run.stages.stages if run.stages else ()
        left = ", ".join(f"{stage.share:.1f} {STAGES[stage.name]}" for stage in stages)
        lines.append(f"gold evidence{f' of {run.label}' if len(content.runs) > 1 else ''}, 0–100: {left}")
    return lines
