"""The data of a page: an index that it opens with, blocks of examples that it unpacks when they are asked for."""

from typing import Any

from pipelines.results.reports._blocks import block
from pipelines.results.reports._examples import blocks
from pipelines.results.reports._index import Index
from pipelines.results.reports._markup import sound
from pipelines.results.reports.content import Content, RunContent
from pipelines.sources import Dataset

OUTPUTS = 200_000  # examples times runs, beyond which a page would be slow to open


def page_data(content: Content, opened: Dataset | None, lacking: str) -> tuple[str, str]:
    """The elements with the index and the blocks; `lacking` says why there is no text. Raises `UserError`.

    The index stands first, so that the list is there while a browser still reads the blocks.
    """
    shown = _shown(content)
    runs = [run.run for run in shown if run.run is not None]
    index = Index(runs)
    filled = "".join(blocks(index, opened))
    told = {
        "names": [sound(run.name) for run in shown],
        "labels": [sound(run.label) for run in shown],
        "lacking": sound(lacking),
        "limited": _limited(content, len(shown), index),
        "folder": sound(" ".join(str(run.folder) for run in runs)),
    }
    return block("index", index.to_dict() | _overview(content) | told), filled


def _shown(content: Content) -> list[RunContent]:
    """The runs whose outputs are in the page: all, or of very many the baseline and the best."""
    there = [run for run in content.finished if run.run is not None]
    most = max(2, OUTPUTS // max((run.examples for run in there), default=1))
    if len(there) <= most:
        return there
    best = sorted(there, key=lambda run: (run.name != content.baseline, -run.scores.get(content.metric, 0.0)))
    kept = {run.name for run in best[:most]}
    return [run for run in there if run.name in kept]


def _limited(content: Content, shown: int, index: Index) -> str:
    """What is left out of a page that would be too large, empty for nothing."""
    there = sum(run.run is not None for run in content.finished)
    told = [f"The outputs of {shown} of {there} runs are here: the baseline's and the best."] if shown < there else []
    if index.textless:
        told.append(
            f"The texts of the last {index.textless:,} of {len(index.documents):,} documents are left out: the page "
            "would be too large. longdoc show RUN ID prints any example."
        )
    return " ".join(told)


def _overview(content: Content) -> dict[str, Any]:
    """What the plot needs, and how runs are named."""
    points = [
        {
            "name": run.name,
            "settings": {axis: _plain(value) for axis, value in run.settings.items()},
            "scores": dict(run.scores),
            "intervals": {name: (interval.low, interval.high) for name, interval in run.intervals.items()},
            "shown": run.tokens_shown,
            "tokens": run.tokens_in + run.tokens_out,
            "cost": run.cost,
        }
        for run in content.finished
    ]
    return {
        "task": content.task,
        "metric": content.metric,
        "axes": list(content.axes),
        "baseline": content.baseline,
        "points": points,
    }


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)
