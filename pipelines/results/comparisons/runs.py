"""Finished runs of the same examples: what makes them comparable, and how a figure of each can be trusted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from longdoc.errors import UserError
from longdoc.files import differences
from pipelines import metrics
from pipelines.records import Prediction
from pipelines.results.comparisons import bootstrap, paired
from pipelines.results.comparisons._sample import Sample, units
from pipelines.results.comparisons.bootstrap import LEVEL, RESAMPLES
from pipelines.results.comparisons.records import Difference, Interval
from pipelines.results.run_folders.finished import FinishedRun
from pipelines.results.run_folders.record import remark_of

Ids = tuple[str, ...]
_SHOWN = 160  # characters of a difference between two specs


@dataclass(frozen=True, slots=True)
class Compared:
    """A run among others: the interval of each figure, and how it differs from the baseline's (empty for itself)."""

    intervals: Mapping[str, Interval]
    differences: Mapping[str, Difference]


@dataclass(slots=True)
class Rows:
    """The rows of a run's metrics, ready to be drawn; `lacking` says which metrics have none, and why.

    A metric counts if every prediction with references has its row, as for the run's scores.
    """

    run: FinishedRun
    scored: dict[str, Prediction] = field(init=False)
    metrics: dict[str, Any] = field(init=False)
    lacking: dict[str, str] = field(default_factory=dict)
    _known: dict[tuple[str, Ids], Sample] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scored = {one.id: one for one in self.run.predictions if one.references}
        self.metrics = {}
        known, refused = metrics.recorded(self.run.folder / "run.json", self.run.spec["metrics"])
        for name in self.run.spec["metrics"]:
            if not all(name in one.statistics for one in self.scored.values()):
                self.lacking[name] = "it was not computed while the run ran"
            elif name in refused:
                self.lacking[name] = refused[name]
            elif self.scored:
                self.metrics[name] = known[name]

    @property
    def ids(self) -> Ids:
        """The examples that were scored."""
        return tuple(self.scored)

    def sample(self, name: str, ids: Ids) -> Sample:
        """The rows of one metric for some of the examples."""
        if (name, ids) not in self._known:
            rows = [self.scored[one].statistics[name] for one in ids]
            drawn = units(len(ids), [self.scored[one].document for one in ids])
            self._known[name, ids] = Sample(self.metrics[name], rows, drawn)
        return self._known[name, ids]

    def figures(self, ids: Ids) -> dict[str, float]:
        """The figures of some of the examples."""
        found: dict[str, float] = {}
        for name in self.metrics if ids else ():
            found |= self.sample(name, ids).figures
        return found


def of_runs(
    runs: Sequence[FinishedRun],
    baseline: int = 0,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Compared]:
    """Intervals of every run, and differences to the run number `baseline` with Holm's correction over the runs.

    Documents are drawn where there are two or more, and for all runs alike. Where examples failed, an interval is over
    those that the run has, a difference over those that both have. Raises `UserError` for runs that cannot be compared.
    """
    every = [Rows(run) for run in runs]
    for rows in every:
        check_comparable(every[baseline].run, rows.run)
    found = [
        Compared(
            intervals_of(rows, level, resamples, seed),
            {} if rows is every[baseline] else differences_of(every[baseline], rows, level, resamples, seed),
        )
        for rows in every
    ]
    return _corrected(found)


def intervals_of(rows: Rows, level: float, resamples: int, seed: int) -> dict[str, Interval]:
    """The interval of each figure of a run."""
    found: dict[str, Interval] = {}
    for name in rows.metrics:
        found |= bootstrap.of_sample(rows.sample(name, rows.ids), level, resamples, seed)
    return found


def differences_of(a: Rows, b: Rows, level: float, resamples: int, seed: int) -> dict[str, Difference]:
    """Each figure of `b` less that of `a`, over the examples that both have."""
    ids, found = common(a, b), dict[str, Difference]()
    for name in a.metrics if ids else ():
        if name in b.metrics:
            found |= paired.of_samples(a.sample(name, ids), b.sample(name, ids), level, resamples, seed)
    return found


def common(a: Rows, b: Rows) -> Ids:
    """The scored examples that both runs have. Raises `UserError` where one of them is not the same example."""
    ids = tuple(one for one in a.ids if one in b.scored)
    for one in ids:
        left, right = a.scored[one], b.scored[one]
        if (left.document, left.references) != (right.document, right.references):
            raise UserError(
                f"example {one} has other references in {b.run.folder} than in {a.run.folder}: these are runs of other "
                "data, or of data read otherwise, and cannot be compared"
            )
    return ids


def check_comparable(a: FinishedRun, b: FinishedRun) -> None:
    """Raise `UserError`, naming all that differs, where two runs are not of the same examples by the same rules."""
    if told := unlike(a, b):
        raise UserError(
            f"{a.folder} and {b.folder} cannot be compared, they differ in what must be alike: {'; '.join(told)}. "
            "Run one of them again as the other was run"
        )


def unlike(a: FinishedRun, b: FinishedRun) -> list[str]:
    """What of two runs' examples and rules differs."""
    decisive = ("task", "split", "limit", "sample", *(["seed"] if a.spec.get("sample") else []), "data")
    told = [line for name in decisive for line in differences(a.spec.get(name), b.spec.get(name), name)]
    left, right = _rules(a), _rules(b)
    told += [line for name in left if name in right for line in differences(left[name], right[name], f"metric {name}")]
    return [line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…" for line in told]


def _rules(run: FinishedRun) -> dict[str, str]:
    """The signatures without what they say of the prompt, which may differ."""
    return {name: rules.removesuffix(remark_of(run.spec)) for name, rules in run.signatures.items()}


def _corrected(found: Sequence[Compared]) -> list[Compared]:
    """The same with Holm's correction: for each figure over all runs that have a difference."""
    kept = [dict(one.differences) for one in found]
    for figure in dict.fromkeys(name for one in kept for name in one):
        places = [place for place, one in enumerate(kept) if figure in one]
        together = paired.holm([kept[place][figure] for place in places])
        for place, difference in zip(places, together, strict=True):
            kept[place][figure] = difference
    return [replace(one, differences=new) for one, new in zip(found, kept, strict=True)]
