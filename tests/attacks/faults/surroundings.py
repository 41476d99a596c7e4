"""What is around a command: other processes at the same folder or cache, clocks that jump, pipes that close, no rights.

Each trial makes commands in copies of this process and says how they ended; what it must not be is an error.
"""

import errno
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.results import table as markdown
from models.encoders._cache import _store, cached_vectors
from pipelines.cli import main as cli
from tests.attacks.faults.disk_model import read
from tests.attacks.faults.file_events import Event, watched
from tests.attacks.faults.forked import MEMORY, Trial, start, trial, warm_up
from tests.attacks.faults.power_cuts import ROWS, final_files

TITLE = "Other processes, clocks, pipes, rights"
EXPLAINED = (
    "A start waits a second while another process is at its folder, then it is refused in one line. These runs take "
    "less than that on a quiet machine, so none is refused here; of longer ones (models) one process goes on "
    "and the others are refused. Typed again, the command ends with the files of an undisturbed run."
)
SEED = 18
ROUNDS = 4
AT_ONCE = 3
YEARS = 365.25 * 86_400
REFUSED = (  # what lines of a refused command say
    "another process", "wait for it", "start it again", "is not finished", "was replaced or removed while",
    "cannot be written there",
)  # fmt: skip

RUN = "run qa --data {data} --model extractive --chunker sentences --metric f1 -k 1 --out run"
SHARDS = [
    f"{RUN.replace('--out run', '--out one')} --shard 1/2",
    f"{RUN.replace('--out run', '--out two')} --shard 2/2",
]
ABLATE = "ablate qa --data {data} --model extractive --chunker sentences --metric f1 -k 1,2 --out run"


@dataclass(frozen=True)
class Case:
    """Command lines that are begun `together` after others were made `first`; then `last` has to end well."""

    name: str
    together: Sequence[str]
    last: str
    first: Sequence[str] = ()


TOGETHER = [
    Case("one run's folder", [RUN] * AT_ONCE, RUN),
    Case("one ablation", [ABLATE] * AT_ONCE, ABLATE),
    Case("one merge", ["runs merge one two --out run"] * AT_ONCE, "runs merge one two --out run", SHARDS),
    Case("a shard and the merge", [SHARDS[0], "runs merge one two --out run"], "runs merge one two --out run", SHARDS),
    Case("a run and its page", [RUN, "report run"], RUN, [RUN]),
    Case("a run and the list of runs", [RUN, "runs list . --json"], RUN, [RUN]),
    Case("a run and another metric", [RUN, "score run --metric exact_match"], RUN, [RUN]),
]


def run_command(line: str, data: Path) -> int:
    """Type a command; its exit code."""
    sys.argv = ["longdoc", *line.format(data=data).split()]
    try:
        cli.main()
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else 0
    return 0


def work_of(line: str, data: Path, before_run: Callable[[], None] = lambda: None) -> Callable[[], int]:
    """What types a command in a copy of this process, whose cache is in its working directory."""

    def work() -> int:
        os.environ["LONGDOC_CACHE"] = str(Path.cwd() / "cache")
        before_run()
        return run_command(line, data)

    return work


def ending_of(result: Trial) -> str:
    """How a command ended: "done", "refused" with a line, or what it must not be."""
    if result.error or result.code or "Traceback" in result.printed:
        return f"error: {result.error or result.printed}"
    if result.value == 0:
        return "done"
    refused = result.value == 2 and any(reason in result.printed for reason in REFUSED)
    return "refused" if refused else f"exit {result.value}: {result.printed}"


