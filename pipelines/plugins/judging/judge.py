"""A judge: a reader that says of each prediction whether it is right. Its replies are logged before they are used.

The log, `judge-DIGEST.jsonl` in a folder, is of one judge: the digest covers the settings that decide its replies. An
interrupted judging goes on from the log, and no request in it is sent again, whatever predictions it was for.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import models
from longdoc.descriptions import without_volatile
from longdoc.errors import UserError
from longdoc.files import write_whole
from longdoc.messages import counted, note
from longdoc.registry import describe
from models.accounting import cost_by
from models.requests import Generate
from pipelines.engine import interruption_note
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.session import Session
from pipelines.engine.inference.stop_rule import StopRule
from pipelines.engine.planning.argument_types import ReaderSpec
from pipelines.engine.planning.files.price_file import priced_reader
from pipelines.engine.planning.reader import check_window
from pipelines.engine.planning.selection_plan import seeded
from pipelines.engine.planning.spec import digest, resolved
from pipelines.engine.recording import request_log
from pipelines.engine.recording.journal import Journal, dumps
from pipelines.engine.running.progress import Progress
from pipelines.engine.running.receivers import say_receivers
from pipelines.metrics.judged import Judged, row
from pipelines.plugins.judging.prompts import JudgePrompt, judge_prompt
from pipelines.plugins.judging.replies import REPLIES, AskJudge, verdict
from pipelines.prompts.template import Template
from pipelines.records import Document, Example, Prediction
from pipelines.results.judge_record import FILE
from pipelines.results.run_folders.record import reader_name
from pipelines.strategies import Job
from pipelines.tasks import Judging

TOKENS = 512  # of a reply: a judge may think aloud before its word, in a form that its reader removes


@dataclass(frozen=True, slots=True)
class Judgements:
    """The verdicts on predictions by their ids, None where the judge was unclear twice, and its replies.

    Empty predictions are wrong without a request, and have no replies. `failures` are the predictions whose request
    failed; judging again sends only these. `new_requests` counts requests of this start, without those of earlier ones.
    """

    metric: Judged
    verdicts: Mapping[str, bool | None]
    replies: Mapping[str, Sequence[str]]
    failures: Mapping[str, str]
    usage: Mapping[str, Any]
    new_requests: int = 0

    def record(self, agreement: Mapping[str, Any]) -> dict[str, Any]:
        """The record of a judging in `scores.json` (`pipelines.results.judge_record`)."""
        values = list(self.verdicts.values())
        empty = sum(not reply for reply in self.replies.values())
        silent = sum(bool(reply) and not any(map(str.strip, reply)) for reply in self.replies.values())
        return {
            "judge": self.metric.judge,
            "prompt": self.metric.prompt,
            "right": values.count(True),
            "wrong": values.count(False),
            "unjudged": values.count(None),
            **({"empty": empty} if empty else {}),
            **({"silent": silent} if silent else {}),
            "asked_again": sum(len(reply) > 1 for reply in self.replies.values()),
            "failures": dict(self.failures),
            **self.usage,
            "agreement": dict(agreement),
        }


@dataclass(frozen=True)
class Judge:
    """A reader with its prompt for judging."""

    reader: models.Reader
    prompt: JudgePrompt
    length: int = TOKENS
    identity: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, spec: ReaderSpec, judging: Judging, prompts_from: str | Path | None = None) -> "Judge":
        """The judge for a task. Raises `UserError` for a reader that writes no text, or a file without a prompt."""
        prompt = judge_prompt(judging, prompts_from)
        reader = seeded(priced_reader(spec), 0)
        if Generate not in reader.supports:
            raise UserError(f"judge={spec!r} writes no text, so it cannot judge: name a model that generates")
        length = min(TOKENS, reader.max_output_tokens or TOKENS)
        check_window(reader, length)
        return cls(reader, prompt, length, [without_volatile(describe(reader)), without_volatile(resolved(reader))])

    @property
    def name(self) -> str:
        """The reader with its model, and a digest of its settings."""
        return f"{reader_name(self.identity[0])} {digest({'judge': self.identity})}"

    def judge(self, predictions: Sequence[Prediction], folder: Path) -> Judgements:
        """Judge each prediction that has references; an empty one is wrong without a request.

        The log and the verdicts (`FILE`) are written to a folder. Raises `UserError` where no request can be sent; the
        replies of earlier requests are kept.
        """
        judged = {prediction.id: prediction for prediction in predictions if prediction.references}
        log = Journal(folder / self._log, request_log.check, "left out, what it answered is asked again")
        if log.damage:
            note(f"{folder}: {log.damage}")
        try:
            say_receivers(self.reader, "judge")
            strategy = AskJudge(self.prompt, self.length, judged)
            limit, stop_rule = self.reader.prompt_limit(self.length), StopRule(self.reader, go_on=True)
            session = Session(strategy, self.reader, limit, self.identity, log, stop_rule=stop_rule)
            with interruption_note.noting_errors(lambda: self._kept_note(folder)):
                judgements = self._judgements(session, judged, folder)
        finally:
            log.close()
        lines = ({"id": name, "verdict": _word(judgements.verdicts[name]), "replies": replies}
                 for name, replies in judgements.replies.items())  # fmt: skip
        write_whole(folder, FILE, "".join(dumps(line) + "\n" for line in lines))
        return judgements

    @property
    def _log(self) -> str:
        return f"judge-{digest({'judge': self.identity})}.jsonl"

    def _logged(self, folder: Path) -> int:
        """The number of replies in the log of a folder."""
        return (folder / self._log).read_bytes().count(b"\n")

    def _judgements(self, session: Session, judged: Mapping[str, Prediction], folder: Path) -> Judgements:
        """Judge the predictions within a session."""
        replies: dict[str, Sequence[str]] = {}
        failures: dict[str, str] = {}
        predictions = {name: prediction for name, prediction in judged.items() if prediction.prediction.strip()}
        inference = Inference(self.reader, [session])
        with Progress(len(predictions)) as progress:
            progress.watch(lambda: inference.work)
            for finished in inference.run(self._jobs(predictions)):
                name, done = finished.job.example.id, finished.prediction
                if done is None:
                    failures[name] = str(finished.failure)
                    continue
                replies[name] = json.loads(done.notes[REPLIES])
                progress.advance()
        replies |= dict.fromkeys(judged.keys() - predictions.keys(), ())
        ordered = {name: replies[name] for name in judged if name in replies}
        verdicts = {name: verdict(texts[-1]) if texts else False for name, texts in ordered.items()}
        metric = Judged(self.name, self.prompt.name).with_verdicts(
            {name: row(is_right) for name, is_right in verdicts.items()}
        )
        usage = {
            "requests": self._logged(folder),
            **session.usage.record,
            "cost": cost_by(self.reader.prices, session.usage),
            "log": self._log,
        }
        return Judgements(metric, verdicts, ordered, failures, usage, session.new_requests)

    def _jobs(self, predictions: Mapping[str, Prediction]) -> Iterator[Job]:
        for name in predictions:
            example = Example(name, Document("", ""))
            yield Job(example, (), (), {}, self.length, Template("{document}"), lambda query, k, before: [])

    def _kept_note(self, folder: Path) -> str:
        if not (count := self._logged(folder)):
            return ""
        replies = counted(count, "reply", "replies")
        return f"kept: {replies} of the judge in {folder / self._log}; the same command again goes on from there"


def _word(is_right: bool | None) -> str:
    return {True: "right", False: "wrong", None: "unjudged"}[is_right]
