"""Our scores of published predictions equal the published figures of ∞Bench and BABILong, and stand in tables."""

import json
import shutil
from pathlib import Path

import pytest

from benchmarks.published import TABLES, infinitebench, lara_table, nocha_table

PRINTED = {
    "GPT-4": (22.44, 67.25, 14.73, 8.50),
    "Kimi-Chat": (16.52, 72.49, 17.96, 11.50),
    "Yi-34B-200K": (12.17, 38.43, None, None),
}


def test_every_score_of_infinitebench_equals_the_printed_one_to_its_last_digit(realdata: Path) -> None:
    rows = list(infinitebench(realdata / "infinitebench"))
    assert {(row.model, row.printed) for row in rows} == {
        (model, score) for model in PRINTED for score in PRINTED[model]
    }
    assert len(rows) == 12
    assert [(row.model, row.task) for row in rows if not row.equal] == []


def test_a_score_that_differs_from_the_printed_one_is_marked(realdata: Path, tmp_path: Path) -> None:
    file = tmp_path / "kimi" / "preds_longdialogue_qa_eng.jsonl"
    file.parent.mkdir()
    shutil.copyfile(realdata / "infinitebench" / "gpt4" / file.name, file)
    (row,) = infinitebench(tmp_path)
    assert (row.model, row.printed, row.score, row.equal) == ("Kimi-Chat", 11.5, 8.5, False)
    table = TABLES["infinitebench"](tmp_path)
    assert "0 of 1 are equal" in table
    assert "| Kimi-Chat | en_dia | 200 | 11.50 | 8.50 [4.51, 12.50] | no | " in table


def test_lm_evaluation_harness_gives_other_scores_to_the_same_outputs(realdata: Path) -> None:
    pytest.importorskip("lm_eval")
    scores = {(row.model, row.task.partition("/")[2]): row.harness for row in infinitebench(realdata / "infinitebench")}
    assert scores["Yi-34B-200K", "en_mc"] == pytest.approx(45.8515, abs=1e-4)
    assert scores["GPT-4", "en_mc"] == pytest.approx(64.1921, abs=1e-4)
    assert (scores["Kimi-Chat", "en_dia"], scores["Kimi-Chat", "en_sum"]) == (12.0, None)


def test_lara_s_levels_are_scored_with_the_whole_document_and_with_retrieval(tmp_path: Path) -> None:
    folder = tmp_path / "predictions" / "reader"
    folder.mkdir(parents=True)
    base = {"type": "financial", "level": "comp", "file": "a.txt", "question": "Who?", "ground_truth": "Anna woke."}
    rows = [{**base, "prediction": "Anna woke."}, {**base, "question": "When?", "prediction": "Anna"}]
    (folder / "full_32k_financial_comp.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert lara_table(tmp_path) == ""
    retrieval_file = folder / "rag_32k_financial_comp.jsonl"
    retrieval_file.write_text("".join(json.dumps({**row, "prediction": False}) + "\n" for row in rows))
    assert lara_table(tmp_path).endswith("| reader | comparison | 2 / 0 of 2 | 83.33 – | – | 83.33 – | – |")


def test_a_folder_without_predictions_has_no_tables(tmp_path: Path) -> None:
    assert [make_table(tmp_path) for make_table in TABLES.values()] == [""] * len(TABLES)


@pytest.mark.parametrize("model", ["gpt-4o", "llama-3.1-8b"])
def test_every_level_of_lara_is_in_the_table(realdata: Path, model: str) -> None:
    lines = [line for line in lara_table(realdata / "lara").splitlines() if line.startswith(f"| {model} ")]
    assert [line.split(" | ")[1:3] for line in lines] == [
        ["location", "68 / 68"], ["reasoning", "56 / 56"], ["comparison", "41 / 41"], ["hallucination", "54 / 54"],
    ]  # fmt: skip


def test_nocha_s_systems_are_scored_by_pairs_beside_the_number_of_pairs_that_they_answered(realdata: Path) -> None:
    lines = [line.strip("| ").split(" | ") for line in nocha_table(realdata / "nocha").splitlines() if "|" in line]
    assert lines[2:] == [
        ["gpt4o", "0 of 33", "–", "0.00", "–", "–", "73.3 of 15"],
        ["claude", "18 of 33", "38.89", "21.21", "–", "38.89", "–"],
        ["gemini", "33 of 33", "48.48", "48.48", "46.67", "50.00", "–"],
        ["bm25-gpt4o-top5", "33 of 33", "27.27", "27.27", "26.67", "27.78", "33.3 of 63"],
        ["bm25-gpt4o-top25", "33 of 33", "42.42", "42.42", "40.00", "44.44", "44.4 of 63"],
        ["bm25-gpt4o-top50", "33 of 33", "48.48", "48.48", "53.33", "44.44", "52.4 of 63"],
    ]


def test_as_many_babilong_outputs_are_right_as_by_its_own_code(realdata: Path) -> None:
    lines = TABLES["babilong"](realdata / "babilong").splitlines()[4:]
    assert len(lines) == 11
    assert [line for line in lines if "| yes |" not in line] == []
    assert lines[1] == "| Phi-3-mini-128k-instruct | qa1 | 8k | 1,000 | 704 | 704 | yes | 70.40 [67.56, 73.20] |"
