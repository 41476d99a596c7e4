"""Contrastive evaluation of pronouns (ContraPro; Müller et al. 2018) on the documents of MuLD's OpenSubtitles.

A row's metadata is a JSON list with one entry for each line whose pronoun is tested: `line_idx` (from 0),
`ref_pronoun`, and `errors`, each with the wrong line (`contrastive`) or the wrong pronoun (`replacement`). The reader
sees the source lines of the chunk that the line is in. The target lines of the chunk before it are given, and the
log-probability of these and the line is taken for the right line and for each wrong one; they differ in the line
alone. A decision is right where the right line scores above every wrong one (Müller et al. 2018, section 4; ties are
wrong).
"""

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from chunkers import Chunk
from longdoc.errors import UserError
from models.requests import Score
from models.truncation import Count
from pipelines.engine.engines.local import Local
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.session import Session
from pipelines.engine.planning.argument_types import DataSpec, ReaderSpec
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.planning.spec import resolved
from pipelines.engine.running.receivers import say_receivers
from pipelines.evaluation._contrapro_rows import Question, questions
from pipelines.records import Example
from pipelines.strategies import Job, Outcome, Step, Strategy

NOTE = "contrapro"
MARGIN = 8  # tokens by which a wrong line may be longer than the right one


@dataclass(frozen=True, slots=True)
class PronounAccuracy:
    """Right decisions and all decisions, by the reference's pronoun in lower case. `failures`: examples without any."""

    right: Mapping[str, int]
    total: Mapping[str, int]
    failures: Mapping[str, str] = field(default_factory=dict)

    @property
    def accuracy(self) -> float:
        """The share of right decisions, 0–100."""
        return 100 * sum(self.right.values()) / sum(self.total.values())

    @property
    def by_pronoun(self) -> dict[str, float]:
        """The same for each pronoun."""
        return {pronoun: 100 * self.right[pronoun] / n for pronoun, n in self.total.items()}

    def to_dict(self) -> dict[str, Any]:
        """The accuracy, that of each pronoun, and the counts."""
        counts = {"right": dict(self.right), "total": dict(self.total), "failures": dict(self.failures)}
        return {"accuracy": self.accuracy, "by_pronoun": self.by_pronoun} | counts

    def __str__(self) -> str:
        """The accuracy, then that of each pronoun, with their counts."""
        rows = [("accuracy", self.accuracy, sum(self.right.values()), sum(self.total.values()))]
        rows += [(name, value, self.right[name], self.total[name]) for name, value in self.by_pronoun.items()]
        lines = [f"{name:<16} {value:7.2f}   {right:,} of {total:,}" for name, value, right, total in rows]
        return "\n".join([*lines, *(f"failed: {name}: {reason}" for name, reason in self.failures.items())])


def contrapro(data: DataSpec | None = None, *, model: ReaderSpec | None = None, **arguments: Any) -> PronounAccuracy:
    """How often a reader that scores prefers the right pronoun in MuLD's OpenSubtitles (ContraPro). Nothing is written.

    Further arguments are those of `pipelines.run`, except those for selecting, generating and scoring.

    Rows without metadata are left out. Raises `UserError` for data without any, for a row whose metadata cannot be
    read, and for one whose text and translation differ in their numbers of lines.
    """
    for name in ("strategy", "retriever", "metrics", "max_new_tokens"):
        if arguments.get(name) is not None:
            raise UserError(
                f"{name} has no place in the contrastive evaluation, which scores given lines: leave it out"
            )
    if arguments.get("shard") is not None:
        raise UserError("shard is for runs, which are merged; the contrastive evaluation writes none: leave it out")
    plan = make_plan("opensubtitles", data=data, model=model, strategy=Contrast(), **arguments)
    plan = replace(plan, strategy=Contrast(plan.reader.max_prompt_tokens, plan.reader.count))
    session = Session(plan.strategy, plan.reader, plan.max_input_tokens, resolved(plan.reader))
    say_receivers(plan.reader)
    inference = Inference(plan.reader, [session])
    right: dict[str, int] = {}
    total: dict[str, int] = {}
    failures: dict[str, str] = {}
    for finished in inference.run(Local().prepare(plan, lambda _: True)):
        if finished.prediction is None:
            failures[finished.job.example.id] = str(finished.failure)
            continue
        for pronoun, correct in json.loads(finished.prediction.notes[NOTE]):
            total[pronoun] = total.get(pronoun, 0) + 1
            right[pronoun] = right.get(pronoun, 0) + correct
    if not total:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in list(failures.items())[:1])
        raise UserError(reasons or "no row of the data has ContraPro's metadata (line_idx, ref_pronoun, errors)")
    names = sorted(total)
    return PronounAccuracy({name: right[name] for name in names}, {name: total[name] for name in names}, failures)


@dataclass(frozen=True)
class Contrast(Strategy):
    """Scores the right line and the wrong ones of every question; its note holds [pronoun, whether right] pairs.

    Where the target lines are more than `limit` tokens by `count`, source and target begin at a later line.
    """

    needs = frozenset({Score})

    limit: int | None = None
    count: Count | None = None

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Ask all questions of a document in one round."""
        tested = list(questions(job.example))
        source, target = _lines(job.example, tested)
        requests = []
        for question in tested:
            chunk, first = self._chunk(job, question.line, source, target)
            for line in (question.right, *question.wrong):
                requests.append(Score(job.prompt(chunk), "\n".join([*target[first : question.line], line])))
        scores = iter((yield requests))
        decisions = []
        for question in tested:
            best, *other_entries = [next(scores) for _ in range(1 + len(question.wrong))]
            decisions.append([question.pronoun, best > max(other_entries)])
        return Outcome("", {NOTE: json.dumps(decisions)})

    def _chunk(self, job: Job, line: int, source: Sequence[str], target: Sequence[str]) -> tuple[Chunk, int]:
        """The part of the chunk with a line that the reader sees, and its first line. Raises `UserError`."""
        starts = [0, *accumulate(len(text) + 1 for text in source)]
        inside = [chunk for chunk in job.chunks if chunk.start < starts[line + 1] and starts[line] < chunk.end]
        if not inside or not source[line].strip():
            raise UserError(
                f"{job.example.id}: line {line} of the text is blank or in no chunk (chunker='lines' has all)"
            )
        chunk = inside[0]
        first = next(i for i in range(line, -1, -1) if starts[i] <= chunk.start)
        while first < line and not (source[first].strip() and self._fits(target[first : line + 1])):
            first += 1
        start = max(chunk.start, starts[first])
        return Chunk(job.example.document.text[start : chunk.end], start, chunk.end), first

    def _fits(self, lines: Sequence[str]) -> bool:
        if self.limit is None or self.count is None:
            return True
        return self.count(["\n".join(lines)])[0] + MARGIN <= self.limit


def _lines(example: Example, tested: Sequence[Question]) -> tuple[list[str], list[str]]:
    source = example.document.text.rstrip("\n").split("\n")
    target = example.references[0].rstrip("\n").split("\n") if example.references else []
    if tested and len(source) != len(target):
        raise UserError(
            f"{example.id}: the text has {len(source):,} lines and the translation {len(target):,}, so a line of one "
            f"cannot be found in the other"
        )
    return source, target
