"""Targets under atheris, each in a process of its own for its share of the time, and the table of what they did."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from tests.attacks.fuzz import corpus

STATUS = re.compile(r"#(\d+)\s+\w+\s+cov: (\d+) ft: (\d+)")
ENDED_PREFIXES = ("crash", "timeout", "oom")  # files of what ended a process, by their names' beginnings


@dataclass
class Outcome:
    """What a target's process did in its time. `inputs` are those that reached something new."""

    target: str
    executions: int = 0
    edges: int = 0
    features: int = 0
    findings: list[dict[str, str]] = field(default_factory=list)
    inputs: list[bytes] = field(default_factory=list)
    ended: str = ""


def check() -> None:
    """End the program where atheris is not installed."""
    if find_spec("atheris") is None:
        sys.exit("fuzzing needs atheris, which has wheels for some versions of Python: pip install -e '.[fuzz]'")


def fuzz(name: str, seconds: float, seed: int) -> Outcome:
    """Run a target for some seconds in a process of its own, from its seeds and its part of the corpus."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="longdoc-fuzz-", dir=memory) as folder:
        place = Path(folder)
        (place / "corpus").mkdir()
        for number, data in enumerate(corpus.read().get(name, [])):
            (place / "corpus" / f"seed-{number}").write_bytes(data)
        command = [sys.executable, "-m", "tests.attacks.fuzz.child", name, str(place), f"{seconds:.0f}", str(seed)]
        process = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        return _outcome(name, place, process)


def _outcome(name: str, place: Path, process: "subprocess.CompletedProcess[str]") -> Outcome:
    lines_printed = process.stderr.strip().splitlines()
    outcome = Outcome(name)
    if status := STATUS.findall(process.stderr):
        outcome.executions, outcome.edges, outcome.features = map(int, status[-1])
    if total := re.search(r"stat::number_of_executed_units:\s*(\d+)", process.stderr):
        outcome.executions = int(total[1])
    log = place / "findings.jsonl"
    if log.exists():
        outcome.findings = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    for path in sorted(place.glob("*-*")):
        if path.name.startswith(ENDED_PREFIXES):
            data = path.read_bytes().decode("latin-1")
            outcome.findings.append(
                {"kind": path.name.rpartition("-")[0], "where": "", "message": lines_printed[-1], "data": data}
            )
    if (place / "corpus").is_dir():
        outcome.inputs = [path.read_bytes() for path in (place / "corpus").iterdir() if "seed-" not in path.name]
    if process.returncode:
        outcome.ended = f"exit code {process.returncode}: {' / '.join(lines_printed[-3:])}"
    return outcome


def line(outcome: Outcome) -> str:
    """What to print of a target when its time is over."""
    lines = [
        f"{outcome.target:18} {outcome.executions:>9,} executions {outcome.edges:>6,} edges {outcome.features:>6,} features {outcome.ended}"
    ]
    for finding in outcome.findings:
        lines.append(
            f"    {finding['kind']} {finding['where']}: {finding['message'][:200]} | {finding['data'][:300]!r}"
        )
    return "\n".join(lines)


def report(outcomes: Sequence[Outcome], seconds: float, seed: int) -> str:
    """The section: a row for each target, and the findings that are there now."""
    from benchmarks.results import table

    rows = [[outcome.target, f"{outcome.executions:,}", f"{outcome.edges:,}", f"{outcome.features:,}", str(len(outcome.findings) or "none")]
            for outcome in outcomes]  # fmt: skip
    rows.append(
        [
            "all",
            f"{sum(outcome.executions for outcome in outcomes):,}",
            "",
            "",
            str(sum(len(outcome.findings) for outcome in outcomes)),
        ]
    )
    head = ["target (tests/attacks/fuzz/targets)", "executions", "edges", "features", "findings"]
    text = (
        f"Atheris (libFuzzer) on {len(outcomes)} parsers, {seconds:,.0f} s in all, seed {seed}, one process at a time. An input "
        "is bytes, of which half the changes are made in the JSON that they hold. A finding is an exception that the parser "
        "does not document (a `UserError` is), a broken law (what is read and written again is the same; a repaired log stays "
        "repaired), more than 5 s or 300 MB for an input of some KB. Edges and features are those of libFuzzer, in this "
        "project's packages only."
    )
    findings = [f"- {outcome.target}: {finding['kind']} in {finding['where'] or 'the process'}: {' '.join(finding['message'].split())[:160]}"
                for outcome in outcomes for finding in outcome.findings]  # fmt: skip
    mended_by_target = corpus.mended_findings()
    mended = [f"- {target}: {kind}" for target, kinds in sorted(mended_by_target.items()) for kind in kinds]
    parts = [text, table(head, rows)]
    parts += [f"Found in this run:\n\n{chr(10).join(findings)}"] if findings else []
    parts.append(
        f"Found by earlier runs and mended ({len(mended)}; their inputs are in tests/attacks/fuzz/corpus.jsonl, which the suite "
        f"replays):\n\n{chr(10).join(mended)}"
    )
    return "\n\n".join(parts)
