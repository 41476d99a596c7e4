"""The configuration of a run: its keys are the arguments of `run`, and every mistake is one line."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import pipelines
from longdoc.errors import UserError


def write_config(folder: Path, text: str, name: str = "run.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_yaml_and_json_hold_the_arguments_of_run(tmp_path: Path) -> None:
    content: dict[str, Any] = {
        "task": "narrativeqa",
        "retriever": {"name": "bm25", "b": 0.5},
        "metrics": ["f1"],
        "k": 5,
    }
    as_json = write_config(tmp_path, json.dumps(content), "run.json")
    as_yaml = write_config(
        tmp_path, "task: narrativeqa\nretriever: {name: bm25, b: 0.5}\nmetrics: [f1]\nk: 5\nlimit: null"
    )
    assert pipelines.read_config(as_yaml) == pipelines.read_config(as_json) == content


def test_changes_win_and_drop_arguments_that_conflict_with_them(tmp_path: Path) -> None:
    path = write_config(tmp_path, "task: narrativeqa\nk: 5\nseed: 3\n")
    assert pipelines.read_config(path, seed=0, budget="100 words") == {
        "task": "narrativeqa",
        "seed": 0,
        "budget": "100 words",
    }
    assert pipelines.read_config(path, task="hotpotqa")["task"] == "hotpotqa"


def test_a_configuration_is_what_run_takes(tmp_path: Path) -> None:
    path = write_config(tmp_path, "task: narrativeqa\ndata: sample\nmodel: extractive\nlimit: 2\nmetrics: f1\nk: 3\n")
    from_file = pipelines.run(**pipelines.read_config(path, out=tmp_path / "a"))
    from_arguments = pipelines.run(
        "narrativeqa", data="sample", model="extractive", limit=2, metrics="f1", k=3, out=tmp_path / "b"
    )
    assert from_file.scores == from_arguments.scores
    assert from_file.recipe == from_arguments.recipe
    assert " k=3 " in from_arguments.recipe


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("retreiver: bm25", ": unknown key 'retreiver'; did you mean retriever or server or metrics?"),
        ("max-new-tokens: 3", ": unknown key 'max-new-tokens'; did you mean max_new_tokens?"),
        ("k: 1\ntask: qa\nk: 2", ", line 3: k is given twice; leave one out"),
        ("k: five", ": k must be a whole number, got 'five'"),
        ("k: true", ": k must be a whole number, got True"),
        ("k: [1, 2]", ": k must be a whole number, got [1, 2]; several values are for longdoc ablate --config"),
        ("go_on: 1", ": go_on must be true or false, got 1"),
        ("order: by_score", ': order must be "score" or "document", got \'by_score\''),
        ("data_revision: 1234567", ': data_revision must be text, got 1234567: put it in quotes, "1234567"'),
        ("device: cpu", ": unknown key 'device'; now model=\"MODEL,device=cuda\""),
        ("metrics: [1]", ": metrics must be text, a mapping or a list, got [1]"),
        ("k: 3", " has no task: add a line such as task: narrativeqa, or give task="),
        ("- k", " must hold a mapping, as in: task: narrativeqa"),
    ],
)
def test_a_mistake_is_one_line_with_the_file_and_the_key(tmp_path: Path, text: str, problem: str) -> None:
    path = write_config(tmp_path, text)
    with pytest.raises(UserError) as error:
        pipelines.read_config(path)
    assert str(error.value) == f"{path}{problem}"


def test_invalid_yaml_is_refused_with_the_message_of_its_parser(tmp_path: Path) -> None:
    path = write_config(tmp_path, "k: [")
    with pytest.raises(UserError) as error:
        pipelines.read_config(path)
    message_in_c = "did not find expected node content in"
    parser_message = (
        message_in_c if hasattr(yaml, "CSafeLoader") else "expected the node content, but found '<stream end>' in"
    )
    assert str(error.value).startswith(
        f'{path} is not valid YAML: while parsing a flow node {parser_message} "<unicode string>", line'
    )
    assert str(error.value).endswith("; a line is like task: narrativeqa")


def test_json_with_a_key_twice_is_refused(tmp_path: Path) -> None:
    path = write_config(tmp_path, '{"task": "qa", "k": 1, "k": 2}', "run.json")
    with pytest.raises(UserError, match=r"run\.json is not valid JSON: an object has the key 'k' twice; leave one out"):
        pipelines.read_config(path)
