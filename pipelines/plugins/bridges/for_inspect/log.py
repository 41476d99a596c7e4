"""Writes a finished run as a log of inspect_ai, for `inspect view`, `inspect log` and `inspect_ai.analysis`.

Samples have the questions, references, predictions, prompts and replies, tokens, scores, and the spans of the document
that were shown. Documents are in it only as part of prompts. Scores keep this project's scale, 0–100.
"""

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol, cast

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
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
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import SampleScore, Score, stderr

from longdoc.links import refuse_link
from pipelines.plugins.bridges.for_inspect.names import qualified
from pipelines.plugins.bridges.for_inspect.samples import CORPUS, MEANS, RunSamples, as_time, usage_of
from pipelines.plugins.bridges.for_inspect.scorers import CLUSTER
from pipelines.results.run_folders.record import recipe_of_spec
from pipelines.results.run_folders.run import Run

SCORERS: dict[str, Any] = {  # with their metrics, as a log's header has them
    MEANS: {"*": [{"name": "inspect_ai/mean"}, {"name": "inspect_ai/stderr", "options": {"cluster": CLUSTER}}]},
    CORPUS: [{"name": qualified("longdoc_corpus")}],
}


class _ScoreFunction(Protocol):
    def __call__(self, scores: Sequence[SampleScore]) -> float: ...


def file_name(samples: RunSamples, record: Mapping[str, Any]) -> str:
    """The name that inspect_ai would give the log: when the run was begun, its task, its id."""
    start = record["starts"][0]["time"][:19].replace(":", "-")
    task = samples.run.task.replace("/", "-").replace("_", "-")
    return f"{start}-00-00_{task}_{samples.id_of('task')}.eval"


def write(samples: RunSamples, record: Mapping[str, Any], file: Path) -> None:
    """Write the log of a run whose `run.json` is `record`, in the format that the file's ending says: eval or json."""
    file.parent.mkdir(parents=True, exist_ok=True)
    refuse_link(file)
    # a new name: the library would write through a link
    temporary = file.with_name(f".unfinished-{token_hex(8)}{file.suffix}")
    try:
        write_eval_log(log_of(samples, record), temporary)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def log_of(run_samples: RunSamples, record: Mapping[str, Any]) -> EvalLog:
    """The log in memory."""
    run, samples = run_samples.run, run_samples.all()
    counts, start = run.counts, record["starts"][0]["time"]
    usage = usage_of(counts.tokens_in, counts.tokens_out, run.usage.get("cost"))
    arguments = _plain(record.get("arguments", {}))
    return EvalLog(
        status="success",
        eval=_spec(run_samples, record, samples),
        plan=EvalPlan(
            steps=[EvalPlanStep(solver="longdoc_prompt", params=arguments), EvalPlanStep(solver="generate")],
            config=GenerateConfig(max_tokens=run.spec["max_new_tokens"]),
        ),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=len(run.predictions),
            scores=[*_means(run_samples, samples), *_corpus(run_samples)],
            metadata={"not_computed": dict(run.scores.not_computed)} if run.scores.not_computed else None,
        ),
        stats=EvalStats(
            started_at=start,
            completed_at=as_time(max(run_samples.times.values())) if run_samples.times else start,
            model_usage={run_samples.model: usage} if counts.requests else {},
        ),
        samples=samples,
    )


def _spec(run_samples: RunSamples, record: Mapping[str, Any], samples: Sequence[EvalSample]) -> EvalSpec:
    """The header's record of the task, the model and the data."""
    run, start = run_samples.run, record["starts"][0]
    reader_fields = {name: value for name, value in _plain(run.spec["model"]).items() if name not in ("name", "model")}
    scorers = [MEANS, *([CORPUS] if run_samples.corpus else [])]
    return EvalSpec(
        eval_id=run_samples.id_of("eval"),
        run_id=run_samples.id_of("run"),
        task_id=run_samples.id_of("task"),
        created=start["time"],
        task=qualified(run.task),
        task_args=_plain(record.get("arguments", {})),
        dataset=EvalDataset(
            name=run.task, samples=len(samples), sample_ids=[str(sample.id) for sample in samples], shuffled=False
        ),
        model=run_samples.model,
        model_args={name: value for name, value in reader_fields.items() if value is not None},
        config=EvalConfig(epochs=1, limit=run.limit),
        packages={"longdoc": start["longdoc"], **start.get("versions", {}), "inspect_ai": version("inspect-ai")},
        scorers=cast(Any, [{"name": name, "metrics": SCORERS[name]} for name in scorers]),
        metadata={
            "recipe": recipe_of_spec(run.spec),
            "spec": _plain(run.spec),
            "signatures": dict(run.scores.signatures),
            "written_by": "longdoc bridge export",
        },
    )


def _means(run_samples: RunSamples, samples: Sequence[EvalSample]) -> list[EvalScore]:
    """The scores that are means over examples, with their standard error clustered by document."""
    run, standard_error = run_samples.run, cast(_ScoreFunction, stderr(cluster=CLUSTER))
    has_several_documents = len({prediction.document for prediction in run.predictions}) > 1  # else inspect_ai gives 0
    eval_scores: list[EvalScore] = []
    for name, scores in run_samples.singles.items():
        sample_scores = [
            SampleScore(score=Score(value=score), sample_id=eval_sample.id, sample_metadata=eval_sample.metadata)
            for eval_sample, score in zip(samples, scores, strict=False)
            if score is not None
        ]
        eval_metrics = {"mean": EvalMetric(name="mean", value=run.scores[name], metadata=_interval(run, name))}
        if has_several_documents:
            error = float(standard_error(sample_scores))
            eval_metrics["stderr"] = EvalMetric(name="stderr", value=error, params={"cluster": CLUSTER})
        eval_scores.append(
            EvalScore(
                name=name,
                scorer=MEANS,
                scored_samples=len(sample_scores),
                unscored_samples=len(samples) - len(sample_scores),
                metrics=eval_metrics,
                metadata={"signature": run.scores.signatures[name]} if name in run.scores.signatures else None,
            )
        )
    return eval_scores


def _corpus(samples: RunSamples) -> list[EvalScore]:
    """The scores of all examples together, with the bounds of their intervals."""
    run = samples.run
    scores = {name: score for name, score in run.scores.items() if name not in samples.singles}
    values: dict[str, float] = {}
    for name, score in scores.items():
        values[name] = score
        if (bounds := run.scores.intervals.get(name)) is not None:
            values |= {f"{name} low": bounds.low, f"{name} high": bounds.high}
    signatures = {name: run.scores.signatures[name] for name in scores if name in run.scores.signatures}
    eval_metrics = {name: EvalMetric(name=name, group="longdoc_corpus", value=value) for name, value in values.items()}
    eval_score = EvalScore(
        name=CORPUS,
        scorer=CORPUS,
        scored_samples=len(run.predictions),
        metrics=eval_metrics,
        metadata={"signatures": signatures},
    )
    return [eval_score] if scores else []


def _interval(run: Run, name: str) -> dict[str, Any] | None:
    """The interval of a score as plain values; None where there is none."""
    interval = run.scores.intervals.get(name)
    return (
        None
        if interval is None
        else {"low": interval.low, "high": interval.high, "level": interval.level, "by": interval.unit}
    )


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as plain JSON values."""
    return dict(json.loads(json.dumps(fields, default=str)))
