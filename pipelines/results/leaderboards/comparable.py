"""Whether a published score may stand beside a run's: the same split, the same examples, the same metric.

The examples are the benchmark's where the data had the layout of its files, or of the originals that they are made of,
and the number of examples is that which its paper counts. A split that was run whole may be off by 1%: the hub's file
of VLSP has 478 papers where Table 1 of MuLD counts 482.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from longdoc.plurals import counted
from pipelines import metrics, tasks
from pipelines.results.leaderboards.published import PublishedRow
from pipelines.results.run_folders.record import signature_suffix
from pipelines.results.run_folders.run import Run

NEAR = 0.01  # of the examples that the paper counts
NOT_STATED_TEXT = "the paper does not state the split"


@dataclass(frozen=True, slots=True)
class Sorted:
    """Published rows that may stand beside runs, and the others by the reason why they may not."""

    comparable: tuple[PublishedRow, ...] = ()
    other: dict[str, list[PublishedRow]] = field(default_factory=dict)


def sort_rows(rows: Iterable[PublishedRow], runs: Sequence[Run]) -> Sorted:
    """The rows by whether they are comparable with all of the runs, which are of the rows' task."""
    comparable: list[PublishedRow] = []
    other: dict[str, list[PublishedRow]] = {}
    for row in rows:
        reason = next((reason for run in runs if (reason := difference_reason(run, row))), "")
        if reason:
            other.setdefault(reason, []).append(row)
        else:
            comparable.append(row)
    return Sorted(tuple(comparable), other)


def difference_reason(run: Run, row: PublishedRow) -> str:
    """Why a published score cannot stand beside a run of its task; empty where it can."""
    if row.split is None:
        return NOT_STATED_TEXT
    if row.split != run.split:
        return f"another split: {row.split} there, {run.split} here"
    return other_examples(run) or _other_metric(run, row)


def other_examples(run: Run) -> str:
    """How a run's examples are not those of the benchmark's split; empty where they are."""
    info = tasks.all_tasks()[run.task].dataset
    expected, number = info.counts.get(run.split), len(run.predictions) + len(run.failures)
    if expected is None:
        return f"how many examples the split {run.split} has is not known"
    is_whole = not run.part and abs(number - expected) <= NEAR * expected
    if number != expected and not is_whole:
        asked_text = f" ({run.part})" if run.part else ""
        return (
            f"{number:,} of {counted(expected, 'example')}{asked_text}"
            if number < expected
            else _more_text(number, expected)
        )
    if reason := _other_data(run):
        return reason
    if run.failures:
        return f"{len(run.failures):,} of {counted(number, 'example')} failed"
    unscored = sum(not prediction.references for prediction in run.predictions)
    return f"{unscored:,} of {number:,} examples have no references" if unscored else ""


def _more_text(number: int, expected: int) -> str:
    return f"{counted(number, 'example')}, where the benchmark has {expected:,}"


def _other_data(run: Run) -> str:
    """How the data were not the benchmark's; empty where they were its files, or the originals of these."""
    info, layout = tasks.all_tasks()[run.task].dataset, run.data.get("layout")
    if run.spec.get("data", {}).get("repository") == info.repository or layout == info.layout:
        return ""
    if layout in info.originals:
        return f"other data: {info.originals_differ}" if info.originals_differ else ""
    if layout is None:
        return "the run does not say what its data were: start it again, which asks nothing anew"
    return "data of one's own"


def _other_metric(run: Run, row: PublishedRow) -> str:
    """How a run's score was not computed as the task's own metrics do; empty where it was."""
    if row.metric not in run.scores:
        return f"no score {row.metric}"
    suffix, signature = signature_suffix(run.spec), run.scores.signatures.get(row.metric, "")
    if suffix and signature.endswith(suffix):
        return "a prompt in our own words"
    own_names = {metrics.get(name).signature for name in tasks.all_tasks()[run.task].metrics}
    return "" if signature in own_names else f"{row.metric} with other settings"
