"""Whether a published score is comparable with a run's: same split, same examples, same metric.

The examples are the benchmark's if the data had the layout of its files, or of the originals that they were made from,
and if their number is that in its paper. A split that was run as a whole may be off by 1%: the hub's file of VLSP has
478 papers, and Table 1 of MuLD counts 482.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from longdoc.messages import counted
from pipelines import metrics, tasks
from pipelines.results.leaderboards.published import PublishedRow
from pipelines.results.run_folders.record import signature_suffix
from pipelines.results.run_folders.run import Run

NEAR = 0.01  # of the examples that the paper counts
SPLIT_NOT_STATED = "the paper does not state the split"


@dataclass(frozen=True, slots=True)
class Sorted:
    """Published rows that are comparable with runs, and the others by the reason why not."""

    comparable: tuple[PublishedRow, ...] = ()
    other: dict[str, list[PublishedRow]] = field(default_factory=dict)


def sort_rows(rows: Iterable[PublishedRow], runs: Sequence[Run]) -> Sorted:
    """The rows sorted by whether they are comparable with all of the runs, which are of their task."""
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
    """Why a published score is not comparable with a run of its task; empty if it is."""
    if row.split is None:
        return SPLIT_NOT_STATED
    if row.split != run.split:
        return f"another split: {row.split} there, {run.split} here"
    return other_examples(run) or _other_metric(run, row)


def other_examples(run: Run) -> str:
    """Why a run's examples are not those of the benchmark's split; empty if they are."""
    info = tasks.all_tasks()[run.task].dataset
    expected, total = info.counts.get(run.split), len(run.predictions) + len(run.failures)
    if expected is None:
        return f"the number of examples of the split {run.split} is not known"
    is_whole = not run.part and abs(total - expected) <= NEAR * expected
    if total != expected and not is_whole:
        part = f" ({run.part})" if run.part else ""
        return f"{total:,} of {counted(expected, 'example')}{part}" if total < expected else _too_many(total, expected)
    if reason := _other_data(run):
        return reason
    if run.failures:
        return f"{len(run.failures):,} of {counted(total, 'example')} failed"
    unscored = sum(not prediction.references for prediction in run.predictions)
    return f"{unscored:,} of {total:,} examples have no references" if unscored else ""


def _too_many(number: int, expected: int) -> str:
    return f"{counted(number, 'example')}, where the benchmark has {expected:,}"


def _other_data(run: Run) -> str:
    """Why the data were not the benchmark's; empty if they were its files, or the originals of these."""
    info, layout = tasks.all_tasks()[run.task].dataset, run.data.get("layout")
    if run.spec.get("data", {}).get("repository") == info.repository or layout == info.layout:
        return ""
    if layout in info.originals:
        return f"other data: {info.originals_differ}" if info.originals_differ else ""
    if layout is None:
        return "the run does not say what its data were: start it again (it sends no new requests)"
    return "your own data"


def _other_metric(run: Run, row: PublishedRow) -> str:
    """Why a run's score was not computed by the task's own metric; empty if it was."""
    if row.metric not in run.scores:
        return f"no score {row.metric}"
    suffix, signature = signature_suffix(run.spec), run.scores.signatures.get(row.metric, "")
    if suffix and signature.endswith(suffix):
        return "a prompt in our own words"
    own_signatures = {metrics.get(name).signature for name in tasks.all_tasks()[run.task].metrics}
    return "" if signature in own_signatures else f"{row.metric} with other settings"
