"""Compare two systems over the same examples: finished runs, or logs that other harnesses wrote."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from pipelines.results.comparisons import compare as finished_runs
from pipelines.results.comparisons.compare import CHANGED
from pipelines.results.comparisons.comparison import Comparison
from pipelines.results.kinds import kind_of
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES


@checks_names
def compare(
    run_a: str | Path,
    run_b: str | Path,
    *,
    primary_metric: str | None = None,
    changed: int = CHANGED,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
    cluster: str | None = None,
    fail_if: str | Sequence[str] = (),
) -> Comparison:
    """How `run_b` differs from `run_a`: scores, intervals, p, the most changed examples.

    Both are folders of finished runs, or logs of scores by sample: of inspect_ai, or tables (`score_logs`).

    - `primary_metric`: the score that examples are ordered by ("f1", "rouge1"), or a metric's name for its first
      score; by default the first one that is a mean over examples.
    - `changed`: how many of the most changed examples to return.
    - `level`, `resamples`, `seed`: of the bootstrap over documents (`bootstrap`, `paired`).
    - `cluster`: the field of a log's samples that says which belong together, such as their document; by default the
      first usual name that all samples have.
    - `fail_if`: conditions such as "f1 < baseline - 1", where the baseline is `run_a`; the result's `gates` say which
      hold with the confidence of `level`.

    Raises `UserError`, naming the difference, for runs of different tasks, splits, data or samples, and for metrics
    with different signatures. Runs with different limits are compared over the examples that both have.
    """
    conditions = (fail_if,) if isinstance(fail_if, str) else fail_if
    options: dict[str, Any] = {"primary_metric": primary_metric, "changed": changed, "level": level}
    options |= {"resamples": resamples, "seed": seed, "fail_if": conditions}
    a, b = Path(run_a), Path(run_b)
    if (kind := kind_of(a, b)) is not None:
        return kind.compare(a, b, cluster, options)
    if cluster is not None:
        raise UserError("cluster= is for logs of other harnesses (runs are clustered by document): leave it out")
    return finished_runs.compare(a, b, **options)
