"""Loads examples from published files, local files and folders, `datasets`, `Example` objects or the sample.

A layout is a module: it recognizes its rows and turns them into examples as they are read. `load` chooses the layout
from file names and the first row; data in no known layout are refused, with what was found and what is accepted.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from longdoc.errors import UserError, unknown
from longdoc.files import expanded
from longdoc.messages import counted
from pipelines.records import Document, Example, is_unanswerable
from pipelines.sources import parsing, split_names, zips
from pipelines.sources.own_data import python_tables, row_columns
from pipelines.sources.own_data.row_columns import RowCounts
from pipelines.sources.own_data.row_lines import Part, RowLines
from pipelines.sources.tables import Files, Table
from pipelines.sources.warnings import Warnings

__all__ = ["Dataset", "DatasetInfo", "load"]


class HubDataset(Protocol):
    """A `datasets.Dataset` or `DatasetDict`, described by a method of both, so that `datasets` is not imported."""

    def with_format(self, *args: Any, **kwargs: Any) -> Any:
        """See `datasets`."""
        ...


class Frame(Protocol):
    """A pandas or polars data frame, described by what both have, so that neither library is imported."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""
        ...

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        ...


DataSpec = str | Path | Iterable[Example] | Sequence[Mapping[str, Any]] | HubDataset | Frame
Read = Callable[[Warnings], Iterator[Example]]


class Cleansing(Protocol):
    """A benchmark's rules for the original releases that it was made of."""

    @property
    def name(self) -> str:
        """Their name in the records of runs."""
        ...

    def cleansed(self, read: Read) -> Read:
        """A reader of the same examples with the rules applied."""
        ...


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """A task's published files: where they are, their layout, and how many examples they have.

    - `files`: paths in the hub data set `repository` for each split, `archive.zip::member` for a file inside a zip.
    - `counts`: the examples of each split; `count_source`: the source of these numbers.
    - `originals`: further layouts that local data may have. `originals_differ`: how their documents differ from
      those of the published files, empty if they are the same.
    - `has_query`: whether the task asks questions. `options`: the answer options that all examples share.
    - `has_references`: whether examples are scored, so that their answers must be found.
    - `cleansing`: the rules by which the benchmark changes or leaves out what originals have.
    - `builder`: the builder that makes these files, where no release has them.
    """

    repository: str
    files: Mapping[str, tuple[str, ...]]
    layout: str
    counts: Mapping[str, int]
    originals: tuple[str, ...] = ()
    has_query: bool = True
    options: tuple[str, ...] = ()
    cleansing: "Cleansing | None" = None
    builder: str = ""
    count_source: str = "the paper's table"
    originals_differ: str = ""
    has_references: bool = True

    def downloads(self, split: str) -> tuple[str, ...]:
        """The hub's files that contain a split."""
        return tuple(dict.fromkeys(name.partition(zips.SEPARATOR)[0] for name in self.files[split]))


def _no_part(number: int, count: int, limit: int | None) -> None:
    return None


@dataclass(slots=True)
class Dataset:
    """Examples that can be read again and again; examples of one document are neighbours and share it.

    `fingerprint` identifies the data. `expected` is the count of `DatasetInfo`, for published files. `warnings`
    come from loading and from the latest pass; they are complete when the pass ends. `layout` is that of the rows
    or files, empty for examples. `row_counts` counts what a person's own rows have; all other data count as none.
    `part(number, count, limit)` reads the examples of every `count`-th document from the `number`-th, of the first
    `limit` examples, each with its place among all, without the documents of the others; None where only reading
    all of them tells which these are.
    """

    examples: Callable[[], Iterator[Example]]
    fingerprint: Mapping[str, Any]
    expected: int | None = None
    warnings: list[str] = field(default_factory=list)
    layout: str = ""
    row_counts: Callable[[], RowCounts] = RowCounts
    part: Callable[[int, int, int | None], Iterator[tuple[int, Example]] | None] = _no_part


