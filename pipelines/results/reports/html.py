"""The HTML report of a run, of several runs or of an ablation: one file that opens anywhere, without a network.

Its template is `page/templates/report.html`. Examples are in the page as compressed data and are inserted as text only.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.extensions import plugins
from longdoc.files import write_pieces
from longdoc.plugin import loaded
from pipelines.display import page
from pipelines.results.lost_evidence.stages import ANSWER_STAGE, PARTS, STAGES
from pipelines.results.reports.checked_page import checked
from pipelines.results.reports.content import Content, ReportSource, gather
from pipelines.results.reports.page import header, published, scores, stages
from pipelines.results.reports.page.data import page_data
from pipelines.results.run_folders.run import examples_of
from pipelines.sources import Dataset

SCRIPTS = (
    "make", "theme", "unpack", "tables", "chart", "plot", "state", "choose", "list", "passages", "map",
    "answers", "detail", "main",
)  # fmt: skip


def html(source: ReportSource, file: str | Path, *, data: Any = None) -> Path:
    """Write the report of run folders, an ablation's folder or an `Ablation` into one HTML file.

    `data`: where the documents are, if not where the run had them. Without them the page has everything but passages.
    Raises `UserError`.
    """
    return write(gather(source), file, data=data)


def write(
    content: Content, file: str | Path, *, data: Any = None, dataset: Dataset | None = None, is_typed: bool = True
) -> Path:
    """Write the page of a report's content. Raises `UserError`.

    `dataset`: its data, if they are loaded already. `is_typed`: the user typed the file's path, which may be a link.
    """
    path = Path(file)
    if not path.parent.is_dir():
        raise UserError(f"{path.parent} is not a folder: make it, or write the report elsewhere")
    encoded_pieces = (piece.encode() for piece in pieces(content, data=data, dataset=dataset))
    write_pieces(path.parent, path.name, checked(encoded_pieces), is_typed=is_typed)
    return path


def page_of(content: Content, home: Path) -> str:
    """The page of a report's content; it has no links, so `home` does not matter."""
    return text(content)


def text(content: Content, *, data: Any = None, dataset: Dataset | None = None) -> str:
    """The page of a report's content."""
    return "".join(pieces(content, data=data, dataset=dataset))


def pieces(content: Content, *, data: Any = None, dataset: Dataset | None = None) -> Iterator[str]:
    """The page of a report's content in pieces, so that the texts of many documents are not in memory together."""
    index, blocks = _data(content, data, dataset)
    table = scores.side_by_side(content) if len(content.runs) > 1 else scores.run_scores(content.runs[0])
    yield from page.pieces(
        "results/reports/page/templates/report.html", page.styles(), page.scripts(SCRIPTS),
        title=" · ".join(filter(None, (content.task, content.split))), content=content, index=index, blocks=blocks,
        headline=header.headline(content), facts=header.facts(content), remarks=header.remarks(content),
        versions=header.versions(content),
        specification=header.specification(content), scores=table, signatures=scores.signatures(content),
        losses=stages.losses(content), stage_names=STAGES, part_names=PARTS, answer_stage=ANSWER_STAGE,
        papers=published.published(content),
        sections={name: loaded(plugin.section)(content) for name, plugin in plugins().items() if plugin.section},
    )  # fmt: skip


def _data(content: Content, data: Any, dataset: Dataset | None) -> tuple[str, Iterator[str]]:
    """The page's index and blocks, without texts if the data cannot be read. Raises `UserError` if `data` was given."""
    if not content.has_passages:
        return page_data(content, None, "")
    first = next((run.readable_run for run in content.finished if run.readable_run is not None), None)
    if first is None:
        return page_data(content, None, "no folder of a finished run is where it was")
    try:
        return page_data(content, dataset or examples_of(first, data), "")
    except UserError as error:
        if data is not None:
            raise
        return page_data(content, None, str(error))
