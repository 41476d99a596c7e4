"""Real architectures of tiny size through the command line: from a folder, and from a hub cache, offline."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
KINDS = ("t5", "longt5", "bart", "led")


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    colours = ["red", "green", "blue"]
    text = " ".join(f"Room {i} holds the {colours[i % 3]} chest." for i in range(40))
    lines = [
        {"id": f"q{i}", "document": text, "question": f"What does room {i} hold?", "answers": ["x"]} for i in (3, 7)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
    return path


def longdoc(*arguments, **environment):
    command = [sys.executable, "-m", "longdoc", *map(str, arguments)]
    env = os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"} | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


def run(model, rows, out, *more, **environment):
    options = [
        "--data",
        rows,
        "--model",
        f"{model},deterministic=true",
        "--out",
        out,
        "--metric",
        "f1",
        "--max-new-tokens",
        6,
    ]
    return longdoc("run", "qa", *options, *more, "--json", **environment)


def copy_to_hub_cache(folder: Path, cache: Path, name: str) -> None:
    """Copy a model to the layout of huggingface_hub: blobs, links to them in a snapshot, and a branch that names it."""
    home = cache / f"models--{name.replace('/', '--')}"
    for part in ("blobs", "refs", f"snapshots/{COMMIT}"):
        (home / part).mkdir(parents=True)
    (home / "refs" / "main").write_text(COMMIT, encoding="utf-8")
    for number, file in enumerate(sorted(folder.iterdir())):
        blob = home / "blobs" / f"{number:040x}"
        shutil.copy(file, blob)
        (home / "snapshots" / COMMIT / file.name).symlink_to(Path("../../blobs") / blob.name)


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """An empty hub cache of this process's own."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    return tmp_path / "hub"


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_and_a_hub_cache_give_the_same_run(kind, rows, tmp_path, hub, request):
    folder = request.getfixturevalue(f"tiny_{kind}")
    copy_to_hub_cache(folder, hub, f"someone/tiny-{kind}")
    arguments = {"data": rows, "metrics": ["f1"], "max_new_tokens": 6}
    local = pipelines.run("qa", model=f"{folder},deterministic=true", out=tmp_path / "local", **arguments)
    cached = pipelines.run("qa", model=f"someone/tiny-{kind},deterministic=true", out=tmp_path / "cached", **arguments)
    assert [p.prediction for p in local.predictions] == [p.prediction for p in cached.predictions]
    assert [p.tokens_in for p in local.predictions] == [p.tokens_in for p in cached.predictions]
    record = json.loads((tmp_path / "cached" / "run.json").read_text(encoding="utf-8"))
    assert record["spec"]["resolved"]["revision"] == COMMIT
    assert (record["spec"]["resolved"]["dtype"], record["spec"]["model"]["name"]) == ("fp32", "seq2seq")


def test_the_command_reads_a_hub_cache_offline_and_writes_nothing_to_stderr(rows, tmp_path, tiny_t5):
    copy_to_hub_cache(tiny_t5, tmp_path / "hub", "someone/tiny-t5")
    process = run("someone/tiny-t5", rows, tmp_path / "run", HF_HUB_CACHE=str(tmp_path / "hub"))
    assert (process.returncode, process.stderr) == (0, "")
    assert json.loads(process.stdout)["examples"] == 2


def test_a_prompt_over_the_models_limit_is_truncated_and_counted(rows, tmp_path, tiny_bart):
    from models import get

    arguments = {"data": rows, "model": str(tiny_bart)}
    shown = pipelines.prompt("qa", "q3", **arguments)
    result = pipelines.run("qa", out=tmp_path / "run", metrics=["f1"], max_new_tokens=6, **arguments)
    assert result.predictions[0].truncated_tokens == shown.truncated_tokens > 0
    assert 0.9 * get(str(tiny_bart)).max_prompt_tokens < shown.tokens <= get(str(tiny_bart)).max_prompt_tokens
    assert shown.text.startswith("What does room 3 hold? ")
    text = json.loads(rows.read_text(encoding="utf-8").splitlines()[0])["document"]
    assert shown.text.endswith("\n".join(text[start:end] for start, end in shown.spans))


def test_arguments_that_a_reader_does_not_take_are_refused_by_name(rows, tmp_path, hub, tiny_t5, tiny_bart):
    for model, options, message in [
        (tiny_t5, {"dtype": "fp16"}, "fp16"),
        (tiny_bart, {"max_input_tokens": 100_000}, "100000|100,000"),
        ("someone/not-there", {}, 'model="extractive"'),
        (tmp_path, {}, r"config\.json"),
    ]:
        with pytest.raises(UserError, match=message):
            pipelines.run("qa", data=rows, model={"name": str(model), **options}, metrics=["f1"])


def test_fetch_reports_files_in_the_cache_and_files_it_cannot_get(tmp_path, tiny_t5):
    copy_to_hub_cache(tiny_t5, tmp_path / "hub", "someone/tiny-t5")
    process = longdoc("data", "fetch", "someone/tiny-t5", HF_HUB_CACHE=str(tmp_path / "hub"))
    assert process.stdout.strip().endswith(COMMIT)
    failed = longdoc("data", "fetch", "narrativeqa", HF_HUB_CACHE=str(tmp_path / "hub"))
    assert failed.returncode == 2
    assert "data/narrativeqa_test.json.bz2" in failed.stderr
