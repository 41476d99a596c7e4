"""Names in files are looked up among registered components; code is imported only if the user typed its name."""

import json
import sys

import pytest

import models
import pipelines
from longdoc.allowed_code import marked_with_file
from longdoc.errors import UserError
from pipelines import metrics

METRIC = """
import pathlib
from dataclasses import dataclass
from pipelines.metrics import Metric
pathlib.Path({marker!r}).write_text("imported")
@dataclass(frozen=True)
class Words(Metric):
    signature = "words"
    def statistics(self, prediction, example):
        return {{"n": float(len(prediction.split()))}}
    def aggregate(self, rows):
        return {{"words": sum(row["n"] for row in rows) / len(rows)}} if rows else {{}}
"""


@pytest.fixture
def evil(tmp_path, monkeypatch, request):
    """The name of a module that writes a file when it is imported, and the path of that file."""
    name = "evil_" + "".join(letter for letter in request.node.name if letter.isalnum())
    marker = tmp_path / "imported"
    (tmp_path / f"{name}.py").write_text(METRIC.format(marker=str(marker)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield name, marker
    sys.modules.pop(name, None)


def test_only_a_typed_name_is_imported_from_the_working_folder(evil):
    name, marker = evil
    path = list(sys.path)
    assert metrics.get(f"{name}:Words").score(["a b", "c"], [["a"], ["c"]]) == {"words": 1.5}
    assert marker.exists() and sys.path == path


@pytest.mark.parametrize("nested", [False, True])
def test_code_named_in_a_file_is_not_imported(evil, nested):
    name, marker = evil
    spec = {"name": "hard", "metric": f"{name}:Words"} if nested else {"name": f"{name}:Words"}
    with pytest.raises(UserError, match=rf"^run.json names the metric {name}:Words, which is code, and files can only"):
        metrics.get(marked_with_file(spec, "run.json"))
    allowed, refused = metrics.recorded("run.json", {"x": spec, "f1": {"name": "f1"}})
    assert list(allowed) == ["f1"] and list(refused) == ["x"]
    assert not marker.exists() and name not in sys.modules


def test_a_typed_file_is_imported_and_one_that_a_file_names_is_refused_as_code(evil):
    name, marker = evil
    with pytest.raises(UserError) as refused:
        metrics.get(marked_with_file(f"{name}.py:Words", "run.json"))
    assert str(refused.value) == (
        f"run.json names the metric {name}.py:Words, which is code, and files can only name registered components. "
        "Give it on the command line or in Python instead"
    )
    assert not marker.exists()
    assert metrics.get(f"{name}.py:Words") == metrics.get(f"{name}:Words")


def test_code_typed_in_this_process_may_be_named_in_files(evil):
    name, _ = evil
    metric = metrics.get(f"{name}:Words")
    assert metrics.get(marked_with_file({"name": f"{name}:Words"}, "run.json")) == metric
    with pytest.raises(UserError, match="which is code"):
        metrics.get(marked_with_file({"name": f"{name}:METRIC"}, "run.json"))


def test_a_manifest_can_only_name_registered_builders(evil, tmp_path):
    name, marker = evil
    (tmp_path / "manifest.json").write_text(
        json.dumps({"format": 1, "builder": {"name": f"{name}:Words"}, "source": ".", "seed": 0, "sources": {},
                    "files": {}, "longdoc": "0"}),
        encoding="utf-8",
    )  # fmt: skip
    with pytest.raises(UserError, match="names the builder"):
        pipelines.build(manifest=tmp_path / "manifest.json", out=tmp_path / "out")
    assert not marker.exists()


@pytest.mark.parametrize("spec", ["transformers:pipeline", "torch.hub:load", "os:system"])
def test_a_model_folder_can_only_name_registered_readers(tmp_path, spec):
    (tmp_path / "reader.json").write_text(json.dumps({"name": spec, "trust_remote_code": True}), encoding="utf-8")
    with pytest.raises(UserError, match=rf"reader.json names the reader {spec}, which is code"):
        models.get(str(tmp_path))
    with pytest.raises(UserError, match=rf"reader.json names the reader {spec}, which is code"):
        models.get({"name": str(tmp_path)})
    with pytest.raises(UserError, match=rf"reader.json names the reader {spec}, which is code"):
        pipelines.train("style_change", model=str(tmp_path), out=tmp_path / "out", data="sample")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"name": "lead", "name": "os:system"}', "twice"),
        ('{"name": "lead", "x": ' + "9" * 5000 + "}", "300 digits"),
        ('{"name": "lead", "x": ' + "[" * 30_000, "nested too deeply"),
    ],
)
def test_a_model_folder_with_json_that_python_cannot_read_is_refused_in_a_line(tmp_path, text, problem):
    (tmp_path / "reader.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=rf"^\S+reader\.json is not JSON \([^\n]*{problem}[^\n]*$"):
        models.get(str(tmp_path))


@pytest.mark.parametrize("name", ["openai", "anthropic"])
def test_a_model_folder_sends_no_text_and_no_key_anywhere(tmp_path, name):
    description = {"name": name, "base_url": "http://127.0.0.1:9", "key_variable": "HOME"}
    (tmp_path / "reader.json").write_text(json.dumps(description), encoding="utf-8")
    with pytest.raises(UserError, match=f"sets model of the reader {name}, which counts only where you type it"):
        models.get(str(tmp_path))


def test_code_that_was_typed_and_refused_is_not_allowed_in_files_afterwards():
    for spec in ("os:system", {"name": "builtins:dict"}):
        with pytest.raises(UserError, match=r"is not a metric|is neither a class nor a function"):
            metrics.get(spec)
    for name in ("os:system", "builtins:dict"):
        with pytest.raises(UserError, match="which is code"):
            metrics.get(marked_with_file({"name": name}, "run.json"))
