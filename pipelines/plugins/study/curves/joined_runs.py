"""Joins runs of one recipe over several data sets, such as one for each length, to one system of a curve."""

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from longdoc.messages import counted
from pipelines.plugins.scoring.score_predictions import distinct_names
from pipelines.plugins.study.curves.systems import System, joined
from pipelines.results.run_folders.run import Run

DIGEST = 12  # hexadecimal digits that tell data apart


def joined_runs(systems: Sequence[System]) -> list[System]:
    """The systems with runs that differ in their data alone joined to one, in the order of their first runs.

    The names of joined examples and documents begin with a digest of their data, so that they pair between systems.
    """
    groups: dict[str, list[System]] = {}
    for system in systems:
        groups.setdefault(_recipe(system.rows.run), []).append(system)
    joined_systems = [system for group in groups.values() for system in _joined_group(group)]
    names = distinct_names(
        [system.name for system in joined_systems], [system.rows.run.folder for system in joined_systems]
    )
    return [replace(system, name=name) for system, name in zip(joined_systems, names, strict=True)]


def _recipe(run: Run) -> str:
    """The settings that decide a run's predictions and scores, apart from its data, as JSON."""
    settings = {name: value for name, value in run.spec.items() if name != "data"}
    return json.dumps([settings, run.metrics], sort_keys=True, default=str)


def _data_digest(run: Run) -> str:
    record = json.dumps(run.spec.get("data"), sort_keys=True, default=str)
    return sha256(record.encode()).hexdigest()[:DIGEST]


def _joined_group(group: Sequence[System]) -> Sequence[System]:
    """The group as one system; as it is where two of its runs are over the same data."""
    digests = [_data_digest(system.rows.run) for system in group]
    if len(group) == 1 or len(set(digests)) < len(group):
        return group
    names = {system.name for system in group}
    name = group[0].name if len(names) == 1 else group[0].rows.run.recipe
    return [
        joined(name, group, digests, [f"{counted(len(group), 'run')} of one recipe over other data, as one system"])
    ]
