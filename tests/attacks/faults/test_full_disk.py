"""A real disk that is full in the middle of a run, and has room later."""

import json
import subprocess

import pytest

import pipelines
from tests.attacks.faults.power_cuts import ROWS


def test_a_run_on_a_full_disk_goes_on_when_there_is_room(small_disk, tmp_path):
    rows = tmp_path / "rows.jsonl"
    text = " ".join(f"Room{n} holds {n} keys, and nothing else is said of it." for n in range(60))
    lines = [
        {**row, "document": f"{row['document']} {text}", "id": f"{row['id']}-{n}"} for n in range(9) for row in ROWS
    ]
    rows.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    arguments = {"data": rows, "model": "lead:words=300", "k": 9, "metrics": ["f1"], "report": False}
    disk = small_disk(48)
    with pytest.raises(OSError, match="No space left on device"):
        pipelines.run("qa", out=disk / "run", **arguments)
    lines_before = (disk / "run" / "journal.jsonl").read_bytes().splitlines()
    subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
    result = pipelines.run("qa", out=disk / "run", **arguments)
    whole = pipelines.run("qa", out=tmp_path / "whole", **arguments)
    assert 0 < result.resumed < 54 and result.resumed <= len(lines_before)
    assert result.new_requests < whole.new_requests
    for name in ("predictions.jsonl", "scores.json"):
        assert (disk / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
