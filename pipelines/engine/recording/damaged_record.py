"""A run's folder whose `run.json` is damaged: which files can still be used, and which are put aside.

The log of requests can be used: its keys are digests of reader, prompt and decoding, whatever the run. The journal and
the final files cannot, since only `run.json` says which run they belong to: they are kept under other names, and the
run makes them again from the logged replies.
"""

from collections.abc import Iterable
from pathlib import Path

from longdoc.files import sync_folder
from pipelines.engine.recording.damaged_copies import keep_copy
from pipelines.engine.recording.lines import Record
from pipelines.engine.recording.starts import LOST_START, Start, start_of

DEPENDENT_FILES = ("journal.jsonl", "predictions.jsonl", "scores.json")  # of no use without `run.json`


def put_aside(folder: Path, reason: str) -> str:
    """Keep `run.json` under another name as well, and move the files that depend on it. Returns a message on it.

    `run.json` itself stays until it is replaced, so that after a kill this can be done again.
    """
    copies = [keep_copy(folder / "run.json").name]
    for name in DEPENDENT_FILES:
        if (file := folder / name).is_file():
            copies.append(keep_copy(file).name)
            file.unlink()
    sync_folder(folder)
    remedy = "it is written again, and the other files from the logged replies, whose versions are not known any more"
    return f"run.json is damaged ({reason}): {remedy}; the files as they were are kept as {', '.join(copies)}"


def lost_starts(records: Iterable[Record]) -> list[Start]:
    """As many starts as the lines of a log name; their times and versions are lost."""
    return [LOST_START] * (1 + max(map(start_of, records), default=-1))
