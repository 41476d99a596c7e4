"""One target under atheris, in a process of its own; and what it found, as its parent reads it."""

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

STATUS = re.compile(r"#(\d+)\s+\w+\s+cov: (\d+) ft: (\d+) corp: (\d+)")


@dataclass
class Outcome:
    """What a target's process did in its time. `inputs` are those that reached something new."""

    executions: int = 0
    edges: int = 0
    features: int = 0
    findings: list[dict[str, str]] = field(default_factory=list)
    inputs: list[bytes] = field(default_factory=list)
    ended: str = ""


def fuzz(name: str, seconds: float, seed: int, begin: list[bytes]) -> Outcome:
    """Run a target for some seconds in a process of its own, from its seeds and the inputs `begin`."""
    with tempfile.TemporaryDirectory(prefix="longdoc-fuzz-", dir=_memory_folder()) as folder:
        place = Path(folder)
        (place / "corpus").mkdir()
        for number, data in enumerate(begin):
            (place / "corpus" / f"seed-{number}").write_bytes(data)
        command = [sys.executable, "-m", "tests.fuzz.child", name, str(place), f"{seconds:.0f}", str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        return _outcome(place, done)


def _memory_folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def _outcome(place: Path, done: "subprocess.CompletedProcess[str]") -> Outcome:
    said = STATUS.findall(done.stderr)
    found = Outcome(*map(int, said[-1][:3])) if said else Outcome(ended="did not start")
    if total := re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr):
        found.executions = int(total[1])
    log = place / "findings.jsonl"
    if log.exists():
        found.findings = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    for path in sorted(place.glob("*-*")):  # crash-…, timeout-…, oom-…: what ended the process itself
        if path.is_file():
            data = path.read_bytes().decode("latin-1")
            lines = done.stderr.strip().splitlines()
            found.findings.append({"kind": path.name.partition("-")[0], "where": "", "message": "\n".join(lines[-30:]),
                                   "data": data})  # fmt: skip
    found.inputs = [path.read_bytes() for path in sorted((place / "corpus").iterdir()) if "seed-" not in path.name]
    if done.returncode and not found.ended:
        found.ended = f"exit code {done.returncode}"
    if found.ended:
        found.ended += ": " + " / ".join(done.stderr.strip().splitlines()[-3:])
    return found
