"""Compare two finished runs of the same examples."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.display.interval_notes import ONE_DOCUMENT
from pipelines.results.comparisons.comparison import ChangedExample, Comparison, Side
from pipelines.results.comparisons.gate import gates
from pipelines.results.comparisons.runs import (
    Ids,
    Rows,
    check_comparable,
    common,
    differences_of,
    equal_metrics,
    named_score,
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
    side_a, side_b = _side(a, ids), _side(b, ids)
    shared_scores = [name for name in side_a.scores if name in side_b.scores]
    if not shared_scores:
        raise UserError(
            f"{a.run.folder} and {b.run.folder} have no scored example and metric in common: give "
            "runs of the same task and data"
        )
    digests = request_digests(a.run)
    is_repeated = digests is not None and digests == request_digests(b.run)
    unchanged_metrics = equal_metrics(a, b) if is_repeated else set[str]()
    differences = differences_of(a, b, level, resamples, seed, unchanged_metrics)
    ordering_score = _primary(primary_metric, a, ids, shared_scores)

    documents = len({a.scored[example_id].document for example_id in ids})
    decisive = differences
    if documents == 1:  # its interval says nothing about other documents
        decisive = {name: replace(difference, interval=None) for name, difference in differences.items()}

    def interval_of(score: str) -> Interval | None:
        if documents == 1:
            return None
        return sample_intervals(b.sample(_metric_of(score, b, ids), ids), level, resamples, seed).get(score)

    return Comparison(
        task=a.run.task,
        split=a.run.split,
        a=side_a,
        b=side_b,
        differences=differences,
        examples=len(ids),
        documents=documents,
        primary_metric=ordering_score,
        changed=_changed_examples(ordering_score, a, b, ids)[:changed],
        warnings=[*_warnings(a, b), *(few_units_notes(documents, len(ids), level) if differences else [])],
        same_requests=is_repeated,
        gates=gates(fail_if, {name: side_b.scores[name] for name in shared_scores}, decisive, interval_of),
    )


def _side(rows: Rows, ids: Ids) -> Side:
    """One side of the comparison: a run over the shared examples."""
    words = words_shown([rows.scored[example_id] for example_id in ids])
    return Side(str(rows.run.folder), recipe_of_spec(rows.run.spec), rows.scores(ids), words)


def check_options(level: float, resamples: int, changed: int) -> None:
    """Raise `UserError` for an option out of its range."""
    if not 0 < level < 1:
        raise UserError(f"level must be between 0 and 1, got {level}; 0.95 is usual")
    if resamples < 100 or changed < 0:
        raise UserError(f"resamples must be at least 100 and changed at least 0, got {resamples} and {changed}")


def _primary(requested: str | None, a: Rows, ids: Ids, score_names: Sequence[str]) -> str:
    """The name of the score by which examples are ordered. Raises `UserError` for an unknown `requested` one."""
    if requested is not None:
        return named_score(requested, score_names, a, ids, "score of both runs")
    return next((name for name in score_names if _has_example_scores(name, a, ids)), score_names[0])


def _has_example_scores(score: str, a: Rows, ids: Ids) -> bool:
    """Whether single examples have the score; not BLEU, for instance, which is not a mean over examples."""
    return score in a.sample(_metric_of(score, a, ids), ids).names


def _metric_of(score: str, a: Rows, ids: Ids) -> str:
    """The metric that computes a score; the last one if there are several, as in the run's scores."""
    return [name for name in a.metrics if score in a.sample(name, ids).scores][-1]


def _changed_examples(score: str, a: Rows, b: Rows, ids: Ids) -> list[ChangedExample]:
    """The examples whose score changed, the largest changes first."""
    metric = _metric_of(score, a, ids)
    ids = a.ids_with_row(metric, ids)
    before, after = (rows.sample(metric, ids).by_example.get(score) for rows in (a, b))
    if before is None or after is None:
        return []
    changed_indexes = [
        row for row in np.argsort(-np.abs(after - before), kind="stable") if abs(after - before)[row] >= TIE
    ]
    rows = [(a.scored[ids[row]], b.scored[ids[row]], before[row], after[row]) for row in changed_indexes]
    return [
        ChangedExample(
            prediction.id,
            prediction.document,
            prediction.query,
            prediction.prediction,
            other.prediction,
            float(score_before),
            float(score_after),
        )
        for prediction, other, score_before, score_after in rows
    ]


def _warnings(a: Rows, b: Rows) -> list[str]:
    """The warnings about a comparison: what is not scored or compared, and differences that the recipes hide."""
    return [*_unscored_notes(a, b), *_suspicious_notes(a, b), *_recipe_notes(a, b), *_left_out_notes(a, b)]


def _unscored_notes(a: Rows, b: Rows) -> list[str]:
    """The notes on examples without a reference or answer; once if both runs have the same."""
    notes_a, notes_b = a.run.reference_notes, b.run.reference_notes
    if notes_a == notes_b:
        return notes_a
    return [f"{rows.run.folder}: {note}" for rows, notes in ((a, notes_a), (b, notes_b)) for note in notes]


def _suspicious_notes(a: Rows, b: Rows) -> list[str]:
    """The notes on suspicious outputs of either run."""
    runs = [rows.run for rows in (a, b)]
    return [
        f"{run.folder}: {line}"
        for run in runs
        for line in SuspiciousOutputs.from_predictions(run.predictions).messages()
    ]


def _recipe_notes(a: Rows, b: Rows) -> list[str]:
    """The note on how the runs differ if their printed recipes are the same."""
    spec_a, spec_b = a.run.spec, b.run.spec
    if recipe_of_spec(spec_a) != recipe_of_spec(spec_b):
        return []
    differences = differences_in_words(spec_a, spec_b)
    return (
        [f"the recipes differ in {'; '.join(difference.against for difference in differences)}"] if differences else []
    )


def _left_out_notes(a: Rows, b: Rows) -> list[str]:
    """The notes on examples and metrics that are not compared."""
    shared_reasons = {name: reason for name, reason in a.unusable.items() if b.unusable.get(name) == reason}
    warnings = [f"{name} is left out: {reason} in either run" for name, reason in shared_reasons.items()]
    for rows, other_rows in ((a, b), (b, a)):
        warnings += [f"{rows.run.folder}: {warning}" for warning in mixed_versions(rows.run.versions)]
        missing_count = sum(name not in rows.scored for name in other_rows.scored)
        if missing_count:
            warnings.append(
                f"{missing_count:,} of {counted(len(other_rows.scored), 'example')} left out: "
                f"{rows.run.folder} has none of them"
            )
        own_reasons = {name: reason for name, reason in rows.unusable.items() if name not in shared_reasons}
        warnings += [f"{name} is left out: {reason} in {rows.run.folder}" for name, reason in own_reasons.items()]
        own_metrics = [name for name in rows.metrics if name not in {*other_rows.metrics, *other_rows.unusable}]
        if own_metrics:
            warnings.append(f"{', '.join(own_metrics)} left out: only {rows.run.folder} has them")
    return warnings


def few_units_notes(documents: int, examples: int, level: float) -> list[str]:
    """The warnings about few documents, or about few examples if no documents are known (0)."""
    unit, units = ("document", documents) if documents > 1 else ("example", examples)
    warnings = [ONE_DOCUMENT] if documents == 1 else []
    if units <= EXACT and 2 ** (1 - units) > 1 - level:
        warnings.append(f"with {counted(units, unit)} no p can be below {2.0 ** (1 - units):g}")
    return warnings
