"""`pip install` in plain lines: what is being installed, and how far it is. Arguments are pip's.

pip prints hundreds of lines, or with --quiet none for minutes. Its own last lines are shown where it fails.
"""

import csv
import queue
import re
import subprocess
import sys
import sysconfig
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

LARGE = 20.0  # MB from which a download has a line of its own
EVERY = 20  # packages between two lines while pip looks for them
STEP, QUIET = 10.0, 30.0  # seconds between two lines: of packages being installed, of anything else
KEPT = 40  # lines of pip's that are shown where it fails
SIZES = {"kB": 0.001, "MB": 1.0, "GB": 1000.0}


class Watch:
    """What to say of each line of pip's output. `total` packages will be installed; 0 before pip says it."""

    def __init__(self) -> None:
        self.found, self.fetched, self.total, self.doing = 0, 0.0, 0, "looking for packages"

    def lines(self, line: str) -> Iterator[str]:
        """The lines to print; mostly none."""
        if match := re.match(r"\s*(?:Collecting [\w.-]+|Processing (\S+\.whl))", line):
            self.found += 1
            self.fetched += Path(match[1]).stat().st_size / 1e6 if match[1] else 0
            if self.found % EVERY == 0:
                yield f"{self.found} packages found, {self.fetched:,.0f} MB"
        elif match := re.match(r"\s*(?:Downloading|Using cached) (\S+\.(?:whl|gz)) \(([\d.]+) (kB|MB|GB)\)", line):
            name, size = Path(match[1]).name.split("-")[0], float(match[2]) * SIZES[match[3]]
            self.fetched += size
            if size >= LARGE:
                self.doing = f"fetching {name}"
                yield f"{name}: {size:,.0f} MB"
        elif match := re.match(r"Installing collected packages: (.*)", line):
            self.total = len(match[1].split(","))
            self.doing = f"installing {_packages(self.total)}"
            yield self.doing


class Installed:
    """The packages that a folder has got since this object was made."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.before = folder, {path.name for path in folder.glob("*.dist-info")}

    def count(self) -> tuple[int, float]:
        """The number of new packages, and the MB that their files have by their own lists."""
        records = [path for path in self.folder.glob("*.dist-info/RECORD") if path.parent.name not in self.before]
        return len(records), sum(map(_listed_bytes, records)) / 1e6


def main() -> int:
    """Returns pip's exit code."""
    started = said = time.monotonic()
    installed, watch, last = Installed(Path(sysconfig.get_paths()["purelib"])), Watch(), deque[str](maxlen=KEPT)
    options = ["--no-compile", "--progress-bar", "off", "--disable-pip-version-check"]
    process = subprocess.Popen(  # noqa: S603  # nosec B603  # pip, with the arguments of the Makefile
        [sys.executable, "-m", "pip", "install", *options, *sys.argv[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    output = queue.Queue[str | None]()
    threading.Thread(target=_read, args=(process, output), daemon=True).start()
    while True:
        try:
            line = output.get(timeout=max(said + (STEP if watch.total else QUIET) - time.monotonic(), 0.1))
        except queue.Empty:
            text = _progress(watch, installed) or f"still {watch.doing}"
            said = _say(f"{text}, {time.monotonic() - started:.0f} s")
            continue
        if line is None:
            break
        last.append(line)
        for text in watch.lines(line):
            said = _say(text)
    code = process.wait()
    if code:
        print("".join(last), end="", file=sys.stderr)
    else:
        _say(f"{_progress(watch, installed) or 'nothing was missing'}: done in {time.monotonic() - started:.0f} s")
    return code


def _progress(watch: Watch, installed: Installed) -> str:
    """How many packages of how many are installed; "" before pip installs the first."""
    if not watch.total:
        return ""
    count, size = installed.count()
    return f"{count} of {_packages(watch.total)} installed, {size:,.0f} MB"


def _listed_bytes(record: Path) -> int:
    """The bytes of a package's files; compiled ones are listed without theirs."""
    with record.open(encoding="utf-8", newline="") as lines:
        return sum(int(row[2]) for row in csv.reader(lines) if len(row) == 3 and row[2])


def _packages(count: int) -> str:
    return f"{count} package{'s' * (count != 1)}"


def _read(process: "subprocess.Popen[str]", output: "queue.Queue[str | None]") -> None:
    for line in process.stdout or ():
        output.put(line)
    output.put(None)


def _say(text: str) -> float:
    print(f"  {text}", flush=True)
    return time.monotonic()


if __name__ == "__main__":
    sys.exit(main())
