"""ZeroSCROLLS' form out of original releases (Shaham et al. 2023, section 3).

At most 500 examples a task, drawn at random, of data that are cleansed as in SCROLLS, each with the
prompt around it. MuSiQue has 400 answerable questions and 100 unanswerable ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from longdoc.errors import UserError, unknown
from pipelines import tasks
from pipelines.benchmarks.scrolls import choices
from pipelines.benchmarks.scrolls.builders._originals import cleansing, fingerprint, note_id, splits_of
from pipelines.benchmarks.zero_scrolls.builders._prompts import Frame, frame, wording_of
from pipelines.benchmarks.zero_scrolls.builders.book_sum_sort import BookSumSort
from pipelines.benchmarks.zero_scrolls.builders.space_digest import SpaceDigest
from pipelines.benchmarks.zero_scrolls.tasks import DATASETS
from pipelines.plugins.builders._rows import check_minimum
from pipelines.plugins.builders._seeded_random import SeededRandom
from pipelines.plugins.builders.builder import Builder, BuildStats, Row
from pipelines.records import Example
from pipelines.sources import Dataset, split_names

TEST, VALIDATION = 500, 20
UNANSWERABLE = 0.2  # 100 of 500
LETTERS = "ABCD"
_TASK_BUILDERS: Mapping[str, type[SpaceDigest | BookSumSort]] = {
    "space_digest": SpaceDigest,
    "book_sum_sort": BookSumSort,
}
_NO_CHOICE = "questions without four answers, or whose right one is not known to be one of them"


class Candidate(NamedTuple):
    """An example that may be drawn: by `share`, the smallest first; `rows` is how many it makes."""

    share: float
    id: str
    answerable: bool
    rows: int


@dataclass(frozen=True)
class ZeroScrolls(Builder):
    """A task's zip, `<task>.zip` with `<task>/test.jsonl` and `<task>/validation.jsonl`, of ZeroSCROLLS' rows.

    The source is a file or folder in any layout that the task reads; for `space_digest` and `book_sum_sort` see the
    builders of those names. `split` of it is what `test` is drawn from (None: its test split, or a single file).
    `validation` is drawn from its validation split, or where that is not another one, from what `test` leaves.
    `unanswerable` is MuSiQue's share of such questions (None: a fifth); of too few, fewer of both kinds are drawn. The
    prompts' words are our own, or those of the published zip or folder `prompts_from`; either way the header of a query
    stands within its places, as published. What is drawn depends on the seed and the example's id.

    Ids are those of the published rows wherever the original has what they are made of: QMSum, QuALITY
    (`question_unique_id`), Qasper, GovReport's release, SummScreen (`filename`), NarrativeQA (document, and number of
    the question in it). Others (SQuALITY, whose published ids are not known here, and copies without those fields) are
    the split and the place in the file, which the manifest counts. Of MuSiQue's, which are the release's, the
    unanswerable ones end with `-unanswerable`, since two questions share one. Raises `UserError` for a source that the
    task does not read or that has not enough.
    """

    is_random = True

    task: str
    split: str | None = None
    test: int = TEST
    validation: int = VALIDATION
    unanswerable: float | None = None
    prompts_from: str | None = None

    def __post_init__(self) -> None:
        if self.task not in DATASETS:
            raise unknown("task of ZeroSCROLLS", self.task, DATASETS)
        check_minimum(self.test, 1, "zero_scrolls: test")
        check_minimum(self.validation, 0, "zero_scrolls: validation")
        if self.unanswerable is not None and self.task != "musique":
            raise UserError(f"zero_scrolls: unanswerable= is an option of task musique, not of {self.task}")
        if self.unanswerable is not None and not 0 <= self.unanswerable < 1:
            raise UserError(f"zero_scrolls: unanswerable must be a share, 0 to below 1, got {self.unanswerable}")
        if self.split is not None and self.task in _TASK_BUILDERS:
            raise UserError(f"zero_scrolls: the data of {self.task} have no splits: leave split out")

    @property
    def archive(self) -> str:  # type: ignore[override]
        """See `Builder`."""
        return self.task

    def sources(self, source: Path) -> Mapping[str, Any]:
        """See `Builder`."""
        if builder := self._task_builder():
            return builder.sources(source)
        return {**fingerprint(self._datasets(source)), **wording_of(self.task, self.prompts_from)}

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The rows in the order of the source."""
        if builder := self._task_builder():
            yield from builder.rows(source, seed, stats)
            return
        prompt_frame, datasets = frame(self.task, self.prompts_from), self._datasets(source)
        for name, dataset in datasets.items():
            splits = [name] if len(datasets) > 1 else ["test", "validation"]
            drawn = self._drawn_splits(self._candidates(dataset, seed, stats), splits, stats)
            for example in _cleansed(self.task, dataset, BuildStats()):
                if split := drawn.get(example.id):
                    yield from ((split, row) for row in _rows(self.task, example, prompt_frame))
            stats.warnings += dataset.warnings

    def _task_builder(self) -> Builder | None:
        """The builder of a task that has no release of its own."""
        if (builder := _TASK_BUILDERS.get(self.task)) is None:
            return None
        return builder(test=self.test, validation=self.validation, prompts_from=self.prompts_from)

    def _datasets(self, source: Path) -> dict[str, Dataset]:
        """The data that `test` is drawn from, and those of `validation` where they are others."""
        task = tasks.get(f"zero_scrolls/{self.task}")
        split = split_names.canonical(self.split or "test")
        if source.is_file():
            return {"test": splits_of(task, source, split)[split]}
        datasets = splits_of(task, source)
        if split not in datasets:
            raise UserError(f"{source} has no split {split!r} to draw from: set split={' or split='.join(datasets)}")
        drawn_from = {"test": datasets[split]}
        if self.validation and split != "validation" and "validation" in datasets:
            drawn_from["validation"] = datasets["validation"]
        return drawn_from

    def _candidates(self, dataset: Dataset, seed: int, stats: BuildStats) -> list[Candidate]:
        """The examples that may be drawn, by share; the stats count those that were read and dropped."""
        return sorted(
            Candidate(
                SeededRandom(seed, self.task, example.id).random(),
                example.id,
                example.meta.get("answerable") is not False,
                max(1, len(example.references)),
            )
            for example in _cleansed(self.task, dataset, stats)
        )

    def _drawn_splits(
        self, candidates: Sequence[Candidate], splits: Sequence[str], stats: BuildStats
    ) -> dict[str, str]:
        """The split of each example that is drawn."""
        drawn: dict[str, str] = {}
        for split in splits:
            remaining = [candidate for candidate in candidates if candidate.id not in drawn]
            drawn |= {candidate.id: split for candidate in self._sampled(remaining, split, stats)}
        if undrawn := sum(candidate.rows for candidate in candidates if candidate.id not in drawn):
            stats.dropped["rows that were not drawn"] += undrawn
        return drawn

    def _sampled(self, candidates: Sequence[Candidate], split: str, stats: BuildStats) -> list[Candidate]:
        """The candidates that are drawn for a split. Raises `UserError` for a test split without one of its kinds."""
        size = self.test if split == "test" else self.validation
        if self.task != "musique":
            return list(candidates[:size])
        share = UNANSWERABLE if self.unanswerable is None else self.unanswerable
        kinds = [
            [candidate for candidate in candidates if candidate.answerable is answerable]
            for answerable in (True, False)
        ]
        sizes, goals = _quotas(size, share, *map(len, kinds)), _quotas(size, share, size, size)
        if split == "test" and not all(size or not goal for size, goal in zip(sizes, goals, strict=True)):
            raise UserError(
                f"musique: {goals[0]} answerable and {goals[1]} unanswerable questions are wanted, and there are "
                f"{len(kinds[0])} and {len(kinds[1])}: take MuSiQue-Full, whose unanswerable questions its authors "
                f"made, or set unanswerable=0 for answerable ones alone"
            )
        if sizes != goals and candidates:
            stats.warnings.append(
                f"{split}: {sizes[0]} answerable and {sizes[1]} unanswerable questions were drawn, of "
                f"{len(kinds[0])} and {len(kinds[1])}, where {goals[0]} and {goals[1]} are wanted"
            )
        return [candidate for kind, kind_size in zip(kinds, sizes, strict=True) for candidate in kind[:kind_size]]


