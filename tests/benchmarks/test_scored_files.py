"""L-Eval's and LiteraryQA's published predictions beside the figures of their scorers."""

import json
from pathlib import Path

from benchmarks.scored_files import leval, leval_table, literaryqa, literaryqa_table


def test_every_file_has_the_figures_of_its_scorer(realdata: Path) -> None:
    files = [*leval(realdata / "leval"), *literaryqa(realdata / "literaryqa")]
    assert len(files) == 4 * 3 + 6 + 3
    assert [(file.model, file.task, file.ours) for file in files if not file.equal] == []
    assert {file.task: file.printed for file in files if file.printed} == {
        "tpo": "84.38", "quality": "82.17", "coursera": "75.58",
    }  # fmt: skip


def test_a_file_whose_figures_differ_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "Predictions" / "exam_eval" / "gpt4-32k" / "tpo.pred.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"query": "Who?", "gt": "A", "gpt4-x_pred": "A"}))
    lines = leval_table(tmp_path).splitlines()
    assert lines[0].endswith("0 of 1 files have the figures of its scorer to the last digit.")
    assert lines[-1] == "| gpt4-32k | tpo | 1 | 84.38 | 84.39 | 84.29 | 100.00 | no |"
    assert literaryqa_table(tmp_path) == ""
