"""A disk that refuses: full, over its quota, read-only or broken, at every event of commands, and the command again.

From an event on (or at that one alone) the system refuses with an error. The command has to end with one line and exit
code 2, or to finish all the same; started again on a sound disk, it has to end with the files of an undisturbed one,
and to keep every line that its logs had.
"""

import errno
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.results import table as markdown
from pipelines.cli import main as cli
from pipelines.engine.recording import journal
from tests.attacks.faults.disk_model import Content, read
from tests.attacks.faults.file_events import Event, watched
from tests.attacks.faults.forked import MEMORY, Trial, trial, warmed
from tests.attacks.faults.power_cuts import LOGS, ROWS, _final

TITLE = "Disks that refuse"
SEED = 18
MOST = 10  # trials of a command and an error
GIVEN = "qa --data {data} --model extractive --chunker sentences --metric f1"
COMMANDS = {
    "run": [f"run {GIVEN} -k 1 --out run"],
    "run, resumed": [f"run {GIVEN} -k 1 --out run --limit 3", f"run {GIVEN} -k 1 --out run"],
    "ablate": [f"ablate {GIVEN} -k 1,2 --out grid"],
    "shards, merge": [
        f"run {GIVEN} -k 1 --out one --no-report --shard 1/2",
        f"run {GIVEN} -k 1 --out two --no-report --shard 2/2",
        "merge one two --out run",
    ],
    "score": [f"run {GIVEN} -k 1 --out run --no-report", "score run --metric exact_match --data {data}"],
}
WRITING = ("create", "write", "sync", "mkdir", "link", "truncate")
ERRORS = {  # by name: the error, and the kinds of event that are refused
    "full": (errno.ENOSPC, WRITING),
    "over quota": (errno.EDQUOT, WRITING),
    "read-only": (errno.EROFS, (*WRITING, "rename", "unlink", "rmdir", "chmod")),
    "broken at sync": (errno.EIO, ("sync",)),
    "broken": (errno.EIO, (*WRITING, "rename", "unlink")),
}
OUTCOMES = ("one line", "finished", "traceback", "other end")
AGAIN = ("identical", "other files", "lines lost", "refused or failed")
HEAD = ["command", "error", "trials", *OUTCOMES, *(f"again: {one}" for one in AGAIN)]


@dataclass(frozen=True)
class Refusal:
    """From which event on (counted from 0) what is refused, and whether later events are refused, too."""

    first: int
    error: str
    lasts: bool

    def before(self) -> Callable[[Event], None]:
        """What `watched` calls."""
        number, kinds = ERRORS[self.error]
        seen = refused = 0

        def check(event: Event) -> None:
            nonlocal seen, refused
            seen += 1
            if seen > self.first and event.kind in kinds and (self.lasts or not refused):
                refused += 1
                raise OSError(number, os.strerror(number), str(event.path))

        return check


def commands(lines: Sequence[str], data: Path, before: Callable[[Event], None] | None) -> Callable[[], int]:
    """What types command lines, one after the other; the first that fails ends it, with its exit code."""

    def work() -> int:
        journal.SYNC_SECONDS = 0.02
        os.environ["LONGDOC_CACHE"] = str(Path.cwd() / "cache")
        if before is None:
            return _typed(lines, data)
        with watched(Path.cwd(), before):
            return _typed(lines, data)

    return work


def _typed(lines: Sequence[str], data: Path) -> int:
    for line in lines:
        sys.argv = ["longdoc", *line.format(data=data).split()]
        try:
            cli.main()
        except SystemExit as ended:
            if ended.code:
                return int(ended.code)
    return 0


def ending(done: Trial) -> str:
    """How the commands ended on the disk that refused; one of `OUTCOMES`."""
    if done.error or "Traceback" in done.printed:
        return "traceback"
    if done.value == 0:
        return "finished"
    said = [line for line in done.printed.splitlines() if line.startswith("longdoc: ")]
    return "one line" if done.value in (1, 2) and said else "other end"  # 1: of an ablation some cells failed


def again(done: Trial, before: Content, after: Content, expected: Content) -> str:
    """What became of them on a sound disk; one of `AGAIN`."""
    if done.error or done.value != 0 or "Traceback" in done.printed:
        return "refused or failed"
    if _final(after) != _final(expected):
        return "other files"
    for path, data in before.items():
        kept = (after.get(path) or b"").split(b"\n")
        if path.endswith(LOGS) and data and path in after and any(line not in kept for line in data.split(b"\n")[:-1]):
            return "lines lost"
    return "identical"


def attack(lines: Sequence[str], error: str, folder: Path, most: int) -> tuple[Counter[str], list[str]]:
    """The trials of some command lines with one error: outcomes, and examples of bad ones."""
    chance = random.Random(f"{SEED} {lines} {error}")
    data = folder / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    seen: list[Event] = []
    warmed(lambda: _typed(lines, data))
    (folder / "whole").mkdir()
    counted = commands(lines, data, seen.append)
    whole = trial(lambda: (counted(), len(seen)), folder / "whole")
    if whole.value is None or whole.value[0]:
        raise AssertionError(whole)
    expected = read(folder / "whole")
    moments = [Refusal(number, error, lasts) for number in range(whole.value[1]) for lasts in (True, False)]
    found, examples = Counter[str](), []
    for number, refusal in enumerate(chance.sample(moments, min(most, len(moments)))):
        (place := folder / str(number)).mkdir()
        done = trial(commands(lines, data, refusal.before()), place)
        before = read(place)
        repeated = trial(commands(lines, data, None), place)
        ended, became = ending(done), again(repeated, before, read(place), expected)
        found.update(["trials", ended, became])
        if ended not in OUTCOMES[:2] or became != AGAIN[0]:
            what = done if ended not in OUTCOMES[:2] else repeated
            examples.append(f"{refusal}: {ended}, {became}: {(what.error or what.printed)[-1500:]}")
    return found, examples


def table(quick: bool) -> str:
    """The table; raises `SystemExit` where something was lost, or a traceback shown."""
    rows, bad = [], []
    for name, lines in COMMANDS.items():
        for error in ERRORS:
            with TemporaryDirectory(dir=MEMORY) as folder:
                found, examples = attack(lines, error, Path(folder), 4 if quick else MOST)
            rows.append([name, error, *(str(found[one]) for one in ("trials", *OUTCOMES, *AGAIN))])
            print(rows[-1], *examples[:1], flush=True)
            bad += [f"{name}, {error}, {one}" for one in examples]
    total = ["all", "", *(str(sum(int(row[place]) for row in rows)) for place in range(2, len(HEAD)))]
    text = markdown(HEAD, [*rows, total])
    if bad:
        raise SystemExit("\n".join([text, *bad[:20]]))
    return text
