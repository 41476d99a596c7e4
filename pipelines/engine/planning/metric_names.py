"""The metrics of a run, by the names they were given."""

from collections import Counter
from collections.abc import Iterable, Mapping

from longdoc.errors import UserError
from longdoc.file_values import unmarked
from pipelines import metrics, tasks
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.engine.planning.options import RunOptions
from pipelines.engine.planning.reader import NO_READER
from pipelines.sources import Dataset

OF_SELECTIONS = (*metrics.OF_EVIDENCE, "answer_recall")
OF_CHOICES = "exact_match"  # an output that names an option, by letter or text, is that option


def chosen_metrics(options: RunOptions, task: tasks.Task) -> dict[str, metrics.Metric]:
    """The metrics that are asked for, else the task's; without a reader those of the selection, of evidence first."""
    if options.model != NO_READER:
        return run_metrics(options.metrics or task.metrics, task.metrics)
    given = run_metrics(options.metrics, task.metrics) if options.metrics else {}
    if wrong := [name for name, metric in given.items() if metric.target not in metrics.SELECTION_TARGETS]:
        raise UserError(f"{wrong[0]} scores what a model writes, and model='none' writes nothing: leave one out")
    if given:
        return given
    declared = named_metrics((*metrics.OF_EVIDENCE, *task.metrics, *OF_SELECTIONS), task.metrics)
    found = {name: metric for name, metric in declared.items() if metric.target in metrics.SELECTION_TARGETS}
    check_names(found)
    return found


def led_by_rows(
    chosen: Mapping[str, metrics.Metric], options: RunOptions, data: Dataset
) -> Mapping[str, metrics.Metric]:
    """The metrics with the one of choices first where a person's own rows have options, and nobody asked for metrics.

    Data of which a part has options get a warning that says so.
    """
    choices = {name: metric for name, metric in chosen.items() if name.partition(":")[0] == OF_CHOICES}
    if options.metrics or not choices:
        return chosen
    having, total = data.option_counts()
    if not having:
        return chosen
    if having < total:
        data.warnings.append(
            f"{having:,} of {total:,} rows have options: {OF_CHOICES} leads, over all rows; the others' answers are "
            "free text, which f1 scores"
        )
    return choices | dict(chosen)


def named_metrics(specs: MetricsSpec, declared: Iterable[str] = ()) -> dict[str, metrics.Metric]:
    """Metrics by the name they were given, or by their signature where they were given as objects or mappings.

    A name without arguments is the metric in the form that the task has `declared`: "f1" is "f1:unicode" in task `qa`.
    """
    forms = {name.partition(":")[0]: name for name in declared}
    several = [specs] if isinstance(specs, (str, Mapping)) or not isinstance(specs, Iterable) else specs
    pairs = [(spec, metrics.get(forms.get(spec, spec) if isinstance(spec, str) else spec)) for spec in several]
    return {unmarked(spec) if isinstance(spec, str) else metric.signature: metric for spec, metric in pairs}


def run_metrics(specs: MetricsSpec, declared: Iterable[str] = ()) -> dict[str, metrics.Metric]:
    """The metrics of a run (`named_metrics`). Raises `UserError` for two different ones whose scores have one name."""
    metrics = named_metrics(specs, declared)
    check_names(metrics)
    return metrics


def default_evidence(given: Iterable[str], declared: Iterable[str]) -> frozenset[str]:
    """The metrics of what data may lack that a run has because its task declares them: of evidence, of abstention."""
    names, whole = frozenset(given), frozenset(declared)
    return whole & {*metrics.OF_EVIDENCE, "abstention"} if whole <= names else frozenset()


def check_names(named: Mapping[str, metrics.Metric]) -> None:
    """Raise `UserError` for two different metrics whose scores have one name."""
    names = [name.partition("|")[0] for name in dict.fromkeys(metric.signature for metric in named.values())]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        problem = f"two metrics give scores called {twice[0]}, and a run has one score of a name"
        raise UserError(f"{problem}: run with one; longdoc score METRIC PREDICTIONS REFERENCES gives the other's")
