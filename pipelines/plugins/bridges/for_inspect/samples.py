"""The examples of a finished run as samples of a log of inspect_ai."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from inspect_ai.event import Event, ModelEvent
from inspect_ai.log import EvalError, EvalSample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import Score

from longdoc.errors import UserError
from models.requests import Reply
from pipelines import metrics
from pipelines.engine.recording.lines import records
from pipelines.engine.replay.replay import Exchange, ReplayedExample
from pipelines.plugins.bridges.for_inspect.model import STOP_REASONS
from pipelines.plugins.bridges.for_inspect.names import qualified
from pipelines.plugins.bridges.for_inspect.scorers import CLUSTER
from pipelines.records import Prediction, references_text
from pipelines.results.run_folders.run import Run

MEANS, CORPUS = "longdoc_scorer", "longdoc_corpus_scorer"
ID = 22  # characters of an id, as inspect_ai's own


class RunSamples:
    """Makes the samples of a run; examples are added as they are replayed, so that no document stays in memory.

    `model` is the reader's name as a model of inspect_ai. `singles` are the scores of single examples by name, whose
    means are the run's scores. `corpus` are the metrics whose scores are not means over examples, as far as the run's
    record names them. `times` has the time at which each example was finished, in seconds since 1970.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        reader_spec = run.spec["model"]
        self.model = qualified(
            reader_spec["model"] if isinstance(reader_spec.get("model"), str) else reader_spec["name"]
        )
        self.singles = run.sample_scores
        self.corpus = self._corpus_metrics()
        journal = records(run.folder / "journal.jsonl", lambda _: None)
        self.times: dict[str, float] = {fields["id"]: fields["time"] for fields in journal if "time" in fields}
        self._rows = {prediction.id: row for row, prediction in enumerate(run.predictions)}
        self._samples: dict[str, EvalSample] = {}

    def add(self, example: ReplayedExample) -> None:
        """Make the sample of an example with its prompts and replies. Raises `UserError` where replies are lacking."""
        if example.example.id in self._rows and not example.complete:
            raise UserError("these data, or this version of longdoc, make other requests than the run did")
        self._samples[example.example.id] = self._sample(example.example.id, example)

    def all(self) -> list[EvalSample]:
        """The samples in the order of the predictions, then those of failed examples."""
        return [self._samples.get(id) or self._sample(id, None) for id in (*self._rows, *self.run.failures)]

    def forget(self) -> None:
        """Drop the samples that were added, so that none has prompts and replies."""
        self._samples.clear()

    def id_of(self, name: str) -> str:
        """An id for a name, the same each time the run is exported."""
        shard = [self.run.shard] if self.run.shard else []
        content = json.dumps([self.run.spec, self.run.limit, name, *shard], sort_keys=True)
        return sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:ID]

    def _corpus_metrics(self) -> dict[str, metrics.Metric]:
        """The metrics, by name, that give scores which are not means over examples."""
        run = self.run
        scores = {*run.scores} - {*self.singles}
        corpus_metrics: dict[str, metrics.Metric] = {}
        for name, metric in metrics.recorded(run.folder / "run.json", run.metrics)[0].items() if scores else ():
            rows = [prediction.statistics[name] for prediction in run.predictions if name in prediction.statistics]
            if metric.aggregate(rows).keys() & scores:
                corpus_metrics[name] = metric
        return corpus_metrics

    def _sample(self, id: str, replayed: ReplayedExample | None) -> EvalSample:
        exchanges = () if replayed is None else replayed.exchanges
        events = [event for number, exchange in enumerate(exchanges, 1) for event in self._events(id, number, exchange)]
        messages = [message for event in events for message in (*event.input, event.output.message)]
        row = self._rows.get(id)
        fields = self._failure_fields(id, replayed) if row is None else self._prediction_fields(row, replayed)
        return EvalSample(id=id, epoch=1, uuid=self.id_of(id), messages=messages, events=_as_events(events), **fields)

    def _prediction_fields(self, row: int, replayed: ReplayedExample | None) -> dict[str, Any]:
        """The fields of the sample of a prediction."""
        prediction = self.run.predictions[row]
        usage = usage_of(prediction.tokens_in, prediction.tokens_out)
        message = ChatMessageAssistant(
            id=f"{prediction.id}-answer", content=prediction.prediction, model=self.model, source="generate"
        )
        reason = STOP_REASONS.get(_finish_reason(replayed), "unknown")
        return {
            "input": prediction.query,
            "choices": None if replayed is None else list(replayed.example.options) or None,
            "target": list(references_text(prediction.references)),
            "output": ModelOutput(
                model=self.model,
                choices=[ChatCompletionChoice(message=message, stop_reason=reason)],
                usage=usage if prediction.requests else None,
            ),
            "scores": self._scores(row),
            "metadata": _metadata(prediction, replayed),
            "model_usage": {self.model: usage} if prediction.requests else {},
            "completed_at": as_time(self.times[prediction.id]) if prediction.id in self.times else None,
            "turn_count": prediction.requests,
        }

    def _failure_fields(self, id: str, replayed: ReplayedExample | None) -> dict[str, Any]:
        """The fields of the sample of a failed example."""
        reason = self.run.failures[id]
        error = EvalError(message=reason, traceback=reason, traceback_ansi=reason)
        if replayed is None:
            return {"input": "", "target": [], "error": error}
        document = replayed.example.document
        return {
            "input": replayed.example.query,
            "target": list(references_text(replayed.example.references)),
            "metadata": {CLUSTER: document.id, "title": document.title},
            "error": error,
        }

    def _events(self, id: str, number: int, exchange: Exchange) -> list[ModelEvent]:
        """The event of a request with its reply, in a list; empty for pairs of texts, which have no prompt."""
        if not exchange.prompts:
            return []
        prompts: list[ChatMessage] = [
            ChatMessageUser(id=f"{id}-{number}-prompt-{position}", content=text, source="input")
            for position, text in enumerate(exchange.prompts, 1)
        ]
        message = ChatMessageAssistant(
            id=f"{id}-{number}-reply", content=_content(exchange.reply), model=self.model, source="generate"
        )
        reason = STOP_REASONS.get(exchange.reply.finish_reason, "unknown")
        return [
            ModelEvent(
                uuid=self.id_of(message.id or ""),
                timestamp=datetime.fromtimestamp(self.times.get(id, 0), UTC),
                working_start=0,
                model=self.model,
                input=prompts,
                tools=[],
                tool_choice="none",
                config=GenerateConfig(),
                output=ModelOutput(
                    model=self.model,
                    choices=[ChatCompletionChoice(message=message, stop_reason=reason)],
                    usage=usage_of(exchange.reply.tokens_in, exchange.reply.tokens_out),
                ),
            )
        ]

    def _scores(self, row: int) -> dict[str, Score]:
        """The scores of a sample, as the scorers of this project for inspect_ai give them."""
        prediction = self.run.predictions[row]
        scores: dict[str, Score] = {}
        if self.singles:
            values = {name: scores[row] for name, scores in self.singles.items()}
            numbers = {name: float("nan") if value is None else value for name, value in values.items()}
            scores[MEANS] = Score(value=numbers, answer=prediction.prediction)
        rows = {name: dict(values) for name, values in prediction.statistics.items() if name in self.corpus}
        if rows:
            corpus_scores = {
                name: value
                for metric, values in rows.items()
                for name, value in self.corpus[metric].aggregate([values]).items()
            }
            scores[CORPUS] = Score(value=corpus_scores, answer=prediction.prediction, metadata={"rows": rows})
        return scores


