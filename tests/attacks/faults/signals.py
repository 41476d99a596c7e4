"""Ctrl-C and SIGTERM at random moments of commands: what is under way is finished, and nothing is asked again.

Each command runs in a copy of this process, gets the signal, is started again until it ends, and has to leave the
files of one that nothing disturbed. What was asked is counted at the reader.
"""

import json
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results import table as markdown
from pipelines.cli import main as cli
from tests.api_server import ApiServer, chat
from tests.attacks.faults.disk_model import read
from tests.attacks.faults.forked import Trial, started, warmed
from tests.attacks.faults.power_cuts import _final

TITLE = "Ctrl-C and SIGTERM"
SEED = 18
ROUNDS = 12  # starts of a command, until it ends by itself
ENDED = (0, 3)  # 3: batch files are written, and their replies awaited
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
HEAD = [
    "command", "signal", "signals", "exit code as said", "says how to go on", "identical in the end", "requests",
    "asked again",
]  # fmt: skip
ROWS = [
    {"id": f"q{n}", "document": " ".join(f"Room{n} holds {n} keys{'.' if m % 7 else ' and Anna.'}" for m in range(9)),
     "question": f"What does Room{n} hold?", "answer": f"{n}"}
    for n in range(12)
]  # fmt: skip


@dataclass(frozen=True)
class Command:
    """A command with `{data}`, `{bill}` and `{url}` in it; what it writes is below the working directory."""

    name: str
    typed: str
    replies: bool = True  # whether it logs any


DATA = "--data {data}"
ASKED = DATA + " --chunker sentences --metric f1 --no-report"
SLOW = "--model tests.attacks.faults.slow_reader:SlowReader:bill={bill} " + ASKED
API = "--model openai:m,base_url={url}/v1,concurrency=3 " + ASKED
COMMANDS = [
    Command("run, threads", f"run qa {SLOW} -k 2 --out out"),
    Command("run, processes", f"run qa {SLOW} -k 2 --out out --engine local:processes=1"),
    Command("run, map_reduce", f"run qa {SLOW} --retriever all --strategy map_reduce --out out"),
    Command("run, API", f"run qa {API} -k 2 --out out"),
    Command("ablate, API", f"ablate qa {API} -k 1,2 --out out"),
    Command("run, batch files", f"run qa {API} -k 2 --out out --engine batch:files", replies=False),
    Command(
        "several tasks",
        f"run qa,narrativeqa {SLOW} -k 2 --out out".replace(DATA, "--data qa={data} --data narrativeqa={data}"),
    ),
]


def typed(command: Command, folder: Path, url: str) -> Callable[[], None]:
    """What runs a command line in a copy of this process."""
    line = command.typed.format(data=folder / "rows.jsonl", bill=folder / "bill", url=url)

    def work() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["longdoc", *line.split()]
        cli.main()

    return work


def interrupted(
    command: Command, work: Callable[[], None], place: Path, number: signal.Signals, chance: random.Random
) -> Trial:
    """The trial of a command that gets a signal some moments after it has logged some replies."""
    before, more = _replies(place), chance.randint(0, 3) if command.replies else 0
    child = started(work, place)
    while _replies(place) < before + more and not child.ended():
        time.sleep(0.005)
    end = time.monotonic() + chance.uniform(0, 0.1 if more else 1.0 if command.replies else 0.3)
    while time.monotonic() < end and not child.ended():
        time.sleep(0.005)
    if not child.ended():
        os.kill(child.pid, number)
    return child.wait()


def _replies(place: Path) -> int:
    return sum(log.read_bytes().count(b"\n") for log in place.rglob("requests.jsonl"))


@dataclass
class Found:
    """What came of the signals to a command."""

    sent: int = 0
    codes: int = 0
    said: int = 0
    identical: bool = False
    requests: int = 0
    again: int = 0
    notes: str = ""

    @property
    def lost(self) -> bool:
        """Whether anything was not as it should be."""
        return not self.identical or self.again > 0 or self.codes < self.sent or self.said < self.sent

    def row(self) -> list[str]:
        """The cells of a table."""
        counts = [str(one) for one in (self.sent, self.codes, self.said)]
        return [*counts, "yes" if self.identical else "no", str(self.requests), str(self.again)]


def attack(command: Command, number: signal.Signals, folder: Path, chance: random.Random) -> Found:
    """Run a command undisturbed, and again with a signal at each start; what is asked is counted at both readers."""
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    os.environ.update(OPENAI_API_KEY="sk-1", NO_PROXY="127.0.0.1")
    server = ApiServer(lambda request, times: chat(request.prompt.split()[-1], wait=0.05))
    work = typed(command, folder, server.url)
    found = Found()
    try:
        for name in ("whole", "cut"):
            (folder / name).mkdir()
        warmed(work)
        (folder / "bill").unlink(missing_ok=True)
        server.received.clear()
        whole = started(work, folder / "whole").wait()
        if whole.code not in ENDED or whole.error:
            raise AssertionError(whole)
        undisturbed = asked_of(server, folder)
        (folder / "bill").unlink(missing_ok=True)
        server.received.clear()
        for again in range(ROUNDS):
            if again + 1 < ROUNDS:
                done = interrupted(command, work, folder / "cut", number, chance)
            else:
                done = started(work, folder / "cut").wait()
            if done.code in ENDED and not done.error:
                break
            if done.code == -number:  # it came before the command had begun
                continue
            found.sent += 1
            found.codes += done.code == CODES[number]
            found.said += bool(re.search(r"to continue: longdoc|to continue$", done.printed.strip()))
            if done.code != CODES[number] or "Traceback" in done.printed or done.error:
                found.notes = found.notes or f"{done.code}: {done.error or done.printed}"
        asked = asked_of(server, folder)
        found.requests, found.again = asked.total(), (asked - undisturbed).total()
        found.identical = _final(read(folder / "cut")) == _final(read(folder / "whole"))
    finally:
        server.close()
    return found


def asked_of(server: ApiServer, folder: Path) -> Counter[str]:
    """How often each prompt was asked, at the server and of the reader."""
    bill = folder / "bill"
    return Counter([*server.prompts, *(bill.read_text(encoding="utf-8").splitlines() if bill.exists() else ())])


def table(quick: bool, commands: Sequence[Command] = COMMANDS) -> str:
    """The table; raises `SystemExit` where something was lost."""
    chance, rows, lost = random.Random(SEED), [], []
    for command in commands:
        for number in (signal.SIGINT,) if quick else CODES:
            with tempfile.TemporaryDirectory() as folder:
                found = attack(command, number, Path(folder), chance)
            rows.append([command.name, number.name, *found.row()])
            print(rows[-1], found.notes, flush=True)
            if found.lost:
                lost.append(f"{command.name}, {number.name}: {found.notes}")
    text = markdown(HEAD, rows)
    if lost:
        raise SystemExit("\n".join([text, *lost]))
    return text
