"""L-Eval's documents with several instructions each."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.sources import several_tasks

MILL = "The mill stood by the river. Anna left the mill at noon."


def row(*pairs: tuple[Any, Any], text: str = MILL, evaluation: str = "exam", **more: Any) -> dict[str, Any]:
    chosen_pairs = pairs or (("Who left?\nA. Anna\nB. Ben", "A"),)
    instructions, outputs = [pair[0] for pair in chosen_pairs], [pair[1] for pair in chosen_pairs]
    return {"instructions": instructions, "outputs": outputs, "input": text, "evaluation": evaluation, **more}


def load(folder: Path, *rows: Any, task: str = "tpo") -> sources.Dataset:
    (folder / f"{task}.jsonl").write_text("".join(json.dumps(fields) + "\n" for fields in rows))
    return sources.load(f"leval/{task}", tasks.get(f"leval/{task}").dataset, folder / f"{task}.jsonl")


def test_every_instruction_of_a_document_is_an_example(tmp_path: Path) -> None:
    first, second, third = load(tmp_path, row(("Who?", "A"), ("When? ", 7)), row(text="Gulls.")).examples()
    assert [example.id for example in (first, second, third)] == ["test-1-1", "test-1-2", "test-2-1"]
    assert (first.query, first.references, second.query, second.references) == ("Who?", ("A",), "When?", ("7",))
    assert first.document is second.document
    assert (first.document.text, third.document.text) == (MILL, "Gulls.")


def test_summaries_are_asked_for_with_the_words_of_their_reference(tmp_path: Path) -> None:
    (example,) = load(tmp_path, row(("Sum up.", "Anna left at noon."), evaluation="rouge"), task="news_summ").examples()
    assert example.query == "Sum up. Write about 4 words."
    (example,) = load(tmp_path, row(("Who?", "Anna"), evaluation="f1"), task="financial_qa").examples()
    assert example.query == "Who?"


def test_documents_for_people_or_a_judge_are_left_out_with_a_warning(tmp_path: Path) -> None:
    rows = row(("Who?", "Anna"), evaluation="f1"), row(evaluation="human"), row(evaluation="LLM")
    dataset = load(tmp_path, *rows, task="financial_qa")
    assert [example.id for example in dataset.examples()] == ["test-1-1"]
    assert dataset.warnings == [
        "documents left out, which are for people or a judge, not for a metric: 2 (financial_qa.jsonl:2, "
        "financial_qa.jsonl:3)"
    ]
    with pytest.raises(UserError, match="all rows are for people or a judge"):
        list(load(tmp_path, *rows[1:], task="financial_qa").examples())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(), {"input": MILL}], r"tpo.jsonl:2: expected L-Eval's documents .*; found input"),
        ([{**row(), "outputs": []}], r"tpo.jsonl:1: 1 instructions for 0 outputs"),
        ([row(("Who?", ""))], r"tpo.jsonl:1, instruction 1: an instruction and its output must have text"),
        ([row(source="quality_raw")], r"the source 'quality_raw' is of another task: use task leval/quality"),
        ([row(text=" ")], "the document is empty"),
    ],
)
def test_malformed_rows_and_those_of_another_task_are_refused(tmp_path: Path, rows: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        list(load(tmp_path, *rows).examples())


def test_the_files_of_all_tasks_lie_in_two_folders(realdata: Path) -> None:
    folder = realdata / "leval" / "LEval-data"
    counts = {}
    for path in sorted(folder.glob("*/*.jsonl")):
        task = tasks.get(f"leval/{path.stem}")
        assert several_tasks.find_task(folder, task.name, task.dataset, "test") == path
        examples = list(sources.load(task.name, task.dataset, folder).examples())
        counts[path.stem] = (len({example.document.id for example in examples}), len(examples))
    assert counts == {
        "coursera": (5, 58), "quality": (8, 112), "sci_fi": (4, 36), "tpo": (8, 140), "financial_qa": (3, 24),
        "legal_contract_qa": (2, 14), "multidoc_qa": (6, 42), "news_summ": (6, 6), "paper_assistant": (4, 12),
        "patent_summ": (3, 3), "tv_show_summ": (7, 7),
    }  # fmt: skip


def test_a_task_without_its_file_is_refused_with_the_name_of_the_file(tmp_path: Path) -> None:
    task = tasks.get("leval/codeU")
    with pytest.raises(UserError, match=r"no data of leval/codeU in .*: expected one codeU.jsonl in it or in one"):
        several_tasks.find_task(tmp_path, task.name, task.dataset, "test")


@pytest.mark.parametrize("reader", ["extractive", "lead"])
def test_documents_are_answered_and_scored_without_a_model(tmp_path: Path, reader: str) -> None:
    load(tmp_path, row(("Sum up.", "The mill stood by the river."), evaluation="rouge"), task="news_summ")
    result = pipelines.run("leval/news_summ", data=tmp_path, model=reader, out=tmp_path / "run")
    assert result.predictions[0].prediction
    assert set(result.scores) == {"rouge1", "rouge2", "rougeL", "geometric_mean"}
    assert result.scores["rouge1"] > 30


def test_an_output_without_a_letter_is_the_first_choice_in_a_run_too(tmp_path: Path) -> None:
    load(tmp_path, row(("Who left?\nA. Anna\nB. Ben", "A"), ("When?\nA. at dawn\nB. at noon", "B")))
    result = pipelines.run("leval/tpo", data=tmp_path, model="constant:nothing", out=tmp_path / "run")
    assert result.scores["choice_leval"] == 50.0
