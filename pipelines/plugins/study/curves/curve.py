"""Scores over the length of the document or the place of the evidence, for systems beside each other.

A point is the score of the examples in one bin, with the bootstrap interval of that bin's documents (`bootstrap`).
From these follow how long a document may be for a system to keep a share of its first score, and from which length on
one system beats another (`pipelines.plugins.study.statistics.curves`). Liu et al. 2024 ("Lost in the middle") plot
scores over the place of the evidence, Hsieh et al. 2024 (RULER) call a length effective up to which a score is kept.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chunkers.shared import units
from longdoc.arguments import checks_names
from longdoc.errors import UserError, unknown
from longdoc.messages import counted
from pipelines import metrics, tasks
from pipelines.display.interval_notes import grouped_reasons
from pipelines.plugins.study.analysis.data import tokenizer_unit
from pipelines.plugins.study.analysis.lengths import WHITE_SPACE
from pipelines.plugins.study.curves import axis as axes
from pipelines.plugins.study.curves.axis import POWERS, Bin, Bins
from pipelines.plugins.study.curves.bin_scores import BinScores, Ids
from pipelines.plugins.study.curves.curve_set import Axis, Curve, CurveSet
from pipelines.plugins.study.curves.joined_runs import joined_runs
from pipelines.plugins.study.curves.systems import System, systems_of_files, systems_of_runs
from pipelines.results.comparisons.runs import named_score
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES
from pipelines.statistics.sample import Floats

SHARE = 0.85  # of the first bin's score, as RULER's threshold is about 85%
PLACES = 5  # parts of the document
NAMED_LENGTHS = ("lengths are those in the files' names",)
PLACE: Axis = "place"
LENGTH: Axis = "length"


@checks_names
def curve(
    paths: str | Path | Sequence[str | Path],
    *,
    task: str | tasks.Task | None = None,
    data: Any = None,
    split: str | None = None,
    metric: str | None = None,
    over: str = LENGTH,
    bins: Bins | None = None,
    tokenizer: str = WHITE_SPACE,
    share: float = SHARE,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> CurveSet:
    """The curves of runs, of tables of conditions, or of files of predictions, over the length of the document.

    - `paths`: folders of finished runs, or of ablations and tables of conditions, whose runs are taken; runs of one
      recipe over data of several lengths are one curve; with `task` its benchmark's files of predictions, several
      lengths of one system being one curve. The first system is the one that the others are compared with: from which
      length on do they beat it?
    - `data`: of runs where the data are now; of files the benchmark's data, without which lengths are those in the
      files' names ("8k"). `split` is the data's.
    - `metric`: the score ("f1"); by default the first that is a mean over examples.
    - `over`: "length", or "place" for that of the gold evidence: an example counts wherever a piece of it is.
    - `bins`: "powers" of two, or how many bins of about as many documents each; of places how many equal parts (5).
    - `tokenizer`: what lengths are counted in: "white-space" for words, or a model.
    - `share`: how much of the first bin's score is to be kept, 0 to 1.
    - `level`, `resamples`, `seed`: of the bootstrap over documents.

    Raises `UserError`, among others where no lengths, or no evidence, are known.
    """
    _check(over, bins, share, level, resamples)
    all_paths = [paths] if isinstance(paths, (str, Path)) else list(paths)
    if not all_paths:
        raise UserError("there is nothing to draw: give runs' folders, or a task with its files of predictions")
    unit = units.Words() if tokenizer == WHITE_SPACE else tokenizer_unit(tokenizer)
    if task is None:
        if split is not None:
            raise UserError("split= is for a task's data: a run has its own split")
        systems = joined_runs(systems_of_runs(all_paths, data, unit))
    else:
        systems = systems_of_files(tasks.get(task), all_paths, _metrics(metric), data, split, unit)
    _check_tasks(systems)
    scorer = BinScores(_score_name(systems, metric), share, level, resamples, seed)
    if over == PLACE:
        return _place_curves(systems, scorer, PLACES if bins is None else int(bins))
    unit_name = "words" if tokenizer == WHITE_SPACE else f"tokens ({tokenizer})"
    return _length_curves(systems, scorer, POWERS if bins is None else bins, unit_name)


def _check(over: str, bins: Bins | None, share: float, level: float, resamples: int) -> None:
    if over not in (LENGTH, PLACE):
        raise unknown("axis", over, [LENGTH, PLACE])
    if bins is not None:
        axes.check_bins(bins)
    if over == PLACE and bins == POWERS:
        raise UserError("places are in equal parts of the document: give a number of bins, as in bins=5")
    if not 0 < share <= 1:
        raise UserError(f"share must be above 0 and at most 1, got {share}; 0.85 is usual")
    if not 0 < level < 1:
        raise UserError(f"level must be between 0 and 1, got {level}; 0.95 is usual")
    if resamples < 100:
        raise UserError(f"resamples must be at least 100, got {resamples}")


def _metrics(name: str | None) -> list[str] | None:
    """The metric of that name as a list; None, for the task's metrics, where the name is a score's or None."""
    return [name] if name is not None and name in metrics.names() else None


def _check_tasks(systems: Sequence[System]) -> None:
    names = sorted({system.rows.run.task for system in systems})
    if len(names) > 1:
        raise UserError(f"these are runs of several tasks ({', '.join(names)}): give runs of one task")


def _score_name(systems: Sequence[System], name: str | None) -> str:
    """The name of a score that all systems have, `name` being that of the score or its metric. Raises `UserError`."""
    shared_scores = [score for score in _scores(systems[0]) if all(score in _scores(system) for system in systems)]
    if not shared_scores:
        raise UserError("these systems have no score in common: give runs or files that were scored alike")
    rows = systems[0].rows
    if name is not None:
        return named_score(name, shared_scores, rows, rows.ids, "score")
    samples = [rows.sample(metric, rows.ids) for metric in rows.metrics]
    means = (
        score
        for score in shared_scores
        for sample in samples
        if score in sample.scores and sample.example_values(score) is not None
    )
    return next(means, shared_scores[0])


def _scores(system: System) -> Mapping[str, float]:
    """The scores of a system over all its examples."""
    return system.rows.scores(system.rows.ids)


def _length_curves(systems: Sequence[System], scorer: BinScores, bins: Bins, unit: str) -> CurveSet:
    """The curves of systems over the length of the document. Raises `UserError` where no length is known."""
    lengths = _document_lengths(systems)
    has_named_lengths = all(system.has_named_lengths for system in systems)
    length_bins = axes.value_bins(lengths) if has_named_lengths else _bins(lengths, bins)
    ids = [
        _ids_by_bin(system, {example_id: (length,) for example_id, length in system.lengths.items()}, length_bins)
        for system in systems
    ]
    middles = _middles(list(lengths.values()), length_bins)
    crossovers = [
        scorer.crossover(system, system_ids, systems[0], ids[0], middles)
        for system, system_ids in list(zip(systems, ids, strict=True))[1:]
        if len(length_bins) > 1
    ]
    missing_notes = _missing_notes(systems, [len(system.lengths) for system in systems], "length")
    return CurveSet(
        task=systems[0].rows.run.task,
        metric=scorer.score,
        axis=LENGTH,
        unit="tokens" if has_named_lengths else unit,
        share=scorer.share,
        bins=length_bins,
        middles=middles,
        curves=_curves(systems, ids, scorer, LENGTH),
        crossovers=crossovers,
        notes=[
            *_notes(systems),
            *missing_notes,
            *_one_bin_notes(lengths, length_bins),
            *NAMED_LENGTHS * has_named_lengths,
        ],
    )


def _document_lengths(systems: Sequence[System]) -> dict[str, float]:
    """The length of each document; an example that does not name its document counts as one of its own."""
    lengths = {
        system.rows.scored[example_id].document or f"{number}:{example_id}": length
        for number, system in enumerate(systems)
        for example_id, length in system.lengths.items()
    }
    if not lengths:
        raise UserError(
            f"the lengths of the documents of {systems[0].name} are not known: give the benchmark's data with their "
            "texts, data=PATH"
        )
    return lengths


def _bins(lengths: Mapping[str, float], bins: Bins) -> list[Bin]:
    return axes.power_bins(lengths) if isinstance(bins, str) else axes.quantile_bins(lengths, bins)


def _middles(lengths: Sequence[float], bins: Sequence[Bin]) -> list[float]:
    """The geometric mean of the lengths of each bin's documents: the axis is logarithmic."""
    numbers, all_lengths = axes.bin_numbers(lengths, bins), np.asarray(lengths, float)
    return [_geometric_mean(all_lengths[numbers == number]) for number in range(len(bins))]


