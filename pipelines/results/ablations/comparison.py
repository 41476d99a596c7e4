"""Comparing runs with a baseline, with warnings about differences that cannot be trusted."""

from collections.abc import Mapping

from longdoc.errors import listed
from longdoc.messages import counted
from pipelines.display import interval_notes
from pipelines.results.comparisons.cell import Cell
from pipelines.results.comparisons.runs import compare_runs, mismatches
from pipelines.results.run_folders.run import Run

MAX_NAMED = 3  # runs that are named in a warning
SIGNIFICANCE = 0.05  # the usual threshold of p


def compare_with_baseline(runs: Mapping[str, Run], baseline: str) -> tuple[dict[str, Cell], list[str]]:
    """The runs as cells, with intervals and with differences if they have the baseline's examples; and warnings."""
    if baseline not in runs:
        return _uncompared_runs(runs), [f"the baseline {baseline!r} has no scores, so nothing is compared with it"]
    reasons = {
        name: "; ".join(lines)
        for name, run in runs.items()
        if (lines := mismatches(runs[baseline], run, ("the baseline", "it")))
    }
    comparable_runs = {name: run for name, run in runs.items() if name not in reasons}
    cells = compare_runs(comparable_runs, baseline)
    comparison_count = sum(name != baseline and cell.same_as is None for name, cell in cells.items())
    cells |= _uncompared_runs({name: runs[name] for name in reasons})
    warnings = [f"{name} is not compared with the baseline: {reason}" for name, reason in reasons.items()]
    warnings += (
        unscored(runs) + _other_limits(comparable_runs, baseline) + _baseline_notes(runs[baseline], comparison_count)
    )
    return cells, warnings


def unscored(runs: Mapping[str, Run]) -> list[str]:
    """Notes on examples without a reference or answer; one note for all runs that share it."""
    return interval_notes.grouped_reasons(
        ((name, note) for name, run in runs.items() for note in run.reference_notes), list(runs)
    )


def _uncompared_runs(runs: Mapping[str, Run]) -> dict[str, Cell]:
    """The runs as cells without differences."""
    return {name: compare_runs({name: run}, name)[name] for name, run in runs.items()}


def _other_limits(runs: Mapping[str, Run], baseline: str) -> list[str]:
    """The warning about runs with another limit than the baseline's, whose scores are over other examples."""
    first = runs[baseline]
    names_with_other_limit = [name for name, run in runs.items() if run.limit != first.limit]
    if not names_with_other_limit:
        return []
    names = listed(names_with_other_limit, MAX_NAMED)
    return [f"{names}: another limit than the baseline's; differences are over the examples that both have"]


def _baseline_notes(baseline: Run, comparison_count: int) -> list[str]:
    documents = len({prediction.document for prediction in baseline.predictions if prediction.references})
    return few_documents_notes(documents, comparison_count)


def few_documents_notes(documents: int, comparison_count: int) -> list[str]:
    """The warning that no p can be below 0.05 with so few documents and so many comparisons (p ≥ 2 / 2^documents)."""
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
