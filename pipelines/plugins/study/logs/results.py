"""Logs of other harnesses as a kind of results, for `report`, `compare` and `blame`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.display.view import View
from pipelines.plugins.study.logs import formats
from pipelines.plugins.study.logs.compare_logs import compare_logs
from pipelines.plugins.study.logs.documents import sample_documents
from pipelines.plugins.study.logs.log_report import log_content, score_factors
from pipelines.plugins.study.logs.log_run import log_run
from pipelines.plugins.study.logs.paired_logs import PairedLogs
from pipelines.results.comparisons.comparison import Comparison
from pipelines.results.kinds import ReportRequest, ResultKind
from pipelines.results.run_folders.run import Run


class LogResults(ResultKind):
    """A log of another harness."""

    keeps_page = False

    def recognizes(self, path: Path) -> bool:
        """See `ResultKind`."""
        return formats.is_log(path)

    def view(self, paths: Sequence[Path], request: ReportRequest) -> View:
        """See `ResultKind`."""
        if request.data is not None:
            raise UserError("data= (--data) is for runs, whose passages a page shows: leave it out for logs")
        return log_content(paths, request.cluster, request.primary_metric, has_page=request.kind == "html")

    def compare(self, a: Path, b: Path, cluster: str | None, options: Mapping[str, Any]) -> Comparison:
        """See `ResultKind`."""
        pair = PairedLogs(formats.read(a, cluster), formats.read(b, cluster), cluster, options["seed"])
        return compare_logs(pair, **options)

    def run(self, path: Path) -> Run:
        """See `ResultKind`. Raises `UserError` where no sample's prompt can be searched for its answer."""
        log = formats.read(path, keeps_texts=True)
        if not any(text.recall for text in log.texts):
            raise UserError(
                f"{log.path} has no sample with a document in its prompt and a written-out answer, so it does not say "
                f"whether answers were shown: longdoc report {log.path} shows what it has"
            )
        return log_run(log, sample_documents([log], None), score_factors([log]))
