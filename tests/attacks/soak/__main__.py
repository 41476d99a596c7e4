"""A run of a week in an hour: many requests to a paid server that fails often (`tests.attacks.soak.paid_server`).

    python -m tests.attacks.soak [--requests 200000]        # make soak

A run of `qa` asks one question a request. Of a thousand first tries 20 meet HTTP 429, 20 meet 500, 10 a body that is
cut, 10 one that is no JSON, 5 JSON of another form, 10 a connection that breaks, 1 no answer in time; second tries
likewise. The process is ended by SIGTERM at a third and by SIGKILL at two thirds of the requests, and started again by
the same command until no example fails. Meanwhile its memory is sampled and its log is read from outside. At the end
the log, the predictions and the cost are compared with the server's ledger.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.reliability import publish as publish_reliability
from benchmarks.results import table
from pipelines.engine.recording import request_log
from pipelines.engine.recording.lines import lines
from tests.attacks.soak.paid_server import tokens_of

IN_FLIGHT = 128
TIMEOUT = 3.0  # seconds
QUESTIONS = 100  # a document
PRICES = {"input": 3.0, "output": 15.0}
SAMPLE_SECONDS = 2.0  # seconds between two looks at the memory
READING_SECONDS = 30.0  # seconds between two readings of the log
MAX_STARTS = 12
RUN_CODE = """
import json, sys
import pipelines
data, out, url, flight, timeout, prices = sys.argv[1:]
model = {"name": "openai", "model": "soak-1", "base_url": url, "concurrency": int(flight), "timeout": float(timeout)}
result = pipelines.run(
    "qa", data=data, out=out, model={**model, "prices": json.loads(prices)}, retriever="bm25", k=1, metrics=["f1"],
    report=False,
)
print(json.dumps({"examples": result.examples, "failures": len(result.failures)}))
"""


@dataclass
class Watch:
    """What was seen of the run from outside."""

    memory: list[tuple[int, float]] = field(default_factory=list)  # (requests logged, MB), of one process after another
    starts: list[tuple[int, str]] = field(default_factory=list)  # (requests logged at the end of a start, how it ended)
    readings: int = 0
    unreadable: int = 0  # lines that a reader of the growing log could not use, the last one under way aside


def write_rows(path: Path, requests: int) -> None:
    """Documents of made sentences, with `QUESTIONS` questions each."""
    with path.open("w", encoding="utf-8") as file:
        for first in range(0, requests, QUESTIONS):
            places = range(first, min(first + QUESTIONS, requests))
            document = " ".join(f"The number of room {place} is {place * 7}." for place in places)
            for place in places:
                row = {"id": f"q{place}", "document": document, "question": f"question {place}?", "answer": f"{place}"}
                file.write(json.dumps(row) + "\n")


class LineCount:
    """The complete lines of a growing log; what was counted is not read again."""

    def __init__(self, log: Path) -> None:
        self._log, self._position, self._lines = log, 0, 0

    def count(self) -> int:
        """How many there are now; a log that became shorter, as one whose last line was torn, is counted anew."""
        if not self._log.exists():
            return 0
        if self._log.stat().st_size < self._position:
            self._position = self._lines = 0
        with self._log.open("rb") as file:
            file.seek(self._position)
            for piece in iter(lambda: file.read(1 << 20), b""):
                self._lines += piece.count(b"\n")
            self._position = file.tell()
        return self._lines


def read_growing(log: Path, watch: Watch) -> None:
    """Read the whole log as another program would, while it grows."""
    if log.exists():
        states = [line.state for line in lines(log, request_log.check)]
        watch.readings += 1
        watch.unreadable += sum(state != "whole" for state in states[:-1])


def rss(process: int) -> float:
    """The resident set of a process in MB, 0 for one that has ended."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
        return int(status.split("VmRSS:")[1].split()[0]) / 1024
    return 0.0


def start_once(command: list[str], log: Path, watch: Watch, until: int | None, signal_sent: signal.Signals) -> str:
    """Start the run; with `until`, send a signal once so many requests are logged. Returns what it printed."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment())
        last_reading, lines_of_log = time.monotonic(), LineCount(log)
        while process.poll() is None:
            time.sleep(SAMPLE_SECONDS if until is None else SAMPLE_SECONDS / 8)
            logged = lines_of_log.count()
            if memory := rss(process.pid):
                watch.memory.append((logged, memory))
            if time.monotonic() - last_reading > READING_SECONDS:
                read_growing(log, watch)
                last_reading = time.monotonic()
            if until is not None and logged >= until:
                process.send_signal(signal_sent)
                until = None
        printed = process.communicate()[0]
        errors.seek(0)
        error_text = errors.read()
    exit_code = process.returncode
    if exit_code not in (0, 130, 143, -signal_sent):
        raise SystemExit(f"the run ended with {exit_code}: {error_text[-2000:]}")
    watch.starts.append((LineCount(log).count(), "finished" if exit_code == 0 else f"ended by {signal_sent.name}"))
    return printed


def environment() -> dict[str, str]:
    """The environment of the run, with a key that is none."""
    return {**os.environ, "OPENAI_API_KEY": "none", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path.cwd())}


@contextlib.contextmanager
def paid_server(ledger: Path) -> Iterator[str]:
    """The base_url of a server in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.attacks.soak.paid_server", str(ledger)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()