def _quotas(size: int, share: float, answerable: int, unanswerable: int) -> tuple[int, int]:
    """The numbers of answerable and unanswerable questions to draw, given how many there are of each.

    They are `size` together, or as many as there are in the proportion that `share` of unanswerable ones gives.
    """
    if not share:
        return min(size, answerable), 0
    count = min(round(size * share), unanswerable)
    while count and round(count * (1 - share) / share) > answerable:
        count -= 1
    return round(count * (1 - share) / share), count


def _cleansed(task: str, dataset: Dataset, stats: BuildStats) -> Iterator[Example]:
    """The cleansed examples; the stats count all rows, and those that are left out by reason."""
    rules = cleansing(tasks.get(f"zero_scrolls/{task}"), stats)
    for example in dataset.examples():
        stats.read += (count := max(1, len(example.references)))
        note_id(example, stats)
        result = _NO_CHOICE if task == "quality" and not _has_known_choice(example) else rules(example)
        if isinstance(result, Example):
            yield result
        else:
            stats.dropped[result] += count


def _has_known_choice(example: Example) -> bool:
    return len(example.options) == len(LETTERS) and None not in _letters(example)


def _letters(example: Example) -> tuple[str | None, ...]:
    """The right answers' letters, None for one that is not known. Rows of the benchmark have letters already."""
    if "before" in example.meta:
        return tuple(reference if reference in LETTERS else None for reference in example.references)
    if gold := example.meta.get("gold"):
        return tuple(gold if reference in example.options else None for reference in example.references)
    options = example.options
    return tuple(LETTERS[options.index(right)] if right in options else None for right in example.references)


def _rows(task: str, example: Example, prompt_frame: Frame) -> list[Row]:
    """A row for each output of an example, or one without an output."""
    query, outputs = example.query, example.references
    if task == "quality":
        outputs = tuple(letter for letter in _letters(example) if letter is not None)
        if choices.choices(query) != example.options:
            query = f"{query}\n\n{choices.listed([' '.join(option.split()) for option in example.options])}"
    return prompt_frame.rows(example.id, example.document.text, query, outputs, example.meta.get("inner") or None)
