"""The content of a report as the table that Markdown and LaTeX render."""

from collections.abc import Sequence

from longdoc.errors import unknown
from pipelines.results.comparisons.summary import summary
from pipelines.results.display.table import Table
from pipelines.results.reports._remarks import warnings_of
from pipelines.results.reports.content import Content


def table(content: Content, scores: Sequence[str] | None = None) -> Table:
    """One row per run. `scores` names those to show, by default the first. Raises `UserError` for unknown names."""
    for name in scores or ():
        if name not in content.score_names:
            raise unknown("score", name, content.score_names)
    title = ", ".join(part for part in (content.task, content.split, content.part) if part)
    warnings = warnings_of(content)
    return summary(title, content.runs, content.primary_metric, content.baseline, content.axes, scores, warnings)
