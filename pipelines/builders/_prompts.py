"""ZeroSCROLLS' rows: prompts with the positions of their parts, in our own wording or that of a published file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.folders import expanded
from longdoc.links import check_inside
from pipelines.builders import Row
from pipelines.records import Example
from pipelines.sources import reading, tables, zips
from pipelines.sources.published import zero_scrolls
from pipelines.sources.reading import file_identity
from pipelines.sources.warnings import Warnings
from pipelines.tasks.prompts.zero_scrolls_prompts import WORDING
from pipelines.tasks.zero_scrolls import DATASETS

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

    def rows(
        self, name: str, text: str, query: str, outputs: Sequence[str], inner: Sequence[int] | None = None
    ) -> list[Row]:
        """A row for each output of a prompt, one with null where there is none. `inner`: starts within the text.

        The query's span includes its header; without a query it is empty, at the start of the response's header.
        """
        head, request = str(len(inner or ())).join(self.before), f"{self.header}{query}" if query else ""
        start, end = len(head), len(head) + len(text)
        since = end + len(self.link)
        prompt = f"{head}{text}{self.link}{request}{self.tail}"
        places: Row = {
            "document_start_index": start,
            "document_end_index": end,
            "query_start_index": since,
            "query_end_index": since + len(request),
            "truncation_seperator": self.truncation,
        }
        if inner is not None:
            places["inner_docs_start_indices"] = [start + number for number in inner]
        return [
            {"id": name, "pid": pid, "input": prompt, "output": output, **places} for pid, output in pids(name, outputs)
        ]


def pids(name: str, outputs: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """The outputs of an id, each with its own id; one that is None where there is none."""
    for number, output in enumerate(outputs or (None,)):
        yield f"{name}_{number}", output


def frame(task: str, prompts_from: str | None) -> Frame:
    """The words of a task's prompts: our own, or those of a published zip or its folder. Raises `UserError`."""
    if prompts_from is not None:
        return _published(task, _place(task, prompts_from))
    wording = WORDING[task]
    header, tail = (
        (f"{wording.query}\n", f"\n\n{wording.response}\n") if wording.query else ("", f"{wording.response}\n")
    )
    return Frame((f"{wording.instruction}\n\n{wording.context}\n",), "\n\n", header, tail, wording.truncation)


def wording_of(task: str, prompts_from: str | None) -> dict[str, Any]:
    """What identifies the published wording, for a manifest; empty for our own."""
    if prompts_from is None:
        return {}
    file = zips.file_of(_place(task, prompts_from))
    return {"prompts": file_identity(file, file.parent)}


def _place(task: str, prompts_from: str) -> Path | zips.Member:
    """The first published file of the task at a path that is there."""
    path, problem = reading.existing(expanded(prompts_from)), f"it is no zip with {task}/test.jsonl"
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
class _First(tables.DerivedTable):
    """The first rows of a file."""

    def rows(self, columns: Sequence[str] = ()) -> Iterator[tables.Row]:
        return islice(self.table.rows(columns), CHECKED)


def _published(task: str, place: Path | zips.Member) -> Frame:
    table = _First(tables.Files((place,)))
    first = next(table.rows(), None)
    if first is None or not zero_scrolls.recognizes(first.fields):
        raise UserError(f"{place} does not hold {zero_scrolls.ACCEPTS}, which prompts_from= takes words from")
    examples = list(zero_scrolls.read(table, "test", Warnings([]), True))
    before = _pieces(examples, str(place)) if task == "book_sum_sort" else (examples[0].meta["before"],)
    frame = Frame(before, *_behind(examples[0], str(place)), examples[0].meta["truncation"])
    for example in examples:
        words = str(len(example.meta["inner"])).join(frame.before)
        if (words, *_behind(example, str(place))) != (example.meta["before"], frame.link, frame.header, frame.tail):
            raise UserError(f"{place}: the prompt of {example.id!r} has other words than that of {examples[0].id!r}")
        if bool(example.query) != bool(WORDING[task].query):
            raise UserError(
                f"{place}: {example.id!r} is no prompt of {task}: it has {'a' if example.query else 'no'} query"
            )
    return frame


def _behind(example: Example, place: str) -> tuple[str, str, str]:
    """The text between document and query, the query's header, and the text after both."""
    if "query_in_before" in example.meta:
        raise UserError(f"{place}: the query of {example.id!r} stands before the document; no words are taken from it")
    start, end = example.meta["query_in_after"]
    return example.meta["after"][:start], example.meta.get("header", ""), example.meta["after"][end:]


def _pieces(examples: Sequence[Example], place: str) -> tuple[str, ...]:
    """The text before the documents, split at the numbers that count the inner documents in every row."""
    entries = [list(_NUMBER.finditer(example.meta["before"])) for example in examples]
    counts = [str(len(example.meta["inner"])) for example in examples]
    if len(set(map(len, entries))) > 1:
        raise UserError(f"{place}: the instructions of its rows have more or fewer numbers than others")
    position, pieces, text = 0, [], examples[0].meta["before"]
    for column, match in enumerate(entries[0]):
        if all(row[column][0] == count for row, count in zip(entries, counts, strict=True)):
            pieces.append(text[position : match.start()])
            position = match.end()
    return (*pieces, text[position:])
