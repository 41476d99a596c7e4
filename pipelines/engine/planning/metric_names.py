"""The metrics of a run by name, and the checks on them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from longdoc.errors import UserError
from pipelines import metrics, tasks
from pipelines.engine.planning.argument_types import MetricsSpec
from pipelines.engine.planning.reader import NO_READER
from pipelines.engine.planning.run_options import PlanOptions
from pipelines.metrics.numeric_match import has_sign_or_point
from pipelines.records import Example
from pipelines.sources import Dataset

CHOICE_METRIC = "exact_match"  # an output that names an option, by letter or text, is that option


def chosen_metrics(options: PlanOptions, task: tasks.Task) -> dict[str, metrics.Metric]:
    """The metrics of the options, else the task's; without a reader those that score the selection, evidence first."""
    if options["model"] != NO_READER:
        return run_metrics(options["metrics"] or task.metrics, task.metrics)
    given_metrics = run_metrics(options["metrics"], task.metrics) if options["metrics"] else {}
    if unscorable := [name for name, metric in given_metrics.items() if metric.target not in metrics.SELECTION_TARGETS]:
        raise UserError(f"{unscorable[0]} scores what a model writes, and model='none' writes nothing: leave one out")
    if given_metrics:
        return given_metrics
    declared = named_metrics((*metrics.EVIDENCE_NAMES, *task.metrics, "answer_recall"), task.metrics)
    selection_metrics = {
        name: metric for name, metric in declared.items() if metric.target in metrics.SELECTION_TARGETS
    }
    check_names(selection_metrics)
    return selection_metrics


def with_choices_first(
    by_name: Mapping[str, metrics.Metric], options: PlanOptions, data: Dataset
) -> Mapping[str, metrics.Metric]:
    """The metrics, `CHOICE_METRIC` first where people's own rows have options and `metrics` was not given.

    Where only some of the rows have options, the data get a warning.
    """
    choices = {name: metric for name, metric in by_name.items() if name.partition(":")[0] == CHOICE_METRIC}
    if options["metrics"] or not choices:
        return by_name
    counts = data.row_counts()
    if not counts.with_options:
        return by_name
    if counts.with_options < counts.rows:
        data.warnings.append(
            f"{counts.with_options:,} of {counts.rows:,} rows have options, so {CHOICE_METRIC} over all rows comes "
            "first; f1 scores the free answers of the other rows"
        )
    return choices | dict(by_name)


def with_number_warning(data: Dataset, by_name: Mapping[str, metrics.Metric]) -> Dataset:
    """The data, which get a warning where people's own answers have signs or points that the metrics ignore."""
    kinds = dict.fromkeys(metric.signature.partition("|")[0] for metric in by_name.values())
    word_metrics = [kind for kind in kinds if kind in ("f1", "exact_match")]
    if not word_metrics or "numeric_match" in kinds or data.layout not in ("", "rows", "folder", "forms"):
        return data
    ignore = "ignores" if len(word_metrics) == 1 else "ignore"
    warning = (
        f"Some references contain a number with a sign or a decimal point, which {' and '.join(word_metrics)} {ignore} "
        "(3.5 equals 35). The metric numeric_match compares values."
    )

    def checked(example: Example) -> Example:
        if warning not in data.warnings and not example.options and any(map(has_sign_or_point, example.references)):
            data.warnings.append(warning)
        return example

    def part(number: int, count: int, limit: int | None) -> Iterator[tuple[int, Example]] | None:
        rows = data.part(number, count, limit)
        return rows and ((position, checked(example)) for position, example in rows)

    return replace(data, examples=lambda: (checked(example) for example in data.examples()), part=part)


def named_metrics(specs: MetricsSpec, declared: Iterable[str] = ()) -> dict[str, metrics.Metric]:
    """Metrics by the name they were given, or by their signature where they were given as objects or mappings.

    A name without arguments is the metric in the form that the task has `declared`: "f1" is "f1:unicode" in task `qa`.
    """
    forms = {name.partition(":")[0]: name for name in declared}
    spec_list = [specs] if isinstance(specs, (str, Mapping)) or not isinstance(specs, Iterable) else specs
    pairs = [(spec, metrics.get(forms.get(spec, spec) if isinstance(spec, str) else spec)) for spec in spec_list]
    return {str(spec) if isinstance(spec, str) else metric.signature: metric for spec, metric in pairs}


def run_metrics(specs: MetricsSpec, declared: Iterable[str] = ()) -> dict[str, metrics.Metric]:
    """The metrics of a run (`named_metrics`). Raises `UserError` for two different ones whose scores have one name."""
    by_name = named_metrics(specs, declared)
    check_names(by_name)
    return by_name


def optional_metrics(names: Iterable[str], declared: Iterable[str]) -> frozenset[str]:
    """The metrics of evidence and of abstention in a run that has them by default, not because they were asked for.

    Data may lack what they need. `names` are all metrics of the run, `declared` those of its task.
    """
    defaults = frozenset(declared)
    return defaults & {*metrics.EVIDENCE_NAMES, "abstention"} if defaults <= frozenset(names) else frozenset()


def check_names(by_name: Mapping[str, metrics.Metric]) -> None:
    """Raise `UserError` for two different metrics whose scores have one name."""
    names = [name.partition("|")[0] for name in dict.fromkeys(metric.signature for metric in by_name.values())]
    if duplicates := [name for name, count in Counter(names).items() if count > 1]:
        problem = f"two metrics have scores called {duplicates[0]}, and a run can have only one of them"
        raise UserError(f"{problem}: leave one out; longdoc score METRIC PREDICTIONS REFERENCES computes the other")
