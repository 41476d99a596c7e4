"""The metrics of this project as scorers of inspect_ai, on their own scale, 0–100, so that numbers equal a run's.

`longdoc_scorer` is for metrics whose score is a mean over examples: inspect_ai's `mean` and its `stderr` clustered by
document. `longdoc_corpus_scorer` is for those that are computed of all examples together (corpus BLEU, macro-F1,
ROUGE's geometric mean): its metric aggregates the rows in the samples' scores.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import anyio.to_thread
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, Value, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from longdoc.errors import UserError
from pipelines import metrics
from pipelines.metrics import Metric, NotComputable
from pipelines.plugins.bridges.for_inspect.names import registered
from pipelines.records import NO_ANSWER, Document, Example

NO_ANSWER_MARK = "unanswerable"  # the field that is true where the question has no answer
CLUSTER = "document"  # the field of a sample's metadata: its document's id or text
ANSWER = "longdoc_answer"  # in a sample's store: the answer, where it is only a part of the output
Specs = str | Sequence[str]


@scorer(metrics={"*": [mean(), stderr(cluster=CLUSTER)]}, name=registered("longdoc_scorer"))
def longdoc_scorer(metric: Specs = "f1") -> Scorer:
    """The scorer for metrics of this project whose scores are means over examples: a name, or several.

    A sample's `metadata["document"]` says which document it is about: its id, or its text. Raises `UserError` for a
    metric whose score is not such a mean, and for one that does not score the answer.
    """
    metrics_by_name = chosen_metrics(metric)
    for name, chosen_metric in metrics_by_name.items():
        if chosen_metric.bootstrap_on != "means":
            raise UserError(f"{name} is computed of all examples together: longdoc_corpus_scorer({name!r})")
    return _scorer(metrics_by_name)


@metric(name=registered("longdoc_corpus"), scores="unreduced")
def longdoc_corpus() -> InspectMetric:
    """The scores of all samples together, with the bounds of their 95% bootstrap intervals by document."""

    def compute(scores: list[SampleScore]) -> Value:
        """The scores by name, with "NAME low" and "NAME high"."""
        from pipelines.statistics.bootstrap import intervals

        pairs_by_metric: dict[str, list[tuple[Mapping[str, float], str]]] = {}
        for sample_score in scores:
            document = str((sample_score.sample_metadata or {}).get(CLUSTER, sample_score.sample_id))
            for name, row in ((sample_score.score.metadata or {}).get("rows") or {}).items():
                pairs_by_metric.setdefault(name, []).append((row, document))
        values: dict[str, float] = {}
        for name, pairs in pairs_by_metric.items():
            rows, documents = [row for row, _ in pairs], [document for _, document in pairs]
            corpus_metric = metrics.get(name)
            values |= corpus_metric.aggregate(rows)
            for score, bounds in intervals(corpus_metric, rows, documents).items():
                values |= {f"{score} low": bounds.low, f"{score} high": bounds.high}
        return dict(values)

    return compute


@scorer(metrics=[longdoc_corpus()], name=registered("longdoc_corpus_scorer"))
def longdoc_corpus_scorer(metric: Specs) -> Scorer:
    """The scorer for metrics of this project that are computed of all examples together: a name, or several."""
    return _scorer(chosen_metrics(metric), with_rows=True)


def chosen_metrics(names: Specs) -> dict[str, Metric]:
    """The metrics by name. Raises `UserError` for one that does not score the answer, or cannot be computed."""
    metrics_by_name: dict[str, Metric] = {}
    for name in [names] if isinstance(names, str) else names:
        chosen_metric = metrics.get(name)
        if chosen_metric.target != "prediction":
            raise UserError(f"{name} does not score the answer but the {chosen_metric.target}: longdoc run computes it")
        try:
            chosen_metric.prepare()
        except NotComputable as error:
            raise UserError(f"{name} cannot be computed here: {error}") from error
        metrics_by_name[name] = chosen_metric
    return metrics_by_name


def scorers_of(names: Sequence[str]) -> list[Scorer]:
    """The scorers for several metrics of either kind."""
    metrics_by_name = chosen_metrics(names)
    means = [name for name, chosen_metric in metrics_by_name.items() if chosen_metric.bootstrap_on == "means"]
    corpus = [name for name in metrics_by_name if name not in means]
    return [*([longdoc_scorer(means)] if means else []), *([longdoc_corpus_scorer(corpus)] if corpus else [])]


def _scorer(metrics_by_name: Mapping[str, Metric], with_rows: bool = False) -> Scorer:
    """The scorer by these metrics; `with_rows` also puts their statistics into the score's metadata."""

    async def score(state: TaskState, target: Target) -> Score:
        """The scores of one answer; unscored without references."""
        store = state.store
        answer = str(store.get(ANSWER)) if ANSWER in store else state.output.completion
        example = _example(state, target)
        rows = await anyio.to_thread.run_sync(_rows, metrics_by_name, answer, example)
        if not rows:
            return Score.unscored(reason="no references", answer=answer)
        values = {
            name: value
            for metric_name, row in rows.items()
            for name, value in metrics_by_name[metric_name].aggregate([row]).items()
        }
        metadata = {"signatures": {name: metrics_by_name[name].signature for name in rows}}
        row_metadata = {"rows": {name: dict(row) for name, row in rows.items()}} if with_rows else {}
        return Score(value=values, answer=answer, metadata=metadata | row_metadata)

    return score


def _rows(metrics_by_name: Mapping[str, Metric], answer: str, example: Example) -> dict[str, Mapping[str, float]]:
    """The statistics of an answer by metric, without metrics that do not take its references."""
    return {
        name: chosen_metric.statistics(answer, example)
        for name, chosen_metric in metrics_by_name.items()
        if chosen_metric.takes(example.references)
    }


def _example(state: TaskState, target: Target) -> Example:
    """The sample as an example, without the document's text: no metric of answers reads it."""
    references = tuple(text for text in target.target if text)
    if state.metadata.get(NO_ANSWER_MARK):
        references = NO_ANSWER
    meta: Any = state.metadata.get("meta") or {}
    document = Document(str(state.metadata.get(CLUSTER, "")), "")
    options = tuple(choice.value for choice in state.choices)
    return Example(str(state.sample_id), document, state.input_text, references, options, meta=meta)
