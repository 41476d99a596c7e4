"""The result of `blame`: the gold evidence left at each stage of a run, and the examples that lose some."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from longdoc.messages import counted
from longdoc.plain_json import Record
from pipelines.display import numbers
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
WIDTH = 30  # characters of a stage's name, and of a bar
ID = 30  # characters of an example's id that are printed
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

    def __str__(self) -> str:
        """One line: id, loss, ranks of the chunks with evidence, and question."""
        if self.stage == "document":
            facts = f"{counted(self.missing, 'gold span')}"
        elif self.stage in (ANSWER_STAGE, TEXT_STAGE):
            facts = f"score {numbers.score(self.score)}"
        else:
            best, worst = f"{self.best_rank:,}", f"{self.worst_rank:,}"
            ranks = f"rank {best}" if self.chunks == 1 else f"ranks {best} to {worst}"
            location = f"{ranks}, {self.taken:,} taken" if self.chunks else "no chunk holds any"
            facts = f"{self.lost:.0f}% lost, {location}"
        id, query = (
            numbers.shortened(numbers.line(text), maximum) for text, maximum in ((self.id, ID), (self.query, QUERY))
        )
        return f"{id}  {facts}  {query}".rstrip()


@dataclass(frozen=True, slots=True)
class RunStages(Record):
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

    def __str__(self) -> str:
        """The stages, how the examples were answered, and those that lost most at each stage."""
        lines = [f"{self.run.task}: {self.run.recipe}", f"  {self._evidence_counts()}"]
        lines += self._stages() if self.stages else []
        lines += self._answers() if self.answers else []
        lines += self._text(self.text) if self.text else []
        counts = self.counts()
        for name in dict.fromkeys(example.stage for example in self.losing):
            losing_examples = [example for example in self.losing if example.stage == name]
            lines += ["", f"  {LOSSES[name]}: {counted(counts[name], 'example')}"]
            lines += [f"    {example}" for example in losing_examples]
            lines += (
                [f"    … (--stage {name} --limit {counts[name]} lists all)"]
                if len(losing_examples) < counts[name]
                else []
            )
        command = "all examples: longdoc report {}" if self.run.is_log else "one example: longdoc show {} ID"
        return "\n".join([*lines, "", f"  in {self.run.folder}; {command.format(self.run.folder)}"])

    def _evidence_counts(self) -> str:
        examples = f"{self.with_evidence:,} of {counted(self.run.examples, 'example')} have gold evidence"
        spans = f"{self.missing:,} of its spans {'is' if self.missing == 1 else 'are'} not in the documents"
        return f"{examples}; {spans}" if self.missing else examples

    def _stages(self) -> list[str]:
        lines = ["", f"  {'gold evidence':<{WIDTH}} {'share':>6}  {'all of it':>9}  {'lost here':>9}"]
        for stage in self.stages:
            losses = f"{stage.losing:,}" if stage.losing else ""
            row = f"  {STAGES[stage.name]:<{WIDTH}} {stage.share:6.1f}  {stage.complete:>9,}  {losses:>9}"
            row += f"  {bar(stage.share)}"
            lines.append(row.rstrip())
        qualifier = " that are in the document" if self.missing else ""
        lines.append(f"  share: mean over examples, in characters{qualifier}; all of it, lost here: examples")
        if self.further:
            lines.append(f"  {counted(self.further, 'example')} saw evidence beyond the first selection")
        return lines

    def _answers(self) -> list[str]:
        has_scores = any(group.score is not None for group in self.answers)
        has_recall = any(group.answer_recall is not None for group in self.answers)
        headings = [f"{'examples':>8}", *([f"{self.primary_metric:>12}", f"{'right':>6}"] if has_scores else [])]
        headings += [f"{'answer in text':>14}"] if has_recall else []
        lines = ["", f"  {'evidence':<{WIDTH}} {'  '.join(headings)}"]
        for group in self.answers:
            cells = [f"{group.examples:>8,}"]
            if has_scores:
                right = numbers.MISSING if group.right is None else f"{group.right:,}"
                cells += [f"{numbers.score(group.score):>12}", f"{right:>6}"]
            cells += [f"{_percent(group.answer_recall):>14}"] if has_recall else []
            lines.append(f"  {PARTS[group.shown]:<{WIDTH}} {'  '.join(cells)}")
        return lines

    def _text(self, answer_text: AnswerText) -> list[str]:
        rows = [
            ("in the document", _percent(answer_text.in_document)) if answer_text.in_document is not None else None,
            ("in the shown text", _percent(answer_text.in_shown_text)),
            (f"{self.primary_metric} where it was shown", numbers.score(answer_text.score))
            if self.primary_metric
            else None,
            (f"{self.primary_metric} elsewhere", numbers.score(answer_text.score_without))
            if self.primary_metric
            else None,
        ]
        title = f"the answer, word for word, of {counted(answer_text.examples, 'example')} without gold evidence"
        return ["", f"  {title}", *(f"  {name:<{WIDTH}} {value:>6}" for name, value in filter(None, rows))]


@dataclass(frozen=True, slots=True)
class Blame(Record):
    """Where wrong answers come from, run by run."""

    runs: Sequence[RunStages]

    def __str__(self) -> str:
        """Each run; of several, the stages side by side first."""
        parts = [str(run) for run in self.runs]
        return "\n\n".join([side_by_side(self.runs), *parts] if len(parts) > 1 else parts)


def side_by_side(runs: Sequence[RunStages]) -> str:
    """The shares of evidence of several runs, one column each."""
    lines = [
        f"{letter}  {stages.run.recipe}   in {stages.run.folder}"
        for letter, stages in zip(_letters(), runs, strict=False)
    ]
    headings = "".join(f"{letter:>8}" for letter, _ in zip(_letters(), runs, strict=False))
    lines += ["", f"  {'gold evidence, share':<{WIDTH}}{headings}"]
    for name, label in STAGES.items():
        shares = ({stage.name: stage.share for stage in run.stages}.get(name) for run in runs)
        cells = "".join(f"{_percent(share):>8}" for share in shares)
        lines.append(f"  {label:<{WIDTH}}{cells}")
    return "\n".join(lines)


def bar(share: float) -> str:
    """A bar of blocks for a share, 0–100."""
    return "█" * round(share * WIDTH / 100)


def _percent(share: float | None) -> str:
    return numbers.MISSING if share is None else f"{share:.1f}"


def _letters() -> Sequence[str]:
    return "abcdefghijklmnopqrstuvwxyz"
