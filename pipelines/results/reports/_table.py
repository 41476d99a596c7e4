"""The content of a report as the one table that Markdown, LaTeX and the terminal write in their ways."""

from collections.abc import Sequence

from longdoc.errors import unknown
from pipelines.results.comparisons.summary import summary
from pipelines.results.display.table import Table
from pipelines.results.reports._remarks import warnings_of
from pipelines.results.reports.content import Content


def table(content: Content, figures: Sequence[str] | None = None) -> Table:
    """One row a run. `figures` are those to show; default: the leading ones. Raises `UserError` for an unknown one."""
    for name in figures or ():
        if name not in content.figures:
            raise unknown("figure", name, content.figures)
    title = ", ".join(part for part in (content.task, content.split, content.part) if part)
    return summary(title, content.runs, content.metric, content.baseline, content.axes, figures, warnings_of(content))
