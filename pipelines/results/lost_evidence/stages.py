"""The result of `blame`: the gold evidence left at each stage of a run, and the examples that lose some."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from longdoc.messages import counted
from pipelines.display import numbers
from pipelines.display.table import Column, Table, numbered_columns
from pipelines.display.view import View
from pipelines.results.run_folders.run import Run

STAGES: Mapping[str, str] = {
    "document": "in the document",
    "chunks": "in a chunk",
    "budget": "as much as the budget holds",
    "ranked": "in chunks ranked high enough",
    "selected": "selected, within the budget",
    "shown": "shown, after truncation",
}
ANSWER_STAGE = "answered"
TEXT_STAGE = "text"
LOSSES: Mapping[str, str] = {
    "document": "not found in the document",
    "chunks": "in no chunk",
    "budget": "more than the budget holds",
    "ranked": "in chunks ranked too low",
    "selected": "cut by the budget",
    "shown": "cut from the prompt",
    ANSWER_STAGE: "all shown, and not answered right",
    TEXT_STAGE: "the answer is in the document, not in the shown text",
}
PARTS: Mapping[str, str] = {"all": "all of it was shown", "part": "a part was shown", "none": "nothing of it was shown"}
TENTH = 10  # points for which a bar has a block
QUERY = 70  # characters of a question


@dataclass(frozen=True, slots=True)
class Stage:
    """The gold evidence that is left at one stage, which `name` names as `STAGES` does.

    `share` is the mean over examples of the part of their evidence, 0–100, `characters` its sum, white space not
    counted; `complete` counts the examples that have all of theirs, `losing` those that lose some of it here.
    """

    name: str
    share: float
    characters: int
    complete: int
    losing: int


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """The examples of which "all", a "part" or "none" of the evidence was shown.

    `score` is their mean by the primary metric, `right` counts those with the full score of 100; None if single
    examples have no score. `answer_recall` is the share of them whose shown text contains a reference, None if the run
    has no such score.
    """

    shown: str
    examples: int
    score: float | None
    right: int | None
    answer_recall: float | None


@dataclass(frozen=True, slots=True)
class AnswerText:
    """The examples without gold evidence: whether the answer, word for word, was there to be read.

    `in_document` and `in_shown_text` are the shares of them, 0–100, for which a reference occurs there, None if the run
    did not record it; `lost` counts those with one in the document only. `score` and `score_without` are the mean
    scores of those whose shown text contains one and of the others.
    """

    examples: int
    in_document: float | None
    in_shown_text: float
    lost: int
    score: float | None
    score_without: float | None


@dataclass(frozen=True, slots=True)
class LosingExample:
    """An example that loses evidence at `stage`, or that was not answered right with all of it shown ("answered").

    At "text" it has no gold evidence, and the answer's text is in the document, but was not shown.

    `lost` is the share of its evidence that is lost there, 0–100; None where it is not in the document, and its length
    is not known: `missing` counts these gold spans. The `chunks` that hold evidence are ranked from `best_rank` to
    `worst_rank` (from 1; 0 where there is none), and `taken` chunks were selected, the last one perhaps in part.
    """

    stage: str
    id: str
    document: str
    query: str
    lost: float | None
    missing: int
    chunks: int
    best_rank: int
    worst_rank: int
    taken: int
    score: float | None

    @property
    def facts(self) -> str:
        """What it loses, and the ranks of the chunks with evidence; or its score."""
        if self.stage == "document":
            return counted(self.missing, "gold span")
        if self.stage in (ANSWER_STAGE, TEXT_STAGE):
            return f"score {numbers.score(self.score)}"
        best, worst = f"{self.best_rank:,}", f"{self.worst_rank:,}"
        ranks = f"rank {best}" if self.chunks == 1 else f"ranks {best} to {worst}"
        return f"{self.lost:.0f}% lost, {f'{ranks}, {self.taken:,} taken' if self.chunks else 'no chunk holds any'}"


@dataclass(frozen=True, slots=True)
class RunStages(View):
    """Where a run loses evidence: `with_evidence` of its predictions have any, of which `missing` spans were not found.

    `answers` are the groups by how much evidence was shown, empty where none has any; `text` is about the examples
    without evidence. `further` counts the examples that were shown evidence which the first selection lacks: by a
    further search of the strategy, or in a heading. `losing` are the examples behind the stages, those with the largest
    loss first.
    """

    run: Run
    with_evidence: int
    missing: int
    primary_metric: str
    stages: Sequence[Stage] = ()
    answers: Sequence[AnswerGroup] = ()
    text: AnswerText | None = None
    further: int = 0
    losing: Sequence[LosingExample] = ()

    SEPARATOR: ClassVar[str] = "\n\n"
    KEYS: ClassVar[Sequence[str]] = (
        "run: run.folder", "run.task", "run.recipe", "run.examples", "with_evidence", "missing", "primary_metric",
        "stages", "answers", "text", "further", "losing", "run.is_log",
    )  # fmt: skip

    def counts(self) -> Mapping[str, int]:
        """The number of examples lost at each stage that loses any."""
        losses = {stage.name: stage.losing for stage in self.stages}
        for group in self.answers:
            if group.shown == "all" and group.right is not None:
                losses[ANSWER_STAGE] = group.examples - group.right
        losses[TEXT_STAGE] = self.text.lost if self.text else 0
        return {name: count for name, count in losses.items() if count}

    def tables(self) -> list[Table]:
        """The stages, how the examples were answered, and those that lost most at each stage."""
        answers = [self._answers()] if self.answers else []
        texts = [self._text(self.text)] if self.text else []
        return [self._stages(), *answers, *texts, *map(self._losing, dict.fromkeys(one.stage for one in self.losing))]

    def lines_below(self) -> list[str]:
        """Where the run is, and the command that shows single examples."""
        command = "all examples: longdoc report {}" if self.run.is_log else "one example: longdoc show {} ID"
        return [f"in {self.run.folder}; {command.format(shlex.quote(str(self.run.folder)))}"]

    def _stages(self) -> Table:
        columns = (
            Column("gold evidence", lambda stage: STAGES[stage.name]),
            Column("share", lambda stage: numbers.percent(stage.share), "right"),
            Column("all of it", lambda stage: numbers.count(stage.complete), "right", optional=True),
            Column(
                "lost here", lambda stage: numbers.count(stage.losing) if stage.losing else "", "right", optional=True
            ),
            Column("", lambda stage: "█" * round(stage.share / TENTH), optional=True),
        )
        notes = [f"{self.with_evidence:,} of {counted(self.run.examples, 'example')} have gold evidence"]
        if self.missing:
            notes[0] += f"; {self.missing:,} of its spans {'is' if self.missing == 1 else 'are'} not in the documents"
        if self.stages:
            qualifier = " that are in the document" if self.missing else ""
            notes.append(f"share: mean over examples, in characters{qualifier}; the other numbers count examples")
        if self.further:
            notes.append(f"{counted(self.further, 'example')} saw evidence beyond the first selection")
        return Table(f"{self.run.task}: {self.run.recipe}", columns, self.stages, tuple(notes))

    def _answers(self) -> Table:
        columns = [
            Column("evidence", lambda group: PARTS[group.shown]),
            Column("examples", lambda group: numbers.count(group.examples), "right"),
        ]
        if any(group.score is not None for group in self.answers):
            columns.append(Column(self.primary_metric, lambda group: numbers.score(group.score), "right"))
            columns.append(Column("right", lambda group: numbers.count(group.right), "right", optional=True))
        if any(group.answer_recall is not None for group in self.answers):
            columns.append(
                Column("answer in text", lambda group: numbers.percent(group.answer_recall), "right", optional=True)
            )
        return Table("answers, by how much evidence was shown", tuple(columns), self.answers)

    def _text(self, text: AnswerText) -> Table:
        rows = [("in the document", numbers.percent(text.in_document))] if text.in_document is not None else []
        rows.append(("in the shown text", numbers.percent(text.in_shown_text)))
        for place, score in (("shown", text.score), ("not shown", text.score_without)):
            if score is not None:
                rows.append((f"{self.primary_metric} where it was {place}", numbers.score(score)))
        title = f"the answer, word for word, of {counted(text.examples, 'example')} without gold evidence"
        return Table(title, tuple(numbered_columns(("", ""), right={1})), rows)

    def _losing(self, stage: str) -> Table:
        count = self.counts()[stage]
        examples = [example for example in self.losing if example.stage == stage]
        columns = (
            Column("", lambda example: example.id, whole=True),
            Column("", lambda example: example.facts),
            Column("", lambda example: numbers.shortened(numbers.line(example.query), QUERY)),
        )
        notes = (f"… (--stage {stage} --limit {count} lists all)",) if len(examples) < count else ()
        return Table(f"{LOSSES[stage]}: {counted(count, 'example')}", columns, examples, notes)


@dataclass(frozen=True, slots=True)
class Blame(View):
    """Where wrong answers come from, run by run."""

    runs: Sequence[RunStages]

    SEPARATOR: ClassVar[str] = "\n\n"

    def tables(self) -> list[Table]:
        """Each run's tables; of several runs, the shares of evidence side by side first."""
        beside = [self._side_by_side()] if len(self.runs) > 1 else []
        return [*beside, *(table for run in self.runs for table in run.tables())]

    def lines_below(self) -> list[str]:
        """Where each run is."""
        return [line for run in self.runs for line in run.lines_below()]

    def _side_by_side(self) -> Table:
        names = [f"run {number}" for number in range(1, len(self.runs) + 1)]
        shares = [{stage.name: stage.share for stage in run.stages} for run in self.runs]
        rows = [(label, *(numbers.percent(run.get(stage)) for run in shares)) for stage, label in STAGES.items()]
        columns = numbered_columns(("gold evidence", *names), right=range(1, len(names) + 1))
        notes = [f"{name}: {run.run.folder}: {run.run.recipe}" for name, run in zip(names, self.runs, strict=True)]
        return Table("share of the gold evidence", tuple(columns), rows, tuple(notes))
