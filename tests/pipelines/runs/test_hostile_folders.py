"""Malicious folders: a model's, a run's, the working folder, the cache. No code in them runs."""

import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pipelines
from longdoc import allowed_code, checked_json
from longdoc.errors import UserError
from models import encoders
from pipelines.engine import engines
from tests import tiny_models
from tests.command_line import longdoc

STANDARD = ("threading", "pickle", "random", "queue", "signal")  # what child processes import first of all
OPTIONAL = ("cython", "scikits", "sksparse", "uarray", "sitecustomize_of_mine", "orjson_of_mine")
METRIC = """
import os, pathlib
pathlib.Path(os.environ["MARK"]).write_text(__name__)
from dataclasses import dataclass
from pipelines.metrics import Metric
@dataclass(frozen=True)
class Words(Metric):
    signature = "words"
    def statistics(self, prediction, example):
        return {"n": float(len(prediction.split()))}
    def aggregate(self, rows):
        return {"words": sum(row["n"] for row in rows) / len(rows)} if rows else {}
TASK = None
"""
ROOT = Path(pipelines.__file__).parent.parent
SCRIPT = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
import longdoc.__main__
if __name__ == "__main__":
    longdoc.__main__.main()
"""
RUN = ("run", "narrativeqa", "--data", "sample", "--model", "extractive", "--limit", "3")


class Payload:
    """The code that unpickling it runs."""

    def __reduce__(self):
        return (exec, ("import os, pathlib; pathlib.Path(os.environ['MARK']).write_text('unpickled')",))


@pytest.fixture
def here(tmp_path):
    """A working folder with modules beside the data that leave a mark when they are imported."""
    folder = tmp_path / "here"
    folder.mkdir()
    for name in (*STANDARD, *OPTIONAL, "evil"):
        (folder / f"{name}.py").write_text(METRIC, encoding="utf-8")
    return folder


@pytest.fixture
def mark(tmp_path, here, monkeypatch):
    """The file that lists the foreign code that ran; the process works in the hostile folder."""
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(allowed_code, "_typed_components", set())  # what an earlier test has typed
    monkeypatch.chdir(here)
    yield tmp_path / "mark"
    sys.modules.pop("evil", None)


def start(here, mark, *words, module=False):
    """The command in a process of its own, as the console script starts it, or by `python -m` (with its `-P`)."""
    script = mark.with_name("longdoc-script")
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, "-m", "longdoc"] if module else [sys.executable, str(script)]
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    return subprocess.run([*command, *words], cwd=here, env=environment, capture_output=True, text=True, check=False)


ENGINES = {
    "local": ("local", "local:processes=2"),
    "batch": ("batch:files",),
    "ray": ("ray:workers=1",),
}
ENGINE_SPECS = [
    pytest.param(spec, marks=pytest.mark.slow if name == "ray" else ()) for name in ENGINES for spec in ENGINES[name]
]
CHUNKER = """
from dataclasses import dataclass
from chunkers import Chunk, Chunker
@dataclass(frozen=True)
class Halves(Chunker):
    def split(self, text, query=None):
        half = len(text) // 2
        return [Chunk(text[:half], 0, half), Chunk(text[half:], half, len(text))]
