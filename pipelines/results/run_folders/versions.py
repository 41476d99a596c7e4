"""The versions that a run's examples were made with, from the starts in its `run.json`.

A run that is resumed after an upgrade has examples of two versions. What counts is what may change an output: longdoc,
Python, the libraries, and whether a processor or a graphics card computed (its dtype is a part of the run's identity).
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from longdoc.messages import counted

ABSENT = "not installed"
UNKNOWN = "unknown"  # the version of longdoc at a start that `run.json` has lost


def versions_of_start(start: Mapping[str, Any]) -> dict[str, str]:
    """The versions that a start ran with: of longdoc, python and the libraries; and the kind of device, if known."""
    environment = start.get("environment", {})
    versions = {"longdoc": start.get("longdoc"), "python": environment.get("python")}
    device = environment.get("device")
    device_kind = (
        {"device": ", ".join(dict.fromkeys(value.partition(":")[0] for value in device.split(",")))} if device else {}
    )
    return {
        name: str(value) for name, value in (versions | dict(start.get("versions", {})) | device_kind).items() if value
    }


def count_examples(starts: Sequence[Mapping[str, Any]], used: Sequence[AbstractSet[int]]) -> dict[str, dict[str, int]]:
    """The number of examples by name and version of what made them. `used` has the numbers of each example's starts.

    An example that several starts worked on counts for the versions of each.
    """
    numbers = [number for number in set().union(*used) if number < len(starts)]
    order = sorted(numbers, key=lambda number: (starts[number].get("time", ""), number))
    versions_by_start = {number: versions_of_start(starts[number]) for number in order}
    counts: dict[str, dict[str, int]] = {}
    for name in dict.fromkeys(name for versions in versions_by_start.values() for name in versions):
        start_versions = {
            number: versions.get(name, _absent(versions)) for number, versions in versions_by_start.items()
        }
        counts[name] = dict.fromkeys(start_versions.values(), 0)
        for start_numbers in used:
            for version in {start_versions[number] for number in start_numbers if number in start_versions}:
                counts[name][version] += 1
    return counts


def _absent(versions: Mapping[str, str]) -> str:
    """The version of a library that a start does not name: unknown, or not installed."""
    return UNKNOWN if versions.get("longdoc") == UNKNOWN else ABSENT


def mixed_versions(counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The warning about a run whose examples were made with different versions; `counts` as from `count_examples`."""
    mixed = [f"{name} {_version_counts(versions)}" for name, versions in counts.items() if len(versions) > 1]
    return [f"mixed versions: {'; '.join(mixed)}"] if mixed else []


def _version_counts(versions: Mapping[str, int]) -> str:
    (first, count), *others = versions.items()
    return ", ".join([f"{first} ({counted(count, 'example')})", *(f"{version} ({n:,})" for version, n in others)])
