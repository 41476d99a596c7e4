"""Runs of pytest in forked processes, over copies of the checkout, a file of which may be changed.

The parent imports the libraries once and none of our packages, so that a trial takes a second or two, not ten. A copy
lies in a temporary folder; nothing outside that folder can be removed or renamed by a trial.
"""

import contextlib
import fcntl
import gc
import importlib
import json
import os
import resource
import selectors
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.mutants.recorder import Recorder

LIBRARIES = (
    "hypothesis", "numpy", "scipy.sparse", "scipy.stats", "sklearn.linear_model", "sklearn.feature_extraction.text",
    "sklearn.preprocessing", "nltk", "rapidfuzz", "regex", "Stemmer", "anyascii", "sentencex", "typeguard", "filelock",
    "typer.testing", "rich.progress", "yaml", "markdown_it", "jinja2", "huggingface_hub", "torch", "transformers",
    "tokenizers", "sentence_transformers", "datasets", "faiss", "pandas", "bm25s", "rouge_score.rouge_scorer", "openai",
    "anthropic", "jieba", "xdist.plugin", "xdist.looponfail", "_hypothesis_pytestplugin", "anyio.pytest_plugin",
    "typeguard._pytest_plugin", "platformdirs.pytest_plugin", "transformers.models.t5.modeling_t5", "ray",
    "transformers.models.bert.modeling_bert",
)  # fmt: skip
PARTS = (
    "chunkers", "retrievers", "models", "pipelines", "longdoc", "tests", "docs", "examples", "benchmarks", ".ci",
)  # fmt: skip
MEMORY = 8 << 30
COLLECTING_SECONDS = 60.0  # seconds of CPU that reading the tests' files may take
TIMES_SLOWER = 10
TIMES_WAITING = 10  # a test that waits, or a busy machine: so much more by the clock


@dataclass
class Trial:
    """One run of some tests over a copy, in which the file `name` is `text`.

    `tests` maps the tests' ids, in the order in which they run, to the seconds that each took before.
    """

    tests: dict[str, float]
    recorder: Recorder | None = None
    name: str = ""
    text: bytes = b""
    stops: bool = True  # at the first failure
    least_limit: float = 20.0  # seconds of CPU that a test may take, or ten times what it took before
    outcome: str = ""  # passed, failed, timeout, crashed
    by: str = ""
    message: str = ""
    seconds: float = 0.0
    reports: list[dict[str, Any]] = field(default_factory=list)
    unreliable: list[str] = field(default_factory=list)  # tests that failed once, or without the change too


