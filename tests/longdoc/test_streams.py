"""Standard streams that nobody reads, or that the shell has closed."""

import os
import subprocess
import sys

import pytest

from longdoc.__main__ import _Lasting


def test_writing_to_a_stream_that_nobody_reads_raises_nothing():
    reading, writing = os.pipe()
    stream = _Lasting(os.fdopen(writing, "wb"), "utf-8", line_buffering=True)
    stream.write("first\n")
    assert os.read(reading, 10) == b"first\n"
    os.close(reading)
    for _ in range(2):
        stream.write("second\n")
    stream.flush()
    stream.close()


@pytest.mark.slow
def test_a_command_whose_streams_are_closed_does_its_work(tmp_path):
    command = f"{sys.executable} -m longdoc run narrativeqa --data sample --model extractive --limit 2 --out run"
    process = subprocess.run(["bash", "-c", f"{command} 2>&- <&- >out"], cwd=tmp_path, capture_output=True)
    assert (process.returncode, (tmp_path / "run" / "scores.json").is_file()) == (0, True)
    assert "report: run/report.html" in (tmp_path / "out").read_text(encoding="utf-8")


@pytest.mark.slow
def test_an_ablation_whose_messages_nobody_reads_does_its_work(tmp_path):
    command = f"{sys.executable} -m longdoc ablate narrativeqa --data sample --model extractive --limit 2 -k 1,2"
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run([*command.split(), "--out", "grid"], cwd=tmp_path, stderr=writing, stdout=subprocess.PIPE)
    os.close(writing)
    assert (process.returncode, len([*(tmp_path / "grid" / "runs").glob("*/scores.json")])) == (0, 2)
