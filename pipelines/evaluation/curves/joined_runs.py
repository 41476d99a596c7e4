"""Runs of one recipe over several data, as of one length each, which are one system of a curve."""

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from longdoc.plurals import counted
from pipelines.evaluation.curves.systems import System
from pipelines.evaluation.score_predictions import distinct_names
from pipelines.records import Prediction
from pipelines.results.comparisons.runs import Rows
from pipelines.results.run_folders.run import Run

DIGEST = 12  # hexadecimal digits that tell data apart


def joined_runs(systems: Sequence[System]) -> list[System]:
    """Runs that differ in their data alone as one system each, in the order of their first runs; others as they are.

    Examples and documents are then called by their data, too, so that they pair between systems.
    """
    groups: dict[str, list[System]] = {}
    for system in systems:
        groups.setdefault(_recipe(system.rows.run), []).append(system)
    all_systems = [system for group in groups.values() for system in _systems_of(group)]
    names = distinct_names([system.name for system in all_systems], [system.rows.run.folder for system in all_systems])
    return [replace(system, name=name) for system, name in zip(all_systems, names, strict=True)]


def _recipe(run: Run) -> str:
    """What of a run decides its predictions and scores, but its data."""
    settings = {name: value for name, value in run.spec.items() if name != "data"}
    return json.dumps([settings, run.metrics], sort_keys=True, default=str)


def _data(run: Run) -> str:
    record = json.dumps(run.spec.get("data"), sort_keys=True, default=str)
    return sha256(record.encode()).hexdigest()[:DIGEST]


def _systems_of(group: Sequence[System]) -> Sequence[System]:
    """One system of runs over different data; the runs themselves where two are over the same."""
    data = [_data(system.rows.run) for system in group]
    if len(group) == 1 or len(set(data)) < len(group):
        return group
    first = group[0].rows.run
    predictions: list[Prediction] = []
    lengths: dict[str, float] = {}
    places: dict[str, tuple[float, ...]] = {}
    for key, system in zip(data, group, strict=True):
        predictions += [_with_data_name(prediction, key) for prediction in system.rows.run.predictions]
        lengths |= {_name(key, name): length for name, length in system.lengths.items()}
        places |= {_name(key, name): middles for name, middles in system.places.items()}
    names = {system.name for system in group}
    note = f"{counted(len(group), 'run')} of one recipe over other data, as one system"
    return [
        System(
            name=group[0].name if len(names) == 1 else first.recipe,
            rows=Rows(replace(first, loaded=tuple(predictions))),
            lengths=lengths,
            places=places,
            notes=(note, *dict.fromkeys(note for system in group for note in system.notes)),
        )
    ]


def _with_data_name(prediction: Prediction, data: str) -> Prediction:
    return replace(prediction, id=_name(data, prediction.id), document=_name(data, prediction.document))


def _name(data: str, name: str) -> str:
    return f"{data}:{name}"
