"""Runs compared with a baseline, with warnings about differences that cannot be trusted."""

from collections.abc import Mapping

from longdoc.errors import listed
from longdoc.plurals import counted
from pipelines.display import interval_notes
from pipelines.results.comparisons.runs import ComparedRun, compare_runs, mismatches
from pipelines.results.run_folders.run import Run

MAX_NAMED = 3  # runs that are named in a warning
SIGNIFICANCE = 0.05  # the usual threshold of p


def compare_with_baseline(runs: Mapping[str, Run], baseline: str) -> tuple[dict[str, ComparedRun], list[str]]:
    """Intervals of all runs, differences of those that have the baseline's examples, and warnings."""
    if baseline not in runs:
        return _uncompared_runs(runs), [f"the baseline {baseline!r} has no scores, so nothing is compared with it"]
    reasons = {
        name: "; ".join(lines)
        for name, run in runs.items()
        if (lines := mismatches(runs[baseline], run, ("the baseline", "it")))
    }
    comparable_runs = {name: run for name, run in runs.items() if name not in reasons}
    compared = compare_runs(comparable_runs, baseline)
    comparison_count = sum(name != baseline and compared_run.same_as is None for name, compared_run in compared.items())
    compared |= _uncompared_runs({name: runs[name] for name in reasons})
    warnings = [f"{name} is not compared with the baseline: {reason}" for name, reason in reasons.items()]
    warnings += (
        unscored(runs) + _other_limits(comparable_runs, baseline) + _baseline_notes(runs[baseline], comparison_count)
    )
    return compared, warnings


def unscored(runs: Mapping[str, Run]) -> list[str]:
    """The examples that have no reference, or are unanswerable: once for runs of which the same is to be said."""
    return interval_notes.grouped_reasons(
        ((name, note) for name, run in runs.items() for note in run.reference_notes), list(runs)
    )


def _uncompared_runs(runs: Mapping[str, Run]) -> dict[str, ComparedRun]:
    """Runs that are compared with none."""
    return {name: compare_runs({name: run}, name)[name] for name, run in runs.items()}


def _other_limits(runs: Mapping[str, Run], baseline: str) -> list[str]:
    """A warning about runs with another limit than the baseline's: their scores are over other examples."""
    first = runs[baseline]
    differing_names = [name for name, run in runs.items() if run.limit != first.limit]
    if not differing_names:
        return []
    names = listed(differing_names, MAX_NAMED)
    return [f"{names}: another limit than the baseline's; differences are over the examples that both have"]


def _baseline_notes(baseline: Run, comparison_count: int) -> list[str]:
    documents = len({prediction.document for prediction in baseline.predictions if prediction.references})
    return few_documents_notes(documents, comparison_count)


def few_documents_notes(documents: int, comparison_count: int) -> list[str]:
    """A warning where no p of so many comparisons can be below 0.05 (p is at least 2 / 2^documents)."""
    minimum = min(1.0, 2.0 ** (1 - documents) * comparison_count)
    if documents < 2 or minimum <= SIGNIFICANCE:
        return []
    if comparison_count == 1:
        return [
            f"with {counted(documents, 'document')} no p can come out below {minimum:.2g}: compare over more documents"
        ]
    return [
        f"with {counted(documents, 'document')} and {counted(comparison_count, 'comparison')} no p can come out below "
        f"{minimum:.2g} after Holm's correction: make fewer comparisons, or take more documents"
    ]
