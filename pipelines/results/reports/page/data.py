"""The data of a page: an index that it loads at once, and blocks of examples that it unpacks when needed."""

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from pipelines.display.page import sound
from pipelines.results.reports.content import Content, RunContent
from pipelines.results.reports.page.blocks import block
from pipelines.results.reports.page.examples import blocks
from pipelines.results.reports.page.index import Index
from pipelines.results.reports.progress import Progress
from pipelines.sources import Dataset

OUTPUTS = 200_000  # examples times runs, beyond which a page would be slow to open
MEMORY_LIMIT = 1 << 24  # characters of blocks; more are kept in a temporary file
PIECE = 1 << 20  # characters


def page_data(content: Content, dataset: Dataset | None, no_text_reason: str) -> tuple[str, Iterator[str]]:
    """The elements with the index and the blocks; `no_text_reason` says why there are no texts. Raises `UserError`.

    The index comes first, so that the list is there while a browser still reads the blocks. It is complete after the
    last block, so the blocks are kept meanwhile.
    """
    contents = _runs(content)
    runs = [run.readable_run for run in contents if run.readable_run is not None]
    index = Index(runs)
    block_file = SpooledTemporaryFile(MEMORY_LIMIT, "w+", encoding="ascii")  # noqa: SIM115  (closed where it is read)
    with Progress(len(index.example_ids())) as progress:
        block_file.writelines(blocks(index, dataset, progress.advance))
    labels = {
        "names": [sound(run.name) for run in contents],
        "labels": [sound(run.label) for run in contents],
        "no_text_reason": sound(no_text_reason),
        "limited": _limited(content, len(contents), index),
        "folder": sound(" ".join(str(run.folder) for run in runs)),
        "has_passages": content.has_passages,
    }
    return block("index", index.to_dict() | _overview(content) | labels), _read(block_file)


def _read(file: IO[str]) -> Iterator[str]:
    """The content of a file in pieces; it is closed at the end."""
    with file:
        file.seek(0)
        while piece := file.read(PIECE):
            yield piece


def _runs(content: Content) -> list[RunContent]:
    """The runs whose outputs the page has: all, or of very many the baseline and the best."""
    readable = [run for run in content.finished if run.readable_run is not None]
    maximum = max(2, OUTPUTS // max([1, *(run.counts.examples for run in readable)]))
    if len(readable) <= maximum:
        return readable
    primary = content.primary_metric
    ranked = sorted(readable, key=lambda run: (run.name != content.baseline, -run.scores.get(primary, 0.0)))
    names = {run.name for run in ranked[:maximum]}
    return [run for run in readable if run.name in names]


def _limited(content: Content, shown_count: int, index: Index) -> str:
    """The note on what is left out of a page that would be too large; empty if nothing is."""
    readable = sum(run.readable_run is not None for run in content.finished)
    lines = []
    if shown_count < readable:
        lines.append(f"The outputs of {shown_count} of {readable} runs are here: the baseline's and the best.")
    if index.textless:
        lines.append(
            f"The texts of the last {index.textless:,} of {len(index.documents):,} documents are left out: the page "
            "would be too large. longdoc show RUN ID prints any example."
        )
    return " ".join(lines)


def _overview(content: Content) -> dict[str, Any]:
    """The points of the plot, and the fields that all runs share."""
    points = [
        {
            "name": run.name,
            "settings": {axis: _setting(value) for axis, value in run.settings.items()},
            "scores": dict(run.scores),
            "intervals": {name: (interval.low, interval.high) for name, interval in run.scores.intervals.items()},
            "same_as": run.same_as,
            "tokens_shown": run.counts.tokens_shown,
            "words_shown": run.counts.words_shown,
            "tokens": run.counts.tokens_in + run.counts.tokens_out,
            "cost": run.counts.cost,
        }
        for run in content.finished
    ]
    return {
        "task": content.task,
        "primary_metric": content.primary_metric,
        "axes": list(content.axes),
        "baseline": content.baseline,
        "points": points,
    }


def _setting(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)
