"""Several processes train one reader (`accelerate launch`, gloo): one of them writes."""

import json
import os
import subprocess
import sys

import pytest

import models
from tests.conftest import ROOT

LAUNCH = (
    "-m accelerate.commands.launch --cpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no"
)


@pytest.mark.slow
def test_two_processes_write_one_folder_and_print_every_line_once(tiny_t5, tmp_path):
    question = {"question": "Where?", "answers": ["river", "mill"]}
    rows = [{"id": str(n), "document": f"The old mill {n} stood by the river.", **question} for n in range(12)]
    for split in ("train", "validation"):
        (tmp_path / f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    out = tmp_path / "out"
    command = f"-m longdoc train qa --model {tiny_t5},device=cpu --data {tmp_path} --out {out} --set epochs=2"
    fields = ["--set", "batch_tokens=120", "--set", "accumulation=2", "--set", "dtype=fp32"]
    completed = subprocess.run(
        [sys.executable, *LAUNCH.split(), *command.split(), *fields],
        cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert completed.stdout.count("seq2seq trained") == 1
    steps = [line for line in completed.stderr.splitlines() if line.startswith("longdoc: step")]
    assert len(steps) == len(set(steps)) == 4
    metrics = json.loads((out / "training.json").read_text(encoding="utf-8"))["metrics"]
    assert (metrics["train_samples"], metrics["steps"]) == (
        24,
        6,
    )  # as many as one process takes: they share the batches
    assert {file.name for file in out.iterdir()} == {
        ".lock", "README.md", "config.json", "generation_config.json", "model.safetensors", "reader.json",
        "tokenizer.json", "training.json",
    }  # fmt: skip
    assert models.get(str(out)).reply([models.Generate("Where?", 5)])[0].error is None