def load(
    task: str,
    info: DatasetInfo,
    data: Any = None,
    split: str = "test",
    revision: str | None = None,
    is_sharded: bool = False,
    has_texts: bool = True,
) -> Dataset:
    """The examples of a task's split, from the data that `data` names.

    `data`: None for the published files, `"sample"`, a path, a `datasets.Dataset` or `DatasetDict`, a list of rows
    (mappings), a pandas or polars frame, or examples. `is_sharded`: only `Dataset.part` will be read, so a person's own
    rows are not all parsed beforehand (`own_data.row_lines` says what is not checked then). `has_texts`: whether the
    documents' texts are needed; without them, a layout that keeps texts apart gives the examples of absent ones, too.
    Raises `UserError` for an unknown split, and for data that are missing, damaged, or in no layout of the task; errors
    further on in the data are raised while they are read, after the examples before them.
    """
    split = split_names.canonical(split)
    if data is None:
        return _published(task, info, split, revision)
    if revision is not None:
        raise UserError(f"revision={revision!r} is for the published files; leave it out where data= is given")
    if isinstance(data, str) and data == "sample":
        return _bundled(task, split)
    splits = {*split_names.NAMES.values(), *info.files, *(data if isinstance(data, Mapping) else ())}
    if split not in splits:
        raise unknown(f"split of {task}", split, splits)
    if isinstance(data, (str, Path)) or python_tables.recognizes(data):
        return _from_user_data(task, info, data, split, is_sharded, has_texts)
    if isinstance(data, Iterable) and not isinstance(data, (bytes, Mapping)):
        return _from_examples(data)
    raise UserError(
        f"data= must be a path, a list of rows (dicts), a pandas or polars data frame, a datasets.Dataset, "
        f"a list of examples, or 'sample'; got {type(data).__name__}"
    )


def _from_user_data(task: str, info: DatasetInfo, data: Any, split: str, is_sharded: bool, has_texts: bool) -> Dataset:
    from pipelines.sources import _detect, layouts

    request = layouts.SplitRequest(
        task,
        tuple(dict.fromkeys((info.layout, *info.originals, "rows", "forms"))),
        tuple(info.files.get(split, ())),
        split,
        info.has_query,
        info.builder,
        is_sharded,
        has_texts,
    )
    if isinstance(data, (str, Path)):
        local_data = _detect.find(expanded(data), request)
        files = Files(tuple(local_data.tables))
        _check_references(info, local_data.layout, files, split)
        fingerprint, warnings = local_data.fingerprint(), local_data.warnings
        dataset = _local_dataset(info, local_data.layout, local_data.read, files, fingerprint, warnings)
        return dataset if local_data.lines is None else _sharded_dataset(dataset, local_data.lines, info, split)
    table = python_tables.table(data, split)
    layout, read = _detect.layout_reader(table, request)
    _check_references(info, layout, table, split)
    return _local_dataset(info, layout, read, table, table.fingerprint(), [])


def _check_references(info: DatasetInfo, layout: str, table: Table, split: str) -> None:
    """Raise `UserError` if own rows that will be scored seem to have their answers in a column that is not read."""
    from pipelines.sources.own_data import forms

    if info.has_references and layout in ("rows", "folder", "forms"):
        own_rows = forms.OwnRows(table, split, info.has_query) if layout == "forms" else table
        row_columns.check_unread(table, own_rows)


def _published(task: str, info: DatasetInfo, split: str, revision: str | None) -> Dataset:
    from models import hub
    from pipelines.sources import layouts

    if not info.files:
        raise UserError(f"the task {task} has no published files; pass data=FILE or data=FOLDER")
    if split not in info.files:
        raise split_names.NoSplit(f"{task} has no published split {split!r}; it has {', '.join(info.files)}")
    paths: list[Path | zips.Member] = []
    commit = revision
    for name in info.files[split]:
        archive, _, member = name.partition(zips.SEPARATOR)
        hub_file = hub.file(info.repository, archive, commit)
        commit = hub_file.revision
        paths.append(zips.Member(hub_file.path, member) if member else hub_file.path)
    table, layout = Files(tuple(paths)), layouts.layout(info.layout)

    def read(warnings: Warnings) -> Iterator[Example]:
        return layout.read(table, split, warnings, info.has_query)

    fingerprint = {"repository": info.repository, "revision": commit, "files": list(info.files[split])}
    read_examples = _with_options(info.options, read)
    return _dataset(read_examples, fingerprint, [], info.layout, info.counts.get(split), info.count_source)


def _local_dataset(
    info: DatasetInfo, layout: str, read: Read, table: Table, fingerprint: Mapping[str, Any], warnings: list[str]
) -> Dataset:
    """Local data, originals cleansed as for the published files; a person's own rows with options can be counted."""
    if info.cleansing is not None and layout in info.originals:
        read, fingerprint = info.cleansing.cleansed(read), {**fingerprint, "cleansed": info.cleansing.name}
    dataset = _dataset(_with_options(info.options, read), fingerprint, warnings, layout)
    if layout in ("rows", "folder"):
        dataset.row_counts = cache(lambda: row_columns.counted(table))
    return dataset


