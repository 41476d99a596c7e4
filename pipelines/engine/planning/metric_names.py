"""The metrics of a run, by the names they were given."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from longdoc.errors import UserError
from pipelines import metrics, tasks
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.engine.planning.reader import NO_READER
from pipelines.engine.planning.run_arguments import PlanArguments
from pipelines.metrics.numeric_match import has_sign_or_point
from pipelines.records import Example
from pipelines.sources import Dataset

SELECTIONS_NAMES = (*metrics.EVIDENCE_NAMES, "answer_recall")
CHOICES_TEXT = "exact_match"  # an output that names an option, by letter or text, is that option


def chosen_metrics(options: PlanArguments, task: tasks.Task) -> dict[str, metrics.Metric]:
    """The metrics that are asked for, else the task's; without a reader those of the selection, of evidence first."""
    if options["model"] != NO_READER:
        return run_metrics(options["metrics"] or task.metrics, task.metrics)
    given_metrics = run_metrics(options["metrics"], task.metrics) if options["metrics"] else {}
    if wrong_names := [
        name for name, metric in given_metrics.items() if metric.target not in metrics.SELECTION_TARGETS
    ]:
        raise UserError(f"{wrong_names[0]} scores what a model writes, and model='none' writes nothing: leave one out")
    if given_metrics:
        return given_metrics
    declared = named_metrics((*metrics.EVIDENCE_NAMES, *task.metrics, *SELECTIONS_NAMES), task.metrics)
    found_metrics = {name: metric for name, metric in declared.items() if metric.target in metrics.SELECTION_TARGETS}
    check_names(found_metrics)
    return found_metrics


def led_by_rows(
    chosen_metrics: Mapping[str, metrics.Metric], options: PlanArguments, data: Dataset
) -> Mapping[str, metrics.Metric]:
    """The metrics with the one of choices first where a person's own rows have options, and nobody asked for metrics.

    Data of which a part has options get a warning that says so.
    """
    choices = {name: metric for name, metric in chosen_metrics.items() if name.partition(":")[0] == CHOICES_TEXT}
    if options["metrics"] or not choices:
        return chosen_metrics
    counts = data.row_counts()
    if not counts.with_options:
        return chosen_metrics
    if counts.with_options < counts.rows:
        data.warnings.append(
            f"{counts.with_options:,} of {counts.rows:,} rows have options: {CHOICES_TEXT} leads, over all rows; the "
            "others' answers are free text, which f1 scores"
        )
    return choices | dict(chosen_metrics)


def with_number_warning(data: Dataset, chosen_metrics: Mapping[str, metrics.Metric]) -> Dataset:
    """The data, with a warning where a person's own answers have signs or points that the metrics leave out."""
    kinds = dict.fromkeys(metric.signature.partition("|")[0] for metric in chosen_metrics.values())
    words = [name for name in kinds if name in ("f1", "exact_match")]
    if not words or "numeric_match" in kinds or data.layout not in ("", "rows", "folder", "forms"):
        return data
    ignore = "ignores" if len(words) == 1 else "ignore"
    text = (
        f"Some references contain a number with a sign or a decimal point, which {' and '.join(words)} {ignore} "
        "(3.5 equals 35). The metric numeric_match compares values."
    )

    def noted(example: Example) -> Example:
        if text not in data.warnings and not example.options and any(map(has_sign_or_point, example.references)):
            data.warnings.append(text)
        return example

    def part(number: int, count: int, limit: int | None) -> Iterator[tuple[int, Example]] | None:
        rows = data.part(number, count, limit)
        return rows and ((position, noted(example)) for position, example in rows)

    return replace(data, examples=lambda: (noted(example) for example in data.examples()), part=part)


def named_metrics(specs: MetricsSpec, declared: Iterable[str] = ()) -> dict[str, metrics.Metric]:
    """Metrics by the name they were given, or by their signature where they were given as objects or mappings.

    A name without arguments is the metric in the form that the task has `declared`: "f1" is "f1:unicode" in task `qa`.
    """
    forms = {name.partition(":")[0]: name for name in declared}
    several_specs = [specs] if isinstance(specs, (str, Mapping)) or not isinstance(specs, Iterable) else specs
    pairs = [(spec, metrics.get(forms.get(spec, spec) if isinstance(spec, str) else spec)) for spec in several_specs]
    return {str(spec) if isinstance(spec, str) else metric.signature: metric for spec, metric in pairs}


def run_metrics(specs: MetricsSpec, declared: Iterable[str] = ()) -> dict[str, metrics.Metric]:
    """The metrics of a run (`named_metrics`). Raises `UserError` for two different ones whose scores have one name."""
    metrics = named_metrics(specs, declared)
    check_names(metrics)
    return metrics


def default_evidence(given_names: Iterable[str], declared: Iterable[str]) -> frozenset[str]:
    """The metrics of what data may lack that a run has because its task declares them: of evidence, of abstention."""
    names, whole_names = frozenset(given_names), frozenset(declared)
    return whole_names & {*metrics.EVIDENCE_NAMES, "abstention"} if whole_names <= names else frozenset()


def check_names(named_metrics: Mapping[str, metrics.Metric]) -> None:
    """Raise `UserError` for two different metrics whose scores have one name."""
    names = [name.partition("|")[0] for name in dict.fromkeys(metric.signature for metric in named_metrics.values())]
    if twice_names := [name for name, count in Counter(names).items() if count > 1]:
        problem = f"two metrics give scores called {twice_names[0]}, and a run has one score of a name"
        raise UserError(f"{problem}: run with one; longdoc score METRIC PREDICTIONS REFERENCES gives the other's")
