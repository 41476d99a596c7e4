"""ZeroSCROLLS' rows: prompts with the positions of their parts, in our own wording or that of a published file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.files import expanded
from longdoc.links import check_inside
from pipelines.benchmarks.zero_scrolls.layouts import zero_scrolls
from pipelines.benchmarks.zero_scrolls.prompts import WORDING
from pipelines.benchmarks.zero_scrolls.tasks import DATASETS
from pipelines.plugins.builders.builder import Row
from pipelines.records import Example
from pipelines.sources import reading, tables, zips
from pipelines.sources.reading import file_identity
from pipelines.sources.warnings import Warnings

CHECKED = 20  # rows of a published file that must have the same words
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Frame:
    """The text around the document and the query of each of a task's rows.

    `before`, split where the number of inner documents goes; `link` between the document and the place of the query,
    which begins with the query's `header`; `tail` after both. Without a query `tail` follows `link`.
    """

    before: tuple[str, ...]
    link: str
    header: str
    tail: str
    truncation: str

    @property
    def behind(self) -> tuple[str, str, str]:
        """The words after the document."""
        return self.link, self.header, self.tail

    def rows(
        self, name: str, text: str, query: str, outputs: Sequence[str], inner: Sequence[int] | None = None
    ) -> list[Row]:
        """A row for each output of a prompt, one with null where there is none. `inner`: starts within the text.

        The query's span includes its header; without a query it is empty, at the start of the response's header.
        """
        head, question = str(len(inner or ())).join(self.before), f"{self.header}{query}" if query else ""
        start, end = len(head), len(head) + len(text)
        query_start = end + len(self.link)
        prompt = f"{head}{text}{self.link}{question}{self.tail}"
        positions: Row = {
            "document_start_index": start,
            "document_end_index": end,
            "query_start_index": query_start,
            "query_end_index": query_start + len(question),
            "truncation_seperator": self.truncation,
        }
        if inner is not None:
            positions["inner_docs_start_indices"] = [start + offset for offset in inner]
        return [
            {"id": name, "pid": pid, "input": prompt, "output": output, **positions}
            for pid, output in pids(name, outputs)
        ]


def pids(name: str, outputs: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """An id for the row of each output, and the output; a single row with None where there is no output."""
    for number, output in enumerate(outputs or (None,)):
        yield f"{name}_{number}", output


def frame(task: str, prompts_from: str | None) -> Frame:
    """The words of a task's prompts: our own, or those of a published zip or its folder. Raises `UserError`."""
    if prompts_from is not None:
        return _published_frame(task, _published_file(task, prompts_from))
    wording = WORDING[task]
    header, tail = (
        (f"{wording.query}\n", f"\n\n{wording.response}\n") if wording.query else ("", f"{wording.response}\n")
    )
    return Frame((f"{wording.instruction}\n\n{wording.context}\n",), "\n\n", header, tail, wording.truncation)


def wording_of(task: str, prompts_from: str | None) -> dict[str, Any]:
    """What identifies the published wording, for a manifest; empty for our own."""
    if prompts_from is None:
        return {}
    file = zips.file_of(_published_file(task, prompts_from))
    return {"prompts": file_identity(file, file.parent)}


def _published_file(task: str, prompts_from: str) -> Path | zips.Member:
    """The first published file of a task that can be read. Raises `UserError` where there is none."""
    path, problem = reading.existing(expanded(prompts_from)), f"expected a zip with {task}/test.jsonl"
    for files in map(DATASETS[task].files.get, ("test", "validation")):
        for place in zips.published_files(path, files or ()):
            if path.is_dir():
                check_inside(zips.file_of(place), path)
            try:
                next(tables.Files((place,)).rows(), None)
                return place
            except UserError as error:  # of a zip with the other split alone, whose words are the same
                problem = str(error)
    raise UserError(
        f"prompts_from={prompts_from} has no rows of ZeroSCROLLS' {task}: {problem}; pass {task}.zip or its folder"
    )


@dataclass(frozen=True, slots=True)
class _FirstRows(tables.DerivedTable):
    """The first rows of a file."""

    def rows(self, columns: Sequence[str] = ()) -> Iterator[tables.Row]:
        return islice(self.table.rows(columns), CHECKED)


def _published_frame(task: str, place: Path | zips.Member) -> Frame:
    """The words of the first rows of a published file. Raises `UserError` where these do not have the same words."""
    table = _FirstRows(tables.Files((place,)))
    first = next(table.rows(), None)
    if first is None or not zero_scrolls.recognizes(first.fields):
        raise UserError(f"{place} does not hold {zero_scrolls.ACCEPTS}, which prompts_from= takes words from")
    examples = list(zero_scrolls.read(table, "test", Warnings([]), True))
    before = _split_at_counts(examples, str(place)) if task == "book_sum_sort" else (examples[0].meta["before"],)
    published = Frame(before, *_after_document(examples[0], str(place)), examples[0].meta["truncation"])
    for example in examples:
        words = str(len(example.meta["inner"])).join(published.before)
        if words != example.meta["before"] or published.behind != _after_document(example, str(place)):
            raise UserError(
                f"{place}: the prompt of {example.id!r} is worded differently from that of {examples[0].id!r}"
            )
        if bool(example.query) != bool(WORDING[task].query):
            raise UserError(
                f"{place}: {example.id!r} is not a prompt of {task}: it has {'a' if example.query else 'no'} query"
            )
    return published


def _after_document(example: Example, place: str) -> tuple[str, str, str]:
    """The text between document and query, the query's header, and the text after both."""
    if "query_in_before" in example.meta:
        raise UserError(
            f"{place}: the query of {example.id!r} must come after the document, or its words cannot be used"
        )
    start, end = example.meta["query_in_after"]
    return example.meta["after"][:start], example.meta.get("header", ""), example.meta["after"][end:]


def _split_at_counts(examples: Sequence[Example], place: str) -> tuple[str, ...]:
    """The text before the documents, split at the numbers that count the inner documents in every row."""
    numbers = [list(_NUMBER.finditer(example.meta["before"])) for example in examples]
    counts = [str(len(example.meta["inner"])) for example in examples]
    if len(set(map(len, numbers))) > 1:
        raise UserError(f"{place}: the instructions of the rows must all have the same number of numerals")
    position, pieces, text = 0, [], examples[0].meta["before"]
    for column, match in enumerate(numbers[0]):
        if all(row[column][0] == count for row, count in zip(numbers, counts, strict=True)):
            pieces.append(text[position : match.start()])
            position = match.end()
    return (*pieces, text[position:])
