"""One run on its way through an engine: what is done already, what comes in, and at the end its final files."""

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from models.requests import Reader
from pipelines.engine.inference import Finished
from pipelines.engine.plan import Plan
from pipelines.engine.run_folder import RunFolder
from pipelines.engine.scoring import Scorer
from pipelines.engine.session import Lane
from pipelines.engine.spec import digest, recipe_of, record_of, spec_of
from pipelines.records import Example, Prediction, Span, prediction_of
from pipelines.results.records import Result, remarks
from pipelines.results.run_folders.record import signature_suffix
from pipelines.strategies._chat_form import ChatForm
from pipelines.strategies._row_prompt import RowPrompt
from pipelines.strategies._template import Template

A_MILLION = 1_000_000


def default_folder(plan: Plan, spec: Mapping[str, Any]) -> Path:
    """Where a run is kept that is given no folder: its name tells everything that decides the numbers."""
    return Path("runs") / f"{plan.task.name.replace('/', '-')}-{digest(spec)}"


class Course:
    """A plan in its folder, which is locked until `close`. `lane` is its way through the inference."""

    def __init__(self, plan: Plan, out: str | Path | None) -> None:
        self.plan, self._begun = plan, time.monotonic()
        spec = spec_of(plan)
        self.scorer = Scorer(plan.metrics, signature_suffix(spec))
        self._folder = RunFolder(Path(out) if out is not None else default_folder(plan, spec), record_of(plan, spec))
        for damage in self._folder.damage:
            print(f"longdoc: {damage}", file=sys.stderr)
        self._done = {record["id"]: prediction_of(record) for record in self._folder.journal.records}
        self.resumed = len(self._done)
        self._order: list[str] = []
        self._failures: dict[str, str] = {}
        identity = [spec["model"], spec["resolved"]]
        self.lane = Lane(plan.strategy, plan.reader, plan.max_input_tokens, identity, self._folder.requests, plan.whole)

    def lacks(self, example: Example) -> bool:
        """Whether no earlier start has finished an example."""
        return example.id not in self._done

    def wanted(self, example: Example) -> bool:
        """Whether an example of the data is still to be done."""
        self._order.append(example.id)
        return example.id not in self._done and self.lane.broken is None

    def take(self, finished: Finished) -> Prediction | None:
        """Write a finished example down at once; None for one that failed."""
        example = finished.prepared.example
        if finished.failure is not None:
            self._failures[example.id] = finished.failure
            return None
        prediction = _prediction(finished, self.scorer, self.plan.template)
        self._folder.journal.append(asdict(prediction) | {"time": round(time.time(), 3)})
        self._done[example.id] = prediction
        return prediction

    def result(self) -> Result:
        """Score, write the final files, and say what came out. Raises `UserError` where nothing did."""
        predictions = [self._done[name] for name in self._order if name in self._done]
        plan, failures = self.plan, self._failures
        if failures and not predictions:
            name, reason = next(iter(failures.items()))
            raise UserError(f"no example could be answered; the first, {name}: {reason}")
        if not predictions:
            raise UserError(f"the data hold no example for {plan.task.name}, split {plan.split}")
        scored = self.scorer.scores(predictions)
        self._folder.write_lines("predictions.jsonl", (asdict(prediction) for prediction in predictions))
        record = scored | {"failures": failures, "usage": _usage(plan, predictions)}
        self._folder.write("scores.json", json.dumps(record, indent=2, ensure_ascii=False) + "\n")
        return Result(
            task=plan.task.name,
            recipe=recipe_of(plan),
            scores=scored["scores"],
            signatures=scored["signatures"],
            not_computed=scored["not_computed"],
            examples=len(predictions),
            scored=scored["scored"],
            documents=len({prediction.document for prediction in predictions}),
            truncated=scored["truncated"],
            outputs=scored["outputs"],
            folder=self._folder.path,
            seconds=time.monotonic() - self._begun,
            resumed=self.resumed,
            requests_sent=self.lane.asked,
            tokens_in=self.lane.tokens_in,
            tokens_out=self.lane.tokens_out,
            cost=cost_of(plan.reader, self.lane.tokens_in, self.lane.tokens_out),
            failures=failures,
            warnings=(*self._folder.damage, *plan.warnings, *remarks(predictions)),
        )

    def close(self) -> None:
        """Flush what is written and let the next process in."""
        self._folder.note("served", {kind: sorted(names) for kind, names in sorted(self.lane.served.items())})
        self._folder.close()


def _usage(plan: Plan, predictions: list[Prediction]) -> dict[str, Any]:
    """What the predictions took: requests, tokens, and their price where the reader has prices."""
    found = {name: sum(getattr(p, name) for p in predictions) for name in ("requests", "tokens_in", "tokens_out")}
    return found | {"cost": cost_of(plan.reader, found["tokens_in"], found["tokens_out"])}


def cost_of(reader: Reader, tokens_in: int, tokens_out: int) -> float | None:
    """What tokens cost by the reader's prices for a million; None where it has none."""
    prices = getattr(reader, "prices", None)
    return (tokens_in * prices["input"] + tokens_out * prices["output"]) / A_MILLION if prices else None


def shown(finished: Finished) -> list[Span]:
    """What selection metrics measure, in document order: the spans that the reader saw, cut as they were.

    Where requests tell no spans (pairs of paragraphs), the selected ones.
    """
    return sorted(set(finished.shown_spans) or {(start, end) for start, end, _ in finished.selected})


def _prediction(finished: Finished, scorer: Scorer, template: Template | RowPrompt) -> Prediction:
    prepared = finished.prepared
    example, spans = prepared.example, shown(finished)
    notes = ({"chunks": prepared.remark} if prepared.remark else {}) | dict(finished.notes)
    if not finished.selected:
        notes.setdefault("remark", "no passage was selected, so the reader had none to read")
    if isinstance(template, ChatForm) and (told := template.remark(example, finished.prediction)):
        notes.setdefault("remark", told)
    return Prediction(
        id=example.id,
        document=example.document.id,
        query=example.query,
        references=example.references,
        prediction=finished.prediction,
        notes=notes,
        selected=finished.selected,
        shown_spans=finished.shown_spans,
        requests=finished.requests,
        tokens_in=finished.tokens_in,
        tokens_out=finished.tokens_out,
        truncated_tokens=finished.truncated_tokens,
        outputs=finished.outputs,
        statistics=scorer.rows(
            example,
            {
                "selection": "\n".join(example.document.text[start:end] for start, end in spans),
                "spans": json.dumps(spans),
            }
            | dict(finished.notes)
            | {"prediction": finished.prediction},
        ),
        passages=prepared.encoded.counts() if prepared.encoded is not None else {},
    )
