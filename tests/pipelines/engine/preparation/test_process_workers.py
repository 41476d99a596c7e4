"""Processes of this machine: the files are the same, even when one of them is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import pipelines
from chunkers import Chunker
from longdoc.errors import UserError
from pipelines.engine.engines.local import Local
from tests import patience

ROOT = Path(__file__).parents[4]
RECIPE = {
    "data": "sample", "chunker": "sentences:30", "retriever": "bm25", "k": 3, "model": "extractive", "metrics": ["f1"],
}  # fmt: skip


def files(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in ("predictions.jsonl", "scores.json")]


def test_a_run_in_processes_writes_the_files_of_one_in_threads(tmp_path):
    pipelines.run("narrativeqa", out=tmp_path / "threads", report=False, **RECIPE)
    pipelines.run("narrativeqa", out=tmp_path / "processes", engine="local:processes=1", report=False, **RECIPE)
    assert files(tmp_path / "processes") == files(tmp_path / "threads")


@pytest.mark.parametrize("processes", [-1, -7])
def test_a_negative_number_of_processes_is_refused(processes):
    with pytest.raises(UserError, match=f"^local: processes must be at least 1, or 0 for threads, got {processes}$"):
        Local(processes=processes)


def test_numbers_of_threads_and_of_processes_are_not_given_together():
    with pytest.raises(UserError, match=r"^local: workers are threads, and processes take their place: give one"):
        Local(workers=3, processes=2)


def test_components_that_cannot_be_sent_are_refused_before_a_process_starts(tmp_path):
    class Own(Chunker):
        def split(self, text, query=None):
            return []

    with pytest.raises(UserError, match=r"^processes=2 needs components that can be sent to other processes \(.*Own"):
        pipelines.run("narrativeqa", out=tmp_path, engine="local:processes=2", **RECIPE | {"chunker": Own()})


SCRIPT = """
import sys, os, signal, threading, time
from multiprocessing import active_children
import pipelines

def kill_one():
    while not active_children():
        time.sleep(0.01)
    time.sleep(float(sys.argv[2]))
    for child in active_children()[:1]:
        os.kill(child.pid, signal.SIGKILL)

if __name__ == "__main__":
    threading.Thread(target=kill_one, daemon=True).start()
    pipelines.run("narrativeqa", data="sample", chunker="sentences:30", retriever="bm25", k=3, model="extractive",
                  metrics=["f1"], out=sys.argv[1], engine="local:processes=1", report=False)
"""


@pytest.mark.parametrize(
    "seconds", [0.0, *(pytest.param(s, marks=pytest.mark.slow) for s in (0.2, 0.5, 1.0, 1.3, 1.6, 2.0, 2.5, 3.0))]
)
def test_a_killed_process_is_replaced_and_the_files_are_the_same(tmp_path, seconds):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    subprocess.run(
        [sys.executable, script, tmp_path / "killed", str(seconds)], check=True, cwd=ROOT, timeout=patience.SECONDS
    )
    pipelines.run("narrativeqa", out=tmp_path / "threads", report=False, **RECIPE)
    assert files(tmp_path / "killed") == files(tmp_path / "threads")


@pytest.mark.slow
def test_processes_end_with_the_one_that_started_them(tmp_path):
    """A killed process cannot stop its workers: they notice that it is gone."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys, time\nfrom multiprocessing import active_children\n"
        "from pipelines.engine.preparation.process_workers import ProcessWorkers\n"
        "if __name__ == '__main__':\n"
        "    workers = ProcessWorkers(2, [])\n"
        "    calls = [workers.begin('prepare', None, []) for _ in range(2)]\n"
        "    [call.result('none') for call in calls]\n"
        "    print(*[child.pid for child in active_children()], flush=True)\n"
        "    time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert parent.stdout is not None
    children = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(children) == 2
    parent.kill()
    patience.until(lambda: not any(alive(pid) for pid in children), "the processes end")


def alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet does not."""
    return patience.state(pid) not in ("", "Z")


@pytest.mark.slow
def test_a_script_without_a_main_guard_is_refused(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import pipelines\n"
        "pipelines.run('narrativeqa', data='sample', retriever='bm25', chunker='sentences', model='extractive',\n"
        f"              out={str(tmp_path / 'run')!r}, engine='local:processes=1', report=False)\n"
    )
    process = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, cwd=ROOT, timeout=patience.SECONDS
    )
    assert process.returncode == 1
    assert process.stderr.rstrip().endswith("needs its own code under `if __name__ == '__main__':`")


@pytest.mark.slow
def test_a_run_that_a_scheduler_ends_says_only_how_it_goes_on(tmp_path):
    command = ["run", "narrativeqa", "--data", "sample", "--chunker", "sentences:3", "--retriever", "bm25", "--k", "3"]
    command += ["--model", "extractive", "--engine", "local:processes=1", "--out", str(tmp_path / "run")]
    process = subprocess.Popen(
        [sys.executable, "-m", "longdoc", *command], stderr=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    )
    journal = tmp_path / "run" / "journal.jsonl"
    patience.until(lambda: journal.exists() and journal.stat().st_size, "the first example is done")
    os.killpg(process.pid, signal.SIGTERM)
    errors = process.communicate(timeout=patience.SECONDS)[1]
    assert process.returncode == 143
    assert "longdoc: stopped" in errors
    assert "leaked" not in errors
