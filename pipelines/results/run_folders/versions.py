"""The versions that a run's examples were made with, from the starts in its `run.json`.

A run that is resumed after an upgrade has examples of two versions. What counts is what may change an output: longdoc,
Python, the libraries, and whether a processor or a graphics card computed (its dtype is a part of the run's identity).
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from longdoc.plurals import counted

ABSENT = "not installed"
UNKNOWN = "unknown"  # the version of longdoc at a start that `run.json` has lost


def versions_of_start(start: Mapping[str, Any]) -> dict[str, str]:
    """What a start ran with, by name: longdoc, python, the libraries, and the kind of device where there is one."""
    environment = start.get("environment", {})
    own_versions = {"longdoc": start.get("longdoc"), "python": environment.get("python")}
    device = environment.get("device")
    kind = (
        {"device": ", ".join(dict.fromkeys(value.partition(":")[0] for value in device.split(",")))} if device else {}
    )
    return {
        name: str(value) for name, value in (own_versions | dict(start.get("versions", {})) | kind).items() if value
    }


def count_examples(starts: Sequence[Mapping[str, Any]], used: Sequence[AbstractSet[int]]) -> dict[str, dict[str, int]]:
    """By name and version, the number of examples made with it. `used` has the numbers of each example's starts.

    An example that several starts had a part in counts for the versions of each.
    """
    numbers = [number for number in set().union(*used) if number < len(starts)]
    ordered_numbers = sorted(numbers, key=lambda number: (starts[number].get("time", ""), number))
    versions_by_start = {number: versions_of_start(starts[number]) for number in ordered_numbers}
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
    """What is said of a library that a start does not name."""
    return UNKNOWN if versions.get("longdoc") == UNKNOWN else ABSENT


def mixed_versions(counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """A warning about a run whose examples were made with different versions, as `count_examples` has them."""
    mixed = [f"{name} {_version_counts(versions)}" for name, versions in counts.items() if len(versions) > 1]
    return [f"mixed versions: {'; '.join(mixed)}"] if mixed else []


def _version_counts(versions: Mapping[str, int]) -> str:
    (first, count), *other_pairs = versions.items()
    return ", ".join([f"{first} ({counted(count, 'example')})", *(f"{version} ({n:,})" for version, n in other_pairs)])
