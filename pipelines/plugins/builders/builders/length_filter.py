"""Keeps rows with a long document (Hudson and Al Moubayed 2022, section 3.2: NarrativeQA, OpenSubtitles and VLSP)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from pipelines import tasks
from pipelines.plugins.builders._rows import check_minimum, lengths, muld_rows, unit_label
from pipelines.plugins.builders.builder import Builder, BuildStats, Row
from pipelines.sources import Dataset
from pipelines.sources import load as open_source
from pipelines.sources.split_names import canonical


@dataclass(frozen=True)
class LengthFilter(Builder):
    """The rows of a task whose document, without its question, has at least `minimum` words, characters or tokens.

    The source is a file or folder in any layout that `task` reads; of a folder the `split` is taken. `unit` is "words"
    (of white space), "characters", or a tokenizer (hub name, folder or file), whose count of a long text may be a few
    tokens off. The paper counts tokens without naming the tokenizer. Raises `UserError` for an unknown task or unit,
    and for a source that the task does not read.
    """

    minimum: int = 10_000
    unit: str = "words"
    task: str = "narrativeqa"
    split: str = "test"

    def __post_init__(self) -> None:
        check_minimum(self.minimum, 1, "length_filter: minimum")

    def sources(self, source: Path) -> Mapping[str, Any]:
        """See `Builder`."""
        return self._dataset(source).fingerprint

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The rows in the order of the source, all of the split. Rows of one document go or stay together."""
        dataset = self._dataset(source)
        reason = f"rows whose document is shorter than {self.minimum:,} {unit_label(self.unit)}"
        for _, group in groupby(dataset.examples(), key=lambda example: example.document.id):
            examples = list(group)
            stats.read += len(examples)
            if lengths([examples[0].document.text], self.unit)[0] < self.minimum:
                stats.dropped[reason] += len(examples)
                continue
            for row in muld_rows(examples):
                yield canonical(self.split), row
        stats.warnings += dataset.warnings

    def _dataset(self, source: Path) -> Dataset:
        task = tasks.get(self.task)
        return open_source(task.name, task.dataset, source, self.split)
