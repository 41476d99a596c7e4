import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError

TEXT = "Anna kept bees. Tom sold the wheel. Frida painted a lamp."


def write_data(folder: Path, *rows: dict[str, Any], corpora: str = "corpora") -> Path:
    """The published layout: a CSV file of questions, and corpora in Markdown."""
    (folder / corpora).mkdir(exist_ok=True)
    for name in ("mill", "river"):
        (folder / corpora / f"{name}.md").write_text(TEXT, encoding="utf-8")
    with (folder / "questions_df.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, ["question", "references", "corpus_id"])
        table.writeheader()
        table.writerows(rows)
    return folder


def question(text: str, corpus: str, *spans: tuple[int, int]) -> dict[str, Any]:
    references = [{"content": TEXT[start:end], "start_index": start, "end_index": end} for start, end in spans]
    return {"question": text, "references": json.dumps(references), "corpus_id": corpus}


@pytest.mark.parametrize("corpora", ["corpora", "."])
def test_the_published_layout_is_scored_by_code_and_by_sets(corpora: str, tmp_path: Path) -> None:
    rows = [question("Who kept bees?", "mill", (0, 15)), question("Who sold the wheel?", "river", (16, 35))]
    data = write_data(tmp_path, *rows, question("What was painted?", "mill", (36, 57)), corpora=corpora)
    run = pipelines.run("chunking_evaluation", data=data, chunker="sentences:size=4", k=1, out=tmp_path / "run")
    assert [one.id for one in run.predictions] == ["mill-1", "mill-2", "river-1"]
    assert run.scores["chunking_recall"] == run.scores["evidence_recall"] == 100
    assert set(run.scores) >= {"chunking_iou", "chunking_precision_std", "precision_omega_sets", "evidence_iou"}
    assert run.predictions[0].notes["evidence_chunks"] == "[[0, 15]]"


def test_the_chunks_of_the_evidence_are_those_of_the_chunker_selected_or_not(tmp_path: Path) -> None:
    data = write_data(tmp_path, question("Xyz?", "mill", (10, 40)))
    run = pipelines.run("chunking_evaluation", data=data, chunker="tokens:size=1", k=1, out=tmp_path / "run")
    chunks = json.loads(run.predictions[0].notes["evidence_chunks"])
    assert chunks[0][0] <= 10 and chunks[-1][1] >= 40 and len(chunks) > 1
    assert run.scores["precision_omega"] > 80


def test_malformed_data_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the runs have no folder of their own
    row = question("Who?", "moon", (0, 4))
    with pytest.raises(UserError, match=r"the corpus 'moon' is missing: put it into .*moon\.md"):
        pipelines.run("chunking_evaluation", data=write_data(tmp_path, row))
    with pytest.raises(UserError, match="`references` must be JSON"):
        pipelines.run(
            "chunking_evaluation", data=write_data(tmp_path, {**question("Who?", "mill"), "references": "[{"})
        )
    with pytest.raises(UserError, match=re.escape("`corpus_id` must be the name of a corpus, got '../mill'")):
        pipelines.run("chunking_evaluation", data=write_data(tmp_path, question("Who?", "../mill", (0, 4))))
    with pytest.raises(UserError, match="select_only asks no model: give model='none'"):
        pipelines.run(
            "chunking_evaluation", data=write_data(tmp_path, question("W?", "mill", (0, 4))), model="extractive"
        )
