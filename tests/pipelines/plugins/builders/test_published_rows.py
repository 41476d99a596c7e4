"""ZeroSCROLLS' published rows: taken apart, laid out again, and cut as by the published code."""

import json
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import pipelines
from models.tokenizer import Subwords
from tests.pipelines.plugins.builders import small_sources
from tests.turns import for_each

TASKS = ("gov_report", "qasper", "qmsum", "quality")
CUT = "... [The rest is left out]\n\n"


def small_rows(task: str) -> list[dict[str, Any]]:
    """Rows of the published layout, in words of our own; the query's span includes its header."""
    options = "\n\n (A) Anna\n (B) Bo\n (C) Cy\n (D) Di"
    queries = {"qasper": "Ask:\nWho woke?", "qmsum": "Task:\nTell of the mill.", "quality": f"Pick one:\nWho?{options}"}
    return [
        _row(f"x{number}", pid, f"Chapter {number}.\n\n" + "The mill stood by the river. " * 350 + "End.",
             queries.get(task, ""), "A" if task == "quality" else f"Anna {number} and the mill by the river.")
        for number in range(3)
        for pid in range(1 + (task == "qasper"))
    ]  # fmt: skip


def _row(name: str, pid: int, text: str, query: str, output: str) -> dict[str, Any]:
    head, cue = "Read it.\n\nText:\n", "\n\nAnswer:\n" if query else "Summary:\n"
    end = len(head + text)
    return {
        "id": name,
        "pid": f"{name}_{pid}",
        "input": f"{head}{text}\n\n{query}{cue}",
        "output": output,
        "document_start_index": len(head),
        "document_end_index": end,
        "query_start_index": end + 2,
        "query_end_index": end + 2 + len(query),
        "truncation_seperator": CUT,
    }


@pytest.fixture(params=["small", "real"])
def published(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with the four tasks' zips, each with its rows as the test split."""
    folder = tmp_path / "published"
    folder.mkdir()
    for task in TASKS:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in small_rows(task))
        if request.param == "real":
            real = request.getfixturevalue("realdata") / "zero_scrolls_published" / f"{task}.jsonl"
            text = real.read_text(encoding="utf-8")
        with zipfile.ZipFile(folder / f"{task}.zip", "w") as archive:
            archive.writestr(f"{task}/test.jsonl", text)
    return folder


def rows(folder: Path, task: str) -> list[dict[str, Any]]:
    return small_sources.unzipped(folder / f"{task}.zip")[f"{task}/test.jsonl"]


def build(task: str, source: Path, published: Path, out: Path, **fields: Any) -> list[dict[str, Any]]:
    arguments = {"task": task, "test": 500, "validation": 0, "prompts_from": str(published), **fields}
    return rows(pipelines.build("zero_scrolls", source, out=out, seed=0, **arguments).folder, task)


@pytest.mark.parametrize("task", TASKS)
def test_a_published_row_is_taken_apart_and_laid_out_again_to_the_letter(
    task: str, published: Path, tmp_path: Path
) -> None:
    again = build(task, published, published, tmp_path / "again")
    assert again == rows(published, task)
    assert list(map(list, again)) == list(map(list, rows(published, task)))  # the order of the fields too


def test_a_published_zip_has_the_splits_of_its_files(tmp_path: Path) -> None:
    text = "".join(json.dumps(row) + "\n" for row in small_rows("qmsum"))
    source = tmp_path / "qmsum.zip"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("qmsum/test.jsonl", text)
        archive.writestr("qmsum/validation.jsonl", text.replace('"x', '"y'))
    (tmp_path / "folder").mkdir()
    shutil.copy(source, tmp_path / "folder")
    for number, path in enumerate((source, tmp_path / "folder")):
        fields = {"task": "qmsum", "prompts_from": str(source), "split": None if path.is_dir() else "test"}
        built = pipelines.build("zero_scrolls", path, out=tmp_path / str(number), seed=0, **fields)
        splits = small_sources.unzipped(built.folder / "qmsum.zip")
        assert [row["id"] for row in splits["qmsum/test.jsonl"]] == ["x0", "x1", "x2"]
        if path.is_dir():
            assert [row["id"] for row in splits["qmsum/validation.jsonl"]] == ["y0", "y1", "y2"]
            assert [warning.partition(":")[0] for warning in built.manifest["warnings"]] == ["without train"]


