"""One job while its strategy runs: the replies that it waits for, its counts so far, and in the end its prediction."""

import hashlib
import json
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chunkers.shared.words import count_words
from models.accounting import Usage
from models.requests import Reply, Request
from pipelines.engine.inference.request_rounds import request_rounds
from pipelines.engine.inference.session import Session
from pipelines.engine.preparation import gold_evidence
from pipelines.metrics.shared.gold_spans import merged
from pipelines.prompts.closed_answers import LETTERS, option_of
from pipelines.records import NO_LABEL, Example, Prediction, Span
from pipelines.results import output_counts
from pipelines.strategies import Job, Outcome

DIGEST = 16  # hexadecimal digits
NO_PASSAGE = "no passage was selected, so the reader had none to read"


class RequestFailed(Exception):
    """A request came back with an error, so its example fails."""


@dataclass(slots=True, eq=False)
class ActiveJob:
    """A job of one session. When it is finished it has a `prediction`, or a `failure` that says why there is none.

    The prediction has no rows of metrics yet (`Prediction.statistics`).
    """

    session: Session
    job: Job
    prediction: Prediction | None = None
    failure: str | None = None
    awaits: bool = False  # whether it failed only because a reply comes at a later start
    keys: list[str] = field(default_factory=list)  # of the requests in this round
    instructions: list[str] = field(default_factory=list)  # of the requests in this round
    shown_spans: dict[Span, None] = field(default_factory=dict)
    digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)  # of its requests, round by round
    reply_starts: set[int] = field(default_factory=set)  # the numbers of earlier starts that logged its replies
    outputs: Counter[str] = field(default_factory=Counter)  # by kind, see `pipelines.results.output_counts`
    rounds: Generator[Sequence[Request], list[Any] | None, str | Outcome] = field(init=False)
    _requests: int = field(init=False, default=0)
    _usage: Usage = field(init=False, default=Usage())
    _truncated_tokens: int = field(init=False, default=0)
    _thinking: Counter[str] = field(init=False, default_factory=Counter)
    _generated: bool = field(init=False, default=False)  # whether any of its replies is text

    def __post_init__(self) -> None:
        """Start the strategy, up to its first request."""
        self.rounds = request_rounds(self.session.strategy(self.job), self.job)

    def values(self, replies: Sequence[Reply]) -> list[Any]:
        """The values of the replies to a round of requests, which are counted here. Raises `RequestFailed`."""
        starts = self.session.reply_starts
        self.reply_starts.update(starts[key] for key in self.keys if key in starts)
        self._requests += len(replies)
        self._usage += Usage.total(replies)
        self._truncated_tokens += sum(reply.truncated_tokens for reply in replies)
        for reply, instruction in zip(replies, self.instructions, strict=True):
            if reply.error is not None:
                self.awaits = reply.finish_reason == "awaited"
                raise RequestFailed(reply.error)
            self.outputs.update(output_counts.output_kinds(reply))
            if output_counts.is_echo(reply, instruction):
                self.outputs[output_counts.ECHO] += 1
            self._thinking.update(words=len(reply.thinking.split()), tokens=reply.reasoning_tokens)
            self._generated |= output_counts.is_text(reply.value)
        return [reply.value for reply in replies]

    def fail(self, reason: str) -> "ActiveJob":
        """End without a prediction."""
        self.rounds.close()
        self.failure = reason
        return self

    def finish(self, result: str | Outcome) -> "ActiveJob":
        """End with the result of the strategy."""
        outcome = result if isinstance(result, Outcome) else Outcome(result)
        if self._generated and not outcome.prediction.strip():  # empty, even where single outputs were not
            self.outputs[output_counts.EMPTY] = self.outputs[output_counts.EMPTY] or 1
        self.outputs.update(outcome.outputs)
        if outcome.prediction.strip() and self.job.template.remark(self.job.example, outcome.prediction):
            self.outputs[NO_LABEL] = self.outputs[NO_LABEL] or 1
        example, selected = self.job.example, _selected(self.job, outcome)
        self.shown_spans |= dict.fromkeys(outcome.shown)
        shown_spans = tuple(self.shown_spans)
        self.prediction = Prediction(
            id=example.id,
            document=example.document.id,
            query=example.query,
            references=example.references,
            prediction=outcome.prediction,
            notes=_notes(self.job, outcome, selected),
            selected=selected,
            shown_spans=shown_spans,
            requests=self._requests,
            tokens_in=self._usage.tokens_in,
            tokens_out=self._usage.tokens_out,
            cached_tokens=self._usage.cached_tokens,
            cache_write_tokens=self._usage.cache_write_tokens,
            truncated_tokens=self._truncated_tokens,
            outputs=dict(self.outputs),
            passages=self.job.encoder_counts(),
            request_digest=self.digest.hexdigest()[:DIGEST] if self._requests else "",
            evidence=_evidence(self.job, [(start, end) for start, end, _ in selected], shown_spans),
            thinking={name: number for name, number in self._thinking.items() if number},
            choice=_choice(example, outcome.prediction),
            shown_words=_word_count(example.document.text, shown_spans) if shown_spans or not selected else None,
        )
        return self


def _selected(job: Job, outcome: Outcome) -> tuple[tuple[int, int, float], ...]:
    """The selected spans with their scores, 0 for spans that only a further search of the strategy returned."""
    if "spans" not in outcome.notes:
        return job.selected_spans
    scores = {(start, end): score for start, end, score in job.selected_spans}
    return tuple((start, end, scores.get((start, end), 0.0)) for start, end in json.loads(outcome.notes["spans"]))


def _choice(example: Example, answer: str) -> dict[str, int]:
    """The places of the option that the answer names and of the right one, where both are known."""
    options = example.options
    if not 2 <= len(options) <= len(LETTERS):
        return {}
    option = option_of(answer, options)
    right = next(filter(None, (option_of(reference, options) for reference in example.references)), None)
    if option is None or right is None:
        return {}
    return {"chosen": options.index(option) + 1, "right": options.index(right) + 1}


def _evidence(job: Job, selected: Sequence[Span], shown_spans: Sequence[Span]) -> dict[str, int]:
    """The counts of the gold evidence from preparing, with how much of it was shown and what further searches added."""
    counts = dict(job.evidence)
    if "characters" in counts:
        text, evidence = job.example.document.text, job.example.evidence
        counts["shown"] = gold_evidence.shown_length(text, evidence, shown_spans or selected)
        if len(selected) > len(job.selected):
            counts["selected"] = max(
                counts["selected"], gold_evidence.shown_length(text, evidence, [*selected, *shown_spans])
            )
            counts |= {name: max(counts[name], counts["selected"]) for name in ("ranked", "budget") if name in counts}
    return counts


def _word_count(text: str, spans: Sequence[Span]) -> int:
    """The number of words of the text in the spans, each counted once."""
    return sum(count_words([text[start:end] for start, end in merged(spans)]))


def _notes(job: Job, outcome: Outcome, selected: Sequence[Any]) -> dict[str, str]:
    """The strategy's notes, with the remarks of the chunker and of the prompt, and one on an empty selection."""
    notes = ({"chunks": job.remark} if job.remark else {}) | dict(outcome.notes)
    if not selected:
        notes.setdefault("remark", NO_PASSAGE)
    if remark := job.template.remark(job.example, outcome.prediction):
        notes.setdefault("remark", remark)
    return notes
