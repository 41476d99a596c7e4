"""The number of pairs of paragraphs and their time, estimated before a run; a pair as the reader gets it."""

import json
from pathlib import Path
from typing import Any

import pytest

import models
import pipelines
from longdoc.errors import UserError
from pipelines.ablations.estimate import estimate
from pipelines.engine.planning.plan import make_plan
from pipelines.tasks import get
from tests import tiny_models
from tests.comparing_readers import Alternating, Hosted

HABITS = ("I did not know", "HELLO!!! the boys r here", "Furthermore, the committee establishes")
MANY = 450  # paragraphs: 101,025 pairs


def long_data(folder: Path, paragraphs: int = MANY) -> Path:
    row = {
        "input": "\n".join(f"{HABITS[i % 3]} {i}." for i in range(paragraphs)),
        "output": "1," * (paragraphs - 1) + "1",
    }
    (folder / "test.jsonl").write_text(json.dumps(row), encoding="utf-8")
    return folder / "test.jsonl"


def test_a_dry_run_bounds_the_pairs_and_times_some(tmp_path: Path) -> None:
    reader = Alternating()
    dry_run = pipelines.dry_run("style_change", data=long_data(tmp_path), model=reader)
    assert (dry_run.examples, dry_run.requests) == (1, 1)
    assert dry_run.pairs is not None
    assert (dry_run.pairs.requests, dry_run.pairs.pairs) == ((1, 3), (449, 101_025))
    assert dry_run.pairs.seconds is not None
    assert 0 < dry_run.pairs.seconds[0] < dry_run.pairs.seconds[1]
    assert max(len(request.texts) for request in reader.received) == 40
    text = str(dry_run)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[1:5] == [
        "documents 1", "examples 1", "requests 1 to 3", "pairs of paragraphs 449 to 101,025 in about 1 s",
    ]  # fmt: skip
    assert "strategy='pairs:candidates=20' compares" in text
    assert dry_run.to_dict()["pairs"]["pairs"] == [449, 101_025]


def test_the_requests_of_a_run_are_within_the_bounds_of_its_dry_run(tmp_path: Path) -> None:
    data, reader = long_data(tmp_path, 60), Alternating()
    for number, strategy in enumerate(("pairs", "pairs:return", "pairs:candidates=7")):
        bounds = pipelines.dry_run("style_change", data=data, model=reader, strategy=strategy).pairs
        assert bounds is not None
        assert bounds.seconds is None  # too few to load a reader for
        assert reader.received == []
        pipelines.run("style_change", data=data, model=reader, strategy=strategy, out=tmp_path / f"run{number}")
        pairs = sum(len(request.pairs) for request in reader.received)
        assert bounds.pairs[0] < pairs <= bounds.pairs[1]
        assert bounds.requests[0] < len(reader.received) <= bounds.requests[1]
        reader.received.clear()


def test_a_reader_behind_an_api_is_not_timed(tmp_path: Path) -> None:
    reader = Hosted()
    pair_counts = pipelines.dry_run("style_change", data=long_data(tmp_path), model=reader).pairs
    assert pair_counts is not None
    assert (pair_counts.pairs, pair_counts.seconds, reader.received) == ((449, 101_025), None, [])


@pytest.mark.parametrize("model", ["stylometry", "stylometry:pairs=50"])
def test_a_reader_that_is_still_to_be_fitted_is_timed_as_a_copy(tmp_path: Path, model: str) -> None:
    reader: Any = models.get(model)
    pair_counts = pipelines.dry_run("style_change", data=long_data(tmp_path), model=reader).pairs
    assert pair_counts is not None
    assert pair_counts.seconds is not None
    assert not reader.fitted


def test_a_run_with_many_pairs_reports_them_first_and_what_to_type(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = long_data(tmp_path)
    pipelines.run("style_change", data=data, model=Alternating(), out=tmp_path / "run")
    errors = capsys.readouterr().err
    assert errors.startswith(
        "longdoc: 1 document: 449 to 101,025 pairs of paragraphs are compared, in about 1 s; strategy='"
    )
    assert errors.count("\n") == 1
    assert "strategy='pairs:assign=return' looks back only where the author changes" in errors
    pipelines.run("style_change", data=data, model=Alternating(), out=tmp_path / "run")  # finished: nothing to compare
    fewer_pairs = "pairs:candidates=5,assign=return"
    pipelines.run("style_change", data=data, model=Alternating(), strategy=fewer_pairs, out=tmp_path / "few")
    assert capsys.readouterr().err == ""


def test_an_ablation_counts_pairs_as_the_square_of_the_paragraphs(tmp_path: Path) -> None:
    data = long_data(tmp_path)
    plans = [make_plan("style_change", data=data, model=Alternating(), strategy=strategy, seed=0)
             for strategy in ("pairs", "pairs:candidates=5")]  # fmt: skip
    assert [estimate([plan]).requests for plan in plans] == [3, 2]
    assert estimate([make_plan("style_change", data=data, model=Hosted(), seed=0)]).seconds is None
    assert all(estimate([plan]).seconds is not None for plan in plans)


def test_the_prompt_is_the_first_pair_as_the_reader_gets_it(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "scores").mkdir()
    long_data(tmp_path, 9)
    rows = json.loads((tmp_path / "test.jsonl").read_text(encoding="utf-8"))
    first, second, *_ = rows["input"].split("\n")
    (example,) = pipelines.sources.load("style_change", get("style_change").dataset, tmp_path, "test").examples()

    def shown_prompt(model: Any, **options: Any) -> Any:
        return pipelines.prompt("style_change", example.id, data=tmp_path, model=model, **options)

    apart = shown_prompt("stylometry")
    assert (apart.text, apart.truncated_tokens) == (f"{first}\n\n{second}", 0)
    assert [example.document.text[start:end] for start, end in apart.spans] == [first, second]
    joined = shown_prompt(f"cross_encoder:{tiny_models.bert_pairs(tmp_path / 'model')}")
    assert joined.text == f"[CLS]{first}[SEP]{second}[SEP]"
    cut = shown_prompt(f"cross_encoder:{tmp_path / 'model'},max_input_tokens=9")
    shown_texts = [example.document.text[start:end] for start, end in cut.spans]
    assert cut.text == f"[CLS]{shown_texts[0]}[SEP]{shown_texts[1]}[SEP]"
    assert first.startswith(shown_texts[0])
    assert 0 < len(shown_texts[0]) < len(first)
    assert cut.truncated_tokens > 0
    scored = shown_prompt(str(tiny_models.t5(tmp_path / "scores")))
    assert scored.text.startswith("First text:\n")
    assert scored.text.endswith("Did the same author write both texts? Answer yes or no.")


def test_a_document_of_one_paragraph_has_no_pair_to_show(tmp_path: Path) -> None:
    (tmp_path / "test.jsonl").write_text(json.dumps({"input": "One.", "output": "1"}), encoding="utf-8")
    (example,) = pipelines.sources.load("style_change", get("style_change").dataset, tmp_path, "test").examples()
    with pytest.raises(UserError, match=r"has 1 paragraph\(s\), so no pair is compared"):
        pipelines.prompt("style_change", example.id, data=tmp_path, model="stylometry")
