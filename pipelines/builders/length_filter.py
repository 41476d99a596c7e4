"""Keep what is long enough (Hudson and Al Moubayed 2022, section 3.2: NarrativeQA, OpenSubtitles and VLSP)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from pipelines import tasks
from pipelines.builders import Builder, BuildStats, Row
from pipelines.builders._rows import lengths, muld_rows, number, unit_label
from pipelines.sources import Dataset
from pipelines.sources import load as open_source
from pipelines.sources.split_names import canonical


@dataclass(frozen=True)
class LengthFilter(Builder):
    """The rows of a task whose document, without its question, has at least `minimum` words, characters or tokens.

    The source is a file or folder in any layout that `task` reads; of a folder the `split` is taken. `unit` is "words"
    (of white space), "characters", or a tokenizer (hub name, folder or file), whose count of a long text may be a few
    tokens off. The paper says tokens and not whose. Raises `UserError` for an unknown task or unit, and for a source
    that the task does not read.
    """

    minimum: int = 10_000
    unit: str = "words"
    task: str = "narrativeqa"
    split: str = "test"

    def __post_init__(self) -> None:
        number(self.minimum, 1, "length_filter: minimum")

    def sources(self, source: Path) -> Mapping[str, Any]:
        """See `Builder`."""
        return self._opened(source).fingerprint

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The rows in the order of the source, all of the split. Rows of one document go or stay together."""
        opened = self._opened(source)
        short = f"rows whose document is shorter than {self.minimum:,} {unit_label(self.unit)}"
        for _, group in groupby(opened.examples(), key=lambda example: example.document.id):
            examples = list(group)
            stats.read += len(examples)
            if lengths([examples[0].document.text], self.unit)[0] < self.minimum:
                stats.dropped[short] += len(examples)
                continue
            for row in muld_rows(examples):
                yield canonical(self.split), row
        stats.warnings += opened.warnings

    def _opened(self, source: Path) -> Dataset:
        task = tasks.get(self.task)
        return open_source(task.name, task.dataset, source, self.split)
