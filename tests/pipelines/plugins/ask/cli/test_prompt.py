"""The prompt of `longdoc ask FILES` in a pseudo-terminal, as a person types."""

import os
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from tests import patience

pty = pytest.importorskip("pty", reason="pseudo-terminals are for POSIX")

SLOW_ASK = """
import sys, time
from pipelines.plugins.ask.indexing.document_index import DocumentIndex
from pipelines.cli.main import main
ask = DocumentIndex.ask
def slowly(self, question, **changes):
    if question == "sleep":
        print("asleep", flush=True)
        time.sleep(60)
    if question == "fail":
        raise RuntimeError("a component failed")
    return ask(self, question, **changes)
DocumentIndex.ask = slowly
sys.argv = ["longdoc", *sys.argv[1:]]
main()
"""


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, command, folder):
        self._ours, theirs = pty.openpty()
        environment = {**os.environ, "LONGDOC_CACHE": str(folder / "cache"), "TERM": "xterm", "COLUMNS": "80"}
        self.process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment, start_new_session=True,
            preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(theirs)

    def until(self, *texts, retry=""):
        """The output up to these texts, which come one after the other; colour codes are left out.

        The keys `retry` are typed after each second without output.
        """
        seen, end = "", time.monotonic() + patience.SECONDS
        in_turn = re.compile(".*".join(map(re.escape, texts)), re.DOTALL)
        while not in_turn.search(seen):
            assert time.monotonic() < end, seen
            if select.select([self._ours], [], [], 1)[0]:
                try:
                    seen += os.read(self._ours, 65536).decode("utf-8", "replace")
                except OSError:
                    break
                seen = re.sub(r"\x1b\[[?\d;]*[a-zA-Z]", "", seen)
            elif retry:
                self.type(retry)
        assert in_turn.search(seen), seen
        return seen

    def type(self, keys):
        os.write(self._ours, keys.encode())


@pytest.fixture
def terminal(tmp_path):
    (tmp_path / "note.txt").write_text("Anna keeps bees.\nBert mends clocks in Vienna.\n", encoding="utf-8")
    terminals = []

    def start(*arguments):
        terminals.append(Terminal([sys.executable, "-c", SLOW_ASK, *arguments], tmp_path))
        return terminals[-1]

    yield start
    for one in terminals:
        if one.process.poll() is None:
            one.process.send_signal(signal.SIGKILL)
        one.process.wait()


def test_questions_are_asked_one_after_the_other(terminal):
    session = terminal("ask", "note.txt")
    assert "1 document, 8 words. Type a question, :help, or Ctrl-D to end." in session.until("ask> ")
    session.type("Who keeps bees?\n")
    assert "[1] note.txt, line 1" in session.until("ask> ")
    session.type(":pa\t 1\n")  # completed
    assert "Bert mends clocks in Vienna." in session.until("\nask> ")
    session.type("\x04")
    assert session.process.wait(patience.SECONDS) == 0


def test_ctrl_c_cancels_the_question_and_errors_do_not_end_the_session(terminal):
    session = terminal("ask", "note.txt", "Who keeps bees?", "--interactive")
    assert "Anna" in session.until("ask> ")
    session.type("sleep\n")
    session.until("asleep")
    session.type("\x03")
    assert "cancelled" in session.until("ask> ")
    session.type("half a line")
    session.until("half a line")
    session.type("\x03")
    session.until("ask> ", retry="\x03")  # Python misses one in the instant between a key and the wait for the next
    session.type("fail\n")
    session.until("RuntimeError: a component failed", "ask> ")
    session.type(":set k=none\n")
    session.until("longdoc: k must be a whole number, as in :set k=5", "\nask> ")
    session.type(":quit\n")
    assert session.process.wait(patience.SECONDS) == 0


def test_the_history_lasts(terminal, tmp_path):
    first = terminal("ask", "note.txt")
    first.until("ask> ")
    first.type("Who mends clocks?\n")
    first.until("\nask> ")
    first.type("\x04")
    assert first.process.wait(patience.SECONDS) == 0
    file = tmp_path / "cache" / "ask_history"
    assert file.read_text().splitlines()[-1] == "Who mends clocks?"
    assert file.stat().st_mode & 0o777 == 0o600
    second = terminal("ask", "note.txt")
    second.until("ask> ")
    second.type("\x1b[A\n")  # the key up
    assert "Bert" in second.until("\nask> ")
