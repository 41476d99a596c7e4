"""Compare two finished runs of the same examples."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from longdoc.errors import UserError, unknown
from pipelines.results.comparisons.bootstrap import LEVEL, RESAMPLES
from pipelines.results.comparisons.paired import EXACT, TIE
from pipelines.results.comparisons.records import Changed, Comparison
from pipelines.results.comparisons.runs import Ids, Rows, check_comparable, common, differences_of
from pipelines.results.run_folders.finished import finished_run
from pipelines.results.run_folders.record import recipe_in

CHANGED = 5


def compare(
    run_a: str | Path,
    run_b: str | Path,
    *,
    primary_metric: str | None = None,
    changed: int = CHANGED,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """How the run in the folder `run_b` differs from that in `run_a`: figures, intervals, p, the most changed examples.

    - `primary_metric`: the figure that examples are ordered by ("f1", "rouge1"), or a metric's name for its first
      figure; by default the first one that is a mean over examples.
    - `changed`: how many of the examples that changed most are kept.
    - `level`, `resamples`, `seed`: of the bootstrap over documents (`bootstrap`, `paired`).

    Raises `UserError` for runs of different tasks, splits, data or selections of examples, and for metrics of different
    rules; what differs is named.
    """
    _check(level, resamples, changed)
    a, b = Rows(finished_run(run_a)), Rows(finished_run(run_b))
    check_comparable(a.run, b.run)
    ids = common(a, b)
    differences = differences_of(a, b, level, resamples, seed)
    if not differences:
        raise UserError(f"{a.run.folder} and {b.run.folder} have no scored example and metric in common")
    by = _figure(primary_metric, a, ids, list(differences))
    return Comparison(
        task=a.run.task,
        split=a.run.split,
        a=str(a.run.folder),
        b=str(b.run.folder),
        recipe_a=recipe_in(a.run.spec),
        recipe_b=recipe_in(b.run.spec),
        scores_a=a.figures(ids),
        scores_b=b.figures(ids),
        differences=differences,
        examples=len(ids),
        documents=len({a.scored[one].document for one in ids}),
        by_metric=by,
        changed=_changed(by, a, b, ids)[:changed],
        warnings=_warnings(a, b, ids, level),
    )


def _check(level: float, resamples: int, changed: int) -> None:
    if not 0 < level < 1:
        raise UserError(f"level must be between 0 and 1, got {level}; 0.95 is usual")
    if resamples < 100 or changed < 0:
        raise UserError(f"resamples must be at least 100 and changed at least 0, got {resamples} and {changed}")


def _figure(wanted: str | None, a: Rows, ids: Ids, known: Sequence[str]) -> str:
    """The figure that is meant."""
    if wanted is not None and wanted in known:
        return wanted
    if wanted is not None:
        figures = [name for name in a.sample(wanted, ids).figures if name in known] if wanted in a.metrics else []
        if not figures:
            raise unknown("figure of both runs", wanted, known)
        return figures[0]
    return next((name for name in known if _is_of_examples(name, a, ids)), known[0])


def _is_of_examples(figure: str, a: Rows, ids: Ids) -> bool:
    """Whether an example has the figure in its row: not BLEU's, which is no mean over examples."""
    return figure in a.sample(_metric_of(figure, a, ids), ids).names


def _metric_of(figure: str, a: Rows, ids: Ids) -> str:
    """The metric that a figure is of: the last one, as in the scores."""
    return [name for name in a.metrics if figure in a.sample(name, ids).figures][-1]


def _changed(figure: str, a: Rows, b: Rows, ids: Ids) -> list[Changed]:
    """The examples whose figure changed, most first."""
    name = _metric_of(figure, a, ids)
    before, after = (rows.sample(name, ids).singles.get(figure) for rows in (a, b))
    if before is None or after is None:
        return []
    moved = [place for place in np.argsort(-np.abs(after - before), kind="stable") if abs(after - before)[place] >= TIE]
    found = [(a.scored[ids[place]], b.scored[ids[place]], before[place], after[place]) for place in moved]
    return [
        Changed(one.id, one.document, one.query, one.prediction, two.prediction, float(left), float(right))
        for one, two, left, right in found
    ]


def _warnings(a: Rows, b: Rows, ids: Ids, level: float) -> list[str]:
    """What a reader of the figures must know."""
    found = []
    for one, other in ((a, b), (b, a)):
        missing = sum(name not in one.scored for name in other.scored)
        if missing:
            found.append(
                f"{missing:,} of {len(other.scored):,} examples are left out: {one.run.folder} has none of them"
            )
        found += [f"{name} is left out: {reason} in {one.run.folder}" for name, reason in one.lacking.items()]
        odd = [name for name in one.metrics if name not in {*other.metrics, *other.lacking}]
        if odd:
            found.append(f"{', '.join(odd)} left out: only {one.run.folder} has such")
    documents = len({a.scored[one].document for one in ids})
    if documents == 1:
        return [*found, "there is one document: examples are drawn, so nothing is said of other documents"]
    if documents <= EXACT and 2 ** (1 - documents) > 1 - level:
        found.append(f"with {documents} documents no p can be below {2.0 ** (1 - documents):g}")
    return found