"""
BATCH_NOTE = (
    "longdoc: requests to the model openai are written to files for api.openai.com: nothing is sent from here\n"
)


def test_every_engine_is_among_the_tested_engines():
    assert set(engines.registry.names()) == set(ENGINES)


@pytest.mark.parametrize("engine", ENGINE_SPECS)
def test_a_plain_run_imports_nothing_of_the_working_folder(here, mark, engine):
    if engine.startswith("ray"):
        pytest.importorskip("ray")
    if engine.startswith("batch"):
        pytest.importorskip("openai")
    (here / "models").mkdir()
    (here / "models" / "model.safetensors").write_bytes(b"weights")
    (here / "pipelines").mkdir()
    reader = ("--model", "openai:gpt-x") if engine.startswith("batch") else ()
    process = start(here, mark, *RUN, *reader, "--retriever", "tfidf", "--metric", "f1", "--engine", engine)
    assert (process.returncode, process.stderr) == ((3, BATCH_NOTE) if reader else (0, ""))
    assert not mark.exists()


@pytest.mark.parametrize("engine", ENGINE_SPECS)
def test_a_class_of_the_working_folder_can_be_named_on_every_engine(here, mark, engine):
    if engine.startswith("ray"):
        pytest.importorskip("ray")
    if engine.startswith("batch"):
        pytest.importorskip("openai")
    (here / "own_chunker.py").write_text(CHUNKER, encoding="utf-8")
    reader = ("--model", "openai:gpt-x") if engine.startswith("batch") else ()
    process = start(here, mark, *RUN, *reader, "--chunker", "own_chunker:Halves", "--metric", "f1", "--engine", engine)
    assert (process.returncode, process.stderr) == ((3, BATCH_NOTE) if reader else (0, ""))
    assert not mark.exists()


def test_processes_of_a_user_s_script_import_nothing_of_the_working_folder(here, mark):
    script = mark.with_name("script.py")
    script.write_text(
        f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
import pipelines
if __name__ == "__main__":
    pipelines.run(
        "narrativeqa", data="sample", model="extractive", metrics=["f1"], limit=3, engine="local:processes=1", out="run"
    )
    assert "PYTHONSAFEPATH" not in os.environ
""",
        encoding="utf-8",
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    process = subprocess.run(
        [sys.executable, str(script)], cwd=here, env=environment, capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stderr) == (0, "")
    assert (here / "run" / "scores.json").is_file() and not mark.exists()


@pytest.mark.slow
def test_started_as_a_module_longdoc_ignores_the_working_folder_too(here, mark):
    (here / "models.py").write_text("raise SystemExit('the wrong models')", encoding="utf-8")
    process = start(here, mark, "list", "components", module=True)
    assert (process.returncode, process.stderr) == (0, "")
    assert not mark.exists()


def test_a_class_of_the_working_folder_can_be_named_and_our_packages_come_first(here, mark):
    (here / "models.py").write_text("raise SystemExit('the wrong models')", encoding="utf-8")
    process = start(here, mark, *RUN, "--metric", "f1", "--metric", "evil:Words")
    assert process.returncode == 0, process.stderr
    assert mark.read_text() == "evil"


@pytest.fixture
def run(here, mark, capfd):
    """A finished run whose record, after the fact, names code."""
    assert longdoc(capfd, *RUN, "--metric", "f1", "--out", "run")[0] == 0
    record = json.loads((here / "run" / "run.json").read_text())
    record["metrics"]["x"] = {"name": "evil:Words"}
    record["metrics"]["y"] = {"name": "hard", "metric": "evil:Words"}
    (here / "run" / "run.json").write_text(checked_json.dumps(record))
    scores = json.loads((here / "run" / "scores.json").read_text())
    scores["scores"]["words"], scores["signatures"]["words"] = 2.5, "words"
    (here / "run" / "scores.json").write_text(checked_json.dumps(scores))
    return here / "run"


def test_the_scores_of_a_run_folder_that_names_code_are_read_and_not_recomputed(run, mark, capfd):
    before = json.loads((run / "scores.json").read_text())
    code, out, _ = longdoc(capfd, "score", "run")
    assert code == 0
    assert "x                not recomputed: run/run.json names the metric evil:Words, which is code" in out
    after = json.loads((run / "scores.json").read_text())
    assert after["scores"] == before["scores"] and after["signatures"] == before["signatures"]
    assert not mark.exists() and "evil" not in sys.modules


