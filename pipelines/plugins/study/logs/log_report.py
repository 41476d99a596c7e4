"""The content of a report over one log or several: scores with intervals, differences from the first, samples."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from longdoc.errors import UserError, unknown
from pipelines.plugins.scoring.score_predictions import distinct_names
from pipelines.plugins.study.logs.compare_logs import warnings_of
from pipelines.plugins.study.logs.documents import independence_note, sample_documents
from pipelines.plugins.study.logs.formats import read
from pipelines.plugins.study.logs.log_run import LogRun, log_run
from pipelines.plugins.study.logs.paired_logs import PairedLogs, points_factor, repeat_notes
from pipelines.plugins.study.logs.score_log import ScoreLog
from pipelines.results.ablations.comparison import few_documents_notes
from pipelines.results.comparisons.runs import corrected
from pipelines.results.lost_evidence.blame import stages_of
from pipelines.results.lost_evidence.stages import RunStages
from pipelines.results.reports.content import Content, RunContent
from pipelines.results.run_folders.run import Run
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, SEED
from pipelines.statistics.intervals import Difference
from pipelines.statistics.paired import sample_differences

PAGE_SAMPLES = 200_000  # at most: a larger page is slow to open


def log_content(
    paths: Sequence[str | Path], cluster: str | None = None, primary_metric: str | None = None, has_page: bool = True
) -> Content:
    """The report's content for logs of the same samples, runs' folders among them.

    With `has_page` it has the samples' texts. Raises `UserError` for logs that are not of the same samples, for an
    unknown score or field, and for a page of too many samples.
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
    """By score the factor that brings it to 0–100 in all logs that have it."""
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
    contents = {
        name: replace(
            RunContent.of(name, run, _differences(pairs.get(name), factors)), stages=_stages(run), is_readable=True
        )
        for name, run in runs.items()
    }
    return tuple(corrected(contents).values())


def _stages(run: Run) -> RunStages | None:
    """The stages at which answers were lost; None where the log does not say whether they were shown."""
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
    """The warnings about all logs and pairs, each once."""
    warnings = [note for log in logs for note in (*log.notes, *repeat_notes(log))]
    for pair in pairs.values():
        warnings += warnings_of(pair, pair.names)
    if not pairs and not documents:
        warnings.append(independence_note(len(logs[0].numbers)))
    warnings += few_documents_notes(
        len({documents[sample_id] for sample_id in logs[0].numbers if sample_id in documents}), len(pairs)
    )
    return list(dict.fromkeys(warnings))
