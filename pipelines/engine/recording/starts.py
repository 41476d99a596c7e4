"""The starts of a run, as `starts` in its `run.json`: lines of the logs name them by their number, from 0."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pipelines.results.run_folders.versions import UNKNOWN, versions_of_start

Start = Mapping[str, Any]
LOST_VALUES: Start = {"longdoc": UNKNOWN}  # a start that `run.json` has lost


def start_of(record: Mapping[str, Any]) -> int:
    """The number of the start that wrote a line."""
    number: int = record.get("start", 0)
    return number


def last_start(record: Mapping[str, Any]) -> int:
    """The number of the latest start that a line names, as its own or as that of a reply or of a row."""
    named_numbers: list[int] = [start_of(record), *record.get("reply_starts", ()), *record.get("rows", {}).values()]
    return max(named_numbers)


class Starts:
    """The starts `known` so far and the present one, whose number is `now`. `changed` records them."""

    def __init__(self, known_entries: Sequence[Start], present: Start, changed: Callable[[], None]) -> None:
        self.all: list[Start] = [*known_entries, present]
        self.now = len(known_entries)
        self._changed = changed
        self._others_values: dict[
            int, tuple[Start, int]
        ] = {}  # starts of other runs, by identity, with their numbers here

    def add_dropped(self, requests: int) -> None:
        """Record requests of the present start whose replies an interrupt did not wait for."""
        present = self.all[self.now]
        self.all[self.now] = {**present, "dropped": present.get("dropped", 0) + requests}
        self._changed()

    def get(self, number: int) -> Start:
        """A start by its number; an empty one where `run.json` has lost it."""
        return self.all[number] if number < len(self.all) else {}

    def number_of(self, start: Start) -> int:
        """The number here of a start of another run, whose reply this run logs too.

        It is the present one where the versions are equal; else the start is added.
        """
        if id(start) not in self._others_values:
            self._others_values[id(start)] = start, self._number_of(start)
        return self._others_values[id(start)][1]

    def _number_of(self, start: Start) -> int:
        versions = versions_of_start(start)
        numbers: list[int] = [self.now, *range(len(self.all))]
        for number in numbers:
            if versions_of_start(self.all[number]) == versions:
                return number
        self.all.append(start)
        self._changed()
        return len(self.all) - 1
