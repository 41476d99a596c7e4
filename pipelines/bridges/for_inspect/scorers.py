"""The metrics of this project as scorers of inspect_ai, on their own scale, 0–100, so that numbers equal a run's.

`longdoc_scorer` is for metrics whose score is a mean over examples: inspect_ai's `mean` and its `stderr` clustered by
document. `longdoc_corpus_scorer` is for those that are computed of all examples together (corpus BLEU, macro-F1,
ROUGE's geometric mean): its metric aggregates the rows that the samples' scores keep.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import anyio.to_thread
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import SampleScore, Score, Scorer, Target, Value, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from longdoc.errors import UserError
from pipelines import metrics
from pipelines.bridges.for_inspect.names import registered
from pipelines.metrics import Metric, NotComputable
from pipelines.records import NO_ANSWER, Document, Example

NO_ANSWER_MARK = "unanswerable"  # the field that is true where the question has no answer
CLUSTER = "document"  # the field of a sample's metadata: its document's id or text
ANSWER = "longdoc_answer"  # in a sample's store: the part of the output that is the answer, where it is not all of it
Specs = str | Sequence[str]


@scorer(metrics={"*": [mean(), stderr(cluster=CLUSTER)]}, name=registered("longdoc_scorer"))
def longdoc_scorer(metric: Specs = "f1") -> Scorer:
    """Scores that are means over examples, by metrics of this project: a name, or several.

    A sample's `metadata["document"]` says which document it is about: its id, or its text. Raises `UserError` for a
    metric that is no mean over examples, and for one that scores something else than the answer.
    """
    metrics = chosen_metrics(metric)
    for name, named_metric in metrics.items():
        if named_metric.bootstrap_on != "means":
            raise UserError(f"{name} is computed of all examples together: longdoc_corpus_scorer({name!r})")
    return _scorer(metrics)


@metric(name=registered("longdoc_corpus"), scores="unreduced")
def longdoc_corpus() -> InspectMetric:
    """The scores of rows: `aggregate` of the metric, and the bounds of its 95% bootstrap interval by document."""

    def compute(scores: list[SampleScore]) -> Value:
        from pipelines.statistics.bootstrap import intervals

        pairs_by_metric: dict[str, list[tuple[Mapping[str, float], str]]] = {}
        for sample_score in scores:
            document = str((sample_score.sample_metadata or {}).get(CLUSTER, sample_score.sample_id))
            for name, row in ((sample_score.score.metadata or {}).get("rows") or {}).items():
                pairs_by_metric.setdefault(name, []).append((row, document))
        values: dict[str, float] = {}
        for name, pairs in pairs_by_metric.items():
            rows, documents = [row for row, _ in pairs], [document for _, document in pairs]
            metric = metrics.get(name)
            values |= metric.aggregate(rows)
            for score, bounds in intervals(metric, rows, documents).items():
                values |= {f"{score} low": bounds.low, f"{score} high": bounds.high}
        return dict(values)

    return compute


@scorer(metrics=[longdoc_corpus()], name=registered("longdoc_corpus_scorer"))
def longdoc_corpus_scorer(metric: Specs) -> Scorer:
    """Scores that are computed of all examples together, by metrics of this project: a name, or several."""
    return _scorer(chosen_metrics(metric), with_rows=True)


def chosen_metrics(names: Specs) -> dict[str, Metric]:
    """The metrics of these names. Raises `UserError` for one that scores something else, or cannot be computed."""
    metrics_by_name: dict[str, Metric] = {}
    for name in [names] if isinstance(names, str) else names:
        metric = metrics.get(name)
        if metric.target != "prediction":
            raise UserError(f"{name} does not score the answer but the {metric.target}: longdoc run computes it")
        try:
            metric.prepare()
        except NotComputable as error:
            raise UserError(f"{name} cannot be computed here: {error}") from error
        metrics_by_name[name] = metric
    return metrics_by_name


def scorers_of(names: Sequence[str]) -> list[Scorer]:
    """The scorers for several metrics of either kind."""
    metrics = chosen_metrics(names)
    means = [name for name, metric in metrics.items() if metric.bootstrap_on == "means"]
    corpus = [name for name in metrics if name not in means]
    return [*([longdoc_scorer(means)] if means else []), *([longdoc_corpus_scorer(corpus)] if corpus else [])]


def _scorer(metrics_by_name: Mapping[str, Metric], with_rows: bool = False) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
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
    metrics = {name: metric for name, metric in metrics_by_name.items() if metric.takes(example.references)}
    return {name: metric.statistics(answer, example) for name, metric in metrics.items()}


def _example(state: TaskState, target: Target) -> Example:
    """The sample as an example, without the document's text: no metric of answers reads it."""
    references = tuple(text for text in target.target if text)
    if state.metadata.get(NO_ANSWER_MARK):
        references = NO_ANSWER
    meta: Any = state.metadata.get("meta") or {}
    document = Document(str(state.metadata.get(CLUSTER, "")), "")
    options = tuple(choice.value for choice in state.choices)
    return Example(str(state.sample_id), document, state.input_text, references, options, meta=meta)
