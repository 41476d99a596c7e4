"""One trial: a command killed once or more, started again to its end, and compared with an undisturbed one."""

import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from longdoc.errors import RepliesAwaited
from pipelines.engine.recording import lines
from tests.attacks.faults.killing.moments import RANDOM, Kill, count_moments

LOGS = ("requests.jsonl", "judge-*.jsonl")
MOMENTS, MODULES = "moments.json", "modules.json"
AWAITED = 3  # the exit code of a process that waits for the replies to batch files
SETTLED = 0.02  # seconds
FIELDS_OF_A_START = ("start", "reply_starts", "rows", "time", "cached")


@dataclass(frozen=True)
class Command:
    """What is killed: `work` is called in an empty folder, with the engine to use; a start of it again resumes.

    `under_way`: the most requests that can be asked whose replies are lost with the process. `engines`: those that it
    is started with, each time another. `prepare` is called once in the empty folder, and `provide` where a start ends
    with `RepliesAwaited`, before the next one; neither is killed. `not_compared`: patterns of files that are not.
    `kinds`: of moments at which a trial begins, all where none is named.
    """

    name: str
    work: Callable[[str], None]
    under_way: int
    engines: tuple[str, ...] = ("local:workers=1", "local", "local:workers=4")
    prepare: Callable[[], None] = lambda: None
    provide: Callable[[], None] = lambda: None
    not_compared: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Undisturbed:
    """What a command writes, asks and passes when nothing kills it."""

    files: Mapping[str, object]
    requests: Counter[str]
    moments: Mapping[str, int]
    seconds: float


@dataclass
class Trial:
    """What became of a command that was killed: the kinds of moments of its kills, and all that is wrong."""

    command: str
    kills: list[str] = field(default_factory=list)
    asked: int = 0
    repeated: int = 0
    problems: list[str] = field(default_factory=list)


