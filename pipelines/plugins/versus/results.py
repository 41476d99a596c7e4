"""The table of a `versus` as a kind of results, reported as runs are."""

from collections.abc import Sequence
from pathlib import Path

from longdoc.errors import UserError
from pipelines.display.view import View
from pipelines.plugins.versus import table_folder
from pipelines.results.kinds import ReportRequest, ResultKind


class VersusResults(ResultKind):
    """The folder of a `versus`."""

    def recognizes(self, path: Path) -> bool:
        """See `ResultKind`."""
        return table_folder.is_here(path)

    def view(self, paths: Sequence[Path], request: ReportRequest) -> View:
        """See `ResultKind`."""
        if len(paths) > 1:
            raise UserError(f"a versus is reported alone: give one folder, got {len(paths)}")
        if request.data is not None:
            raise UserError(
                "data= (--data) is for pages that show passages, which the page of a versus does not: leave it out"
            )
        return table_folder.read(paths[0], request.primary_metric)
