"""The row of a condition: scores, intervals, coverage, missing answers, and the expense of its requests."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from pipelines.plugins.scoring._joined_data import MISSING
from pipelines.plugins.versus.condition import Condition
from pipelines.plugins.versus.coverage import ConditionResults, Coverage
from pipelines.results import reference_counts
from pipelines.results.comparisons.runs import Ids, with_intervals
from pipelines.results.run_folders.run import Run
from pipelines.statistics.intervals import Difference

NO_REQUEST = "not asked"
NUMBERS = re.compile(r"\d[\d,.]*")  # what differs between failures of one kind: "5,070 tokens"


def scored_condition(
    results: ConditionResults,
    coverage: Coverage | None,
    metric: str,
    all_ids: set[str],
    common: Ids,
    differences: Mapping[str, Difference],
    same_as: str | None,
) -> Condition:
    """The row of a condition: its scores over the examples that it covers, and over the `common` ones.

    A condition without a coverage has no run; its row has the error. `all_ids` are the examples of all conditions.
    """
    condition = Condition(
        name=results.name,
        settings={},
        recipe="",
        folder=results.folder,
        same_as=same_as,
        kind=results.kind,
        line=results.line,
        amount=results.amount,
        source=results.source,
    )
    if coverage is None:
        return replace(condition, error=str(results.outcome))
    run, rows = coverage.run, coverage.rows
    predictions = [prediction for prediction in run.predictions if prediction.id not in coverage.uncounted_ids]
    scores = replace(with_intervals(rows, [metric]).scores, by_name=rows.scores(rows.ids))
    scored = replace(
        condition,
        run=replace(run, scores=scores, loaded=None),
        common=rows.scores(common) if metric in rows.metrics else {},
        differences=differences,
        covered=len(run.predictions) - len(coverage.uncounted_ids),
        documents=len({prediction.document for prediction in predictions}),
        missing=_missing_counts(coverage, all_ids),
        cut=sum(prediction.truncated_tokens > 0 for prediction in run.predictions),
        answers_anyway=reference_counts.answers_anyway(predictions),
        recipe=run.recipe,
    )
    return scored if results.is_from_file else _with_expenses(scored, results.outcome, run)  # type: ignore[arg-type]


def _missing_counts(coverage: Coverage, all_ids: set[str]) -> dict[str, int]:
    """The number of examples to which the condition has no answer, by reason."""
    reason = MISSING if coverage.results.is_from_file else NO_REQUEST
    return _reason_counts([*coverage.missing.values(), *[reason] * len(all_ids - coverage.ids)])


def _reason_counts(reasons: Iterable[str]) -> dict[str, int]:
    """The number of examples of each reason; reasons that differ only in numbers are counted under the first."""
    counts: dict[str, int] = {}
    first_reasons: dict[str, str] = {}
    for reason in reasons:
        first_reason = first_reasons.setdefault(NUMBERS.sub("", reason), reason)
        counts[first_reason] = counts.get(first_reason, 0) + 1
    return counts


def _with_expenses(condition: Condition, run: Run, covered_run: Run) -> Condition:
    """The condition with the expense of all requests, refused ones included; the mean is over the covered examples."""
    total, covered = run.counts, covered_run.counts
    return replace(
        condition,
        requests=total.requests,
        tokens_in=total.tokens_in,
        tokens_out=total.tokens_out,
        tokens_mean=covered.tokens_shown if covered.examples else None,
        words_shown=covered.words_shown,
        cost=total.cost,
    )
