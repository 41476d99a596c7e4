"""Curves of files of predictions, and of runs; with LaRA's and BABILong's published predictions."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from tests.command_line import longdoc as command

BINS = {"short": 100, "middle": 1_000, "long": 10_000}
NAME = "{way}_preds_m_32k_financial_location.jsonl"


def prediction(number: int, way: str, name: str) -> str:
    """A system's answer: with the whole document it is wrong in long ones, with retrieval in some short ones."""
    is_right = name != "long" if way == "full" else name != "short" or number % 2
    return "It is nine." if is_right else "None."


def lara(folder: Path, documents: int = 6) -> list[Path]:
    """LaRA's questions with documents of three lengths, two questions each, and predictions of a system's two ways."""
    (folder / "documents").mkdir(parents=True)
    rows: dict[str, list[dict[str, Any]]] = {"data": [], "full": [], "rag": []}
    for name, words in BINS.items():
        for number in range(documents):
            file = f"{name}{number}.txt"
            (folder / "documents" / file).write_text("word " * (words + number))
            for part in range(2):
                row = {"type": "financial", "level": "location", "file": file, "context_order": part}
                row["question"] = f"What is {part}?"
                rows["data"].append(row | {"length": "32k", "answer": "It is nine."})
                for way in ("full", "rag"):
                    rows[way].append(row | {"prediction": prediction(number, way, name), "ground_truth": "It is nine."})
    paths = []
    for way, way_rows in rows.items():
        file_name = "32k_financial_location.jsonl" if way == "data" else NAME.format(way=way)
        paths.append(folder / file_name)
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in way_rows))
    return paths


def scores(curve: Any) -> list[float]:
    return [round(point.score, 6) for point in curve.points.values()]


def test_scores_are_of_the_documents_of_each_length_and_the_crossover_is_between_them(tmp_path: Path) -> None:
    data, full, rag = lara(tmp_path)
    curves = pipelines.curve([full, rag], task="lara/location", data=data, resamples=500)
    assert [curve.system for curve in curves.curves] == ["m full", "m rag"]
    assert [bin.text("length") for bin in curves.bins] == ["64–127", "512–1,023", "8,192–16,383"]
    assert curves.middles == pytest.approx([102.49, 1002.5, 10002.5], abs=0.01)
    assert [scores(curve) for curve in curves.curves] == [[100, 100, 0], [50, 100, 100]]
    point = curves.curves[0].points[0]
    assert (point.examples, point.documents) == (12, 6)
    assert point.interval is not None and (point.interval.unit, point.interval.units) == ("document", 6)
    (row,) = curves.crossovers
    assert (row.system, row.over, row.is_paired) == ("m rag", "m full", True)
    assert row.crossover is not None and row.crossover.value == pytest.approx(curves.middles[1])  # ahead from there on
    assert [curve.effective.bin for curve in curves.curves if curve.effective] == [1, 2]


