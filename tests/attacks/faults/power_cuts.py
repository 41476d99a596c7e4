"""Power cuts: every prefix of the recorded events of runs, in several states of the disk each, and the run again.

A state is made as a folder, and the same calls are made there in a copy of this process. They have to end with the
files of calls that nothing disturbed, and must ask for no reply again that was certainly on the disk.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import pipelines
from benchmarks.results import table as markdown
from models.encoders._cache import _store, cached_vectors
from pipelines.engine.recording import journal
from tests.attacks.faults.disk_model import Content, Disk, read, write
from tests.attacks.faults.file_events import Event, watched
from tests.attacks.faults.forked import MEMORY, Trial, trial, warm_up

TITLE = "Power cuts"
SEED = 18
MAX_STATES = 60  # states of a scenario that are tried, a sample of all
STATES = [  # of names, and of data
    ("there", "there"), ("lost", "lost"), ("there", "lost"), ("lost", "there"), ("there", "torn"), ("there", "zeros"),
    ("there", "holes"), ("some", "lost"), ("some", "torn"), ("some", "zeros"), ("some", "there"),
]  # fmt: skip
FINAL = ("predictions.jsonl", "scores.json", "shard.jsonl", "requests-001.jsonl")
LOGS = ("requests.jsonl", "journal.jsonl")
OUTCOMES = ("identical", "refused", "other files", "asked again", "finished work lost", "traceback")
ROWS = [
    {"id": f"q{n}", "document": f"Room{n // 2} holds {n} keys. The porter of house {n} is Anna.", "answer": f"{n}",
     "question": f"How many keys does Room{n // 2} hold?"}
    for n in range(6)
]  # fmt: skip


@dataclass(frozen=True)
class Scenario:
    """Calls whose events are recorded, and what was there before. All are made in the folder that is cut."""

    name: str
    calls: Callable[[Path], Any]
    before: Callable[[Path], Any] = lambda data: None


def run(data: Path, out: str = "run", **changes: Any) -> None:
    """A run on the rows."""
    arguments = {"metrics": ["f1"], "model": "extractive", "chunker": "sentences", "k": 1, "report": False} | changes
    pipelines.run("qa", data=data, out=out, **arguments)


def run_shards_and_merge(data: Path) -> None:
    """A run in two shards, and their merge in the place of an earlier one."""
    for number in (1, 2):
        run(data, f"shard-{number}", shard=f"{number}/2")
    pipelines.merge("shard-1", "shard-2", out="merged", report=False)


def ablation(data: Path) -> None:
    """Two cells, with the page."""
    arguments: dict[str, Any] = {"metrics": ["f1"], "model": "extractive", "chunker": "sentences"}
    pipelines.ablate("qa", data=data, out="grid", k=[1, 2], **arguments)


def run_with_torn_logs(data: Path) -> None:
    """A finished run whose logs have a damaged line, and a torn one."""
    run(data)
    for name in LOGS:
        log = Path("run", name)
        lines = log.read_bytes().splitlines(keepends=True)
        log.write_bytes(b"".join([lines[0].replace(b":", b";", 1), *lines[1:], lines[-1][:20]]))


def run_with_changes(data: Path) -> None:
    """A finished run, started again with another limit and metric."""
    run(data)
    run(data, metrics=["f1", "exact_match"], limit=4)


def run_with_another_metric(data: Path) -> None:
    """A run that gets another metric."""
    run(data)
    pipelines.rescore("run", metrics=["exact_match"], data=data, report=False)


def vectors(data: Path) -> None:
    """Vectors through the cache; those that come back are the value."""
    texts = [f"text {n}" for n in range(5)]
    vector_of_text = {text: np.full(4, n + 0.5, np.float32) for n, text in enumerate(texts)}
    os.environ["LONGDOC_CACHE"] = str(Path.cwd() / "cache")
    _store.cache_clear()
    for count in (2, 5):
        vectors_returned = cached_vectors(
            {"name": "trial"},
            texts[:count],
            lambda texts_asked: np.stack([vector_of_text[text] for text in texts_asked]),
        )
        assert np.array_equal(vectors_returned, np.stack([vector_of_text[text] for text in texts[:count]]))


SCENARIOS = [
    Scenario("run", run),
    Scenario("run with its page", partial(run, report=True)),
    Scenario("run of several rounds", partial(run, strategy="map_reduce", chunker="tokens:4", k=None, retriever="all")),
    Scenario("run that is resumed", run, partial(run, limit=3)),
    Scenario("run with more metrics, fewer examples", run_with_changes, run),
    Scenario("run with damaged logs", run, run_with_torn_logs),
    Scenario("ablation", ablation),
    Scenario("shards and merge", run_shards_and_merge),
    Scenario("merge over a merge", run_shards_and_merge, run_shards_and_merge),
    Scenario("score", run_with_another_metric, run),
    Scenario("cache of vectors", vectors),
]


@dataclass(frozen=True)
class State:
    """What a cut leaves: `certain` is what the disk has whatever happens."""

    where: str
    content: Content
    certain: Content


@dataclass
class Results:
    """The trials of a scenario."""

    events: int = 0
    states: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)


def record(scenario: Scenario, root: Path, data: Path) -> tuple[list[Event], Disk, Content]:
    """The events of a scenario in the folder `root`, the disk before them, and the files that it ends with."""
    root.mkdir()
    if (setup := trial(lambda: scenario.before(data), root)).value is None and (setup.refused or setup.error):
        raise AssertionError(setup)
    disk, events = Disk(root), list[Event]()

    def work() -> list[Event]:
        journal.SYNC_SECONDS = 0.02  # in this copy: so that some lines are synced, and others not
        with watched(root, events.append):
            scenario.calls(data)
        return events

    trial_result = trial(work, root)
    if trial_result.value is None:
        raise AssertionError(trial_result)
    return trial_result.value, disk, read(root)


def states(events: Sequence[Event], disk: Disk, chance: random.Random) -> Iterator[State]:
    """Every state of every prefix of the events, each once."""
    states_seen = set()
    for number in range(len(events) + 1):
        certain = disk.certain()
        for names, data in STATES:
            content = disk.after(names, data, chance)
            if (key := repr(content)) not in states_seen:
                states_seen.add(key)
                where = f"after event {number} of {len(events)} ({events[number - 1] if number else 'none'})"
                yield State(f"{where}, names {names}, data {data}", content, certain)
        if number < len(events):
            disk.apply(events[number])


def outcome(state: State, trial_result: Trial, after: Content, expected: Content) -> str:
    """What came of a trial; one of `OUTCOMES`."""
    if trial_result.refused:
        return "refused"
    if trial_result.error or trial_result.code or "Traceback" in trial_result.printed:
        return "traceback"
    if final_files(after) != final_files(expected):
        return "other files"
    for path, before in state.certain.items():
        if path.endswith(LOGS) and before is not None and not path.startswith(".") and path in state.content:
            lines = [line for line in before.split(b"\n")[:-1] if _is_whole(line)]
            log_after = after.get(path) or b""
            if any(line not in log_after.split(b"\n") for line in lines):
                return "finished work lost"
            if path.endswith(LOGS[0]) and (is_asked_again := _asked_again(lines, log_after)):
                assert is_asked_again
                return "asked again"
    return "identical"


def _asked_again(lines: Sequence[bytes], log_after: bytes) -> bool:
    counts = Counter(json.loads(line)["key"] for line in log_after.split(b"\n")[:-1])
    return any(counts[json.loads(line)["key"]] != 1 for line in lines)


def _is_whole(line: bytes) -> bool:
    from pipelines.engine.recording.lines import decode_line

    return decode_line(line) is not None


def final_files(content: Content) -> Content:
    """The files that have to be equal, and how pages end, which say times and places."""
    visible = {path: data for path, data in content.items() if not any(part[0] == "." for part in path.split("/"))}
    pages = {path: (data or b"")[-8:] for path, data in visible.items() if path.endswith(".html")}
    return {path: data for path, data in visible.items() if path.rsplit("/", 1)[-1] in FINAL} | pages


def attack(scenario: Scenario, folder: Path, max_states: int | None = None) -> Results:
    """The trials of a scenario: all of them, or a sample of `max_states`, below `folder`."""
    chance = random.Random(f"{SEED} {scenario.name}")
    data = folder / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    root = folder / "here"
    warm_up(lambda: (scenario.before(data), scenario.calls(data)))
    events, disk, expected = record(scenario, root, data)
    states_left = list(states(events, disk, chance))
    results = Results(len(events), len(states_left))
    for number, state in enumerate(
        states_left if max_states is None else chance.sample(states_left, min(max_states, len(states_left)))
    ):
        place = folder / str(number)
        write(state.content, place)
        trial_result = trial(lambda: scenario.calls(data), place)
        outcome_name = outcome(state, trial_result, read(place), expected)
        results.outcomes.update(["tried", outcome_name])
        if outcome_name != "identical":
            results.examples.setdefault(
                outcome_name, f"{state.where}: {trial_result.refused or trial_result.error or trial_result.printed}"
            )
    return results


def table(quick: bool) -> str:
    """The table of all scenarios; raises `SystemExit` where a cut lost something, or was not survived."""
    rows, bad = [], []
    for scenario in SCENARIOS:
        with TemporaryDirectory(dir=MEMORY) as folder:
            results = attack(scenario, Path(folder), 5 if quick else MAX_STATES)
        counts = [results.events, results.states, *(results.outcomes[name] for name in ("tried", *OUTCOMES))]
        rows.append([scenario.name, *map(str, counts)])
        print(rows[-1], flush=True)
        bad += [f"{scenario.name}, {outcome_name}: {example}" for outcome_name, example in results.examples.items()]
    total = ["all", *(str(sum(int(row[place]) for row in rows)) for place in range(1, len(rows[0])))]
    text = markdown(["what was cut", "events", "states", "tried", *OUTCOMES], [*rows, total])
    if bad:
        raise SystemExit("\n".join([text, *bad]))
    return text
