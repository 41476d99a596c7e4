"""Two logs compared as two runs are: differences with intervals and p, Holm's correction over the scores, power."""

from collections.abc import Sequence

import numpy as np

from longdoc.errors import UserError, listed, unknown
from pipelines.plugins.study.logs.documents import independence_note
from pipelines.plugins.study.logs.paired_logs import PairedLogs
from pipelines.plugins.study.logs.score_log import SHOWN
from pipelines.plugins.study.statistics.power import detectable, spread_of_difference
from pipelines.results.comparisons.compare import check_options, few_units_notes
from pipelines.results.comparisons.comparison import ChangedExample, Comparison, Side
from pipelines.results.comparisons.gate import gates
from pipelines.statistics.bootstrap import sample_intervals
from pipelines.statistics.intervals import Difference, Interval
from pipelines.statistics.paired import TIE, holm, sample_differences

ALPHA, POWER = 0.05, 0.8  # of the least detectable difference


def compare_logs(
    logs: PairedLogs,
    *,
    primary_metric: str | None,
    changed: int,
    level: float,
    resamples: int,
    seed: int,
    fail_if: Sequence[str],
) -> Comparison:
    """How the second log's scores differ from the first's. Raises `UserError` for logs without a score in common."""
    check_options(level, resamples, changed)
    a, b, names = logs.a, logs.b, logs.names
    if not names:
        their_scores = " against ".join(listed(log.scores, SHOWN) for log in (a, b))
        raise UserError(f"{a.path} and {b.path} have no score in common ({their_scores}): rename one's")
    if primary_metric is not None and primary_metric not in names:
        raise unknown("score of both", primary_metric, names)
    primary = primary_metric or names[0]
    samples = {name: logs.samples(name) for name in names}
    differences = {name: sample_differences(*samples[name], level, resamples, seed)[name] for name in names}
    scores_b = {name: other.scores[name] for name, (_, other) in samples.items()}
    documents = len(set(logs.clusters)) if logs.clusters is not None else 0

    def interval_of(score: str) -> Interval | None:
        return sample_intervals(samples[score][1], level, resamples, seed).get(score)

    return Comparison(
        task=a.task or b.task or a.path.stem,
        split="",
        a=Side(str(a.path), a.system or a.format, {name: sample.scores[name] for name, (sample, _) in samples.items()}),
        b=Side(str(b.path), b.system or b.format, scores_b),
        differences=_corrected(differences),
        examples=len(logs.ids),
        documents=documents,
        primary_metric=primary,
        changed=_changed(logs, primary)[:changed],
        remarks=_remarks(logs, names),
        warnings=[*warnings_of(logs, names), *few_units_notes(documents, len(logs.ids), level)],
        detectable=_detectable(logs, names, resamples, seed),
        gates=gates(fail_if, scores_b, differences, interval_of),
    )


def _corrected(differences: dict[str, Difference]) -> dict[str, Difference]:
    """The differences with Holm's correction over the scores, where there are two or more."""
    if len(differences) < 2:
        return differences
    return dict(zip(differences, holm(list(differences.values())), strict=True))


def _detectable(logs: PairedLogs, names: Sequence[str], resamples: int, seed: int) -> dict[str, float]:
    """By score the least difference that the test shows with `POWER`; a score that never differs is left out."""
    differences = {}
    for name in names:
        a, b = logs.samples(name)
        if a.units.count < 2:
            continue
        spread = spread_of_difference(a, b, name, resamples, seed)
        if spread.variance:
            differences[name] = detectable(spread, POWER, ALPHA)
    return differences


def _changed(logs: PairedLogs, name: str) -> list[ChangedExample]:
    """The samples whose score changed, the largest changes first."""
    left, right, pairs = logs.values(name)
    factor = logs.scale(name)
    margins = np.abs(right - left) * factor
    order = [row for row in np.argsort(-margins, kind="stable")[:1000] if margins[row] >= TIE]
    documents = logs.clusters
    return [
        ChangedExample(
            id=logs.ids[pairs[row]],
            document="" if documents is None else documents[pairs[row]],
            query="",
            before="",
            after="",
            score_before=float(left[row] * factor),
            score_after=float(right[row] * factor),
        )
        for row in order
    ]


def _remarks(logs: PairedLogs, names: Sequence[str]) -> list[str]:
    """Notes on how the logs were read."""
    shares = [name for name in names if logs.scale(name) != 1]
    scale_notes = [f"shares, shown as points from 0 to 100: {listed(shares, SHOWN)}"] if shares else []
    return [*logs.remarks, *scale_notes]


def warnings_of(logs: PairedLogs, names: Sequence[str]) -> list[str]:
    """Warnings about scores and samples that are not compared, and about unknown documents."""
    warnings = [*logs.a.notes, *logs.b.notes, *logs.notes]
    for log, other in ((logs.a, logs.b), (logs.b, logs.a)):
        unshared_scores = [name for name in log.scores if name not in other.scores]
        if unshared_scores:
            warnings.append(f"{listed(unshared_scores, SHOWN)} left out: only {log.path} has them")
    if logs.clusters is None:
        warnings.append(independence_note(len(logs.ids)))
    return [*warnings, *(note for name in names for note in logs.score_notes(name))]
