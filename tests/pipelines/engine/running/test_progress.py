"""A bar on a terminal, nothing elsewhere."""

import os
import pty
import re
import subprocess
import sys

CODE = """
from models.accounting import Usage
from pipelines.engine.inference.work import Work
from pipelines.engine.running.progress import Progress
with Progress(2) as bar:
    bar.watch(lambda: Work(2, 2, 1, 50, Usage(60, 10), 1, 50))
    bar.advance()
    bar.tick()
    bar._bar is not None and bar._bar.refresh()
"""


def output_on_a_terminal(**environment):
    ours, theirs = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    settings = inherited | {"TERM": "xterm", "COLUMNS": "120"} | environment
    subprocess.run([sys.executable, "-c", CODE], stderr=theirs, check=True, env=settings)
    os.close(theirs)
    output = b""
    try:
        while block := os.read(ours, 65536):
            output += block
    except OSError:
        pass  # the other end is closed: all was read
    finally:
        os.close(ours)
    return output.decode()


def test_a_terminal_shows_replies_examples_tokens_and_time_left():
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", output_on_a_terminal())
    assert re.search(r"1 reply .* 1/2 examples\s+[\d,]+ tokens/s\s+about 1 s left", text)


def test_without_colours_the_bar_has_none():
    assert re.search(r"\x1b\[[\d;]*m", output_on_a_terminal())
    text = output_on_a_terminal(NO_COLOR="1")
    assert "1/2 examples" in text
    assert not re.search(r"\x1b\[[\d;]*m", text)


def test_a_dumb_terminal_gets_no_bar():
    assert output_on_a_terminal(TERM="dumb") == ""


def test_a_pipe_gets_no_bar():
    process = subprocess.run([sys.executable, "-c", CODE], capture_output=True, check=True)
    assert (process.stdout, process.stderr) == (b"", b"")
