"""Which document each sample of several logs is about."""

from collections.abc import Sequence

from longdoc.errors import UserError, unknown
from longdoc.messages import counted
from pipelines.plugins.study.logs.paired_logs import cluster_field
from pipelines.plugins.study.logs.score_log import ScoreLog


def sample_documents(logs: Sequence[ScoreLog], cluster: str | None) -> dict[str, str]:
    """The document of each sample, by id; samples whose document no log names are left out.

    Raises `UserError` where two logs disagree, and for a field `cluster` that none has.
    """
    labels: dict[str, str] = {}
    for log in logs:
        name = cluster_field(log, cluster)
        if name is not None:
            for sample_id, label in zip(log.numbers, log.fields[name], strict=True):
                if labels.setdefault(sample_id, label) != label:
                    raise UserError(
                        f"the sample {sample_id[:80]!r} has {name} {labels[sample_id]!r} in one log and {label!r} in "
                        f"{log.path}: give logs of the same data, or another field (--cluster FIELD)"
                    )
    if cluster is not None and not labels:
        raise unknown("field of the samples to cluster by", cluster, {name for log in logs for name in log.field_names})
    return labels


def independence_note(samples: int) -> str:
    """The note on samples whose documents are not known."""
    return (
        f"no field says which document a sample is about: {counted(samples, 'sample')} are taken as independent "
        "(--cluster FIELD)"
    )