@contextlib.contextmanager
def copies(root: Path, number: int) -> Iterator[list[Path]]:
    """So many copies of the checkout in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        folders = []
        for place in range(number):
            copy = Path(folder) / str(place) / "checkout"
            ignore = shutil.ignore_patterns(".mypy_cache")
            for part in PARTS:
                if (root / part).exists():
                    shutil.copytree(root / part, copy / part, ignore=ignore)
            for path in root.iterdir():
                if path.is_file():
                    shutil.copy(path, copy)
            (copy / ".venv").symlink_to(root / ".venv")
            folders.append(copy)
        yield folders


def import_libraries() -> None:
    """Import what our packages import from others, where it is installed."""
    os.environ.update(HF_HUB_OFFLINE="1", OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false")
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # else every trial's collections would go through them


def run(
    root: Path, next_trial: Callable[[], Trial | None], folders: list[Path], finish: Callable[[Trial], None]
) -> None:
    """Run the trials that `take` gives, one in each folder at a time, until it gives none when all are done."""
    free_folders, selector = list(folders), selectors.DefaultSelector()
    while True:
        while free_folders and (trial := next_trial()) is not None:
            process = _Process(root, trial, free_folders.pop())
            selector.register(process.pipe, selectors.EVENT_READ, process)
        if not selector.get_map():
            return
        selector.select(timeout=1)
        for key in list(selector.get_map().values()):
            if key.data.is_over():
                selector.unregister(key.fd)
                free_folders.append(key.data.copy)
                finish(key.data.trial)


class _Process:
    """A forked process that runs a trial and tells through a pipe which test it is at."""

    def __init__(self, root: Path, trial: Trial, copy: Path) -> None:
        self.trial, self.copy = trial, copy
        self._changed = copy / trial.name if trial.name else None
        if self._changed is not None:
            self._original = self._changed.read_bytes()
            self._changed.write_bytes(trial.text)
            for old in (self._changed.parent / "__pycache__").glob(f"{self._changed.stem}.*.pyc"):
                old.unlink()
        self._began = self._since = time.monotonic()
        self._seconds_before = 0.0
        self._limit = COLLECTING_SECONDS
        reading, writing = os.pipe()
        self._process = os.fork()
        if not self._process:
            os.close(reading)
            _in_child(root, trial, copy, writing)
        os.close(writing)
        fcntl.fcntl(reading, fcntl.F_SETFL, os.O_NONBLOCK)
        self.pipe = os.fdopen(reading, "rb", buffering=0)
        self._text = b""

    def is_over(self) -> bool:
        """Whether it has ended, or is ended now since a test takes too long."""
        try:
            while chunk := self.pipe.read(1 << 16):
                self._text += chunk
        except BlockingIOError:
            chunk = None
        *lines, self._text = self._text.split(b"\n")
        for line in lines:
            self._take_in(json.loads(line))
        if chunk is None and not self._takes_too_long():
            return False
        self._end("timeout" if chunk is None else "")
        return True

    def _takes_too_long(self) -> bool:
        if _seconds_used(self._process) - self._seconds_before > self._limit:
            return True
        return time.monotonic() - self._since > TIMES_WAITING * self._limit

    def _take_in(self, report: dict[str, Any]) -> None:
        if "starts" in report:
            self._since, self._seconds_before = time.monotonic(), _seconds_used(self._process)
            self._limit = max(self.trial.least_limit, TIMES_SLOWER * self.trial.tests.get(report["starts"], 0.0))
            self.trial.by = report["starts"]
        elif "failed" in report and not self.trial.outcome:
            self.trial.outcome, self.trial.by, self.trial.message = "failed", report["failed"], report["message"]
        elif "failed" not in report:
            self.trial.reports.append(report)

    def _end(self, outcome: str) -> None:
        with contextlib.suppress(ProcessLookupError):
            if outcome:
                os.killpg(self._process, signal.SIGKILL)
        _, status = os.waitpid(self._process, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process, signal.SIGKILL)  # what it has started
        code = os.waitstatus_to_exitcode(status)
        trial = self.trial
        trial.seconds += time.monotonic() - self._began
        if not trial.outcome:
            trial.outcome = outcome or ("passed" if code in {0, 5} else "failed" if code in {1, 2} else "crashed")
        if trial.outcome == "passed":
            trial.by = ""
        self.pipe.close()
        if self._changed is not None:
            self._changed.write_bytes(self._original)
            for old in (self._changed.parent / "__pycache__").glob(f"{self._changed.stem}.*.pyc"):
                old.unlink()
        shutil.rmtree(self.copy.parent / "temporary", ignore_errors=True)


def _seconds_used(process: int) -> float:
    """The CPU time of a process, by Linux's proc."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Reporting:
    """Has pytest run the tests of a trial alone, in its order, and tells of each."""

    def __init__(self, trial: Trial, pipe: int) -> None:
        self._trial, self._pipe = trial, pipe

    def tell(self, **report: object) -> None:
        """A line of JSON to the parent."""
        os.write(self._pipe, json.dumps(report).encode() + b"\n")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out the other tests. Of a file, the cheapest come first."""
        files = list(dict.fromkeys(test.partition("::")[0] for test in self._trial.tests))
        order = {test: (files.index(test.partition("::")[0]), place) for place, test in enumerate(self._trial.tests)}
        if any("::" in test for test in order):
            items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Say which test starts."""
        self.tell(starts=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Say which test failed."""
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.tell(failed=report.nodeid, message=str(crash.message if crash else report.longrepr)[-300:])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Say which file cannot be imported."""
        if report.failed:
            self.tell(failed=report.nodeid, message=str(report.longrepr)[-300:])


def _in_child(root: Path, trial: Trial, copy: Path, pipe: int) -> None:
    """Run the tests in this process, and end it."""
    code = 3
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell begins in the background ignores it
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        temporary = copy.parent / "temporary"
        temporary.mkdir(exist_ok=True)
        with (copy.parent / "printed").open("wb") as printed:
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(copy)
        tempfile.tempdir = str(temporary)
        os.environ.update(TMPDIR=str(temporary), PYTHONPATH=str(copy), PYTHONDONTWRITEBYTECODE="1")
        for name in ("realdata", "goldens"):
            os.environ.setdefault(f"LONGDOC_{name.upper()}", str(root.parent / "shared" / name))
        sys.path[:] = [str(copy), *(path for path in sys.path if Path(path or ".").resolve() not in {root, copy})]
        sys.path_importer_cache.clear()
        for name in [name for name in sys.modules if name.partition(".")[0] in PARTS]:
            del sys.modules[name]
        importlib.invalidate_caches()
        sys.addaudithook(_Guard(copy.parent))
        reporting = Reporting(trial, pipe)
        plugins: list[object] = [reporting]
        if trial.recorder is not None:
            trial.recorder.attach(reporting.tell)
            plugins.append(trial.recorder)
        sys.dont_write_bytecode = bool(trial.name)
        files = list(dict.fromkeys(test.partition("::")[0] for test in trial.tests))
        arguments = [
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:faulthandler",
            "-p",
            "no:unraisableexception",
            "--rootdir",
            str(copy),
            "--tb=line",
        ]
        arguments += ["-c", str(copy / "pyproject.toml"), *(["-x"] if trial.stops else [])]
        code = int(pytest.main([*arguments, *files], plugins=plugins))
    except BaseException as error:
        os.write(pipe, json.dumps({"failed": "", "message": repr(error)[-300:]}).encode() + b"\n")
    finally:
        os._exit(code)


class _Guard:
    """Refuses to remove or rename anything outside the folder of the copy."""

    def __init__(self, folder: Path) -> None:
        self._inside = (str(folder) + os.sep, os.sep + "dev" + os.sep)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in {"os.remove", "os.rename", "os.rmdir", "shutil.rmtree", "os.truncate"}:
            path_argument = arguments[0]
            if isinstance(path_argument, str | bytes | os.PathLike):
                path = os.path.abspath(os.fsdecode(path_argument))  # noqa: PTH100  (no link is followed)
                is_relative = len(arguments) > 1 and arguments[-1] not in {None, -1} and isinstance(arguments[-1], int)
                if not is_relative and not path.startswith(self._inside):
                    raise PermissionError(f"outside the copy: {path}")
