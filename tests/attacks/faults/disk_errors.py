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
from tests.attacks.faults.forked import MEMORY, Trial, trial, warm_up
from tests.attacks.faults.power_cuts import LOGS, ROWS, final_files

TITLE = "Disks that refuse"
SEED = 18
MAX_TRIALS = 10  # trials of a command and an error
OPTIONS = "qa --data {data} --model extractive --chunker sentences --metric f1"
COMMANDS = {
    "run": [f"run {OPTIONS} -k 1 --out run"],
    "run, resumed": [f"run {OPTIONS} -k 1 --out run --limit 3", f"run {OPTIONS} -k 1 --out run"],
    "ablate": [f"ablate {OPTIONS} -k 1,2 --out grid"],
    "shards, merge": [
        f"run {OPTIONS} -k 1 --out one --no-report --shard 1/2",
        f"run {OPTIONS} -k 1 --out two --no-report --shard 2/2",
        "runs merge one two --out run",
    ],
    "score": [f"run {OPTIONS} -k 1 --out run --no-report", "score run --metric exact_match --data {data}"],
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

    def make_check(self) -> Callable[[Event], None]:
        """What `watched` calls."""
        number, kinds = ERRORS[self.error]
        event_count = refused_count = 0

        def check(event: Event) -> None:
            nonlocal event_count, refused_count
            event_count += 1
            if event_count > self.first and event.kind in kinds and (self.lasts or not refused_count):
                refused_count += 1
                raise OSError(number, os.strerror(number), str(event.path))

        return check


def work_of(lines: Sequence[str], data: Path, before: Callable[[Event], None] | None) -> Callable[[], int]:
    """What types command lines, one after the other; the first that fails ends it, with its exit code."""

    def work() -> int:
        journal.SYNC_SECONDS = 0.02
        os.environ["LONGDOC_CACHE"] = str(Path.cwd() / "cache")
        if before is None:
            return run_lines(lines, data)
        with watched(Path.cwd(), before):
            return run_lines(lines, data)

    return work


def run_lines(lines: Sequence[str], data: Path) -> int:
    for line in lines:
        sys.argv = ["longdoc", *line.format(data=data).split()]
        try:
            cli.main()
        except SystemExit as exit_:
            if exit_.code:
                return int(exit_.code)
    return 0


def ending_of(result: Trial) -> str:
    """How the commands ended on the disk that refused; one of `OUTCOMES`."""
    if result.error or "Traceback" in result.printed:
        return "traceback"
    if result.value == 0:
        return "finished"
    messages = [line for line in result.printed.splitlines() if line.startswith("longdoc: ")]
    return "one line" if result.value in (1, 2) and messages else "other end"  # 1: of an ablation some cells failed


def outcome_again(result: Trial, before: Content, after: Content, expected: Content) -> str:
    """What became of them on a sound disk; one of `AGAIN`."""
    if result.error or result.value != 0 or "Traceback" in result.printed:
        return "refused or failed"
    if final_files(after) != final_files(expected):
        return "other files"
    for path, data in before.items():
        lines_after = (after.get(path) or b"").split(b"\n")
        if (
            path.endswith(LOGS)
            and data
            and path in after
            and any(line not in lines_after for line in data.split(b"\n")[:-1])
        ):
            return "lines lost"
    return "identical"


def attack(lines: Sequence[str], error: str, folder: Path, max_trials: int) -> tuple[Counter[str], list[str]]:
    """The trials of some command lines with one error: outcomes, and examples of bad ones."""
    chance = random.Random(f"{SEED} {lines} {error}")
    data = folder / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    events: list[Event] = []
    warm_up(lambda: run_lines(lines, data))
    (folder / "whole").mkdir()
    work_whole = work_of(lines, data, events.append)
    whole = trial(lambda: (work_whole(), len(events)), folder / "whole")
    if whole.value is None or whole.value[0]:
        raise AssertionError(whole)
    expected = read(folder / "whole")
    moments = [Refusal(number, error, lasts) for number in range(whole.value[1]) for lasts in (True, False)]
    counts, examples = Counter[str](), []
    for number, refusal in enumerate(chance.sample(moments, min(max_trials, len(moments)))):
        (place := folder / str(number)).mkdir()
        result = trial(work_of(lines, data, refusal.make_check()), place)
        before = read(place)
        repeated = trial(work_of(lines, data, None), place)
        ending, outcome = ending_of(result), outcome_again(repeated, before, read(place), expected)
        counts.update(["trials", ending, outcome])
        if ending not in OUTCOMES[:2] or outcome != AGAIN[0]:
            trial_to_show = result if ending not in OUTCOMES[:2] else repeated
            examples.append(f"{refusal}: {ending}, {outcome}: {(trial_to_show.error or trial_to_show.printed)[-1500:]}")
    return counts, examples


def table(quick: bool) -> str:
    """The table; raises `SystemExit` where something was lost, or a traceback shown."""
    rows, bad = [], []
    for name, lines in COMMANDS.items():
        for error in ERRORS:
            with TemporaryDirectory(dir=MEMORY) as folder:
                counts, examples = attack(lines, error, Path(folder), 4 if quick else MAX_TRIALS)
            rows.append([name, error, *(str(counts[outcome_name]) for outcome_name in ("trials", *OUTCOMES, *AGAIN))])
            print(rows[-1], *examples[:1], flush=True)
            bad += [f"{name}, {error}, {example}" for example in examples]
    total = ["all", "", *(str(sum(int(row[place]) for row in rows)) for place in range(2, len(HEAD)))]
    text = markdown(HEAD, [*rows, total])
    if bad:
        raise SystemExit("\n".join([text, *bad[:20]]))
    return text