def usage_of(tokens_in: int, tokens_out: int, cost: float | None = None) -> ModelUsage:
    """The record of tokens and cost that inspect_ai has."""
    return ModelUsage(
        input_tokens=tokens_in, output_tokens=tokens_out, total_tokens=tokens_in + tokens_out, total_cost=cost
    )


def as_time(seconds: float) -> str:
    """Seconds since 1970 as a time in ISO format."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _as_events(events: Sequence[ModelEvent]) -> list[Event]:
    return [*events]


def _finish_reason(replayed: ReplayedExample | None) -> str:
    """The finish reason of the last reply; empty without one."""
    return replayed.exchanges[-1].reply.finish_reason if replayed is not None and replayed.exchanges else ""


def _content(reply: Reply) -> str | list[Content]:
    """The answer, after the thinking; probabilities and several outputs as JSON."""
    text = reply.value if isinstance(reply.value, str) else json.dumps(reply.value, ensure_ascii=False)
    return [ContentReasoning(reasoning=reply.thinking), ContentText(text=text)] if reply.thinking else text


def _metadata(prediction: Prediction, replayed: ReplayedExample | None) -> dict[str, Any]:
    """The metadata of a sample: its document, the spans that were shown, the counts."""
    values: dict[str, Any] = {CLUSTER: prediction.document}
    if replayed is not None:
        document = replayed.example.document
        values |= {"title": document.title, "document_characters": len(document.text)}
        values["gold_evidence"] = [list(span) for span in replayed.example.evidence]
    values |= {
        "selected": [list(span) for span in prediction.selected],
        "shown_spans": [list(span) for span in prediction.shown_spans],
        "requests": prediction.requests,
        "truncated_tokens": prediction.truncated_tokens,
        "notes": dict(prediction.notes),
        "outputs": dict(prediction.outputs),
        "evidence": dict(prediction.evidence),
    }
    numbers: Mapping[str, Any] = {"requests": prediction.requests, "truncated_tokens": prediction.truncated_tokens}
    return {name: value for name, value in values.items() if value or name in numbers}
