"""BABILong's prompts, assembled from the parts in its files."""

import json
from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import tasks

PYTHON = """
import os
DEFAULT_TEMPLATE = '{instruction}|{examples}|{post_prompt}\\n{context}\\nQ: {question}'
DEFAULT_PROMPTS = {
    'qa1': {'instruction': 'Read ' 'it.', 'examples': 'E {x} e', 'post_prompt': 'Say it.'},
    'qa2': {'instruction': 'Look.', 'examples': '', 'post_prompt': ''},
}
os.mkdir('made')
"""
TEXT = "Anna went to the kitchen."


def prompt(folder: Path, file: Path, name: str = "qa1.jsonl") -> str:
    row = {"input": TEXT, "question": "Where is Anna? ", "target": "kitchen"}
    (folder / name).write_text(json.dumps(row) + "\n")
    return pipelines.prompt("babilong", "test-1", data=folder / name, model="lead", prompts_from=file).text


def test_the_prompt_of_the_row_s_task_is_taken_from_the_repository_s_file_which_is_not_run(tmp_path: Path) -> None:
    file = tmp_path / "prompts.py"
    file.write_text(PYTHON)
    expected = "Read it.|E {x} e|Say it.\nAnna went to the kitchen.\nQ: Where is Anna?"
    assert prompt(tmp_path, file) == expected
    assert prompt(tmp_path, tmp_path, "qa2.jsonl") == expected.replace("Read it.|E {x} e|Say it.", "Look.||")
    assert not (tmp_path / "made").exists()
    with pytest.raises(UserError, match="'qa3'"):
        prompt(tmp_path, file, "qa3.jsonl")


def test_the_file_beside_published_predictions_has_the_prompt_of_its_task(realdata: Path, tmp_path: Path) -> None:
    folder = realdata / "babilong" / "predictions" / "microsoft" / "Phi-3-mini-128k-instruct"
    file = next(folder.glob("qa1_8k_*.json"))
    parts = json.loads(file.read_text())["prompt"]
    assert prompt(tmp_path, file) == parts.pop("template").format(context=TEXT, question="Where is Anna?", **parts)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("qa1.json", "[]", "a prompt has template, instruction, examples, post_prompt: give babilong/prompts.py"),
        ("qa1.json", "{", "is not JSON"),
        ("prompt.json", "{}", "must be named after its task, like qa1.json"),
        ("prompts.py", "A = {}", "has no DEFAULT_PROMPTS and DEFAULT_TEMPLATE: give babilong/prompts.py"),
        ("prompts.py", "DEFAULT_PROMPTS = open('x')", "cannot be read as Python"),
        ("prompts.py", "DEFAULT_TEMPLATE = ''\nDEFAULT_PROMPTS = {'qa1': 1}", "a prompt has template, instruction"),
    ],
)
def test_other_files_are_refused(name: str, content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    file = tasks.get("babilong").prompt_file
    assert file is not None
    with pytest.raises(UserError, match=message):
        file.read_entries(str(tmp_path / name))
