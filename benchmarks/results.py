"""Write the output of a script to its section of RESULTS.md; the other sections are kept."""

import os
import platform
import re
import shlex
from pathlib import Path
from typing import Any

from pipelines.display.numbers import FEW_MARK, MISSING
from pipelines.results.reports.content import gather
from pipelines.results.scores import Scores
from pipelines.statistics.intervals import ENOUGH_LIMIT, MINIMUM, Interval

FILE = Path(__file__).parent / "RESULTS.md"
FEWER = (
    f"Intervals are of 95%, by the bootstrap over documents; a dash: fewer than {MINIMUM} documents; "
    f"{FEW_MARK}: fewer than "
    f"{ENOUGH_LIMIT}, such an interval is too narrow."
)
_LOAD = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")  # when the benchmark began
HEAD = "# Results\n\nEvery section is what the command above it printed; nothing here is written by hand.\n"


def publish(module: str, text: str, arguments: str = "", title: str = "") -> None:
    """Print `text` and write it to RESULTS.md as the section of `python -m benchmarks.<module> <arguments>`.

    It takes the place of the section with the same title, which is the module's name where none is given.
    """
    command = " ".join(filter(None, [f"python -m benchmarks.{module}", arguments]))
    section_title = title or module
    print(text)
    machine = (
        f"{_processor()}, {os.cpu_count()} cores, load {_LOAD:.1f} at the start, Python {platform.python_version()}"
    )
    section = f"\n## {section_title}\n\n    {command}\n\n{machine}.\n\n{text.strip()}\n"
    old = FILE.read_text(encoding="utf-8") if FILE.exists() else HEAD
    others = re.sub(rf"\n## {re.escape(section_title)}\n.*?(?=\n## |\Z)", "", old, flags=re.DOTALL)
    FILE.write_text(others.rstrip() + "\n" + section, encoding="utf-8")


def _processor() -> str:
    """The processor's name, where the system tells it."""
    cpu_info = Path("/proc/cpuinfo")
    lines = cpu_info.read_text(encoding="utf-8").splitlines() if cpu_info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), platform.processor() or platform.machine())


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; the first column is left-aligned, the others right-aligned."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def interval(found: Interval | None) -> str:
    """The bounds of an interval, marked where they are of few documents; a dash where there is none."""
    return str(found or MISSING)


def share(scores: Scores, name: str) -> str:
    """A score with its interval, to one decimal: `8.3 [5.1, 11.9]`; a dash where there is none."""
    return f"{scores[name]:.1f} {interval(scores.intervals.get(name))}" if name in scores else MISSING


def bounded(folder: Path, score: str) -> str:
    """A score of a run with its interval: `8.33 [5.10, 11.87]*`, `8.33 –`."""
    run = gather(folder).runs[0]
    return f"{run.scores[score]:.2f} {interval(run.scores.intervals.get(score))}"


def command(task: str, data: str, **arguments: Any) -> str:
    """The command of a run; `data` is a path within the folder of real examples."""
    options = [f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in arguments.items()]
    return f"`{' '.join([f'longdoc run {task} --data $LONGDOC_REALDATA/{data}', *options])}`"


def realdata() -> Path | None:
    """The folder of real examples (LONGDOC_REALDATA), None if there is none."""
    folder = Path(os.environ.get("LONGDOC_REALDATA", FILE.parents[2] / "shared" / "realdata"))
    return folder if folder.is_dir() else None


def prompt_files() -> Path | None:
    """The folder with the benchmarks' own files of prompts (LONGDOC_PROMPT_FILES), None if there is none."""
    folder = Path(os.environ.get("LONGDOC_PROMPT_FILES", FILE.parents[2] / "shared" / "prompt_files"))
    return folder if folder.is_dir() else None
