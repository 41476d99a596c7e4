"""Compare two finished runs of the same examples."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from longdoc.errors import UserError, unknown
from longdoc.plurals import counted
from pipelines.display.interval_notes import ONE_DOCUMENT
from pipelines.results.comparisons.comparison import ChangedExample, Comparison
from pipelines.results.comparisons.gate import gates
from pipelines.results.comparisons.runs import (
    Ids,
    Rows,
    check_comparable,
    common,
    differences_of,
    equal_metrics,
    request_digests,
)
from pipelines.results.run_folders.record import recipe_of_spec
from pipelines.results.run_folders.run import finished_run
from pipelines.results.run_folders.spec_differences import differences_in_words
from pipelines.results.run_folders.versions import mixed_versions
from pipelines.results.selection_counts import words_shown
from pipelines.results.suspicious_outputs import SuspiciousOutputs
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, sample_intervals
from pipelines.statistics.intervals import Interval
from pipelines.statistics.paired import EXACT, TIE

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
    fail_if: Sequence[str] = (),
) -> Comparison:
    """How the run in the folder `run_b` differs from that in `run_a`, with the arguments of `pipelines.compare`.

    Raises `UserError`, naming the difference, for runs of different tasks, splits, data or samples, and for metrics
    with different signatures. Runs with different limits are compared over the examples that both have.
    """
    check_options(level, resamples, changed)
    a, b = Rows(finished_run(run_a)), Rows(finished_run(run_b))
    check_comparable(a.run, b.run)
    ids = common(a, b)
    scores_a, scores_b = a.scores(ids), b.scores(ids)
    shared_names = [name for name in scores_a if name in scores_b]
    if not shared_names:
        raise UserError(
            f"{a.run.folder} and {b.run.folder} have no scored example and metric in common: give "
            "runs of the same task and data"
        )
    digests = request_digests(a.run)
    is_repeated = digests is not None and digests == request_digests(b.run)
    leave_out = equal_metrics(a, b) if is_repeated else set[str]()
    differences = differences_of(a, b, level, resamples, seed, leave_out)
    primary = _primary(primary_metric, a, ids, shared_names)

    documents = len({a.scored[example_id].document for example_id in ids})
    decisive = differences
    if documents == 1:  # which says nothing of others
        decisive = {name: replace(difference, interval=None) for name, difference in differences.items()}

    def interval_of(score: str) -> Interval | None:
        if documents == 1:
            return None
        return sample_intervals(b.sample(_metric_of(score, b, ids), ids), level, resamples, seed).get(score)

    return Comparison(
        task=a.run.task,
        split=a.run.split,
        a=str(a.run.folder),
        b=str(b.run.folder),
        recipe_a=recipe_of_spec(a.run.spec),
        recipe_b=recipe_of_spec(b.run.spec),
        scores_a=scores_a,
        scores_b=scores_b,
        differences=differences,
        examples=len(ids),
        documents=documents,
        primary_metric=primary,
        changed=_changed_examples(primary, a, b, ids)[:changed],
        warnings=[*_warnings(a, b), *(few_units_notes(documents, len(ids), level) if differences else [])],
        same_requests=is_repeated,
        words_a=words_shown([a.scored[example_id] for example_id in ids]),
        words_b=words_shown([b.scored[example_id] for example_id in ids]),
        gates=gates(fail_if, {name: scores_b[name] for name in shared_names}, decisive, interval_of),
    )


def check_options(level: float, resamples: int, changed: int) -> None:
    """Raise `UserError` for a number out of its range."""
    if not 0 < level < 1:
        raise UserError(f"level must be between 0 and 1, got {level}; 0.95 is usual")
    if resamples < 100 or changed < 0:
        raise UserError(f"resamples must be at least 100 and changed at least 0, got {resamples} and {changed}")


def _primary(requested: str | None, a: Rows, ids: Ids, score_names: Sequence[str]) -> str:
    """The name of the score that examples are ordered by."""
    if requested is not None and requested in score_names:
        return requested
    if requested is not None:
        names = (
            [name for name in a.sample(requested, ids).scores if name in score_names] if requested in a.metrics else []
        )
        if not names:
            raise unknown("score of both runs", requested, score_names)
        return names[0]
    return next((name for name in score_names if _is_of_examples(name, a, ids)), score_names[0])


def _is_of_examples(score: str, a: Rows, ids: Ids) -> bool:
    """Whether examples have the score in their rows: not BLEU, which is no mean over examples."""
    return score in a.sample(_metric_of(score, a, ids), ids).names


def _metric_of(score: str, a: Rows, ids: Ids) -> str:
    """The metric that gives a score: the last one, as in the run's scores."""
    return [name for name in a.metrics if score in a.sample(name, ids).scores][-1]