@pytest.mark.parametrize(
    "words",
    [
        ("show", "run", "sample-01"), ("report", "run", "--out", "r.html"), ("compare", "run", "other"),
        ("runs", "list", "."),
        ("report", "run", "other", "--format", "markdown"), ("analyze", "outputs", "run"),
    ],
    ids=lambda words: " ".join(words[:3]),
)  # fmt: skip
def test_reading_a_run_folder_that_names_code_runs_none(run, mark, capfd, words):
    shutil.copytree(run, run.parent / "other")
    code, out, err = longdoc(capfd, *words)
    assert code == 0, err
    assert out and not mark.exists() and "evil" not in sys.modules


def test_a_user_s_metric_is_computed_again_where_it_is_typed(run, mark, capfd):
    code, out, err = longdoc(capfd, "score", "run", "--metric", "evil.py:Words")
    assert code == 0, err
    assert "words" in out and "not recomputed" not in out and mark.read_text() == "evil"


def test_a_run_folder_cannot_name_a_foreign_task_or_a_command_to_paste(run, mark, capfd):
    record = json.loads((run / "run.json").read_text())
    record["spec"]["task"], record["starts"][0]["command"] = "evil:TASK", "longdoc run x; rm -rf ~"
    record["spec"]["data"] = {"repository": "x/y"}
    (run / "run.json").write_text(checked_json.dumps(record))
    for words in (("show", "run", "sample-01"), ("benchmark", "scores", "submit", "scrolls", "run", "--out", "s.zip")):
        longdoc(capfd, *words)
        assert not mark.exists() and "evil" not in sys.modules
    (run / "predictions.jsonl").unlink()
    code, out, _ = longdoc(capfd, "runs", "list", ".")
    assert code == 0 and "unfinished" in out and "rm -rf" not in out
    assert not mark.exists() and "evil" not in sys.modules


@pytest.mark.parametrize(
    "record",
    [
        {"name": "evil:Words"},
        {"name": "transformers:pipeline", "task": "fill-mask", "trust_remote_code": True},
        {"name": "torch.hub:load"},
        {"name": "openai", "base_url": "http://127.0.0.1:9", "key_variable": "HOME"},
        {"name": "bi_encoder", "encoder": "evil:Words"},
    ],
)
def test_a_model_folder_runs_no_code(here, mark, capfd, record):
    (here / "model").mkdir()
    (here / "model" / "reader.json").write_text(json.dumps(record))
    code, _, err = longdoc(capfd, "run", "style_change", "--data", "sample", "--model", "model")
    assert code == 2 and len(err.splitlines()) == 1, err
    assert not mark.exists() and "evil" not in sys.modules


def test_an_encoders_folder_with_its_own_modules_is_refused(tmp_path, monkeypatch):
    folder = tiny_models.bert(tmp_path / "encoder")
    (folder / "evil.py").write_text("import os, pathlib; pathlib.Path(os.environ['MARK']).write_text('x')")
    (folder / "modules.json").write_text(json.dumps([{"idx": 0, "name": "0", "path": "", "type": "evil.Words"}]))
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(UserError, match="is not part of Sentence Transformers"):
        encoders.get(str(folder)).encode(["a text"], "query")
    assert not (tmp_path / "mark").exists()


def test_nothing_in_the_cache_is_unpickled(here, mark, tmp_path, capfd):
    (here / "book.html").write_text("<p>Anna lives in Kyiv.</p>")
    row = {"id": "a", "document": "Anna lives in Kyiv.", "question": "Who lives in Kyiv?", "answers": ["Anna"]}
    (here / "rows.jsonl").write_text(json.dumps(row))
    dense = ("run", "qa", "--data", "rows.jsonl", "--retriever", "dense", "--model", "extractive", "--metric", "f1")
    ask = ("ask", "book.html", "Who lives in Kyiv?")
    for words in (dense, ask):
        assert longdoc(capfd, *words)[0] == 0
    files = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert len(files) >= 2
    for path in files:
        path.write_bytes(pickle.dumps(Payload()))
    for words in ((*dense, "--out", "again"), ask):
        code, _, err = longdoc(capfd, *words)
        assert code == 0, err
    assert not mark.exists()
