"""The logs of a run as they lie there: nothing is repaired, so that a folder can be verified without writing to it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from longdoc.plurals import counted
from pipelines.engine.recording import request_log
from pipelines.engine.recording.finished_examples import check_finished
from pipelines.engine.recording.lines import Check as CheckRecord
from pipelines.engine.recording.lines import Record, lines
from pipelines.evaluation.verifying.check import Check

REQUESTS, JOURNAL = "requests.jsonl", "journal.jsonl"
MAX_SHOWN = 5  # line numbers that are named


class ReadLog:
    """A log whose whole records are in memory; their positions are their numbers. `check` is what was found of it.

    The last line may have been cut off by a kill, and is no damage.
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
            named_text = ", ".join(map(str, damaged[:MAX_SHOWN])) + (" …" if len(damaged) > MAX_SHOWN else "")
            note = (
                f"damaged: line {named_text}; the same run started again leaves them out, and makes what is lost anew"
            )
            self.check = Check(path.name, "differs", f"{len(damaged):,} of {counted(count, 'line')}", (note,))
        else:
            self.check = Check(path.name, "agrees", f"{counted(count, 'line')} with their checksums")

    def entries(self) -> Iterable[tuple[int, Record]]:
        """The records with their numbers."""
        return enumerate(self.records)

    def read(self, position: int) -> Record:
        """The record of a number."""
        return self.records[position]

    def append(self, record: Mapping[str, Any]) -> None:
        """Nothing is written, and nothing is asked whose reply could be."""
        raise AssertionError("a folder that is verified is not written to")


def requests_of(folder: Path) -> ReadLog:
    """The replies of a run."""
    return ReadLog(folder / REQUESTS, request_log.check)


def journal_of(folder: Path) -> ReadLog:
    """The finished examples of a run; of several of one example the last holds."""
    return ReadLog(folder / JOURNAL, check_finished)
