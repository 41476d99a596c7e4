"""A finished run as a log of inspect_ai: `inspect view`, `inspect log` and `inspect_ai.analysis` read it.

Samples have the questions, references, predictions, prompts and replies, tokens, scores, and the spans of the document
that were shown; documents are there as far as the prompts hold them. Scores keep this project's scale, 0–100.
"""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, cast

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalMetric,
    EvalPlan,
    EvalPlanStep,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import SampleScore, Score, stderr

from pipelines import metrics
from pipelines.bridges.inspect_model import STOP_REASONS
from pipelines.bridges.inspect_names import qualified
from pipelines.bridges.inspect_scorers import CLUSTER
from pipelines.engine.recording.lines import records
from pipelines.engine.replay import Exchange, ReplayedExample
from pipelines.records import Prediction
from pipelines.results.run_folders.finished import FinishedRun
from pipelines.results.run_folders.record import recipe_of_spec

MEANS, CORPUS = "longdoc_scorer", "longdoc_corpus_scorer"
SCORERS: dict[str, Any] = {  # with their metrics, as a log's header has them
    MEANS: {"*": [{"name": "inspect_ai/mean"}, {"name": "inspect_ai/stderr", "options": {"cluster": CLUSTER}}]},
    CORPUS: [{"name": qualified("longdoc_corpus")}],
}
ID = 22  # characters of an id, as inspect_ai's own


class _OfScores(Protocol):
    def __call__(self, scores: Sequence[SampleScore]) -> float: ...


def file_name(run: FinishedRun, record: Mapping[str, Any]) -> str:
    """The name that inspect_ai would give the log: when the run was begun, its task, its id."""
    begun = record["starts"][0]["time"][:19].replace(":", "-")
    return f"{begun}-00-00_{run.task.replace('/', '-').replace('_', '-')}_{_id(run, 'task')}.eval"


def write(run: FinishedRun, record: Mapping[str, Any], replayed: Mapping[str, ReplayedExample], file: Path) -> None:
    """Write the log of a run whose `run.json` is `record`; in the format that the file's ending says, eval or json.

    `replayed` has examples with their prompts and replies, as far as these could be made again.
    """
    log = made(run, record, replayed)
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".unfinished-{os.getpid()}{file.suffix}")
    try:
        write_eval_log(log, temporary)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def made(run: FinishedRun, record: Mapping[str, Any], replayed: Mapping[str, ReplayedExample]) -> EvalLog:
    """The log in memory."""
    times = {one["id"]: one["time"] for one in records(run.folder / "journal.jsonl", lambda _: None) if "time" in one}
    singles, corpus = run.example_scores, _corpus_metrics(run)
    samples = [
        _sample(run, one, {name: of[row] for name, of in singles.items()}, corpus, replayed.get(one.id), times)
        for row, one in enumerate(run.predictions)
    ]
    samples += [_failed(run, name, reason, replayed.get(name)) for name, reason in run.failures.items()]
    model = _model(run)
    usage = _usage(run.counts, run.usage.get("cost"))
    start = record["starts"][0]["time"]
    return EvalLog(
        status="success",
        eval=_spec(run, record, samples, [MEANS, *([CORPUS] if corpus else [])]),
        plan=EvalPlan(
            steps=[EvalPlanStep(solver="longdoc_prompt", params=_plain(record.get("arguments", {})))],
            config=GenerateConfig(max_tokens=run.spec["max_new_tokens"]),
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=len(run.predictions),
            scores=[*_means(run, samples), *_corpus(run)],
            metadata={"not_computed": dict(run.not_computed)} if run.not_computed else None,
        ),
        stats=EvalStats(
            started_at=start,
            completed_at=_time(max(times.values())) if times else start,
            model_usage={model: usage} if run.counts["requests"] else {},
        ),
        samples=samples,
    )


