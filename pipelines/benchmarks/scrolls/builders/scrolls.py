"""SCROLLS' form out of original releases (Shaham et al. 2022, section 3.2).

Cleansed as in the paper (`originals.cleansing`), an input is the query, an empty line and the text; QuALITY's four
answers stand between empty lines behind the question. Each accepted output is a row of its own. Ids are those of the
published rows wherever the original release has what they are made of (see `zero_scrolls`; ContractNLI: the contract's
and the hypothesis's, `3_nda-11`); others are the split and the place in the file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from pipelines import tasks
from pipelines.benchmarks.scrolls import choices
from pipelines.benchmarks.scrolls.builders._originals import cleansing, fingerprint, note_id, splits_of
from pipelines.benchmarks.scrolls.cleansing import Cleansing
from pipelines.benchmarks.scrolls.tasks import DATASETS
from pipelines.benchmarks.zero_scrolls.builders._prompts import pids
from pipelines.plugins.builders.builder import Builder, BuildStats, Row
from pipelines.records import Example
from pipelines.sources import split_names
from pipelines.tasks import Task

_MIXED = "rows left out, because query, answers and document could not be told apart again"


@dataclass(frozen=True)
class Scrolls(Builder):
    """A task's zip, `<task>.zip` with `<task>/<split>.jsonl`, of rows `{id, pid, input, output}`.

    The source is a file or folder in any layout that the task reads. `split` makes one split; without it each that the
    source has. `hide` names a split whose outputs are null, a row an id. A row that could not be told apart again as it
    was put together is left out and counted. Raises `UserError` for another task, and for a source it does not read.
    """

    task: str
    split: str | None = None
    hide: str | None = None

    def __post_init__(self) -> None:
        if self.task not in DATASETS:
            raise unknown("task of SCROLLS", self.task, DATASETS)

    @property
    def archive(self) -> str:  # type: ignore[override]
        """See `Builder`."""
        return self.task

    def sources(self, source: Path) -> Mapping[str, Any]:
        """See `Builder`."""
        return fingerprint(splits_of(self._task(), source, self.split))

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The rows of each split in the order of the source. Raises `UserError` where the split to hide is missing."""
        datasets = splits_of(self._task(), source, self.split)
        hidden = self.hide and split_names.canonical(self.hide)
        if hidden and hidden not in datasets:
            raise UserError(f"hide={self.hide!r}: the source has no such split; it has {', '.join(datasets)}")
        rules = cleansing(self._task(), stats)
        for split, dataset in datasets.items():
            for example in dataset.examples():
                for row in self._example_rows(example, rules, stats, split == hidden):
                    yield split, row
            stats.warnings += dataset.warnings

    def _task(self) -> Task:
        return tasks.get(f"scrolls/{self.task}")

    def _example_rows(self, example: Example, rules: Cleansing, stats: BuildStats, hide: bool) -> list[Row]:
        """A row for each accepted output of an example; none where the example is left out, which the stats count."""
        outputs = () if hide else example.references
        if self.task == "quality":
            outputs = tuple(map(_single_spaced, outputs))
        stats.read += (count := max(1, len(outputs)))
        note_id(example, stats)
        result = rules(example)
        text = self._input(result, stats) if isinstance(result, Example) else None
        if text is None:
            stats.dropped[result if isinstance(result, str) else _MIXED] += count
            return []
        return [
            {"id": example.id, "pid": pid, "input": text, "output": output} for pid, output in pids(example.id, outputs)
        ]

    def _input(self, example: Example, stats: BuildStats) -> str | None:
        """The input of an example; None where reading it would give another query or document."""
        if not DATASETS[self.task].has_query:
            return example.document.text
        query = example.query
        while "\n\n" in query:
            query = query.replace("\n\n", "\n")
        if query != example.query:
            stats.notes["queries that had blank lines"] += 1
        if self.task != "quality":
            return f"{query}\n\n{example.document.text}"
        options = tuple(map(_single_spaced, example.options))
        text = f"{query}\n\n{choices.listed(options)}\n\n" if len(options) == 4 else ""
        block = choices.block(text + example.document.text)
        is_separable = block and (text[: block[0]], text[block[1] :]) == (f"{query}\n\n", "\n\n")
        if not is_separable or choices.choices(choices.listed(options)) != options:
            return None
        return text + example.document.text


def _single_spaced(option: str) -> str:
    return " ".join(option.split())