def endings_together(case: Case, folder: Path, data: Path, chance: random.Random) -> list[str]:
    """How the commands of a case ended, and whether the files are those of an undisturbed one in the end."""
    endings = []
    for name in ("whole", "shared"):
        (folder / name).mkdir()
        for line in case.first:
            result = trial(work_of(line, data), folder / name)
            if result.value != 0:
                raise AssertionError(result)
    trial(work_of(case.last, data), folder / "whole")
    children = []
    for number, line in enumerate(case.together):
        (place := folder / f"process-{number}").symlink_to(folder / "shared")
        children.append(start(work_of(line, data), place))
        time.sleep(chance.uniform(0, 0.1))
    endings += [ending_of(child.wait()) for child in children]
    last = ending_of(trial(work_of(case.last, data), folder / "shared"))
    is_same = final_files(files_of_run(folder / "shared")) == final_files(files_of_run(folder / "whole"))
    return [*endings, last if last != "done" else "in the end identical" if is_same else "in the end other files"]


def files_of_run(folder: Path) -> dict[str, bytes | None]:
    """The files of the folder `run`."""
    return read(folder / "run")


def vectors(folder: Path, data: Path, chance: random.Random) -> list[str]:
    """Processes that add vectors to one cache."""
    texts = [f"text {number}" for number in range(60)]

    def work() -> bool:
        os.environ["LONGDOC_CACHE"] = str(folder / "cache")
        _store.cache_clear()
        own_order = texts if os.getpid() % 2 else texts[::-1]
        vector_of_text = {text: np.full(8, float(text.split()[1]), np.float32) for text in texts}
        vectors_returned = [
            cached_vectors(
                {"name": "trial"},
                own_order[first : first + 7],
                lambda texts_asked: np.stack([vector_of_text[text] for text in texts_asked]),
            )
            for first in range(0, len(own_order), 7)
        ]
        return bool(
            np.array_equal(np.concatenate(vectors_returned), np.stack([vector_of_text[text] for text in own_order]))
        )

    children = []
    for number in range(AT_ONCE):
        (place := folder / f"process-{number}").mkdir()
        children.append(start(work, place))
    endings = [child.wait() for child in children]
    return ["done" if result.value is True and not result.printed else f"error: {result}" for result in endings]


def clocks(folder: Path, data: Path, chance: random.Random) -> list[str]:
    """Runs, a killed one that goes on, and a second start, while `time.time` jumps by years at every look."""
    (folder / "whole").mkdir()
    trial(work_of(RUN, data), folder / "whole")
    endings = []
    real = time.time
    clocks_by_name: dict[str, Callable[[], float]] = {
        "jumping": lambda: real() + chance.uniform(-50, 50) * YEARS,
        "of 1970": lambda: 1.0,
        "before 1970": lambda: -1.0e9,
        "backwards": lambda: real() - 10 * YEARS * time.monotonic() % 1e9,
    }
    for name, clock in clocks_by_name.items():

        def set_clock(clock: Callable[[], float] = clock) -> None:
            time.time = clock
            time.time_ns = lambda: int(clock() * 1e9)

        (place := folder / name).mkdir()
        first_run = trial(work_of(f"{RUN} --limit 3", data, set_clock), place)
        for path in place.rglob("*"):
            os.utime(path, (4e9, 4e9) if chance.random() < 0.5 else (1, 1))
        second_run = trial(work_of(RUN, data, set_clock), place)
        listing = trial(work_of("runs list . --json", data, set_clock), place)
        is_same = final_files(files_of_run(place)) == final_files(files_of_run(folder / "whole"))
        endings += [
            ending_of(first_run),
            ending_of(second_run),
            ending_of(listing),
            "in the end identical" if is_same else "in the end other files",
        ]
    return endings


def pipes(folder: Path, data: Path, chance: random.Random) -> list[str]:
    """Commands whose output nobody reads: from the start, or after some bytes."""
    endings = []
    for number, (line, read_first) in enumerate(
        (line, byte_count)
        for line in (RUN, "list components", "runs list .", "show run q1", "run --help")
        for byte_count in (0, 10)
    ):
        (place := folder / str(number)).mkdir()
        if line in ("runs list .", "show run q1"):
            trial(work_of(RUN, data), place)
        reading, writing = os.pipe()
        if not read_first:
            os.close(reading)

        def use_closed_pipe(writing: int = writing) -> None:
            os.dup2(writing, 1)
            sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)

        child = start(work_of(line, data, use_closed_pipe), place)
        os.close(writing)
        if read_first:
            os.read(reading, read_first)
            os.close(reading)
        endings.append(ending_of(child.wait()))
        if line == RUN:
            has_scores = (place / "run" / "scores.json").is_file()
            endings.append("in the end identical" if has_scores else f"no scores; {endings.pop()}")
    return endings