def _geometric_mean(lengths: Floats) -> float:
    if np.ptp(lengths) == 0 or not lengths.min():
        return float(lengths[0])
    return float(np.exp(np.log(lengths).mean()))


def _one_bin_notes(lengths: Mapping[str, float], bins: Sequence[Bin]) -> list[str]:
    """A note where there is one bin alone, with what to do about it."""
    if len(bins) > 1:
        return []
    if len(set(lengths.values())) == 1:
        return ["all documents have the same length, so there is one bin"]
    return ["all documents are in one bin: bins=4 makes four of about as many documents each"]


def _place_curves(systems: Sequence[System], scorer: BinScores, count: int) -> CurveSet:
    """The curves over the place of the evidence."""
    if not any(system.places for system in systems):
        raise UserError(
            f"the place of the evidence for the questions of {systems[0].name} is not known: give the benchmark's data "
            "with gold evidence, data=PATH"
        )
    bins = axes.place_bins(count)
    ids = [_ids_by_bin(system, system.places, bins) for system in systems]
    missing_notes = _missing_notes(systems, [len(system.places) for system in systems], "place of the evidence")
    return CurveSet(
        task=systems[0].rows.run.task,
        metric=scorer.score,
        axis=PLACE,
        unit="",
        share=scorer.share,
        bins=bins,
        middles=[(part.low + part.high) / 2 for part in bins],
        curves=_curves(systems, ids, scorer, PLACE),
        notes=[*_notes(systems), *missing_notes, "an example counts in each bin that has a piece of its evidence"],
    )