def test_the_command_prints_what_the_function_gives_and_writes_a_plot(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    data, full, rag = lara(tmp_path)
    plot = tmp_path / "curve.svg"
    options = ["--data", str(data), "--resamples", "200"]
    code, out, _ = command(
        capfd, "analyze", "curve", "lara/location", str(full), str(rag), *options, "--plot", str(plot)
    )
    assert code == 0
    assert out == f"{pipelines.curve([full, rag], task='lara/location', data=data, resamples=200)}\n"
    assert "m rag   m full  about 1,002" in out
    assert "length of the document (words)" in plot.read_text()
    code, out, _ = command(capfd, "analyze", "curve", "lara/location", str(full), *options, "--json")
    record = json.loads(out)
    assert (code, record["axis"], record["bins"][0]) == (0, "length", {"low": 64, "high": 128})


def test_quantiles_of_documents_can_be_bins(tmp_path: Path) -> None:
    data, full, _ = lara(tmp_path)
    curves = pipelines.curve(full, task="lara/location", data=data, bins=2, resamples=200)
    assert [point.documents for point in curves.curves[0].points.values()] == [9, 9]


def test_lengths_of_files_are_those_of_their_names_without_data(tmp_path: Path) -> None:
    _, full, _ = lara(tmp_path)
    curves = pipelines.curve(full, task="lara/location", resamples=200)
    assert [bin.low for bin in curves.bins] == [32_000]
    assert list(curves.notes) == [
        "all documents have the same length, so there is one bin", "lengths are those in the files' names",
    ]  # fmt: skip
    assert curves.crossovers == [] and curves.curves[0].effective is None


def test_a_single_bin_for_all_documents_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    lara(folder)
    prediction_lines = [line for line in (folder / NAME.format(way="full")).read_text().splitlines() if "short" in line]
    predictions_file, data = tmp_path / NAME.format(way="full"), folder / "32k_financial_location.jsonl"
    predictions_file.write_text("\n".join(prediction_lines))
    data.write_text("\n".join(line for line in data.read_text().splitlines() if "short" in line))
    curves = pipelines.curve(predictions_file, task="lara/location", data=data, resamples=200)
    assert list(curves.notes) == ["all documents are in one bin: bins=4 makes four of about as many documents each"]
    assert "64–127" in str(curves)


def test_few_documents_have_no_intervals(tmp_path: Path) -> None:
    data, full, rag = lara(tmp_path, documents=2)
    curves = pipelines.curve([full, rag], task="lara/location", data=data, resamples=200)
    (row,) = curves.crossovers
    assert row.crossover is not None and (row.crossover.low, row.crossover.resamples) == (None, 0)
    assert all(point.interval is None for curve in curves.curves for point in curve.points.values())
    assert "bins of fewer than 5 documents, or examples where there is one, have no interval" in str(curves)


def test_two_lengths_of_a_system_are_one_curve(tmp_path: Path) -> None:
    for model, words in (("a", {"0k": "nine", "8k": "nine", "16k": "ten"}), ("b", dict.fromkeys(("0k", "8k"), "nine"))):
        (tmp_path / model).mkdir()
        for length, word in words.items():
            lines = "".join(f"{number},hallway,hallway {word},Where is {number}?\n" for number in range(6))
            text = lines.replace("hallway ten", "kitchen").replace("hallway nine", "hallway")
            (tmp_path / model / f"qa1_{length}.csv").write_text(f",target,output,question\n{text}")
    curves = pipelines.curve(sorted(tmp_path.glob("*/*.csv")), task="babilong", resamples=200)
    assert {curve.system: scores(curve) for curve in curves.curves} == {"a": [100, 100, 0], "b": [100, 100]}
    assert [bin.low for bin in curves.bins] == [0, 8_000, 16_000]


def run(folder: Path, **options: Any) -> Path:
    """A run over documents of two lengths, with the evidence at their start or at their end."""
    rows = []
    for number in range(6):
        filler = "Nothing is said here. " * (20 if number < 3 else 200)
        text = f"The key is red. {filler}" if number % 2 else f"{filler}The key is red."
        start = text.index("The key")
        rows.append({"id": str(number), "document": text, "query": "What is the key?", "references": ["red"],
                     "evidence": [[start, start + 15]]})  # fmt: skip
    data = folder / "rows.jsonl"
    if not data.exists():
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = {"data": data, "model": "extractive", "metrics": "f1", "out": folder / options.pop("name", "run")}
    pipelines.run("qa", **settings, **options)
    return Path(str(settings["out"]))


def test_runs_have_the_lengths_and_places_of_their_data(tmp_path: Path) -> None:
    first = run(tmp_path, name="whole", chunker="whole", retriever="all")
    second = run(tmp_path, name="words", chunker="sentences:1", retriever="bm25", k=1)
    curves = pipelines.curve([first, second], resamples=200)
    assert [curve.system for curve in curves.curves] == ["whole", "words"]
    assert [point.examples for point in curves.curves[0].points.values()] == [3, 3]
    places = pipelines.curve([first, second], over="place", bins=2, resamples=200)
    assert [bin.text("place") for bin in places.bins] == ["0–50%", "50–100%"]
    assert [point.examples for point in places.curves[1].points.values()] == [3, 3]
    assert (places.crossovers, places.curves[0].effective) == ((), None)
    places.plot(tmp_path / "places.png")
    assert (tmp_path / "places.png").stat().st_size > 1_000


def test_a_table_of_conditions_stands_for_its_runs(tmp_path: Path) -> None:
    run(tmp_path)
    pipelines.versus("qa", data=tmp_path / "rows.jsonl", model="extractive", metrics="f1", out=tmp_path / "v",
                     retriever="bm25", budget="20 words")  # fmt: skip
    curves = pipelines.curve(tmp_path / "v", resamples=200)
    names = [curve.system for curve in curves.curves]
    assert any("whole" in name for name in names) and any("bm25" in name for name in names)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"over": "lenght"}, 'did you mean "length"|length'),
        ({"over": "place", "bins": "powers"}, "places are in equal parts"),
        ({"bins": 1}, "a number from 2 to 40"),
        ({"share": 0.0}, "share must be above 0"),
        ({"share": float("nan")}, "share must be above 0"),
        ({"level": 1.0}, "level must be between"),
        ({"resamples": 10}, "resamples must be at least 100"),
        ({"metric": "f2"}, "f1"),
        ({"over": "place"}, "evidence"),
        ({"split": "test"}, "split="),
    ],
)
def test_invalid_arguments_are_refused(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    _, full, _ = lara(tmp_path)
    with pytest.raises(UserError, match=message):
        pipelines.curve(full, task="lara/location", **options)


def test_unknown_lengths_are_refused_with_what_to_give(tmp_path: Path) -> None:
    predictions_file = tmp_path / "answers.jsonl"
    predictions_file.write_text('{"id": "a", "prediction": "x", "references": ["x"]}\n')
    with pytest.raises(
        UserError, match="the lengths of the documents of answers are not known: give the benchmark's data"
    ):
        pipelines.curve(predictions_file, task="qa")


def test_a_curve_of_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="nothing to draw"):
        pipelines.curve([])


