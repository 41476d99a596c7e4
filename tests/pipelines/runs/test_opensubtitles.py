"""Translation of whole films through the command line: structure, alignment, order."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import tasks
from tests import tiny_models

HEAD = 60  # lines of the real film
EN = "Good morning, Tom.\n\nThe mill is old. It stands by the river. Nobody lives there now, they say.\nYes.\nYes.\n"
DE = "Guten Morgen, Tom.\n\nDie Mühle ist alt. Sie steht am Fluss. Dort wohnt niemand mehr, sagen sie.\nJa.\nJa.\n"


@pytest.fixture
def film(tmp_path: Path) -> Path:
    folder = tmp_path / "films" / "mill"
    folder.mkdir(parents=True)
    (folder / "en.txt").write_text(EN, encoding="utf-8")
    (folder / "de.txt").write_text(DE, encoding="utf-8")
    return folder.parent


@pytest.fixture(scope="module")
def marian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.marian(tmp_path_factory.mktemp("marian"))


def run(data: Path, out: Path, **arguments: Any) -> tuple[Any, list[dict[str, Any]]]:
    result = pipelines.run("opensubtitles", data=data, out=out, metrics=["bleu-1", "bleu-4"], **arguments)
    lines = (out / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    return result, [json.loads(line) for line in lines]


def test_the_recipe_is_the_papers() -> None:
    task = tasks.get("opensubtitles")
    assert (task.chunker, task.retriever, task.strategy, task.split) == ("lines", "all", "map:keep_lines=true", "test")
    assert task.metrics == ("bleu-1", "bleu-4", "rouge-l", "meteor")
    assert (task.dataset.counts, task.dataset.has_query) == ({"train": 4_252, "test": 1_385}, False)
    assert task.instruction + EN[:4] == "translate English to German: Good"


def test_copying_a_film_gives_the_film(film: Path, tmp_path: Path) -> None:
    for size in (3, 5, 512):
        result, (row,) = run(film, tmp_path / str(size), model="copy", chunker=f"lines:size={size}")
        assert row["prediction"] == EN.rstrip()
        assert ("long_lines" in row["notes"], "lines" in row["notes"]) == (size < 512, False)
        assert row["requests"] == len(row["selected"])
        assert result.scores["bleu-1"] > 0


def test_the_prompt_has_the_prefix_and_the_chunk(film: Path) -> None:
    shown = pipelines.prompt("opensubtitles", "mill", data=film, model="copy", chunker="lines:size=4")
    assert shown.text == "translate English to German: Good morning, Tom."


def test_t5_chunks_fill_its_limit_and_its_lost_line_breaks_are_noted(film: Path, tiny_t5: Path, tmp_path: Path) -> None:
    model = {"name": str(tiny_t5), "dtype": "fp32", "device": "cpu"}
    _, (row,) = run(film, tmp_path / "chunks", model={**model, "max_input_tokens": 96}, max_new_tokens=8)
    assert re.match(r"chunk \d: \d lines in, 1 out", row["notes"]["lines"])
    assert all(end - start <= 96 for start, end in row["shown_spans"])
    model |= {"max_input_tokens": 200}
    by_line, (aligned,) = run(film, tmp_path / "lines", model=model, max_new_tokens=8, strategy="map:by_line=true")
    lines = aligned["prediction"].split("\n")
    assert (len(lines), lines[1], lines[3]) == (5, "", lines[4])
    assert aligned["notes"] == {}
    assert (aligned["requests"], by_line.new_requests) == (4, 3)


def test_marian_reads_the_bare_chunk(film: Path, marian: Path, tmp_path: Path) -> None:
    arguments = {"model": f"{marian},dtype=fp32,device=cpu", "max_new_tokens": 12}
    _, (row,) = run(film, tmp_path / "told", chunker="lines:size=8", **arguments)
    _, (other,) = run(film, tmp_path / "bare", chunker="lines:size=8", prompt="{document}", **arguments)
    assert row["prediction"] == other["prediction"] != ""
    assert row["prediction"].split("\n")[1] == ""
    assert row["tokens_in"] == other["tokens_in"]


def test_the_tasks_output_length_is_lowered_to_what_a_model_can_write(film: Path, marian: Path, tmp_path: Path) -> None:
    arguments = {"model": f"{marian},dtype=fp32,device=cpu", "chunker": "lines:size=8"}
    result, (row,) = run(film, tmp_path / "lowered", **arguments)
    assert tasks.get("opensubtitles").max_new_tokens == 512
    assert json.loads((tmp_path / "lowered" / "run.json").read_text())["spec"]["max_new_tokens"] == 64
    assert row["prediction"] != "" and not result.failures
    assert run(film, tmp_path / "given", max_new_tokens=64, **arguments)[1] == [row]
    with pytest.raises(UserError, match="max_new_tokens=65 is over the reader's longest output: give at most 64"):
        run(film, tmp_path / "over", max_new_tokens=65, **arguments)
    assert not (tmp_path / "over").exists()


def test_equal_rows_of_muld_may_be_lists(tmp_path: Path) -> None:
    rows = [{"input": EN, "output": DE, "metadata": ""}, {"input": "Yes.\n" * 3, "output": ["Ja.\n" * 3]}]
    (tmp_path / "opensubtitles_test.json").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    result, predictions = run(tmp_path, tmp_path / "out", model="copy")
    assert [row["id"] for row in predictions] == ["test-1", "test-2"]
    assert predictions[0]["prediction"] == EN
    assert result.scored == 2


def test_a_retriever_that_needs_a_query_is_refused(film: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="opensubtitles asks no question"):
        run(film, tmp_path / "out", model="copy", retriever="tfidf")


def test_both_real_films_are_copied_exactly(realdata: Path, tmp_path: Path) -> None:
    films = realdata / "translation_en_de" / "films"
    result, rows = run(films, tmp_path / "out", model="copy")
    texts = {"almanya": "almanya/en.txt", "jenseits": "jenseits/english-jenseits.txt"}
    for row in rows:
        text = (films / texts[row["id"]]).read_text(encoding="utf-8")
        assert row["prediction"] == text.rstrip()
        assert (row["notes"], row["truncated_tokens"]) == ({}, 0)
    assert result.scores["bleu-1"] == pytest.approx(7.388, abs=0.001)


@pytest.mark.slow
def test_a_real_film_keeps_its_lines_with_every_reader(
    realdata: Path, tiny_t5: Path, marian: Path, tmp_path: Path
) -> None:
    whole = realdata / "translation_en_de" / "films" / "almanya"
    film = tmp_path / "almanya"
    film.mkdir()
    for name in ("en.txt", "de.txt"):
        head = (whole / name).read_text(encoding="utf-8-sig").split("\n")[:HEAD]
        (film / name).write_text("\n".join(head), encoding="utf-8")
    for model in (tiny_t5, marian):
        arguments = {"model": f"{model},dtype=fp32,device=cpu", "max_new_tokens": 3}
        result, (row,) = run(film, tmp_path / model.name, prompt="{document}", strategy="map:by_line=true", **arguments)
        assert len(row["prediction"].split("\n")) == HEAD
        assert result.new_requests <= row["requests"]
        _, (packed,) = run(film, tmp_path / f"{model.name}-packed", chunker="lines:size=12", **arguments)
        assert packed["requests"] == len(packed["selected"]) > 1
        assert all(" lines in, 1 out" in note for note in packed["notes"]["lines"].split("; "))