def _spec(
    run: FinishedRun, record: Mapping[str, Any], samples: Sequence[EvalSample], scorers: Sequence[str]
) -> EvalSpec:
    start = record["starts"][0]
    packages = {"longdoc": start["longdoc"], **start.get("versions", {}), "inspect_ai": version("inspect-ai")}
    return EvalSpec(
        eval_id=_id(run, "eval"),
        run_id=_id(run, "run"),
        task_id=_id(run, "task"),
        created=start["time"],
        task=qualified(run.task),
        task_args=_plain(record.get("arguments", {})),
        dataset=EvalDataset(
            name=run.task, samples=len(samples), sample_ids=[str(one.id) for one in samples], shuffled=False
        ),
        model=_model(run),
        model_args={name: one for name, one in _plain(run.spec["model"]).items() if one is not None},
        config=EvalConfig(epochs=1, limit=run.limit),
        packages=packages,
        scorers=cast(Any, [{"name": name, "metrics": SCORERS[name]} for name in scorers]),
        metadata={
            "recipe": recipe_of_spec(run.spec),
            "spec": _plain(run.spec),
            "signatures": dict(run.signatures),
            "written_by": "longdoc export",
        },
    )


def _sample(
    run: FinishedRun,
    one: Prediction,
    scores: Mapping[str, float | None],
    corpus: Mapping[str, metrics.Metric],
    replayed: ReplayedExample | None,
    times: Mapping[str, float],
) -> EvalSample:
    model, usage = _model(run), _usage({"tokens_in": one.tokens_in, "tokens_out": one.tokens_out})
    exchanges = replayed.exchanges if replayed is not None else ()
    reason = STOP_REASONS.get(exchanges[-1].reply.finish_reason, "unknown") if exchanges else "unknown"
    answer = ChatMessageAssistant(id=f"{one.id}-answer", content=one.prediction, model=model, source="generate")
    return EvalSample(
        id=one.id,
        epoch=1,
        uuid=_id(run, one.id),
        input=one.query,
        choices=list(replayed.example.options) or None if replayed is not None else None,
        target=list(one.references),
        messages=_messages(one.id, exchanges, model),
        output=ModelOutput(
            model=model,
            choices=[ChatCompletionChoice(message=answer, stop_reason=reason)],
            usage=usage if one.requests else None,
        ),
        scores=_scores(one, scores, corpus),
        metadata=_metadata(one, replayed),
        model_usage={model: usage} if one.requests else {},
        completed_at=_time(times[one.id]) if one.id in times else None,
        turn_count=one.requests,
    )


def _failed(run: FinishedRun, name: str, reason: str, replayed: ReplayedExample | None) -> EvalSample:
    """An example without a prediction: a sample with an error."""
    example = None if replayed is None else replayed.example
    return EvalSample(
        id=name,
        epoch=1,
        uuid=_id(run, name),
        input="" if example is None else example.query,
        target=[] if example is None else list(example.references),
        messages=[] if replayed is None else _messages(name, replayed.exchanges, _model(run)),
        metadata={} if example is None else {CLUSTER: example.document.id, "title": example.document.title},
        error=EvalError(message=reason, traceback=reason, traceback_ansi=reason),
    )


def _messages(id: str, exchanges: Sequence[Exchange], model: str) -> list[ChatMessage]:
    """Each prompt with its reply. Where there are several, each was asked by itself."""
    found: list[ChatMessage] = []
    for number, one in enumerate(exchanges, 1):
        for place, prompt in enumerate(one.prompts, 1):
            found.append(ChatMessageUser(id=f"{id}-{number}-prompt-{place}", content=prompt, source="input"))
        if one.prompts:
            said = one.reply.raw if one.reply.raw is not None else one.reply.value
            text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
            found.append(ChatMessageAssistant(id=f"{id}-{number}-reply", content=text, model=model, source="generate"))
    return found


def _metadata(one: Prediction, replayed: ReplayedExample | None) -> dict[str, Any]:
    title = "" if replayed is None else replayed.example.document.title
    found: dict[str, Any] = {CLUSTER: one.document, "title": title}
    if replayed is not None:
        found["document_characters"] = len(replayed.example.document.text)
        found["gold_evidence"] = [list(span) for span in replayed.example.evidence]
    found |= {
        "selected": [list(span) for span in one.selected],
        "shown_spans": [list(span) for span in one.shown_spans],
        "requests": one.requests,
        "truncated_tokens": one.truncated_tokens,
        "notes": dict(one.notes),
        "outputs": dict(one.outputs),
        "evidence": dict(one.evidence),
    }
    kept = ("requests", "truncated_tokens")
    return {name: value for name, value in found.items() if value or name in kept}