def test_qmsum_s_published_rows_are_made_of_the_original_release_byte_for_byte(realdata: Path, tmp_path: Path) -> None:
    real = (realdata / "zero_scrolls_published" / "qmsum.jsonl").read_text(encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "qmsum.zip", "w") as archive:
        archive.writestr("qmsum/test.jsonl", real)
    source = realdata / "qmsum" / "val.jsonl"
    fields = {"task": "qmsum", "split": "validation", "validation": 0, "prompts_from": str(tmp_path / "qmsum.zip")}
    built = pipelines.build("zero_scrolls", source, out=tmp_path / "set", seed=0, **fields)
    with zipfile.ZipFile(built.folder / "qmsum.zip") as archive:
        lines = archive.read("qmsum/test.jsonl").decode().splitlines()
    by_id = {json.loads(line)["pid"]: json.loads(line) for line in lines}
    expected = [json.loads(line) for line in real.splitlines()]
    assert len(by_id) == 272 and len(expected) == 10
    assert [json.dumps(by_id[row["pid"]]) for row in expected] == [json.dumps(row) for row in expected]


def cut_by_published_code(tokenizer: Any, row: dict[str, Any], limit: int) -> tuple[str, int]:
    """The text that the published code keeps of a row, and its number of tokens with the end token."""

    def ids(text: str) -> Any:
        encoded = tokenizer.encode(text, add_special_tokens=False)
        return [*encoded.ids, -1], encoded.offsets

    if len(ids(row["input"])[0]) <= limit:
        return row["input"], len(ids(row["input"])[0])
    behind = row["truncation_seperator"] + row["input"][row["query_start_index"] :]
    before = row["input"][: row["query_start_index"]]
    kept_ids, places = ids(before)
    kept_ids = kept_ids[: limit - len(ids(behind)[0])]
    return before[: places[len(kept_ids) - 1][1]] + behind, len(kept_ids) + len(ids(behind)[0])


@pytest.fixture
def byte_level_t5(tmp_path: Path, tiny_t5: Path, tiny_bart: Path) -> Path:
    """A folder of a model without positions, whose tokenizer never joins words."""
    folder = Path(shutil.copytree(tiny_t5, tmp_path / "model"))
    tokenizer_json = json.loads((tiny_bart / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer_json["post_processor"] = json.loads((tiny_t5 / "tokenizer.json").read_text(encoding="utf-8"))[
        "post_processor"
    ]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json), encoding="utf-8")
    return folder


def first_row_of_each_id(published_rows: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """The first row of each id, of at most so many ids."""
    rows_by_id: dict[str, dict[str, Any]] = {}
    for row in published_rows:
        rows_by_id.setdefault(row["id"], row)
    return list(rows_by_id.values())[:most]


@pytest.mark.parametrize("limit", [777, 2_048])
@for_each("task", TASKS)
def test_long_inputs_are_cut_at_the_same_token_as_by_the_published_code(
    task: str, limit: int, published: Path, byte_level_t5: Path
) -> None:
    tokenizer = Subwords.load(byte_level_t5).tokenizer
    reader = {"name": "seq2seq", "model": str(byte_level_t5), "max_input_tokens": limit}
    for row in first_row_of_each_id(rows(published, task), 3):
        arguments = {"data": published, "model": reader, "split": "test", "metrics": "f1"}
        prompt = pipelines.prompt(f"zero_scrolls/{task}", row["id"], **arguments)
        cut_text, tokens = cut_by_published_code(tokenizer, row, limit)
        assert (prompt.text, prompt.tokens + 1) == (cut_text, tokens)  # the end token counts there
        assert tokens == limit and prompt.truncated_tokens > 0
        query = row["input"][row["query_start_index"] : row["query_end_index"]]
        assert row["truncation_seperator"] + query in prompt.text


def published_chat_prompt(row: dict[str, Any], request: str, prefill: str) -> str:
    """The published code's prompt for chat models: the request after the instruction, nothing behind the query."""
    instruction, _, rest = row["input"][: row["query_end_index"]].partition("\n\n")
    return " ".join(filter(None, (instruction.strip(), request))) + "\n\n" + rest + prefill


@pytest.mark.parametrize("task", TASKS)
def test_the_chat_and_tag_forms_are_those_of_the_published_code(task: str, published: Path) -> None:
    summary = task in ("gov_report", "qmsum")
    plain = "" if summary else "Do not provide any explanation."
    tagged = "Do not provide any explanation, and please highlight your final answer with <answer></answer> tags."
    for row in first_row_of_each_id(rows(published, task), 2):
        arguments = {"data": published, "model": "extractive", "chunker": "whole", "split": "test", "metrics": "f1"}
        chat = pipelines.prompt(f"zero_scrolls/{task}", row["id"], prompt="chat", **arguments)
        assert chat.text == published_chat_prompt(row, plain, "")
        assert chat.text.endswith("\n\n") == (task == "gov_report")
        tags = pipelines.prompt(f"zero_scrolls/{task}", row["id"], prompt="tags", **arguments)
        prefill = ("", "") if summary else (tagged, "\n\nAnswer: <answer>")
        assert tags.text == published_chat_prompt(row, *prefill)
