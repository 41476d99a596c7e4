"""`pip install` in plain lines: what is being installed, and how far it is. Arguments are pip's.

pip prints hundreds of lines, or with --quiet none for minutes. Its own last lines are shown where it fails.
"""

import queue
import re
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

LARGE = 20.0  # MB from which a download has a line of its own
EVERY, QUIET = 20, 30.0  # packages between two lines, seconds without a line after which one says that it goes on
KEPT = 40  # lines of pip's that are shown where it fails
SIZES = {"kB": 0.001, "MB": 1.0, "GB": 1000.0}


class Watch:
    """What to say of each line of pip's output."""

    def __init__(self) -> None:
        self.found, self.doing = 0, "looking for packages"

    def lines(self, line: str) -> Iterator[str]:
        """The lines to print; mostly none."""
        if match := re.match(r"\s*Collecting ([\w.-]+)", line):
            self.found += 1
            if self.found % EVERY == 0:
                yield f"{self.found} packages found"
        elif match := re.match(r"\s*(?:Downloading|Using cached) (\S+) \(([\d.]+) (kB|MB|GB)\)", line):
            name, size = Path(match[1]).name.split("-")[0], float(match[2]) * SIZES[match[3]]
            if size >= LARGE:
                self.doing = f"fetching {name}"
                yield f"{name}: {size:,.0f} MB"
        elif match := re.match(r"Installing collected packages: (.*)", line):
            self.doing = _packages(len(match[1].split(",")))
            yield self.doing


def main() -> int:
    """Returns pip's exit code."""
    started = said = time.monotonic()
    command = [sys.executable, "-m", "pip", "install", "--progress-bar", "off", "--disable-pip-version-check"]
    process = subprocess.Popen(  # noqa: S603  # nosec B603  # pip, with the arguments of the Makefile
        [*command, *sys.argv[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    output, watch, last = queue.Queue[str | None](), Watch(), deque[str](maxlen=KEPT)
    threading.Thread(target=_read, args=(process, output), daemon=True).start()
    while True:
        try:
            line = output.get(timeout=max(said + QUIET - time.monotonic(), 0.1))
        except queue.Empty:
            said = _say(f"still {watch.doing}, {time.monotonic() - started:.0f} s")
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
        _say(f"installed in {time.monotonic() - started:.0f} s")
    return code


def _packages(count: int) -> str:
    return f"installing {count} package{'s' * (count != 1)}"


def _read(process: "subprocess.Popen[str]", output: "queue.Queue[str | None]") -> None:
    for line in process.stdout or ():
        output.put(line)
    output.put(None)


def _say(text: str) -> float:
    print(f"  {text}", flush=True)
    return time.monotonic()


if __name__ == "__main__":
    sys.exit(main())
