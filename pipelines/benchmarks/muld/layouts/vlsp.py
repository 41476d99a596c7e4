"""Scientific papers with their abstracts: folders of text files, and the shorter papers that models are trained on.

A folder has `<id>.main.txt`, and next to it the available abstracts: `<id>.abstract.txt`, the short one of the
archive, and `<id>.abstract-long.txt`, the one in the thesis. Both are references, or one if they have the same words.

The shorter papers (Cohan et al. 2018) are JSON Lines, in the release named `train.txt`, `val.txt`, `test.txt`, with
`article_id`, `article_text` (sentences), `abstract_text` (sentences between <S> and </S>), `section_names`, and
`sections` (the sentences of each); on the hub with `article`, `abstract`, `section_names`, each one text with line
breaks. If there are sections, the document consists of them, each under its name as a Markdown heading for the chunker
`sections`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pipelines.records import Example
from pipelines.sources import json_rows, parsing, reading, split_names
from pipelines.sources.layouts import LocalData, SplitRequest
from pipelines.sources.tables import Files, Row, Table, pick
from pipelines.sources.warnings import Warnings

ACCEPTS = (
    "papers (<id>.main.txt with <id>.abstract.txt and <id>.abstract-long.txt), rows of scientific papers "
    "(article or article_text, abstract or abstract_text, section_names)"
)
MAIN, ABSTRACTS = ".main.txt", (".abstract.txt", ".abstract-long.txt")

_TAG = re.compile(r"</?S>", re.IGNORECASE)
_NO_TEXT = "papers left out, because they have no text"


def find(path: Path, request: SplitRequest) -> LocalData | None:
    """The papers of a folder by name, or the one whose main file `path` is; None where there are none."""
    root = path if path.is_dir() else path.parent
    paths = path.glob(f"*{MAIN}") if path.is_dir() else [path]
    papers = sorted(file for file in paths if file.name.endswith(MAIN) and file.is_file())
    files = [file for paper in papers for file in (paper, *_abstracts(paper))]
    return LocalData(partial(_read_papers, papers), root, [], files, layout="vlsp") if papers else None


def _abstracts(paper: Path) -> list[Path]:
    """The non-empty abstracts next to a main file, the short one first."""
    stem = paper.name.removesuffix(MAIN)
    paths = (paper.with_name(stem + ending) for ending in ABSTRACTS)
    return [file for file in paths if file.is_file() and file.stat().st_size]


def _read_papers(papers: Sequence[Path], warnings: Warnings) -> Iterator[Example]:
    """One example per paper, named by its files."""
    for path in papers:
        name = path.name.removesuffix(MAIN)
        texts = {" ".join(text.split()): text.strip() for text in map(reading.text, _abstracts(path))}
        references = parsing.strings(list(texts.values()), path.name, "abstract")
        yield Example(name, parsing.document(reading.text(path), path.name), references=references)


def row_tables(path: Path, split: str) -> Iterator[tuple[Path, Files]]:
    """The release's file of a split as a table: the shorter papers that models are trained on."""
    return ((file, ReleaseFile((file,))) for file in releases(path, split))


def releases(path: Path, split: str) -> list[Path]:
    """The release's file of a split in a folder, or the one that `path` is; none where `path` is not a release.

    Raises `UserError` for a release without the split.
    """
    if path.is_file():
        return [path] if _is_release(path) else []
    paths = [file for file in sorted(path.glob("*.txt")) if file.stem in split_names.NAMES and _is_release(file)]
    split_files = [file for file in paths if split_names.canonical(file.stem) == split]
    if paths and not split_files:
        names = ", ".join(file.name for file in paths)
        raise split_names.NoSplit(f"{path} has no file for the split {split!r}; found {names}")
    return split_files


def _is_release(path: Path) -> bool:
    return path.suffix == ".txt" and next(reading.pieces(path), "").lstrip().startswith("{")


@dataclass(frozen=True, slots=True)
class ReleaseFile(Files):
    """A file of the release as a table: JSON Lines under the name of a text."""

    def rows(self, columns: Sequence[str] = ()) -> Iterator[Row]:
        """See `Table`."""
        for line, fields in json_rows.objects(self.paths[0]):
            yield Row(line, f"{self.name}:{line}", pick(fields, columns))


def recognizes(fields: Mapping[str, Any]) -> bool:
    """Whether a first row is of the shorter papers, in the release's layout or the hub's."""
    return any(f"article{ending}" in fields and f"abstract{ending}" in fields for ending in ("", "_text"))


def read(table: Table, split: str, warnings: Warnings, has_query: bool) -> Iterator[Example]:
    """One example per row; papers without a text are counted in the warnings."""
    for row in table.rows():
        if not recognizes(row.fields):
            raise row.refusal("a paper needs article and abstract")
        names = _lines(row, "section_names")
        text = _article(row, names)
        if not text.strip():
            warnings.count(_NO_TEXT, row.location)
            continue
        abstract = " ".join(_TAG.sub(" ", " ".join(_lines(row, "abstract_text") or _lines(row, "abstract"))).split())
        name = parsing.string(row.fields.get("article_id", row.fields.get("id")), row.location, "article_id")
        yield Example(
            id=name or f"{split}-{row.number}",
            document=parsing.document(text, row.location),
            references=(abstract,) if abstract else (),
            meta={"section_names": names} if names else {},
        )


def _article(row: Row, names: Sequence[str]) -> str:
    """The sections under their names if there are as many as names, else the whole text as it is."""
    sections = row.fields.get("sections")
    if isinstance(sections, list) and sections and len(sections) == len(names):
        texts = ["\n".join(parsing.strings(section, row.location, "sections")) for section in sections]
        return "\n\n".join(f"## {name}\n\n{text}" for name, text in zip(names, texts, strict=True))
    return "\n".join(_lines(row, "article_text") or _lines(row, "article"))


def _lines(row: Row, field: str) -> list[str]:
    """A field that is a list of texts, or one text with line breaks."""
    return [line for text in row.strings(field) for line in text.split("\n")]
