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
from tests.attacks.faults.forked import Trial, start, warm_up
from tests.attacks.faults.power_cuts import final_files

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
    line: str
    replies: bool = True  # whether it logs any


DATA = "--data {data}"
OPTIONS = DATA + " --chunker sentences --metric f1 --no-report"
SLOW = "--model tests.attacks.faults.slow_reader:SlowReader:bill={bill} " + OPTIONS
API = "--model openai:m,base_url={url}/v1,concurrency=3 " + OPTIONS
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


def work_of(command: Command, folder: Path, url: str) -> Callable[[], None]:
    """What runs a command line in a copy of this process."""
    line = command.line.format(data=folder / "rows.jsonl", bill=folder / "bill", url=url)

    def work() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["longdoc", *line.split()]
        cli.main()

    return work


def run_interrupted(
    command: Command, work: Callable[[], None], place: Path, signal_sent: signal.Signals, chance: random.Random
) -> Trial:
    """The trial of a command that gets a signal some moments after it has logged some replies."""
    before, more_replies = _replies(place), chance.randint(0, 3) if command.replies else 0
    child = start(work, place)
    while _replies(place) < before + more_replies and not child.ended():
        time.sleep(0.005)
    end = time.monotonic() + chance.uniform(0, 0.1 if more_replies else 1.0 if command.replies else 0.3)
    while time.monotonic() < end and not child.ended():
        time.sleep(0.005)
    if not child.ended():
        os.kill(child.pid, signal_sent)
    return child.wait()


def _replies(place: Path) -> int:
    return sum(log.read_bytes().count(b"\n") for log in place.rglob("requests.jsonl"))


@dataclass
class Results:
    """What came of the signals to a command."""

    sent: int = 0
    codes: int = 0
    said_how_to_go_on: int = 0
    identical: bool = False
    requests: int = 0
    asked_again: int = 0
    notes: str = ""

    @property
    def has_lost(self) -> bool:
        """Whether anything was not as it should be."""
        return (
            not self.identical or self.asked_again > 0 or self.codes < self.sent or self.said_how_to_go_on < self.sent
        )

    def row(self) -> list[str]:
        """The cells of a table."""
        counts = [str(count) for count in (self.sent, self.codes, self.said_how_to_go_on)]
        return [*counts, "yes" if self.identical else "no", str(self.requests), str(self.asked_again)]


def attack(command: Command, signal_sent: signal.Signals, folder: Path, chance: random.Random) -> Results:
    """Run a command undisturbed, and again with a signal at each start; what is asked is counted at both readers."""
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    os.environ.update(OPENAI_API_KEY="sk-1", NO_PROXY="127.0.0.1")
    server = ApiServer(lambda request, times: chat(request.prompt.split()[-1], wait=0.05))
    work = work_of(command, folder, server.url)
    results = Results()
    try:
        for name in ("whole", "cut"):
            (folder / name).mkdir()
        warm_up(work)
        (folder / "bill").unlink(missing_ok=True)
        server.received.clear()
        whole = start(work, folder / "whole").wait()
        if whole.code not in ENDED or whole.error:
            raise AssertionError(whole)
        undisturbed = prompts_asked(server, folder)
        (folder / "bill").unlink(missing_ok=True)
        server.received.clear()
        for start_number in range(ROUNDS):
            if start_number + 1 < ROUNDS:
                trial_result = run_interrupted(command, work, folder / "cut", signal_sent, chance)
            else:
                trial_result = start(work, folder / "cut").wait()
            if trial_result.code in ENDED and not trial_result.error:
                break
            if trial_result.code == -signal_sent:  # it came before the command had begun
                continue
            results.sent += 1
            results.codes += trial_result.code == CODES[signal_sent]
            results.said_how_to_go_on += bool(
                re.search(r"to continue: longdoc|to continue$", trial_result.printed.strip())
            )
            if trial_result.code != CODES[signal_sent] or "Traceback" in trial_result.printed or trial_result.error:
                results.notes = results.notes or f"{trial_result.code}: {trial_result.error or trial_result.printed}"
        prompts = prompts_asked(server, folder)
        results.requests, results.asked_again = prompts.total(), (prompts - undisturbed).total()
        results.identical = final_files(read(folder / "cut")) == final_files(read(folder / "whole"))
    finally:
        server.close()
    return results


def prompts_asked(server: ApiServer, folder: Path) -> Counter[str]:
    """How often each prompt was asked, at the server and of the reader."""
    bill = folder / "bill"
    return Counter([*server.prompts, *(bill.read_text(encoding="utf-8").splitlines() if bill.exists() else ())])


def table(quick: bool, commands: Sequence[Command] = COMMANDS) -> str:
    """The table; raises `SystemExit` where something was lost."""
    chance, rows, losses = random.Random(SEED), [], []
    for command in commands:
        for signal_sent in (signal.SIGINT,) if quick else CODES:
            with tempfile.TemporaryDirectory() as folder:
                results = attack(command, signal_sent, Path(folder), chance)
            rows.append([command.name, signal_sent.name, *results.row()])
            print(rows[-1], results.notes, flush=True)
            if results.has_lost:
                losses.append(f"{command.name}, {signal_sent.name}: {results.notes}")
    text = markdown(HEAD, rows)
    if losses:
        raise SystemExit("\n".join([text, *losses]))
    return text