def _changed_examples(score: str, a: Rows, b: Rows, ids: Ids) -> list[ChangedExample]:
    """The examples whose score changed, the largest changes first."""
    name = _metric_of(score, a, ids)
    ids = a.ids_with_row(name, ids)
    before, after = (rows.sample(name, ids).by_example.get(score) for rows in (a, b))
    if before is None or after is None:
        return []
    changed_rows = [
        row for row in np.argsort(-np.abs(after - before), kind="stable") if abs(after - before)[row] >= TIE
    ]
    rows = [(a.scored[ids[row]], b.scored[ids[row]], before[row], after[row]) for row in changed_rows]
    return [
        ChangedExample(
            prediction.id,
            prediction.document,
            prediction.query,
            prediction.prediction,
            other.prediction,
            float(left),
            float(right),
        )
        for prediction, other, left, right in rows
    ]


def _warnings(a: Rows, b: Rows) -> list[str]:
    """What is not scored or not compared, and differences that the recipes do not show."""
    return [*_unscored_notes(a, b), *_suspicious_notes(a, b), *_recipe_notes(a, b), *_left_out_notes(a, b)]


def _unscored_notes(a: Rows, b: Rows) -> list[str]:
    """The examples of the runs that have no reference, or no answer: once where both have the same."""
    left, right = a.run.reference_notes, b.run.reference_notes
    if left == right:
        return left
    return [f"{rows.run.folder}: {note}" for rows, notes in ((a, left), (b, right)) for note in notes]


def _suspicious_notes(a: Rows, b: Rows) -> list[str]:
    """What is suspicious about the outputs of either run."""
    runs = [rows.run for rows in (a, b)]
    return [
        f"{run.folder}: {line}"
        for run in runs
        for line in SuspiciousOutputs.from_predictions(run.predictions).messages()
    ]


def _recipe_notes(a: Rows, b: Rows) -> list[str]:
    """How the runs differ where their recipes, as printed, do not."""
    spec_a, spec_b = a.run.spec, b.run.spec
    if recipe_of_spec(spec_a) != recipe_of_spec(spec_b):
        return []
    differences = differences_in_words(spec_a, spec_b)
    return (
        [f"the recipes differ in {'; '.join(difference.against for difference in differences)}"] if differences else []
    )


def _left_out_notes(a: Rows, b: Rows) -> list[str]:
    """Which examples and metrics are not compared."""
    shared_reasons = {name: reason for name, reason in a.unusable.items() if b.unusable.get(name) == reason}
    warnings = [f"{name} is left out: {reason} in either run" for name, reason in shared_reasons.items()]
    for rows, other in ((a, b), (b, a)):
        warnings += [f"{rows.run.folder}: {warning}" for warning in mixed_versions(rows.run.versions)]
        missing_count = sum(name not in rows.scored for name in other.scored)
        if missing_count:
            warnings.append(
                f"{missing_count:,} of {counted(len(other.scored), 'example')} left out: "
                f"{rows.run.folder} has none of them"
            )
        own_reasons = {name: reason for name, reason in rows.unusable.items() if name not in shared_reasons}
        warnings += [f"{name} is left out: {reason} in {rows.run.folder}" for name, reason in own_reasons.items()]
        own_metrics = [name for name in rows.metrics if name not in {*other.metrics, *other.unusable}]
        if own_metrics:
            warnings.append(f"{', '.join(own_metrics)} left out: only {rows.run.folder} has such")
    return warnings


def few_units_notes(documents: int, examples: int, level: float) -> list[str]:
    """What few documents cannot show; without documents (0), what few examples cannot."""
    unit, units = ("document", documents) if documents > 1 else ("example", examples)
    warnings = [ONE_DOCUMENT] if documents == 1 else []
    if units <= EXACT and 2 ** (1 - units) > 1 - level:
        warnings.append(f"with {counted(units, unit)} no p can be below {2.0 ** (1 - units):g}")
    return warnings