def _sharded_dataset(dataset: Dataset, lines: RowLines, info: DatasetInfo, split: str) -> Dataset:
    """The dataset with a `part` that reads one shard of the rows; its warnings are about that shard only."""
    from pipelines.sources.own_data import rows

    warnings = Warnings(dataset.warnings)
    parts_by_key: dict[tuple[int, int, int | None], Part | None] = {}

    def read_part(number: int, count: int, limit: int | None) -> Iterator[tuple[int, Example]] | None:
        key = number, count, limit
        if key not in parts_by_key:
            parts_by_key[key] = lines.part(number, count, limit, split)
        if (part := parts_by_key[key]) is None:
            return None
        table = part.table
        read = _with_options(info.options, lambda warnings: rows.read(table, split, warnings, info.has_query))
        return zip(part.positions, _read_pass(read, warnings, None, ""), strict=True)

    return replace(dataset, row_counts=lambda: lines.counts, part=read_part)


def _bundled(task: str, split: str) -> Dataset:
    from pipelines.sources import bundled

    bundled.check(task, split)
    examples = _grouped(bundled.examples(task))
    return _dataset(lambda _: iter(examples), {"sample": task, **_digest(examples)}, [], "sample")


def _from_examples(data: Iterable[Any]) -> Dataset:
    examples = _grouped(data)
    if not examples:
        raise UserError("data= has no examples")
    dataset = _dataset(lambda _: iter(examples), _digest(examples), [])
    unanswerable = sum(is_unanswerable(example.references) for example in examples)
    dataset.row_counts = lambda: RowCounts(len(examples), unanswerable=unanswerable)
    return dataset


def _with_options(options: tuple[str, ...], read: Read) -> Read:
    """A reader of the same examples, with these options for those that have none."""

    def read_with_options(warnings: Warnings) -> Iterator[Example]:
        for example in read(warnings):
            yield example if example.options else replace(example, options=options)

    return read_with_options if options else read


def _dataset(
    read: Read,
    fingerprint: Mapping[str, Any],
    warnings: list[str],
    layout: str = "",
    expected: int | None = None,
    count_source: str = "",
) -> Dataset:
    examples = partial(_read_pass, read, Warnings(warnings), expected, count_source)
    return Dataset(examples, fingerprint, expected, warnings, layout)


def _read_pass(read: Read, warnings: Warnings, expected: int | None, count_source: str) -> Iterator[Example]:
    """The examples of one pass, with its warnings. Raises `UserError` for an id that occurs twice."""
    warnings.restart()
    ids: set[str] = set()
    try:
        for example in read(warnings):
            parsing.check_new_id(example.id, ids)
            yield example
        if expected is not None and len(ids) != expected:
            warnings.add(f"{counted(len(ids), 'example')} read where {count_source} counts {expected:,}")
    finally:
        warnings.close()


def _grouped(data: Iterable[Any]) -> list[Example]:
    """The examples grouped by document, in the order of first occurrence; equal documents become one object."""
    groups: dict[str, tuple[Document, list[Example]]] = {}
    for number, example in enumerate(data, 1):
        if not isinstance(example, Example):
            raise UserError(
                f"item {number} of data= is a {type(example).__name__}, not an Example; rows in Python are a list of "
                f"dicts: data=[{{'document': …, 'question': …, 'answers': […]}}, …]"
            )
        if not example.document.text.strip():
            raise UserError(f"example {example.id!r}: the document is empty")
        document, members = groups.setdefault(example.document.id, (example.document, []))
        if document.text != example.document.text:
            raise UserError(f"two documents have the id {document.id!r} and different texts; make the ids differ")
        members.append(example if example.document is document else replace(example, document=document))
    return [example for _, members in groups.values() for example in members]


def _digest(examples: Sequence[Example]) -> dict[str, Any]:
    """The number of examples, the characters of their documents, and a digest of all their fields."""
    digest = sha256()
    for example in examples:
        fields = [
            example.id,
            example.document.id,
            example.query,
            example.references,
            example.options,
            example.evidence,
            dict(example.meta),
        ]
        digest.update(json.dumps(fields, sort_keys=True, default=lambda value: type(value).__name__).encode())
    documents = {example.document.id: example.document.text for example in examples}
    for text in documents.values():
        digest.update(text.encode("utf-8", "surrogatepass"))
    size = sum(map(len, documents.values()))
    return {"examples": len(examples), "size": size, "sha256": digest.hexdigest()}
