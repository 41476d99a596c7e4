"""The content of a report over one log or several: scores with intervals, differences from the first, samples."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from pipelines.evaluation.score_logs.compare_logs import warnings_of
from pipelines.evaluation.score_logs.documents import independence_note, sample_documents
from pipelines.evaluation.score_logs.formats import read
from pipelines.evaluation.score_logs.log_run import LogRun, log_run
from pipelines.evaluation.score_logs.paired_logs import PairedLogs, points_factor, repeat_notes
from pipelines.evaluation.score_logs.score_log import ScoreLog
from pipelines.evaluation.score_predictions import distinct_names
from pipelines.results.ablations.comparison import few_documents_notes
from pipelines.results.analysis.lost_evidence import stages_of
from pipelines.results.analysis.stages import RunStages
from pipelines.results.comparisons.runs import ComparedRun, corrected
from pipelines.results.reports.content import Content, RunContent
from pipelines.results.run_folders.run import Run
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, SEED
from pipelines.statistics.difference import Difference
from pipelines.statistics.paired import sample_differences

PAGE_SAMPLES = 200_000  # that a page holds: a larger one would be slow to open


def log_content(
    paths: Sequence[str | Path], cluster: str | None = None, primary_metric: str | None = None, has_page: bool = True
) -> Content:
    """The content of logs of the same samples, runs' folders among them; texts where they are for a page.

    Raises `UserError` for logs that are not of the same samples, for a score or a field that there is not, and for a
    page of too many samples.
    """
    logs = [read(path, cluster, has_page) for path in paths]
    if len({log.path.resolve() for log in logs}) < len(logs):
        raise UserError("a log was named twice: name each once")
    _check_page(logs, has_page)
    documents = sample_documents(logs, cluster)
    factors = score_factors(logs)
    if primary_metric is not None and primary_metric not in factors:
        raise unknown("score", primary_metric, factors)
    names = distinct_names([log.system or log.path.stem for log in logs], [Path(path) for path in paths])
    runs = dict(zip(names, (log_run(log, documents, factors) for log in logs), strict=True))
    pairs = {name: PairedLogs(logs[0], log, cluster) for name, log in zip(names[1:], logs[1:], strict=True)}
    contents = _run_contents(runs, pairs, factors)
    if not contents[0].scores:
        raise UserError(f"{logs[0].path} has no score that is a number for any sample: score it first")
    return Content(
        task=next(iter(runs.values())).task,
        split="",
        runs=contents,
        primary_metric=primary_metric or next(iter(contents[0].scores)),
        baseline=names[0] if pairs else None,
        warnings=tuple(_warnings(logs, pairs, documents)),
        has_passages=False,
    )


def score_factors(logs: Sequence[ScoreLog]) -> dict[str, float]:
    """By score that one of the logs has, what its values are multiplied by, so that all logs' are of 0 to 100."""
    names = dict.fromkeys(name for log in logs for name in log.scores)
    return {name: points_factor([log.rows(name)[0] for log in logs if name in log.scores]) for name in names}


def _check_page(logs: Sequence[ScoreLog], has_page: bool) -> None:
    largest = max(logs, key=lambda log: len(log.numbers))
    if has_page and len(largest.numbers) > PAGE_SAMPLES:
        raise UserError(
            f"{largest.path} has {len(largest.numbers):,} samples, and a page holds {PAGE_SAMPLES:,}: give --format "
            "markdown for the table"
        )


def _run_contents(
    runs: Mapping[str, LogRun], pairs: Mapping[str, PairedLogs], factors: Mapping[str, float]
) -> tuple[RunContent, ...]:
    """The runs with their differences from the first, corrected over the runs."""
    compared = {name: ComparedRun(run, _differences(pairs.get(name), factors)) for name, run in runs.items()}
    contents = []
    for name, run in corrected(compared).items():
        known_values: dict[str, Any] = {"run": run.run, "counts": run.run.counts, "differences": run.differences}
        contents.append(
            RunContent(
                name, {}, run.run.recipe, run.run.folder, **known_values, stages=_stages(run.run), is_readable=True
            )
        )
    return tuple(contents)


def _stages(run: Run) -> RunStages | None:
    """Whether answers were shown; None where the log does not say it."""
    stages = stages_of(run, limit=0) if run.predictions else None
    return stages if stages is not None and stages.text is not None else None


def _differences(logs: PairedLogs | None, factors: Mapping[str, float]) -> dict[str, Difference]:
    """The differences of the second log's scores from the first's; none without a pair."""
    differences: dict[str, Difference] = {}
    if logs is not None:
        for name in logs.names:
            a, b = logs.samples(name, factors[name])
            differences |= sample_differences(a, b, LEVEL, RESAMPLES, SEED)
    return differences


def _warnings(logs: Sequence[ScoreLog], pairs: Mapping[str, PairedLogs], documents: Mapping[str, str]) -> list[str]:
    """What is to be said of the logs, once."""
    warnings = [note for log in logs for note in (*log.notes, *repeat_notes(log))]
    for logs_pair in pairs.values():
        warnings += warnings_of(logs_pair, logs_pair.names)
    if not pairs and not documents:
        warnings.append(independence_note(len(logs[0].numbers)))
    warnings += few_documents_notes(len({documents[name] for name in logs[0].numbers if name in documents}), len(pairs))
    return list(dict.fromkeys(warnings))
