"""Write the output of a script to its section of RESULTS.md; the other sections are kept.

The head of a section says by which version, when, on which machine and from which data it was made.
`python -m benchmarks.check` compares sections with what the scripts print now.
"""

import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from longdoc import __version__
from pipelines.display.numbers import FEW_MARK, MISSING
from pipelines.results.reports.content import gather
from pipelines.results.scores import Scores
from pipelines.statistics.intervals import ENOUGH_LIMIT, MINIMUM, Interval

FOLDER = Path(__file__).resolve().parent
FILE = FOLDER / "RESULTS.md"
INTERVALS_NOTE = (
    f"Intervals are of 95%, by the bootstrap over documents; a dash: fewer than {MINIMUM} documents; "
    f"{FEW_MARK}: fewer than "
    f"{ENOUGH_LIMIT}, such an interval is too narrow."
)
HEAD = """# Results

Every section is what the command above it printed; nothing here is written by hand. Its head says by which version,
when, on which machine and from which data it was made. `make results` runs the quick ones again, and names the others
whose data have changed.
"""
UNDATED = "Made before heads were written"  # how the head of an old section begins
BUSY = 0.1  # of all processors' time: what other programs may take while speed is measured
_LOAD = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")  # when the benchmark began
_opened: set[str] = set()  # data, by the name of their folder
_settings: list[str] = []


def publish(module: str, text: str, arguments: str = "", title: str = "") -> None:
    """Print `text` and write it to RESULTS.md as the section of `python -m benchmarks.<module> <arguments>`.

    It takes the place of the section with the same title, which is the module's name where none is given.
    """
    command = " ".join(filter(None, [f"python -m benchmarks.{module}", arguments]))
    section_title = title or module
    print(text)
    section = f"\n## {section_title}\n\n    {command}\n\n{head()}\n\n{text.strip()}\n"
    old = FILE.read_text(encoding="utf-8") if FILE.exists() else HEAD
    former = re.compile(rf"\n## {re.escape(section_title)}\n.*?(?=\n## |\Z)", re.DOTALL)
    page = former.sub(lambda _: section, old) if former.search(old) else old.rstrip() + "\n" + section
    FILE.write_text(page, encoding="utf-8")


def head() -> str:
    """By which version, when, on which machine and from which data a section is made."""
    load = f"load {_LOAD:.1f} at the start"
    machine = [_processor(), f"{os.cpu_count()} cores", load, f"Python {platform.python_version()}", *_settings]
    data = f"Data {digest(_opened)}: {', '.join(sorted(_opened))}" if _opened else "Data made by the script"
    return f"longdoc {__version__}, {_COMMIT}, {date.today()}. {', '.join(machine)}. {data}."


def _commit() -> str:
    """The commit of the checkout, and whether its code is changed."""
    program = shutil.which("git")

    def git(*arguments: str) -> str:
        command = [program or "", "-C", str(FOLDER.parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() if program else ""

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!*.md")
    return f"commit {git('rev-parse', '--short=8', 'HEAD') or 'unknown'}{' with changes' if changed else ''}"


_COMMIT = _commit()  # when the benchmark began, too: the checkout may change while it runs


def _processor() -> str:
    """The processor's name, where the system tells it."""
    cpu_info = Path("/proc/cpuinfo")
    lines = cpu_info.read_text(encoding="utf-8").splitlines() if cpu_info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), platform.processor() or platform.machine())


def use_fp32() -> None:
    """Have networks compute in fp32 where `dtype` is left open, so that scores do not depend on the processor."""
    from models.neural.shared import limits

    limits.computes_bf16 = lambda device: False
    _settings[:] = ["dtype=fp32"]


def _others_seconds() -> float:
    """Seconds of all processors that other programs took since the machine was started; nan where no file tells."""
    if not (statistics := Path("/proc/stat")).exists():
        return float("nan")
    user, nice, system, _, _, *interrupts = map(int, statistics.read_text().split("\n", 1)[0].split()[1:9])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])


_START = time.monotonic(), _others_seconds()


def judge(missed: bool, sentence: str) -> None:
    """End with the sentence where a goal of speed is missed, unless other programs kept the machine busy."""
    since, others = _START
    share = (_others_seconds() - others) / (time.monotonic() - since) / (os.cpu_count() or 1)
    if missed and share > BUSY:
        print(f"The machine is too busy to judge: other programs take {share:.0%} of its processors. {sentence}")
    elif missed:
        sys.exit(sentence)


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; the first column is left-aligned, the others right-aligned."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def interval(bounds: Interval | None) -> str:
    """The bounds of an interval, marked where there are few documents; a dash for None."""
    return str(bounds or MISSING)


def score_with_interval(scores: Scores, name: str) -> str:
    """A score with its interval, the score to one decimal: `8.3 [5.10, 11.87]`; a dash without a score."""
    return f"{scores[name]:.1f} {interval(scores.intervals.get(name))}" if name in scores else MISSING


def run_score(folder: Path, score: str) -> str:
    """A score of a run with its interval: `8.33 [5.10, 11.87]*`, `8.33 –`."""
    run = gather(folder).runs[0]
    return f"{run.scores[score]:.2f} {interval(run.scores.intervals.get(score))}"


def command(task: str, data: str, **arguments: Any) -> str:
    """The command of a run; `data` is a path within the folder of real examples."""
    options = [f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in arguments.items()]
    return f"`{' '.join([f'longdoc run {task} --data $LONGDOC_REALDATA/{data}', *options])}`"


def realdata() -> Path | None:
    """The folder of real examples (LONGDOC_REALDATA), None if there is none."""
    return _shared("realdata")


def prompt_files() -> Path | None:
    """The folder with the benchmarks' own files of prompts (LONGDOC_PROMPT_FILES), None if there is none."""
    return _shared("prompt_files")


def _shared(name: str) -> Path | None:
    _note_opened_data()
    return folder if (folder := _root(name)).is_dir() else None


def _root(name: str) -> Path:
    return Path(os.environ.get(f"LONGDOC_{name.upper()}", FOLDER.parents[1] / "shared" / name)).resolve()


@cache
def _note_opened_data() -> None:
    """From here on, note which data are opened: the files of JSON Lines in this folder, and all in the shared ones."""
    kinds = {f"{FOLDER}/": ".jsonl", f"{_root('realdata')}/": "", f"{_root('prompt_files')}/": ""}

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        path = str(arguments[0]) if event == "open" else ""
        for root, kind in kinds.items():
            if path.startswith(root) and path.endswith(kind):
                _opened.add(path.removeprefix(root).partition("/")[0])

    sys.addaudithook(note)


def digest(names: Iterable[str]) -> str:
    """The digest of the contents of data, whatever their files are called; "missing" where some are not here."""
    digests = []
    for name in names:
        roots = (root for root in (_root("realdata"), _root("prompt_files"), FOLDER) if (root / name).exists())
        if (root := next(roots, None)) is None:
            return "missing"
        paths = (path for path in [root / name, *(root / name).rglob("*")] if path.suffix not in (".py", ".pyc"))
        digests += [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths if path.is_file()]
    return hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()[:12]