def test_babilongs_published_predictions_give_its_published_shares(realdata: Path) -> None:
    folder = realdata / "babilong" / "predictions" / "microsoft" / "Phi-3-mini-128k-instruct"
    curves = pipelines.curve(sorted(folder.glob("qa3_*.csv")), task="babilong", resamples=200)
    assert [bin.low for bin in curves.bins] == [0, 8_000, 32_000, 128_000]
    assert scores(curves.curves[0]) == pytest.approx([32, 100 * 255 / 999, 100 * 210 / 999, 4])


@pytest.mark.parametrize(("model", "kind"), [("gpt-4o", "ahead"), ("llama-3.1-8b", "behind")])
def test_laras_two_ways_are_drawn_over_the_lengths_of_its_reports(model: str, kind: str, realdata: Path) -> None:
    folder = realdata / "lara"
    files = [folder / "predictions" / model / f"{way}_32k_financial_location.jsonl" for way in ("full", "rag")]
    curves = pipelines.curve(files, task="lara/location", data=folder, bins=2, resamples=200)
    assert [point.documents for point in curves.curves[0].points.values()] == [7, 7]
    (row,) = curves.crossovers
    assert row.crossover is not None
    assert (row.system, row.over, row.crossover.kind) == (f"{model} rag", f"{model} full", kind)


def test_runs_of_one_recipe_over_data_of_other_lengths_are_one_system(tmp_path: Path) -> None:
    for length in (20, 200, 2000):
        rows = [
            {"document": f"Anna keeps {number} bees. " + "Nothing else is said here. " * (length // 5),
             "question": "How many bees?", "answers": [f"{number} bees" if length < 2000 else "none"]}
            for number in range(6)
        ]  # fmt: skip
        data = tmp_path / f"{length}.jsonl"
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))
        for name, chunker in (("a", "sentences:1"), ("b", "tokens:8")):
            pipelines.run(
                "qa", data=data, model="lead", chunker=chunker, retriever="first", k=1, metrics="f1",
                out=tmp_path / f"{name}-{length}", report=False,
            )  # fmt: skip
    folders = [tmp_path / f"{name}-{length}" for name in "ab" for length in (20, 200, 2000)]
    curves = pipelines.curve(folders, resamples=200)
    assert len(curves.curves) == 2
    assert [len(curve.points) for curve in curves.curves] == [3, 3]
    assert [point.documents for point in curves.curves[0].points.values()] == [6, 6, 6]
    assert curves.crossovers[0].is_paired
    assert "3 runs of one recipe over other data, as one system" in curves.notes
    assert [curve.system for curve in pipelines.curve(folders[:1]).curves] == ["a-20"]
    alone = pipelines.curve([folders[0], folders[3]], resamples=200)
    assert [curve.system for curve in alone.curves] == ["a-20", "b-20"]
