"""Many trials, and the tables of what became of them."""

import os
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.results import table
from tests.attacks.faults.killing.moments import RANDOM
from tests.attacks.faults.killing.trial import Command, Place, Trial, any_kill, kill_at, killed, undisturbed

SEED = 1
EXTRA_KILLS = (0, 0, 1, 2)  # further kills of a trial
MAX_DRAWS = 3  # of a moment that the threads of a trial did not reach
HEAD = ["trials", "kills", "identical", "asked", "asked again", "losses"]


@dataclass
class _Sum:
    """Trials of one row."""

    trials: int = 0
    kills: int = 0
    losses: int = 0
    asked: int = 0
    repeated: int = 0

    def add(self, trial: Trial) -> None:
        self.trials += 1
        self.kills += len(trial.kills)
        self.losses += bool(trial.problems)
        self.asked += trial.asked
        self.repeated += trial.repeated

    def row(self, name: str) -> list[str]:
        cells = (self.trials, self.kills, self.trials - self.losses, self.asked, self.repeated, self.losses)
        return [name, *(f"{cell:,}" for cell in cells)]


@dataclass
class Sums:
    """All trials, by the moment of the first kill and by command."""

    by_moment: dict[str, _Sum] = field(default_factory=lambda: defaultdict(_Sum))
    by_command: dict[str, _Sum] = field(default_factory=lambda: defaultdict(_Sum))
    moments: Counter[str] = field(default_factory=Counter)
    all: _Sum = field(default_factory=_Sum)

    def add(self, trial: Trial) -> None:
        for total in (self.by_moment[trial.kills[0]], self.by_command[trial.command], self.all):
            total.add(trial)
        self.moments.update(trial.kills)


@contextmanager
def place_for_trials() -> Iterator[Place]:
    """A folder for trials, with the variables that a client of the paid server needs."""
    os.environ |= {"OPENAI_API_KEY": "sk-test", "NO_PROXY": "127.0.0.1"}
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        yield Place(Path(folder))


def tables(where: Place, commands: Sequence[Command]) -> str:
    """Kill each command at every kind of its moments. Raises `SystemExit` where anything is lost."""
    sums, problems = Sums(), []
    for trial in trials(where, commands):
        if trial.kills:
            sums.add(trial)
        problems += [f"{trial.command}, killed at {', '.join(trial.kills)}: {problem}" for problem in trial.problems]
    if problems:
        print(text(sums))
        raise SystemExit("\n".join(["kills lost something:", *problems]))
    return text(sums)


def trials(where: Place, commands: Sequence[Command]) -> Iterable[Trial]:
    """One trial for each of the commands and each kind of its moments."""
    for command in commands:
        chance = random.Random(f"{SEED} {command.name}")
        undisturbed(command, where)  # imports what the command needs, which takes seconds
        whole = undisturbed(command, where)
        print(f"{command.name}: {whole.seconds:.1f} s, {sum(whole.moments.values())} moments", flush=True)
        for kind in command.kinds or [*whole.moments, RANDOM]:
            for _ in range(MAX_DRAWS):
                extra_kills = [any_kill(whole, chance) for _ in range(chance.choice(EXTRA_KILLS))]
                trial = killed(command, whole, where, [kill_at(kind, whole, chance), *extra_kills], chance)
                if trial.kills or trial.problems:
                    if trial.problems:
                        print(trial, flush=True)
                    yield trial
                    break


def text(sums: Sums) -> str:
    moments = [
        [*sums.by_moment[kind].row(kind), f"{sums.moments[kind]:,}"]
        for kind in sorted(sums.moments, key=lambda kind: (-sums.moments[kind], kind))
    ]
    by_command = [sums.by_command[name].row(name) for name in sorted(sums.by_command)]
    return "\n\n".join(
        (
            f"{sums.all.kills:,} times SIGKILL in {sums.all.trials:,} trials, seed {SEED}: a command is killed once to "
            "three times, each time at another moment, and started again with another number of threads, processes or "
            "actors until it ends. A kill comes before a step, before a file is created, written to, forced to the "
            "disk or renamed, in the middle of a write, or at any instant. Identical: predictions, scores, pages, "
            "records and the replies in the logs are, byte for byte (without times and the numbers of starts), those "
            "of an undisturbed run, and nothing else is left behind. Asked: requests that reached a reader. Asked "
            "again: those among them that had been asked before, all of them under way when a kill came (at most a "
            "batch, or as many as are asked at once); a reply that was logged was never asked for again. Losses: "
            "trials that were not identical, did not end, or asked again for what was logged.",
            table(
                ["first kill at", *HEAD, "all kills there"], [*moments, [*sums.all.row("all"), f"{sums.all.kills:,}"]]
            ),
            table(["command", *HEAD], [*by_command, sums.all.row("all")]),
        )
    )
