"""Hostile settings files, for every command and argument that takes them: none runs code that it names."""

import dataclasses
import json
import pickle
import sys
from pathlib import Path

import pytest
import yaml

import chunkers
import models
import pipelines
import retrievers
from longdoc import allowed_code, checked_json
from longdoc.allowed_code import SettingsFile, TextInFile, marked_with_file
from longdoc.errors import UserError
from models import encoders
from pipelines import metrics, strategies
from pipelines.engine import engines
from pipelines.engine.planning.files import config_file
from pipelines.plugins.builders import builder as builders
from tests.command_line import longdoc
from tests.turns import for_each

EVIL = """
import os, pathlib
pathlib.Path(os.environ["MARK"]).write_text("imported")
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
RUN = {"task": "narrativeqa", "data": "sample", "model": "extractive", "retriever": "tfidf", "limit": 1}
COMPONENTS = ("chunker", "retriever", "strategy", "model", "metrics", "engine", "judge", "task")
SPECS = {
    "a class": "evil:Words",
    "with arguments": "evil:Words:size=3",
    "a mapping": {"name": "evil:Words"},
    "a program": {"name": "subprocess:Popen", "args": ["touch", "MARK"]},
    "nested": {"name": "hybrid", "retrievers": ["bm25", {"name": "evil:Words"}]},
    "nested in a text": "hybrid:[bm25,{evil:Words}]",
    "nested deeply": {"name": "rerank", "retriever": "spread:retriever={hybrid:[bm25,{evil:Words}]}"},
}
COMMANDS = {
    "run": ("run", "--config"),
    "run, only counted": ("run", "--dry-run", "--config"),
    "prompt": ("prompt", "narrativeqa", "sample-01", "--config"),
    "ask": ("ask", "book.txt", "Who lives here?", "--config"),
    "index": ("data", "index", "book.txt", "--config"),
    "ablate": ("ablate", "-k", "1,2", "--config"),
    "ablate, only planned": ("ablate", "-k", "1,2", "--dry-run", "--config"),
    "train": ("train", "-m", "linear", "--out", "trained", "--config"),
    "agreement": ("analyze", "agreement", "--config"),
}


@pytest.fixture
def mark(tmp_path, monkeypatch):
    """A file that appears when code of the working folder is imported, or a program started."""
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        allowed_code, "_typed_components", set()
    )  # what an earlier test has typed is no part of this program
    here = tmp_path / "here"
    here.mkdir()
    (here / "evil.py").write_text(EVIL, encoding="utf-8")
    (here / "book.txt").write_text("Anna lives in Kyiv.", encoding="utf-8")
    monkeypatch.chdir(here)
    sys.modules.pop("evil", None)
    yield tmp_path / "mark"
    sys.modules.pop("evil", None)


def nothing_ran(mark):
    return not mark.exists() and not Path("MARK").exists() and "evil" not in sys.modules


def settings(content, name="settings.yaml"):
    Path(name).write_text(yaml.safe_dump(content) if name.endswith("yaml") else json.dumps(content), encoding="utf-8")
    return name


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("argument", sorted(config_file.run_types()))
def test_no_argument_of_a_settings_file_is_code(mark, capfd, command, argument):
    """Whatever the argument is: a command may refuse it as such, or find nothing behind the name."""
    content = {} if command in ("ask", "index", "agreement", "train") else RUN
    longdoc(capfd, *COMMANDS[command], settings({**content, argument: "evil:Words"}))
    assert nothing_ran(mark)


@pytest.mark.parametrize("argument", COMPONENTS)
@pytest.mark.parametrize("command", ["run", "ablate, only planned"])
@for_each("form", SPECS)
def test_no_component_of_a_settings_file_is_code(mark, capfd, command, argument, form):
    if command.startswith("ablate") and argument in ("engine", "judge"):
        pytest.skip("a grid takes neither")
    code, _, err = longdoc(capfd, *COMMANDS[command], settings({**RUN, argument: SPECS[form]}))
    assert (code, len(err.splitlines())) == (2, 1), err
    assert nothing_ran(mark)


def test_the_refusal_says_where_code_may_be_named(mark, capfd):
    kinds = {"model": "reader", "judge": "reader", "metrics": "metric"}
    for argument in COMPONENTS:
        code, _, err = longdoc(capfd, "run", "--config", settings({**RUN, argument: "evil.py:Words"}))
        assert (code, nothing_ran(mark)) == (2, True), argument
        assert err == (
            f"longdoc: settings.yaml names the {kinds.get(argument, argument)} evil.py:Words, which is code, and files "
            "can only name registered components. Give it on the command line or in Python instead\n"
        ), argument


def test_a_list_of_tasks_and_a_list_of_metrics_are_data_too(mark, capfd):
    for content in (
        {"task": ["narrativeqa", "evil:TASK"]},
        {"metrics": ["f1", {"name": "hard", "metric": "evil:Words"}]},
    ):
        code, _, err = longdoc(capfd, "run", "--config", settings({**RUN, **content}))
        assert (code, "which is code" in err) == (2, True), err
    assert nothing_ran(mark)


def test_variants_and_axes_of_a_grid_are_data(mark, capfd):
    grids = (
        {**RUN, "retriever": ["bm25", {"name": "evil:Words"}]},
        {**RUN, "variants": [{"name": "a", "chunker": "evil:Words"}]},
        {**RUN, "task": ["narrativeqa", "evil:TASK"], "k": [1, 2]},
    )
    for grid in grids:
        longdoc(capfd, "ablate", "--dry-run", "--grid", settings(grid, "grid.json"))
        assert nothing_ran(mark)


def test_a_metric_typed_beside_the_file_may_be_code(mark, capfd):
    code, out, err = longdoc(capfd, "run", "--config", settings(RUN), "--metric", "f1", "--metric", "evil.py:Words")
    assert (code, "words" in out, mark.read_text()) == (0, True, "imported"), err


def test_the_settings_that_a_run_folder_prints_are_data_when_they_are_read_again(mark, capfd):
    code, _, err = longdoc(
        capfd, "run", "narrativeqa", "--data", "sample", "-m", "extractive", "--limit", "1", "--out", "r"
    )
    assert code == 0, err
    record = json.loads(Path("r/run.json").read_text(encoding="utf-8"))
    record["arguments"]["metrics"] = [{"name": "evil:Words"}]
    record["arguments"]["engine"] = "evil:Words"
    Path("r/run.json").write_text(checked_json.dumps(record), encoding="utf-8")
    code, out, err = longdoc(capfd, "rerun", "r", "--print-config")
    assert (code, yaml.safe_load(out)["metrics"]) == (0, [{"name": "evil:Words"}]), err
    Path("piped.yaml").write_text(out, encoding="utf-8")
    for words in (("run", "--config", "piped.yaml"), ("rerun", "r"), ("rerun", "r", "--metric", "f1")):
        code, _, err = longdoc(capfd, *words)
        assert (code, "which is code" in err) == (2, True), err
    assert nothing_ran(mark)


def test_in_python_a_file_is_data_and_what_is_passed_beside_it_is_code(mark):
    file = settings({**RUN, "metrics": "evil:Words"})
    with pytest.raises(UserError, match=r"^settings.yaml names the metric evil:Words, which is code"):
        pipelines.run(**pipelines.read_config(file))
    with pytest.raises(UserError, match="which is code"):
        pipelines.run(**{**pipelines.read_config(file), "limit": 2})
    assert nothing_ran(mark)
    pipelines.run(**pipelines.read_config(file, metrics=["evil:Words"], out="typed"))
    assert mark.exists()


REGISTRIES = {
    "chunker": chunkers.registry, "retriever": retrievers.registry, "strategy": strategies.registry,
    "metric": metrics.registry, "engine": engines.registry, "builder": builders.registry,
}  # fmt: skip
FIELDS = [
    (kind, name, field.name)
    for kind, registry in REGISTRIES.items()
    for name in registry.names()
    for field in dataclasses.fields(registry.component(name))
    if field.init
]


@pytest.mark.parametrize(("kind", "name", "field"), FIELDS)
def test_no_field_of_any_component_is_code(mark, kind, name, field):
    """What is resolved when it is first used, too: encoders."""
    for value in ("evil:Words", {"name": "evil:Words"}, ["evil:Words"], ["bm25", {"name": "evil:Words"}]):
        spec = marked_with_file({"name": name, field: value}, SettingsFile("settings.yaml"))
        with pytest.raises(UserError):
            component = REGISTRIES[kind].get(spec)
            if kind != "retriever":
                raise UserError("nothing is looked up later")
            component.index(chunkers.get("whole").split("Anna lives in Kyiv.")).search(["Anna"])
            raise UserError("it is a text")
        assert nothing_ran(mark)


@pytest.mark.parametrize("name", ["dense", "late_interaction"])
def test_the_encoder_of_a_retriever_is_data(mark, name):
    for spec in (f"{name}:evil:Words", f"{name}:model=evil:Words", {"name": name, "model": "evil:Words"}):
        with pytest.raises(UserError, match=r"^settings.yaml names the encoder evil:Words, which is code"):
            retrievers.get(marked_with_file(spec, SettingsFile("settings.yaml")))
    assert nothing_ran(mark)


@pytest.mark.parametrize("spec", ["bi_encoder:evil:Words", {"name": "bi_encoder", "model": "evil:Words"}])
def test_the_encoder_of_a_reader_is_data(mark, spec):
    with pytest.raises(UserError, match=r"^settings.yaml names the encoder evil:Words, which is code"):
        models.get(marked_with_file(spec, SettingsFile("settings.yaml")))
    assert nothing_ran(mark)


def test_text_of_a_file_stays_marked_in_the_processes_that_it_is_sent_to(mark):
    for text in (TextInFile("evil:Words", "settings.yaml"), marked_with_file({"name": "evil:Words"}, "settings.yaml")):
        with pytest.raises(UserError, match=r"^settings.yaml names the encoder evil:Words, which is code"):
            encoders.get(pickle.loads(pickle.dumps(text)))
    assert nothing_ran(mark)


@pytest.mark.parametrize("name", ["attn_implementation", "use_kernels", "kernel_config"])
def test_a_file_fetches_no_kernel_of_the_hub(mark, name):
    value = "somebody/kernel" if name.startswith("attn") else True
    spec = marked_with_file(
        {"name": "seq2seq", "model": "folder", "options": {name: value}}, SettingsFile("settings.yaml")
    )
    typed_model = ("seq2seq:folder", {"options": spec["options"]})  # the model; the options are the file's
    for reader, fields in ((spec, {}), typed_model):
        with pytest.raises(UserError, match=rf"^settings.yaml sets {name} of the reader seq2seq, which fetches code"):
            models.get(reader, **fields)