def growth(watch: Watch, first: int) -> tuple[float, float, float]:
    """(MB at the start of the longest start's second half, peak MB, bytes a request: the slope by least squares)."""
    steady = [(count, memory) for count, memory in watch.memory if count >= first]
    counts, memories = np.array(steady, dtype=float).T
    slope = float(np.polyfit(counts, memories, 1)[0]) if len(set(counts)) > 1 else 0.0
    return float(memories[0]), float(max(memory for _, memory in watch.memory)), slope * 1024 * 1024


def soak(requests: int, folder: Path) -> str:
    """Run it in a folder. Returns the section's text."""
    data, out, ledger = folder / "rows.jsonl", folder / "run", folder / "ledger.txt"
    write_rows(data, requests)
    watch, began, log = Watch(), time.monotonic(), out / "requests.jsonl"
    result = {"failures": 1}
    with paid_server(ledger) as url:
        command = [sys.executable, "-c", RUN_CODE, *map(str, (data, out, url, IN_FLIGHT, TIMEOUT)), json.dumps(PRICES)]
        start_once(command, log, watch, requests // 3, signal.SIGTERM)
        start_once(command, log, watch, 2 * requests // 3, signal.SIGKILL)
        while result["failures"] and len(watch.starts) < MAX_STARTS:
            result = json.loads(start_once(command, log, watch, None, signal.SIGTERM))
    read_growing(log, watch)
    return report(requests, out, ledger, watch, time.monotonic() - began)


def report(requests: int, out: Path, ledger: Path, watch: Watch, seconds: float) -> str:
    """Compare the run's folder with the ledger, in words and tables."""
    kinds: Counter[str] = Counter()
    good_replies: Counter[int] = Counter()
    for line in ledger.read_text(encoding="ascii").splitlines():
        place, kind, *_ = line.split()
        kinds[kind] += 1
        good_replies[int(place)] += kind == "ok"
    replies = [record for line in lines(out / "requests.jsonl", request_log.check) for _, record in line.records]
    tokens = [sum(record[name] for record in replies) for name in ("tokens_in", "tokens_out")]
    tokens_owed = [sum(column) for column in zip(*(tokens_of(place) for place in range(requests)), strict=True)]
    scores = json.loads((out / "scores.json").read_text(encoding="utf-8"))
    with (out / "predictions.jsonl").open(encoding="utf-8") as file:
        answers = [json.loads(line) for line in file]
    wrong = sum(answer["prediction"] != f"answer {answer['id'][1:]}" for answer in answers)
    cost = sum(count * PRICES[kind] for count, kind in zip(tokens_owed, PRICES, strict=True)) / 1_000_000
    sent_again = sum(count - 1 for count in good_replies.values() if count > 1)
    steady, peak, slope = growth(watch, requests // 10)
    rows = [
        ["requests of the run", f"{requests:,}"],
        ["responses of the server", f"{sum(kinds.values()):,}"],
        ["replies in the log", f"{len(replies):,}"],
        ["predictions, wrong ones among them", f"{len(answers):,}, {wrong:,}"],
        [
            "good replies that the server sent more than once: under way at a kill, or later than the client waits",
            f"{sent_again:,}",
        ],
        ["tokens in and out, in the log", f"{tokens[0]:,} and {tokens[1]:,}"],
        ["tokens in and out, of one good reply to each request", f"{tokens_owed[0]:,} and {tokens_owed[1]:,}"],
        ["cost in scores.json, and by the ledger", f"{scores['usage']['cost']:.10g} and {cost:.10g}"],
        ["readings of the growing log, lines that could not be read", f"{watch.readings:,}, {watch.unreadable:,}"],
        ["memory after a tenth of the requests, and at the peak", f"{steady:.0f} MB, {peak:.0f} MB"],
        ["growth of the memory a request", f"{slope:,.0f} bytes"],
        ["minutes", f"{seconds / 60:.1f}"],
    ]
    faults = [[kind, f"{count:,}"] for kind, count in kinds.most_common()]
    starts = [[str(number), ending, f"{count:,}"] for number, (count, ending) in enumerate(watch.starts, 1)]
    return "\n\n".join(
        [
            f"A run of {requests:,} requests, {IN_FLIGHT} in flight, at a server that fails (`tests/attacks/soak`).",
            table(["what", "figure"], rows),
            table(["response", "times"], faults),
            table(["start", "how it ended", "replies in the log then"], starts),
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=200_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        text = soak(arguments.requests, Path(temporary))
    if arguments.requests == 200_000:
        publish_reliability("Soak", "make soak", text)
    else:
        print(text)
