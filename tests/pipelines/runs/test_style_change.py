"""Style change from data to scores, with a classifier that is fitted on the training split."""

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

import models
import pipelines
from longdoc.errors import UserError
from models import Compare
from tests import tiny_models

HABITS = (
    "I did not know, and I could not say; it was the same old thing",
    "HELLO!!! the boys r here :) omg!!! we went 2 the shop",
    "Furthermore, the committee (see section) establishes considerable deliberations",
)


def write(path: Path, count: int, seed: int, longest: int = 9) -> None:
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        authors = [1]
        while len(authors) < longest:
            authors.append(draw.choice([authors[-1], authors[-1], *range(1, min(max(authors) + 1, 3) + 1)]))
        lines = [" ".join(draw.sample(HABITS[a - 1].split(), 6)) + f", {draw.randint(0, 99)}." for a in authors]
        rows.append(json.dumps({"input": "\n".join(lines), "output": ",".join(map(str, authors))}))
    path.write_text("\n".join(rows), encoding="utf-8")


def test_a_run_fits_assigns_and_scores_all_three_tasks(tmp_path: Path) -> None:
    write(tmp_path / "train.jsonl", 12, 0)
    write(tmp_path / "test.jsonl", 6, 1)
    scores_of = {}
    for assign in ("literal", "return"):
        result = pipelines.run(
            "style_change", data=tmp_path, model="stylometry", strategy=f"pairs:{assign}", out=tmp_path / assign
        )
        scores_of[assign] = result.scores
        assert all(len(p.prediction.split(",")) == 9 for p in result.predictions)
        assert all(p.statistics["style_change"]["missing"] == 0 for p in result.predictions)
    assert scores_of["return"]["changes_macro_f1"] == scores_of["literal"]["changes_macro_f1"] > 90
    assert scores_of["return"]["macro_f1"] > scores_of["literal"]["macro_f1"] > 25
    assert scores_of["return"]["macro_f1"] > 65  # of at most 75: there is no fourth author


@pytest.mark.slow
def test_documents_of_one_paragraph_and_of_five_thousand_are_assigned(tmp_path: Path) -> None:
    write(tmp_path / "train.jsonl", 6, 0)
    long = "\n".join(f"{HABITS[i // 2500]} {i}." for i in range(5_000))
    rows = [{"input": "One line.", "output": "1"}, {"input": long, "output": ",".join(["1"] * 2500 + ["2"] * 2500)}]
    (tmp_path / "test.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    arguments = {"data": tmp_path, "model": "stylometry:pairs=200", "strategy": "pairs:return"}
    short, whole = pipelines.run("style_change", out=tmp_path / "run", **arguments).predictions
    assert (short.prediction, short.notes) == ("1", {"changes": "", "multi_author": "0"})
    assert whole.prediction == ",".join(["1"] * 2500 + ["2"] * 2500)


@pytest.mark.parametrize("assign", ["literal", "return"])
def test_a_cross_encoder_reads_neighbours_first_then_the_pairs_that_decide(tmp_path: Path, assign: str) -> None:
    (tmp_path / "model").mkdir()
    folder = tiny_models.bert_pairs(tmp_path / "model")
    write(tmp_path / "test.jsonl", 3, 1)
    lines = (tmp_path / "test.jsonl").read_text(encoding="utf-8").splitlines()
    documents = [tuple(json.loads(line)["input"].split("\n")) for line in lines]
    neighbours = tuple((i - 1, i) for i in range(1, 9))
    unbiased_reader: Any = models.get(str(folder), deterministic=True)
    similarities = sorted(
        value for reply in unbiased_reader.reply([Compare(d, neighbours) for d in documents]) for value in reply.value
    )
    # such that half of the 24 neighbours are similar
    bias = round(math.log(similarities[12] / (1 - similarities[12])), 3)
    model = f"cross_encoder:model={folder},bias={bias}"
    result = pipelines.run(
        "style_change",
        data=tmp_path / "test.jsonl",
        model=f"{model},deterministic=true",
        strategy=f"pairs:assign={assign},max_authors=3",
        out=tmp_path / "run",
    )
    reader: Any = models.get(model, deterministic=True)
    expected = []
    for document, prediction in zip(documents, result.predictions, strict=True):
        (first,) = reader.reply([Compare(document, neighbours)])
        changes = [value < 0.5 for value in first.value]
        assert prediction.notes["changes"] == ",".join(str(int(change)) for change in changes)
        before = [sum(changes[:i]) for i in range(8)]  # the number of changes before each pair of neighbours
        literal = [n >= 2 if change else n > 0 for change, n in zip(changes, before, strict=True)]
        undecided = changes if assign == "return" else literal
        needed = tuple((j, i) for i in range(1, 9) if undecided[i - 1] for j in range(i - 2, -1, -1))
        assert 0 < len(needed) < 28
        expected += [first, *reader.reply([Compare(document, needed)])]
    lines = (tmp_path / "run" / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    logged = [json.loads(line) for line in lines]
    logged_replies = sorted((record["tokens_in"], record["truncated_tokens"], record["value"]) for record in logged)
    assert logged_replies == sorted((reply.tokens_in, reply.truncated_tokens, list(reply.value)) for reply in expected)
    assert [len(record["value"]) == 8 for record in logged] == [True, False] * 3
    record = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["spec"]
    assert (record["model"]["name"], record["model"]["bias"], record["training"]) == ("cross_encoder", bias, None)


def test_without_a_training_split_a_classifier_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "test.jsonl", 2, 1)
    with pytest.raises(UserError, match="must be trained first"):
        pipelines.run("style_change", data=tmp_path / "test.jsonl", model="stylometry", out=tmp_path / "run")


def test_a_reader_that_cannot_compare_is_refused_before_data_are_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Compare requests, which the reader 'extractive' does not answer"):
        pipelines.run("style_change", data=tmp_path, model="extractive")