def _curves(systems: Sequence[System], ids: Sequence[Sequence[Ids]], scorer: BinScores, axis: Axis) -> list[Curve]:
    return [scorer.curve(system, system_ids, axis == LENGTH) for system, system_ids in zip(systems, ids, strict=True)]


def _ids_by_bin(system: System, positions: Mapping[str, tuple[float, ...]], bins: Sequence[Bin]) -> list[Ids]:
    """The scored examples of a system in each bin, in the order of the run; `positions` are theirs on the axis."""
    ids: list[list[str]] = [[] for _ in bins]
    for example_id in system.rows.ids:
        for number in sorted(set(axes.bin_numbers(positions.get(example_id, ()), bins).tolist())):
            ids[number].append(example_id)
    return [tuple(bin_ids) for bin_ids in ids]


def _notes(systems: Sequence[System]) -> list[str]:
    """The notes on the systems' files, once where a note is the same for all."""
    notes = ((system.name, note) for system in systems for note in system.notes)
    return grouped_reasons(notes, [system.name for system in systems])


def _missing_notes(systems: Sequence[System], counts: Sequence[int], axis_name: str) -> list[str]:
    """For each system the number of examples without a value on the axis; `counts` are those that have one."""
    return [
        f"{system.name}: {counted(len(system.rows.ids) - count, 'example')} without a known {axis_name} left out"
        for system, count in zip(systems, counts, strict=True)
        if len(system.rows.ids) > count
    ]
