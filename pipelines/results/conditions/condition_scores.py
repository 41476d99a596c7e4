"""The row of a condition: scores, intervals, what it covers and lacks, and what its requests took."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from pipelines.results import reference_counts, selection_counts
from pipelines.results.comparisons.runs import Ids, Rows
from pipelines.results.conditions.condition import Condition
from pipelines.results.conditions.coverage import ConditionResults, Coverage
from pipelines.results.run_folders.record import recipe_of_spec
from pipelines.results.run_folders.run import Run
from pipelines.results.scores import Scores
from pipelines.statistics import bootstrap
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, SEED
from pipelines.statistics.difference import Difference

NO_REQUEST, NO_ROW = "not asked", "missing from the file"
NUMBERS = re.compile(r"\d[\d,.]*")  # what differs between failures of one kind: "5,070 tokens"


def scored_condition(
    results: ConditionResults,
    coverage: Coverage | None,
    metric: str,
    all_ids: set[str],
    common: Ids,
    differences: Mapping[str, Difference],
    repeated_name: str | None,
) -> Condition:
    """The row of a condition: its scores over what it covers, and those over the examples that are `common`.

    Without a coverage it has no run, and its row has the error. `all_ids` are the examples of all conditions.
    """
    condition = Condition(
        results.name,
        results.kind,
        results.line,
        results.amount,
        folder=results.folder,
        source=results.source,
        same_as=repeated_name,
    )
    if coverage is None:
        return replace(condition, error=str(results.outcome))
    run, rows = coverage.run, coverage.rows
    predictions = [prediction for prediction in run.predictions if prediction.id not in coverage.uncounted_ids]
    compared_condition = replace(
        condition,
        scores=_scores(run, rows, metric),
        common=rows.scores(common) if metric in rows.metrics else {},
        differences=differences,
        covered=len(run.predictions) - len(coverage.uncounted_ids),
        documents=len({prediction.document for prediction in predictions}),
        missing=_missing_counts(coverage, all_ids),
        cut=sum(prediction.truncated_tokens > 0 for prediction in run.predictions),
        answers_anyway=reference_counts.answers_anyway(predictions),
        recipe=recipe_of_spec(run.spec) if run.spec else "",
    )
    return compared_condition if results.is_from_file else _with_expenses(compared_condition, results.outcome, run)  # type: ignore[arg-type]


def _scores(run: Run, rows: Rows, metric: str) -> Scores:
    """The scores of what a condition covers, with the intervals of the run as it was scored, else of the metric's."""
    scores = replace(run.scores, by_name=rows.scores(rows.ids))
    if scores.intervals or scores.no_interval or metric not in rows.metrics:
        return scores
    sample = rows.sample(metric, rows.ids)
    intervals = bootstrap.sample_intervals(sample, LEVEL, RESAMPLES, SEED)
    return replace(scores, intervals=intervals, no_interval=bootstrap.lacking_intervals(sample))


def _missing_counts(coverage: Coverage, all_ids: set[str]) -> dict[str, int]:
    """By reason, how many of all examples the condition has no answer to."""
    reason = NO_ROW if coverage.results.is_from_file else NO_REQUEST
    return _reason_counts([*coverage.missing.values(), *[reason] * len(all_ids - coverage.ids)])


def _reason_counts(reasons: Iterable[str]) -> dict[str, int]:
    """How many examples have a reason; of reasons that differ in their numbers alone the first stands for all."""
    counts: dict[str, int] = {}
    first_reasons: dict[str, str] = {}
    for reason in reasons:
        first_reason = first_reasons.setdefault(NUMBERS.sub("", reason), reason)
        counts[first_reason] = counts.get(first_reason, 0) + 1
    return counts


def _with_expenses(condition: Condition, run: Run, covered_run: Run) -> Condition:
    """What all requests took, refused ones included; the mean is that of the covered examples."""
    names = ("requests", "tokens_in", "tokens_out")
    total = {name: sum(getattr(prediction, name) for prediction in run.predictions) for name in names}
    prompt_tokens = sum(prediction.tokens_in for prediction in covered_run.predictions)
    return replace(
        condition,
        **total,
        tokens_mean=prompt_tokens / len(covered_run.predictions) if covered_run.predictions else None,
        words_shown=selection_counts.words_shown(covered_run.predictions),
        cost=run.usage.get("cost"),
    )
