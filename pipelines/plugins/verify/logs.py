"""Read the logs of a run without repairing them, so that a folder is verified without writing to it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from longdoc.messages import counted
from pipelines.engine.recording import request_log
from pipelines.engine.recording.finished_examples import check_finished
from pipelines.engine.recording.lines import Check as CheckRecord
from pipelines.engine.recording.lines import Record, lines
from pipelines.plugins.verify.check import Check

REQUESTS, JOURNAL = "requests.jsonl", "journal.jsonl"
MAX_SHOWN = 5  # line numbers that are named


class ReadLog:
    """A log with its intact records in memory, by number. `check` says whether lines are damaged.

    A last line that was cut off by a kill does not count as damage.
    """

    def __init__(self, path: Path, check: CheckRecord) -> None:
        self.records: list[Record] = []
        damaged: list[int] = []
        count = 0
        for line in lines(path, check):
            count = line.number
            self.records += [record for _, record in line.records]
            if line.state in ("damaged", "repaired"):
                damaged.append(line.number)
        if not path.is_file():
            self.check = Check(path.name, "not checked", "there is none")
        elif damaged:
            numbers = ", ".join(map(str, damaged[:MAX_SHOWN])) + (" …" if len(damaged) > MAX_SHOWN else "")
            note = (
                f"damaged: line {numbers}; start the same run again, which leaves them out and makes lost records anew"
            )
            self.check = Check(path.name, "differs", f"{len(damaged):,} of {counted(count, 'line')}", (note,))
        else:
            self.check = Check(path.name, "agrees", f"{counted(count, 'line')} with their checksums")

    def entries(self) -> Iterable[tuple[int, Record]]:
        """The records with their numbers."""
        return enumerate(self.records)

    def read(self, position: int) -> Record:
        """The record with a number."""
        return self.records[position]

    def append(self, record: Mapping[str, Any]) -> None:
        """Refuse: nothing is asked, so there is no reply to write."""
        raise AssertionError("a folder that is verified is not written to")


def requests_of(folder: Path) -> ReadLog:
    """The log of a run's replies."""
    return ReadLog(folder / REQUESTS, request_log.check)


def journal_of(folder: Path) -> ReadLog:
    """The log of a run's finished examples; the last record of an example counts."""
    return ReadLog(folder / JOURNAL, check_finished)
