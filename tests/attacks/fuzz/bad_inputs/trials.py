"""Each bad input in a process of its own, forked from one that has imported the command line."""

import os
import re
import resource
import shlex
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

SECONDS = 30.0  # that a refusal may take on a busy machine
MEGABYTES = 400.0  # by which it may raise the memory of the process: a file of 64 MB is read twice
MAX_MESSAGE = 1500  # characters of a message
NEXT_STEP = re.compile(
    r"--\w|longdoc |did you mean|known:|give |giving|type:|choose|leave|pass |name |fetch|see |there:|accepted|Accepted|needs|"
    r"write |take|unpack|rename|save|must be|drop|set |start |copy|put |cut |train|add |pip install|be like|make |use |at most|"
    r"are for|is for|reads|remove|move it|at least|spell|expected|only|one of|wait|missing|belong|the columns|at character|is base_url|as in: |forms: |settings need|is read here:"
)  # fmt: skip
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Case:
    """A command: its words, `@out` standing for a path that is free; what it may end with; a damage done before.

    `damage` is given the folder of a copy of `runs/good`, which `@run` stands for.
    """

    group: str
    words: tuple[str, ...]
    codes: tuple[int, ...] = (2,)
    damage: Callable[[Path], object] | None = None
    shown: str = ""
    stdin: bytes = b""


@dataclass(frozen=True)
class Trial:
    """What a case did."""

    case: Case
    code: int | str
    out: str
    error: str
    seconds: float
    megabytes: float

    @property
    def message(self) -> str:
        """The last line on stderr, else the first on stdout."""
        messages = [line for line in self.error.strip().splitlines() if not line.startswith("longdoc: kept: ")]
        return messages[-1].removeprefix("longdoc: ") if messages else next(iter(self.out.strip().splitlines()), "")

    @property
    def problems(self) -> list[str]:
        """What is wrong with it; nothing for an input that is refused as it should be."""
        problems = []
        if self.code not in self.case.codes:
            problems.append(f"exit code {self.code}")
        if "Traceback" in self.error + self.out:
            problems.append("traceback")
        if CONTROL.search(self.error + self.out):
            problems.append("control characters")
        if self.code == 2:
            is_ours = self.case.words[:2] != ("bridge", "lm-eval")  # which writes lines of its own
            problems += _problems_of_message(self.error if is_ours else self.error.strip().splitlines()[-1])
        if self.code == 2 and self.seconds > SECONDS:
            problems.append(f"{self.seconds:.0f} s")
        if self.code == 2 and self.megabytes > MEGABYTES:  # else it is the memory of work that was asked for
            problems.append(f"{self.megabytes:.0f} MB")
        return problems


def _problems_of_message(error: str) -> list[str]:
    messages = [line for line in error.strip().splitlines() if not line.startswith("longdoc: kept: ")]  # how to go on
    if not messages or not messages[-1].startswith("longdoc: "):
        return ["no message"]
    if len(messages) > 1:
        return [f"{len(messages)} lines"]
    problems = ["too long"] if len(messages[0]) > MAX_MESSAGE else []
    return problems if NEXT_STEP.search(messages[0]) else [*problems, "does not say what to do"]


def attempt(case: Case, world: Path, number: int) -> Trial:
    """Run a case in a forked process."""
    words = _words(case, world, number)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error, tempfile.TemporaryFile() as input_file:
        input_file.write(case.stdin)
        input_file.seek(0)
        begun, before = time.monotonic(), _resident()
        child = os.fork()
        if not child:
            _run(words, world, input_file.fileno(), out.fileno(), error.fileno())
        code, usage = _wait(child, begun)
        texts = []
        for file in (out, error):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "backslashreplace"))
        seconds = time.monotonic() - begun
        return Trial(case, code, *texts, seconds, max(0.0, usage.ru_maxrss / 1024 - before))


def _words(case: Case, world: Path, number: int) -> list[str]:
    run = f"runs/damaged-{number}"
    if case.damage is not None:
        import shutil

        shutil.copytree(world / "runs/good", world / run)
        case.damage(world / run)
    return [word.replace("@out", f"outs/{number}").replace("@run", run) for word in case.words]


def _run(words: Sequence[str], world: Path, input_descriptor: int, out: int, error: int) -> None:
    """The child: the command line as a process has it."""
    code: object = 1
    try:
        os.setsid()
        for source, place in ((input_descriptor, 0), (out, 1), (error, 2)):
            os.dup2(source, place)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(
                os.dup(place),
                "r" if place == 0 else "w",
                encoding="utf-8",
                errors="surrogateescape" if place == 0 else "strict",
            )
            for place in range(3)
        )
        os.chdir(world)
        sys.argv = ["longdoc", *words]
        from longdoc.__main__ import main

        main()
        code = 0
    except SystemExit as exit_:
        code = 0 if exit_.code is None else exit_.code
    except BaseException:
        traceback.print_exc()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code if isinstance(code, int) else 1)


def _wait(child: int, begun: float) -> tuple[int | str, resource.struct_rusage]:
    """The exit code of a process, which is ended when it takes too long."""
    while True:
        ended_pid, status, usage = os.wait4(child, os.WNOHANG)
        if ended_pid:
            return (os.waitstatus_to_exitcode(status), usage)
        if time.monotonic() - begun > 4 * SECONDS:
            os.killpg(child, signal.SIGKILL)
            _, _, usage = os.wait4(child, 0)
            return "never", usage
        time.sleep(0.005)


def _resident() -> float:
    """MB of memory that this process has now, which a forked one begins with."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize() / (1 << 20)


def command_line(case: Case) -> str:
    """The command as one would type it."""
    return case.shown or "longdoc " + " ".join(map(_quoted, case.words))


def _quoted(word: str) -> str:
    plain = word.encode("utf-8", "backslashreplace").decode()
    plain = CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", plain.replace("\n", "\\n"))
    return shlex.quote(plain if len(plain) <= 70 else f"{plain[:60]}…({len(plain):,})")
