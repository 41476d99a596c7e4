"""The cells of an ablation against their baseline, and what to know before believing a difference."""

from collections.abc import Mapping

from pipelines.results.comparisons.runs import Compared, of_runs, unlike
from pipelines.results.run_folders.finished import FinishedRun

LEVEL = 0.05  # of p: the usual one


def against(runs: Mapping[str, FinishedRun], baseline: str) -> tuple[dict[str, Compared], list[str]]:
    """Intervals of all runs, differences of those over the baseline's examples, and warnings."""
    if baseline not in runs:
        alone = {name: of_runs([run])[0] for name, run in runs.items()}
        return alone, [f"the baseline {baseline!r} has no scores, so nothing is compared with it"]
    reasons = {name: "; ".join(told) for name, run in runs.items() if (told := unlike(runs[baseline], run))}
    alike = {name: run for name, run in runs.items() if name not in reasons}
    found = dict(zip(alike, of_runs(list(alike.values()), list(alike).index(baseline)), strict=True))
    found |= {name: of_runs([runs[name]])[0] for name in reasons}
    warnings = [
        f"{name} is not compared with the baseline, they differ in what must be alike: {reason}"
        for name, reason in reasons.items()
    ]
    return found, warnings + _too_few(runs[baseline], len(alike) - 1)


def _too_few(baseline: FinishedRun, others: int) -> list[str]:
    """A warning where no difference can come out below 0.05, however large it is (p is at least 2 / 2^documents)."""
    documents = len({prediction.document for prediction in baseline.predictions if prediction.references})
    least = min(1.0, 2.0 ** (1 - documents) * others)
    if documents < 2 or least <= LEVEL:
        return []
    if others == 1:
        return [f"with {documents} documents no p can come out below {least:.2g}: compare over more documents"]
    return [
        f"with {documents} documents and {others} comparisons no p can come out below {least:.2g} after Holm's "
        "correction: compare fewer cells, or more documents"
    ]