def rights(folder: Path, data: Path, chance: random.Random) -> list[str]:
    """Caches that nobody may write: a run goes on without them; and a finished run's folder, which is read."""
    (folder / "whole").mkdir()
    result = trial(work_of(RUN, data), folder / "whole")
    endings = [ending_of(result)]

    def with_refusals(refused_folder: Path) -> Callable[[], None]:
        def refuse(event: Event) -> None:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(event.path))

        def before_run() -> None:
            watched(refused_folder, refuse).__enter__()

        return before_run

    for line in (
        "runs list . --json",
        "show run q1",
        "analyze outputs run",
        "compare run run",
        "prompt qa q1 --data {data}",
    ):
        if line.startswith("prompt"):
            line += " --model extractive"
        endings.append(ending_of(trial(work_of(line, data, with_refusals(folder)), folder / "whole")))
    (place := folder / "cache only").mkdir()
    endings.append(ending_of(trial(work_of(RUN, data, with_refusals(place / "cache")), place)))
    is_same = final_files(files_of_run(place)) == final_files(files_of_run(folder / "whole"))
    return [*endings, "in the end identical" if is_same else "in the end other files"]


Attack = Callable[[Path, Path, random.Random], list[str]]
ATTACKS: dict[str, Attack] = {
    **{f"{AT_ONCE if case.together[0] == case.together[-1] or 'cache' in case.name else 2} processes: {case.name}":
       lambda folder, data, chance, case=case: endings_together(case, folder, data, chance) for case in TOGETHER},
    f"{AT_ONCE} processes: one cache of vectors": vectors,
    "clocks: jumping by years, of 1970, before 1970, backwards": clocks,
    "output nobody reads": pipes,
    "read-only caches and folders": rights,
}  # fmt: skip
ENDINGS = ("done", "refused", "in the end identical")


def attack(make: Attack, rounds: int, chance: random.Random) -> tuple[Counter[str], list[str]]:
    """Some rounds of an attack: how often each ending came, and what should not have come."""
    counts, bad = Counter[str](), []
    for _ in range(rounds):
        with TemporaryDirectory(dir=MEMORY) as name:
            data = Path(name) / "rows.jsonl"
            data.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
            (folder := Path(name) / "here").mkdir()
            endings = make(folder, data, chance)
        counts.update(ending if ending in ENDINGS else "else" for ending in endings)
        bad += [ending for ending in endings if ending not in ENDINGS]
    return counts, bad


def import_all() -> None:
    """Import what the commands need."""
    data = Path("rows.jsonl")
    data.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    for line in (
        RUN,
        ABLATE.replace("--out run", "--out grid"),
        *SHARDS,
        "runs merge one two --out merged",
        "runs list . --json",
    ):
        if code := run_command(line, data):
            raise SystemExit(code)


def table(quick: bool) -> str:
    """The table; raises `SystemExit` where something ended as it must not."""
    warm_up(import_all)
    chance, rows, losses = random.Random(SEED), [], []
    for name, make in ATTACKS.items():
        rounds = ROUNDS if "processes" in name and not quick else 1
        counts, bad = attack(make, rounds, chance)
        rows.append([name, str(rounds), *(str(counts[ending]) for ending in (*ENDINGS, "else"))])
        print(rows[-1], *bad[:1], flush=True)
        losses += [f"{name}: {ending[-1500:]}" for ending in bad]
    text = markdown(["what", "rounds", "commands done", "refused with a line", "identical in the end", "else"], rows)
    if losses:
        raise SystemExit("\n".join([text, *losses]))
    return f"{EXPLAINED}\n\n{text}"
