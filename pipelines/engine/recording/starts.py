"""The starts of a run, as in `starts` of its `run.json`. Lines of the logs name them by number, from 0."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pipelines.results.run_folders.versions import UNKNOWN, versions_of_start

Start = Mapping[str, Any]
LOST_START: Start = {"longdoc": UNKNOWN}  # in place of a start that a damaged `run.json` has lost


def start_of(record: Mapping[str, Any]) -> int:
    """The number of the start that wrote a line."""
    number: int = record.get("start", 0)
    return number


def last_start(record: Mapping[str, Any]) -> int:
    """The number of the latest start that a line names: of the line, of its replies or of its rows."""
    numbers: list[int] = [start_of(record), *record.get("reply_starts", ()), *record.get("rows", {}).values()]
    return max(numbers)


class Starts:
    """The `earlier` starts of a run and the present one, whose number is `now`. `save` writes them to `run.json`."""

    def __init__(self, earlier: Sequence[Start], present: Start, save: Callable[[], None]) -> None:
        self.all: list[Start] = [*earlier, present]
        self.now = len(earlier)
        self._save = save
        self._numbers: dict[int, tuple[Start, int]] = {}  # by `id`: starts of other runs, their numbers here

    def add_dropped(self, requests: int) -> None:
        """Record requests of the present start whose replies an interrupt did not wait for."""
        present = self.all[self.now]
        self.all[self.now] = {**present, "dropped": present.get("dropped", 0) + requests}
        self._save()

    def get(self, number: int) -> Start:
        """The start of this number; an empty one where `run.json` has lost it."""
        return self.all[number] if number < len(self.all) else {}

    def number_of(self, start: Start) -> int:
        """The number in this run of a start of another run, whose reply this run logs too.

        It is the number of a start with equal versions, the present one first; if there is none, the start is added.
        """
        if id(start) not in self._numbers:
            self._numbers[id(start)] = start, self._number_of(start)
        return self._numbers[id(start)][1]

    def _number_of(self, start: Start) -> int:
        """The number of a start with the same versions, which is added if there is none."""
        versions = versions_of_start(start)
        numbers: list[int] = [self.now, *range(len(self.all))]
        for number in numbers:
            if versions_of_start(self.all[number]) == versions:
                return number
        self.all.append(start)
        self._save()
        return len(self.all) - 1
