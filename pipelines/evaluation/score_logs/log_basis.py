"""What a power analysis is planned from, out of one log or two."""

from collections.abc import Sequence

from longdoc.errors import UserError, unknown
from pipelines.evaluation._power_basis import (
    ALIKE_TEXT,
    Basis,
    assumed_correlation_note,
    check_documents,
    score_correlation,
)
from pipelines.evaluation.score_logs.compare_logs import warnings_of
from pipelines.evaluation.score_logs.formats import read
from pipelines.evaluation.score_logs.paired_logs import PairedLogs
from pipelines.statistics.bootstrap import RESAMPLES, SEED
from pipelines.statistics.power import spread_of_difference, spread_of_score


def log_basis(paths: Sequence[str], metric: str | None, correlation: float, cluster: str | None) -> Basis:
    """The spread of two logs' differences, or of one log's scores, as wide as that of two such systems' would be."""
    score_logs = [read(path, cluster) for path in paths]
    logs = PairedLogs(score_logs[0], score_logs[-1], cluster)
    if not logs.names:
        raise UserError(f"{' and '.join(paths)} have no score in common: rename one's")
    if metric is not None and metric not in logs.names:
        raise unknown("score", metric, logs.names)
    name = metric or logs.names[0]
    check_documents(logs.clusters or logs.ids)
    a, b = logs.samples(name)
    single = len(paths) == 1
    spread = spread_of_score(a, name, RESAMPLES, SEED) if single else spread_of_difference(a, b, name, RESAMPLES, SEED)
    if not spread.variance:
        raise UserError(f"{name} is the same in every document of {' and '.join(paths)}: {ALIKE_TEXT}")
    notes = (*logs.remarks, *warnings_of(logs, [name]))
    task = logs.a.task or logs.b.task
    if single:
        notes = (assumed_correlation_note(correlation), *notes)
        return Basis(task, name, tuple(paths), spread.scaled(2 * (1 - correlation)), correlation, notes=notes)
    measured = score_correlation(a.by_example[name], b.by_example[name])
    return Basis(task, name, tuple(paths), spread, measured, notes=notes)
