"""Everything that joins chunkers, retrievers and readers. `pipelines.run("narrativeqa", retriever="tfidf")`.

The verbs are imported when they are first used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import longdoc  # noqa: F401  (checks that no folder of the user's hides a package of ours)
from longdoc.allowed_code import allow_code

if TYPE_CHECKING:
    from pipelines import builders, metrics, sources, strategies, tasks, training
    from pipelines.ablations.grid import Grid
    from pipelines.api import (
        ablate,
        ask,
        build,
        contrapro,
        dry_run,
        fetch,
        plan_ablation,
        prompt,
        rescore,
        run,
        score,
        train,
    )
    from pipelines.evaluation.agreement import agreement
    from pipelines.results import analysis
    from pipelines.results.analysis.lengths import lengths
    from pipelines.results.analysis.outputs import outputs
    from pipelines.results.analysis.spread import spread
    from pipelines.results.comparisons.compare import compare
    from pipelines.results.leaderboards.average import benchmark, benchmark_score
    from pipelines.results.leaderboards.published import published
    from pipelines.results.leaderboards.submission import check_submission, submit
    from pipelines.results.reports.report import report
    from pipelines.results.run_folders.inspect import show
    from pipelines.results.run_folders.listing import runs

_VERBS = (
    "ablate",
    "ask",
    "build",
    "contrapro",
    "dry_run",
    "fetch",
    "plan_ablation",
    "prompt",
    "rescore",
    "run",
    "score",
    "train",
)
_ELSEWHERE = {
    "Grid": "pipelines.ablations.grid",
    "agreement": "pipelines.evaluation.agreement",
    "benchmark": "pipelines.results.leaderboards.average",
    "benchmark_score": "pipelines.results.leaderboards.average",
    "check_submission": "pipelines.results.leaderboards.submission",
    "compare": "pipelines.results.comparisons.compare",
    "lengths": "pipelines.results.analysis.lengths",
    "outputs": "pipelines.results.analysis.outputs",
    "published": "pipelines.results.leaderboards.published",
    "report": "pipelines.results.reports.report",
    "runs": "pipelines.results.run_folders.listing",
    "show": "pipelines.results.run_folders.inspect",
    "spread": "pipelines.results.analysis.spread",
    "submit": "pipelines.results.leaderboards.submission",
}
_PACKAGES = {
    "analysis": "pipelines.results.analysis",
    **{name: f"pipelines.{name}" for name in ("builders", "metrics", "sources", "strategies", "tasks", "training")},
}

__all__ = [
    "Grid",
    "ablate",
    "agreement",
    "allow_code",
    "analysis",
    "ask",
    "benchmark",
    "benchmark_score",
    "build",
    "builders",
    "check_submission",
    "compare",
    "contrapro",
    "dry_run",
    "fetch",
    "lengths",
    "metrics",
    "outputs",
    "plan_ablation",
    "prompt",
    "published",
    "report",
    "rescore",
    "run",
    "runs",
    "score",
    "show",
    "sources",
    "spread",
    "strategies",
    "submit",
    "tasks",
    "train",
    "training",
]


def __getattr__(name: str) -> Any:
    """A verb or a room, imported now."""
    if name in _VERBS:
        return getattr(import_module("pipelines.api"), name)
    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name]), name)
    if name in _PACKAGES:
        return import_module(_PACKAGES[name])
    raise AttributeError(f"module 'pipelines' has no attribute {name!r}")
