"""The basis of a power analysis out of one log or two."""

from collections.abc import Sequence
from dataclasses import replace

from longdoc.errors import UserError, unknown
from pipelines.plugins.study.logs.compare_logs import warnings_of
from pipelines.plugins.study.logs.formats import read
from pipelines.plugins.study.logs.paired_logs import PairedLogs
from pipelines.plugins.study.power._power_basis import Basis, check_documents, systems_basis


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
    samples = logs.samples(name)[: len(paths)]
    values = [sample.by_example[name] for sample in samples]
    basis = systems_basis(logs.a.task or logs.b.task, name, tuple(paths), samples, values, correlation)
    return replace(basis, notes=(*basis.notes, *logs.remarks, *warnings_of(logs, [name])))
