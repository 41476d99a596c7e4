"""A run's folder whose `run.json` is damaged: what in it can still be used, and what is put aside.

The log of requests can: its keys are digests of reader, prompt and decoding, whichever run they are of. The journal
and the final files cannot, since only `run.json` says of which run they are: they are kept under other names, and the
run makes them again from the logged replies.
"""

from collections.abc import Iterable
from pathlib import Path

from longdoc.files import sync_folder
from pipelines.engine.recording.damaged_copies import keep_copy
from pipelines.engine.recording.lines import Record
from pipelines.engine.recording.starts import LOST_VALUES, Start, start_of

ASIDE_NAMES = ("journal.jsonl", "predictions.jsonl", "scores.json")


def put_aside(folder: Path, reason: str) -> str:
    """Keep `run.json` as it is under a further name, and what belongs to it under other names. What was done, in words.

    `run.json` itself stays until it is replaced, so that a kill leaves a folder that this can be done to again.
    """
    kept_names = [keep_copy(folder / "run.json").name]
    for name in ASIDE_NAMES:
        if (file := folder / name).is_file():
            kept_names.append(keep_copy(file).name)
            file.unlink()
    sync_folder(folder)
    remedy = "it is made anew, and the rest from the logged replies, whose versions are not known any more"
    return f"run.json is damaged ({reason}): {remedy}; the files as they were are kept as {', '.join(kept_names)}"


def lost_starts(records: Iterable[Record]) -> list[Start]:
    """As many starts as the lines of a log name: when and with what they were made is not known any more."""
    return [LOST_VALUES] * (1 + max(map(start_of, records), default=-1))
