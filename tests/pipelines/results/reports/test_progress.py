"""How far a report is: a bar, or a line a minute."""

import io
import logging
import sys

import pytest

from pipelines.display import terminal
from pipelines.results.reports import html
from pipelines.results.reports import progress as module
from pipelines.results.reports.progress import Progress
from pipelines.sources import Dataset
from tests.pipelines.results.reports import small_runs


class Clock:
    """Tells the time that it is set to."""

    now = 0.0

    def __call__(self):
        return self.now


def test_a_line_a_minute_says_how_far_the_report_is(log):
    log.set_level(logging.INFO, "longdoc")
    clock = Clock()
    with Progress(10_000, clock) as progress:
        for _ in range(15):
            clock.now += 10
            progress.advance(200)
    assert log.messages == [
        "report: 1,200 of 10,000 examples, about 7 min left",
        "report: 2,400 of 10,000 examples, about 6 min left",
    ]


def test_a_page_counts_every_example_document_by_document(tmp_path, monkeypatch):
    counted = []
    monkeypatch.setattr(module.Progress, "advance", lambda self, examples: counted.append((examples, self._total)))
    whole, examples = small_runs.many(50)
    html.write(whole, tmp_path / "page.html", dataset=Dataset(lambda: iter(examples), {}))
    assert counted == [(20, 50), (20, 50), (10, 50)]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("kind", "shown"), [("xterm-256color", True), ("dumb", False)])
def test_a_terminal_has_a_bar_and_no_lines(kind, shown, monkeypatch, log):
    log.set_level(logging.INFO, "longdoc")
    monkeypatch.setattr(sys, "stderr", stderr := Terminal())
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", kind)
    monkeypatch.setenv("COLUMNS", "80")
    with Progress(3, interval=0.0) as progress:
        progress.advance(3)
    assert ("3/3 examples" in stderr.getvalue()) == shown
    assert log.messages == ([] if shown else ["report: 3 of 3 examples, about 1 s left"])


def test_there_is_no_bar_without_a_terminal():
    assert terminal.progress_bar("report", "examples") is None