class Place:
    """The folder of all trials: `trial` is where a command works, `asked.txt` has a line for each request."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.trial, self.asked_file = folder, folder / "trial", folder / "asked.txt"
        self.output = folder / "output.txt"

    def empty(self, command: Command) -> None:
        shutil.rmtree(self.trial, ignore_errors=True)
        self.trial.mkdir(parents=True)
        self.asked_file.unlink(missing_ok=True)
        self.output.unlink(missing_ok=True)
        (self.folder / MOMENTS).unlink(missing_ok=True)
        if self.start(command.prepare, None, keeps_moments=False) != 0:
            raise RuntimeError(self.output.read_text())
        self.asked_file.unlink(missing_ok=True)

    def to_the_end(self, command: Command, engine: str, kill: Kill | None = None) -> int:
        """Start a command until it waits for no reply any more. The signal or code that ended it."""
        while (code := self.start(lambda: command.work(engine), kill)) == AWAITED:
            if self.start(command.provide, None, keeps_moments=False) != 0:
                raise RuntimeError(self.output.read_text())
        return code

    def start(self, work: Callable[[], None], kill: Kill | None, keeps_moments: bool = True) -> int:
        """Run `work` in a process of its own: 0, AWAITED, 1 for an error, or less than 0 for a signal.

        `noted`: its moments are kept.
        """
        sys.stdout.flush()
        if (child := os.fork()) == 0:
            _run(work, self, kill, keeps_moments)
        if kill is not None and kill.kind == RANDOM:
            time.sleep(kill.seconds)
            os.kill(child, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def save_moments(self, moments: Counter[str]) -> None:
        """Keep what this process passed, of several the most of each kind, and what it imported."""
        file = self.folder / MOMENTS
        earlier = Counter(json.loads(file.read_text()) if file.exists() else {})
        file.write_text(json.dumps(earlier | moments))
        (self.folder / MODULES).write_text(json.dumps(sorted(sys.modules)))

    def import_modules(self) -> None:
        """Import what the latest process has imported, so that later ones need not."""
        for name in json.loads((self.folder / MODULES).read_text()):
            if name != "__main__":
                with suppress(ImportError):
                    import_module(name)

    def requests(self) -> Counter[str]:
        """How often each request has been asked."""
        size = -1
        while size != (size := self.asked_file.stat().st_size if self.asked_file.exists() else 0):
            time.sleep(SETTLED)  # a server may be about to note what was sent to it
        return Counter(self.asked_file.read_text().split() if size else [])

    def logged(self) -> int:
        """How many requests the logs have replies to."""
        files = [file for pattern in LOGS for file in self.trial.rglob(pattern)]
        return len({entry["key"] for file in files for entry in lines.records(file, lambda record: None)})


def undisturbed(command: Command, place: Place) -> Undisturbed:
    """The command from start to end."""
    place.empty(command)
    begun = time.monotonic()
    code = place.to_the_end(command, command.engines[0])
    seconds = time.monotonic() - begun
    if code != 0:
        raise RuntimeError(f"{command.name} ended with {code}:\n{place.output.read_text()}")
    moments = json.loads((place.folder / MOMENTS).read_text())
    place.import_modules()
    if keys_asked_twice := [key for key, times in place.requests().items() if times > 1]:
        raise RuntimeError(f"{command.name} asks {len(keys_asked_twice)} requests twice")
    return Undisturbed(_files(place.trial, command), place.requests(), moments, seconds)


def killed(command: Command, whole: Undisturbed, place: Place, kills: Sequence[Kill], chance: random.Random) -> Trial:
    """The command killed by each of `kills` in turn, as long as it comes so far, then started until it ends."""
    trial = Trial(command.name)
    place.empty(command)
    before, lost = place.requests(), 0
    for kill in [*kills, None]:
        code = place.to_the_end(command, chance.choice(command.engines), kill)
        requests = place.requests()
        repeated = requests.total() - len(requests) - (before.total() - len(before))
        if repeated > lost:
            trial.problems.append(f"{repeated} requests asked again, of {lost} that were under way")
        trial.repeated += repeated
        if code != -signal.SIGKILL:
            break
        trial.kills.append(kill.kind if kill is not None else "?")
        before, lost = requests, min(max(0, len(requests) - place.logged()), command.under_way)
    trial.asked = place.requests().total()
    if code != 0:
        trial.problems.append(f"ended with {code}: {place.output.read_text()[-2000:]}")
        return trial
    trial.problems += _differences(_files(place.trial, command), whole.files)
    if place.requests().keys() != whole.requests.keys():
        trial.problems.append("other requests were asked than in an undisturbed run")
    return trial


def any_kill(whole: Undisturbed, chance: random.Random) -> Kill:
    """A kill at any of the moments, each kind as likely as the others."""
    return kill_at(chance.choice([*sorted(whole.moments), RANDOM]), whole, chance)


def kill_at(kind: str, whole: Undisturbed, chance: random.Random) -> Kill:
    """A kill at one of the moments of a kind, with a part of a write."""
    if kind == RANDOM:
        return Kill(RANDOM, seconds=chance.random() * whole.seconds)
    return Kill(kind, chance.randrange(whole.moments[kind]), chance.choice((0.0, 0.0, chance.random(), 1.0)))


def _run(work: Callable[[], None], place: Place, kill: Kill | None, keeps_moments: bool) -> None:
    """The child's part: it never returns."""
    code = 1
    try:
        output = os.open(place.output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(output, 1)
        os.dup2(output, 2)
        sys.stdout = sys.stderr = os.fdopen(output, "w", buffering=1)
        os.chdir(place.trial)
        os.environ["LONGDOC_CACHE"] = str(place.trial / "cache")
        with count_moments(place.trial, kill) as moments:
            try:
                work()
                code = 0
            except RepliesAwaited:
                code = AWAITED
        if keeps_moments:
            place.save_moments(moments)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _files(folder: Path, command: Command) -> dict[str, object]:
    """The content of each file, of logs what does not depend on the starts."""
    contents: dict[str, object] = {}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_dir() or file.name == ".lock" or any(file.match(pattern) for pattern in command.not_compared):
            continue
        if file.name == "journal.jsonl" or any(file.match(pattern) for pattern in LOGS):
            contents[name] = _content(file)
        elif file.name == "run.json":
            record = json.loads(file.read_text(encoding="utf-8"))
            contents[name] = {key: record[key] for key in ("spec", "metrics", "shard", "merged") if key in record}
        elif file.name == "evidence.json":
            contents[name] = json.loads(file.read_text(encoding="utf-8")) | {"seconds": None}
        else:
            contents[name] = file.read_bytes()
    return contents


def _content(log: Path) -> list[str]:
    """The records of a log in any order, without what differs by start; damaged lines count as content."""
    records = []
    for line in lines.lines(log, lambda record: None):
        if line.state != "whole":
            records.append(f"line {line.number} is {line.state}")
        for _, record in line.records:
            records.append(
                json.dumps({name: record[name] for name in record if name not in FIELDS_OF_A_START}, sort_keys=True)
            )
    return sorted(records)


def _differences(contents: Mapping[str, object], expected: Mapping[str, object]) -> list[str]:
    missing = [f"{name} is missing" for name in expected if name not in contents]
    extra = [f"{name} was left behind" for name in contents if name not in expected]
    return (
        missing
        + extra
        + [f"{name} differs" for name in contents if name in expected and contents[name] != expected[name]]
    )
