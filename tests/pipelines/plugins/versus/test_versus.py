"""Whole document or retrieval, from the call to the table, with readers that answer by rule."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from models.prompts import Prompt
from models.reader import StreamingReader
from models.requests import Generate, Reply
from pipelines.records import Document, Example
from tests import dying_reader

TEXTS = {
    "d1": "The mill stood by the river. Anna kept a lamp in the window. Tom mended the wheel every spring.",
    "d2": "The ship left at dawn. Nobody saw the captain again. A letter came from Lisbon in May.",
    "d3": "Rain fell on the orchard. The gardener sold his pears. His sister painted the gate green.",
}
QUESTIONS = {
    "d1": ("Who kept a lamp?", "Anna kept a lamp in the window."),
    "d2": ("Where did the letter come from?", "A letter came from Lisbon in May."),
    "d3": ("Who painted the gate?", "His sister painted the gate green."),
}


def data(gold: bool = False) -> list[Example]:
    examples = []
    for name, text in TEXTS.items():
        query, answer = QUESTIONS[name]
        start = text.index(answer)
        evidence = ((start, start + len(answer)),) if gold else ()
        examples.append(Example(name, Document(name, text), query, (answer,), evidence=evidence))
    return examples


@dataclass
class GoldReader(StreamingReader):
    """Answers with the gold sentence if the prompt has it, else with nothing; keeps the prompts."""

    window: int | None = None
    refuses: str = "no such word"
    prompts: list[Prompt] = field(default_factory=list, compare=False, repr=False)
    supports = frozenset({Generate})

    @property
    def max_input_tokens(self) -> int | None:  # type: ignore[override]
        return self.window

    def count(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def stream(self, requests: Any, arrived: Any) -> Any:
        for place, request in enumerate(requests):
            (reply,) = self.reply([request])
            arrived(place, reply)
            yield place, reply

    def reply(self, requests: Any) -> list[Reply]:
        self.prompts += [one.prompt for one in requests]
        return [self._reply(one.prompt) for one in requests]

    def _reply(self, prompt: Prompt) -> Reply:
        if self.refuses in prompt.text:
            return Reply.failed("context too long")
        answers = (answer for _, answer in QUESTIONS.values() if answer in prompt.text)
        return Reply(next(answers, ""), len(prompt.text.split()), 1, truncated_tokens=prompt.truncated_tokens)


def versus(out: Path, **arguments: Any) -> Any:
    fields = {
        "data": data(),
        "chunker": "sentences:size=8",
        "retriever": "bm25",
        "model": GoldReader(),
        "metrics": ["f1"],
    }
    return pipelines.versus("qa", out=out, **{**fields, **arguments})


def test_each_way_is_a_run_and_scores_what_that_run_alone_scores(tmp_path: Path) -> None:
    table = versus(tmp_path / "v", k=[1, 2])
    assert [(one.name, one.kind, one.line, one.amount) for one in table.ways] == [
        ("whole document", "whole", "", ""),
        ("bm25, k=1", "retrieval", "bm25", "k=1"),
        ("bm25, k=2", "retrieval", "bm25", "k=2"),
        ("closed book", "closed book", "", ""),
    ]
    assert [one.scores["f1"] for one in table.ways] == [100, 100, 100, 0]
    alone = pipelines.run(
        "qa", data=data(), chunker="sentences:size=8", model=GoldReader(), metrics=["f1"], retriever="bm25", k=1,
        out=tmp_path / "alone",
    )  # fmt: skip
    way = table["bm25, k=1"]
    assert (way.scores, way.tokens_in, way.covered) == (alone.scores, alone.tokens_in, 3)
    assert "no oracle: the data have no gold evidence" in table.notes


def test_closed_book_shows_nothing_of_the_document(tmp_path: Path) -> None:
    reader = GoldReader()
    versus(tmp_path / "v", k=1, model=reader)
    closed = [one for one in reader.prompts if not any(part.role == "document" for part in one.parts)]
    assert sorted(one.text.strip() for one in closed) == sorted(query for query, _ in QUESTIONS.values())


def test_the_oracle_selects_the_gold_where_there_is_some(tmp_path: Path) -> None:
    table = versus(tmp_path / "v", data=data(gold=True), budget=["8 words", "20 words"], retriever="last")
    assert [one.name for one in table.ways if one.kind == "oracle"] == ["oracle, 8 words", "oracle, 20 words"]
    assert table["oracle, 8 words"].scores["f1"] == 100 and table.notes == ()


def test_equal_requests_of_several_ways_are_sent_once(tmp_path: Path) -> None:
    reader = GoldReader()
    table = versus(tmp_path / "v", k=[50], model=reader, order="document", chunker="whole")
    assert len(reader.prompts) == 6  # three whole documents, three questions alone
    assert table["bm25, k=50"].same_as == "whole document"
    assert table["bm25, k=50"].differences == {}


def test_a_longer_list_of_amounts_sends_only_the_new_requests(tmp_path: Path) -> None:
    first, second = GoldReader(), GoldReader()
    versus(tmp_path / "v", k=1, model=first)
    table = versus(tmp_path / "v", k=[1, 2], model=second)
    assert len(second.prompts) == 3 and [one.name for one in table.ways][1:3] == ["bm25, k=1", "bm25, k=2"]


def test_strategies_are_further_ways_with_each_retriever_where_they_search_else_over_all_passages(
    tmp_path: Path,
) -> None:
    table = versus(tmp_path / "v", k=[1, 2], strategies=["iterative", "map:count"])
    assert [(one.name, one.kind, one.line, one.amount) for one in table.ways][3:6] == [
        ("iterative, bm25, k=1", "other", "iterative, bm25", "k=1"),
        ("iterative, bm25, k=2", "other", "iterative, bm25", "k=2"),
        ("map:count", "other", "", ""),
    ]
    assert table["iterative, bm25, k=1"].requests == 6
    assert (table["map:count"].requests, table["map:count"].words_shown) == (9, pytest.approx(52 / 3))
    assert "requests: per example" in str(table)
    columns = next(line for line in str(table).splitlines() if line.lstrip().startswith("way")).split()
    row = next(line for line in str(table).splitlines() if line.lstrip().startswith("map:count")).split()
    assert (columns[-1], row[-1]) == ("requests", "3.0")
    assert "requests" not in str(versus(tmp_path / "w", k=1))
    plan = pipelines.plan_versus(
        "qa", data=data(), model=GoldReader(), metrics=["f1"], chunker="sentences:size=8", k=1, strategies="map:count"
    )
    assert plan.counts["map:count"].requests == 9


def test_examples_that_the_reader_refuses_lower_the_coverage_of_that_way(tmp_path: Path) -> None:
    table = versus(tmp_path / "v", k=1, model=GoldReader(refuses="The ship left at dawn."))
    whole, bm25, closed = table.ways
    assert (whole.covered, bm25.covered, closed.covered, table.examples) == (2, 3, 3, 3)
    assert whole.missing == {"context too long": 1} and table.common_examples == 2
    assert "whole document: no answer to 1: context too long" in str(table)


def test_a_document_over_the_window_is_cut_or_its_example_left_out(tmp_path: Path) -> None:
    texts = [len(f"{QUESTIONS[name][0]} {text}".split()) for name, text in TEXTS.items()]
    assert texts == [23, 23, 20]
    limit = 22
    cut = versus(tmp_path / "cut", k=1, model=GoldReader(window=limit))
    assert (cut.ways[0].covered, cut.ways[0].cut) == (3, 2)
    skip = versus(tmp_path / "skip", k=1, model=GoldReader(window=limit), over_window="skip")
    assert (skip.ways[0].covered, skip.ways[0].cut, skip.common_examples) == (1, 0, 1)
    assert skip.ways[0].missing == {"the document is over the reader's window (23 tokens, it takes 22)": 2}


def test_the_plan_counts_the_requests_that_the_run_sends(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {
        "data": data(), "chunker": "sentences:size=8", "metrics": ["f1"], "retriever": "bm25", "k": [1, 2],
    }  # fmt: skip
    plan = pipelines.plan_versus("qa", model=GoldReader(), **arguments)
    table = pipelines.versus("qa", model=GoldReader(), out=tmp_path / "v", **arguments)
    counts = {name: (one.requests, one.prompt_tokens) for name, one in plan.counts.items()}
    assert counts == {one.name: (3, one.tokens_in) for one in table.ways}
    assert all(one.price is None for one in plan.counts.values())
    assert "in all" in str(plan) and plan.to_dict()["task"] == "qa"


def test_a_table_is_read_from_its_folder_in_every_format(tmp_path: Path) -> None:
    table = versus(tmp_path / "v", k=[1, 2])
    folder = tmp_path / "v"
    page = (folder / "report.html").read_text()
    assert "Whole document or retrieval?" in page and "<svg" in page and "bm25, k=2" in page
    assert str(pipelines.report(folder, format="markdown")).startswith("**qa, test: 3 examples over 3 documents**")
    record = json.loads(str(pipelines.report(folder, format="json")))
    assert [one["name"] for one in record["ways"]] == [one.name for one in table.ways]
    lines = str(pipelines.report(folder, format="csv")).splitlines()
    assert lines[0].startswith("way,kind,retriever,amount,f1,f1_low,f1_high,answered") and len(lines) == 5
    assert "bm25, k=1" in str(pipelines.report(folder, format="latex")).replace(r"\,", " ")
    for name in ("plot.svg", "plot.png"):
        pipelines.report(folder, out=tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    with pytest.raises(UserError, match="leave it out"):
        pipelines.report(folder, data="sample")


def test_finished_runs_are_further_ways(tmp_path: Path) -> None:
    fields: dict[str, Any] = {"data": data(), "model": GoldReader(), "metrics": ["f1"]}
    for name, retriever in (("closed", "none"), ("bm25", "bm25")):
        amount = {"k": 1, "chunker": "sentences:size=8"} if name == "bm25" else {}
        pipelines.run("qa", retriever=retriever, out=tmp_path / name, **amount, **fields)
    pipelines.run("qa", retriever="all", chunker="whole", out=tmp_path / "whole", **fields)
    runs = [tmp_path / "whole", tmp_path / "bm25", tmp_path / "closed"]
    table = pipelines.versus("qa", runs=runs, out=tmp_path / "v")
    assert [(one.name, one.kind, one.scores["f1"]) for one in table.ways] == [
        ("whole document", "whole", 100),
        ("bm25, k=1", "retrieval", 100),
        ("closed book", "closed book", 0),
    ]
    named = pipelines.versus("qa", runs={"ours": runs[1], "full": runs[0]}, out=tmp_path / "w")
    assert (named.baseline, [one.name for one in named.ways]) == ("full", ["ours", "full"])
    assert pipelines.report(tmp_path / "w", format="csv")


def test_files_of_predictions_are_further_ways(tmp_path: Path) -> None:
    answers = {"full": ["Lisbon", "Lisbon", "pears"], "rag": ["Lisbon", "Porto", "pears"]}
    for name, texts in answers.items():
        rows = [{"id": n, "prediction": one, "ground_truth": ["Lisbon"]} for n, one in enumerate(texts)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    files = {name: tmp_path / f"{name}.jsonl" for name in ("rag", "full")}
    table = pipelines.versus("infinitebench/en_qa", predictions=files, out=tmp_path / "v")
    assert (table.baseline, [one.kind for one in table.ways]) == ("full", ["retrieval", "whole"])
    assert table["full"].scores["f1"] == pytest.approx(200 / 3) and table["rag"].scores["f1"] == pytest.approx(100 / 3)
    for file in files.values():
        file.unlink()  # the folder has what is needed
    assert str(pipelines.report(tmp_path / "v", format="csv")).count("\n") == 3
    assert "tokens" not in table.tables()[0].heads


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"over_window": "drop"}, "over_window"),
        ({"k": []}, "k=\\[\\] has no value"),
        ({"k": [1, 0]}, "k must be a whole number of at least 1, got 0"),
        ({"budget": [300]}, 'budget=300 has no unit: give "300 words" or "300 tokens"'),
        ({"budget": ["300 chars"]}, "budget must be like"),
        ({"retriever": ["bm25", "bm25"]}, "given twice"),
        ({"retriever": "bm52"}, "bm25"),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        versus(tmp_path / "v", **arguments)
    assert not (tmp_path / "v").exists()


def test_arguments_without_a_reader_to_ask_are_refused(tmp_path: Path) -> None:
    pipelines.run("qa", data=data(), model=GoldReader(), metrics=["f1"], out=tmp_path / "run")
    with pytest.raises(UserError, match="k has no effect without a model: give model= too"):
        pipelines.versus("qa", runs=[tmp_path / "run"], k=5)
    with pytest.raises(UserError, match="is of qa, not of scrolls/quality"):
        pipelines.versus("scrolls/quality", runs=[tmp_path / "run"])
    with pytest.raises(UserError, match="unknown argument 'retrievers'; did you mean retriever"):
        pipelines.versus("qa", retrievers=["bm25"])


def test_an_ablation_and_a_versus_do_not_share_a_folder(tmp_path: Path) -> None:
    versus(tmp_path / "v", k=1)
    fields: dict[str, Any] = {"data": data(), "model": "extractive", "metrics": ["f1"]}
    with pytest.raises(UserError, match="holds the runs of a versus"):
        pipelines.ablate("qa", k=[1, 2], out=tmp_path / "v", **fields)
    pipelines.ablate("qa", k=[1, 2], out=tmp_path / "a", **fields)
    with pytest.raises(UserError, match="holds an ablation"):
        versus(tmp_path / "a", k=1)


def test_a_folder_keeps_the_ways_of_one_task(tmp_path: Path) -> None:
    versus(tmp_path / "v", k=1)
    before = (tmp_path / "v" / "ablation.json").read_bytes()
    (tmp_path / "p.jsonl").write_text('{"id": 1, "prediction": "a", "ground_truth": ["a"]}\n', encoding="utf-8")
    with pytest.raises(UserError, match="holds a versus of qa, not of infinitebench/en_qa"):
        pipelines.versus("infinitebench/en_qa", predictions=[tmp_path / "p.jsonl"], out=tmp_path / "v")
    assert (tmp_path / "v" / "ablation.json").read_bytes() == before


def test_a_file_of_several_systems_stands_for_all_of_them(tmp_path: Path) -> None:
    rows = [
        {"book_title": "b", "claim": c, "type": c == "c", "index": 1, "response-x": "TRUE", "response-y": "FALSE"}
        for c in ("c", "d")
    ]
    (tmp_path / "claims.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    table = pipelines.versus("nocha", predictions=[tmp_path / "claims.jsonl"], out=tmp_path / "v", report=False)
    assert [one.name for one in table.ways] == ["x", "y"]


@pytest.mark.slow
def test_a_killed_versus_resumes_and_asks_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(dying_reader.SOURCE, encoding="utf-8")
    rows = [{"id": one.id, "document": one.document.text, "question": one.query, "answers": ["x"]} for one in data()]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    command = [
        sys.executable, "-m", "longdoc", "versus", "qa", "--data", "rows.jsonl", "--model", "killed:Dies",
        "--retriever", "bm25", "-k", "1,2", "--chunker", "sentences:size=8", "--metric", "f1", "--set", "report=false",
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(Path.cwd())}
    for dies in ("4", "3", ""):
        completed = subprocess.run(
            [*command, "--out", "v"], cwd=tmp_path, env=environment | {"DIES": dies}, capture_output=True, text=True
        )
        assert completed.returncode == (9 if dies else 0), completed.stderr[-300:]
        if dies:
            unfinished = subprocess.run(
                [sys.executable, "-m", "longdoc", "report", "v"], cwd=tmp_path, env=environment, capture_output=True,
                text=True,
            )  # fmt: skip
            assert unfinished.returncode == 2 and "it is not finished" in unfinished.stderr
    resumed = (tmp_path / "asked.txt").read_text()
    (tmp_path / "asked.txt").unlink()
    subprocess.run([*command, "--out", "whole"], cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert resumed == (tmp_path / "asked.txt").read_text()
    for name in ("predictions.jsonl", "scores.json"):
        for file in sorted((tmp_path / "whole").rglob(name)):
            assert (tmp_path / "v" / file.relative_to(tmp_path / "whole")).read_bytes() == file.read_bytes()