def _scores(
    one: Prediction, singles: Mapping[str, float | None], corpus: Mapping[str, metrics.Metric]
) -> dict[str, Score]:
    """The scores of a sample by itself, as the scorers of this project for inspect_ai give them."""
    found: dict[str, Score] = {}
    if singles:
        values = {name: float("nan") if value is None else value for name, value in singles.items()}
        found[MEANS] = Score(value=values, answer=one.prediction)
    rows = {name: dict(row) for name, row in one.statistics.items() if name in corpus}
    if rows:
        values = {score: value for name, row in rows.items() for score, value in corpus[name].aggregate([row]).items()}
        found[CORPUS] = Score(value=values, answer=one.prediction, metadata={"rows": rows})
    return found


def _corpus_metrics(run: FinishedRun) -> dict[str, metrics.Metric]:
    """The metrics whose scores are no means over examples, by name, as far as the run's record can name them."""
    rest = {*run.scores} - {*run.example_scores}
    found: dict[str, metrics.Metric] = {}
    for name, one in metrics.recorded(run.folder / "run.json", run.metrics)[0].items() if rest else ():
        rows = [prediction.statistics[name] for prediction in run.predictions if name in prediction.statistics]
        if one.aggregate(rows).keys() & rest:
            found[name] = one
    return found


def _means(run: FinishedRun, samples: Sequence[EvalSample]) -> list[EvalScore]:
    """The scores that are means over examples, with their standard error clustered by document."""
    clustered = cast(_OfScores, stderr(cluster=CLUSTER))
    found: list[EvalScore] = []
    for name, values in run.example_scores.items():
        counted = [
            SampleScore(score=Score(value=value), sample_id=one.id, sample_metadata=one.metadata)
            for one, value in zip(samples, values, strict=False)
            if value is not None
        ]
        of_mean = EvalMetric(name="mean", value=run.scores[name], metadata=_interval(run, name))
        found_metrics = {"mean": of_mean}
        if len({one.document for one in run.predictions}) > 1:  # of a single document it would be 0
            value = float(clustered(counted))
            found_metrics["stderr"] = EvalMetric(name="stderr", value=value, params={"cluster": CLUSTER})
        found.append(
            EvalScore(
                name=name,
                scorer=MEANS,
                scored_samples=len(counted),
                unscored_samples=len(samples) - len(counted),
                metrics=found_metrics,
                metadata={"signature": run.signatures[name]} if name in run.signatures else None,
            )
        )
    return found


def _corpus(run: FinishedRun) -> list[EvalScore]:
    """The scores of all examples together, with the bounds of their intervals."""
    rest = {name: value for name, value in run.scores.items() if name not in run.example_scores}
    if not rest:
        return []
    values: dict[str, float] = {}
    for name, value in rest.items():
        values[name] = value
        if (bounds := (run.intervals or {}).get(name)) is not None:
            values |= {f"{name} low": bounds.low, f"{name} high": bounds.high}
    signatures = {name: run.signatures[name] for name in rest if name in run.signatures}
    return [
        EvalScore(
            name=CORPUS,
            scorer=CORPUS,
            scored_samples=len(run.predictions),
            metrics={name: EvalMetric(name=name, group="longdoc_corpus", value=one) for name, one in values.items()},
            metadata={"signatures": signatures},
        )
    ]


def _interval(run: FinishedRun, name: str) -> dict[str, Any] | None:
    one = (run.intervals or {}).get(name)
    return None if one is None else {"low": one.low, "high": one.high, "level": one.level, "by": one.unit}


def _usage(counts: Mapping[str, Any], cost: float | None = None) -> ModelUsage:
    tokens_in, tokens_out = counts["tokens_in"], counts["tokens_out"]
    return ModelUsage(
        input_tokens=tokens_in, output_tokens=tokens_out, total_tokens=tokens_in + tokens_out, total_cost=cost
    )


def _model(run: FinishedRun) -> str:
    """The reader as a model of inspect_ai."""
    model = run.spec["model"]
    return qualified(model["model"] if isinstance(model.get("model"), str) else model["name"])


def _id(run: FinishedRun, of: str) -> str:
    """An id that is the same each time the run is exported."""
    return sha256(json.dumps([run.spec, run.limit, of], sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()[
        :ID
    ]


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    return dict(json.loads(json.dumps(value, default=str)))
