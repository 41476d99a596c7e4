"""Logs of other harnesses, compared as runs are: the same run in three formats has the same p."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.results.run_folders.run import finished_run
from tests.command_line import longdoc

NAMES = (
    "Anna",
    "Boris",
    "Clara",
    "David",
    "Elena",
    "Fritz",
    "Gerda",
    "Hanna",
    "Ivana",
    "Jakob",
    "Karin",
    "Lukas",
    "Maria",
)


def write_rows(path: Path) -> Path:
    """Three questions about each of thirteen texts."""
    lines = []
    for number, name in enumerate(NAMES):
        text = f"{name} sat on the wall. The ship left at dawn. Nobody saw {name} again."
        for question, answer in (
            (f"Where did {name} sit?", "the wall"),
            ("When did the ship leave?", "at dawn"),
            ("Who was not seen?", name),
        ):  # fmt: skip
            row = {"document": text, "document_id": f"d{number}", "question": question, "answers": [answer]}
            lines.append(json.dumps(row))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two finished runs, their CSV files of scores, and their logs of inspect_ai."""
    folder = tmp_path_factory.mktemp("runs")
    data = write_rows(folder / "rows.jsonl")
    options: dict[str, Any] = {"data": data, "metrics": ["f1", "exact_match"], "report": False, "k": 1}
    pipelines.run("qa", model="lead", retriever="first", out=folder / "a", **options)
    pipelines.run("qa", model="lead", retriever="tfidf", chunker="sentences:1", out=folder / "b", **options)
    for name in ("a", "b"):
        run = finished_run(folder / name)
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["id", "book", "f1", "exact_match"])
            for prediction in run.predictions:
                rows = prediction.statistics
                writer.writerow([prediction.id, prediction.document, rows["f1"]["f1"], *rows["exact_match"].values()])
    return {"folder": folder}


@pytest.fixture(scope="module")
def logs(runs: dict[str, Path]) -> Path:
    for name, ending in (("a", "eval"), ("b", "json")):
        pipelines.export(runs["folder"] / name, out=runs["folder"] / f"{name}.{ending}")
    return runs["folder"]


def test_the_same_run_in_three_formats_has_the_same_p_and_interval(logs: Path) -> None:
    expected = pipelines.compare(logs / "a", logs / "b")
    by_format = [
        pipelines.compare(logs / "a.csv", logs / "b.csv"),
        pipelines.compare(logs / "a.eval", logs / "b.json"),
        pipelines.compare(logs / "a", logs / "b.csv", cluster=None),
    ]
    assert 0 < expected.differences["f1"].p < 1
    for comparison in by_format:
        assert (comparison.examples, comparison.documents) == (39, 13)
        difference, reference = comparison.differences["f1"], expected.differences["f1"]
        assert difference.p == reference.p
        assert difference.value == pytest.approx(reference.value)
        assert (difference.interval.low, difference.interval.high) == pytest.approx(
            (reference.interval.low, reference.interval.high)
        )
        assert (difference.wins, difference.losses, difference.ties) == (
            reference.wins, reference.losses, reference.ties,
        )  # fmt: skip
        assert comparison.differences["f1"].p_holm == min(1.0, 2 * reference.p)


def test_a_file_of_a_run_is_answered_with_its_folder(logs: Path) -> None:
    with pytest.raises(UserError, match=r"predictions\.jsonl is a file of a run: give the run's folder, .*a$"):
        pipelines.compare(logs / "a" / "predictions.jsonl", logs / "b")


def test_the_least_detectable_difference_is_that_of_the_plan(logs: Path) -> None:
    comparison = pipelines.compare(logs / "a.csv", logs / "b.csv")
    assert comparison.detectable["f1"] == pytest.approx(pipelines.plan(logs / "a", logs / "b", metric="f1").detectable)


def test_a_plan_from_logs_is_that_from_the_runs(logs: Path) -> None:
    for paths in (("a", "b"), ("a",)):
        expected = pipelines.plan(*(logs / name for name in paths), metric="f1", detect=5)
        planned = pipelines.plan(*(logs / f"{name}.csv" for name in paths), metric="f1", detect=5, cluster="book")
        assert planned.standard_error == pytest.approx(expected.standard_error)
        assert (planned.as_here, planned.correlation) == (expected.as_here, pytest.approx(expected.correlation))
        assert "clusters: 13 books, by the samples' field of that name" in planned.notes
    with pytest.raises(UserError, match=r"cluster= is for logs of other harnesses"):
        pipelines.plan(logs / "a", cluster="book")
    with pytest.raises(UserError, match=r"all 39 questions are about one document"):
        single = logs / "one.csv"
        rows = (logs / "a.csv").read_text(encoding="utf-8").splitlines()
        single.write_text("\n".join([f"{rows[0]},title", *(f"{row},t" for row in rows[1:])]), encoding="utf-8")
        pipelines.plan(single, cluster="title")


def test_clusters_follow_a_field_and_an_unknown_field_is_refused(table: Any) -> None:
    rows = [(f"q{number}", number % 6, f"s{number % 2}", number % 3 == 0) for number in range(24)]
    head = "id,book,chapter,ok"
    a = table("a.csv", head, [(*row[:3], int(row[3])) for row in rows])
    b = table("b.csv", head, [(*row[:3], int(not row[3])) for row in rows])
    automatic = pipelines.compare(a, b)
    assert (automatic.documents, automatic.differences["ok"].interval.units) == (6, 6)
    assert "clusters: 6 books, by the samples' field of that name" in automatic.remarks
    chapters = pipelines.compare(a, b, cluster="chapter")
    assert (chapters.documents, chapters.differences["ok"].interval) == (2, None)
    with pytest.raises(UserError, match=r"unknown field of the samples to cluster by 'chaptre'; did you mean chapter"):
        pipelines.compare(a, b, cluster="chaptre")


def test_without_a_field_samples_are_independent_with_a_warning(table: Any) -> None:
    a = table("a.csv", "id,ok", [(number, int(number % 2 == 0)) for number in range(20)])
    b = table("b.csv", "id,ok", [(number, int(number % 3 == 0)) for number in range(20)])
    comparison = pipelines.compare(a, b)
    assert (comparison.documents, comparison.differences["ok"].interval.unit) == (0, "example")
    assert str(comparison).startswith("a: 20 examples\n")
    assert any("20 samples are taken as independent (--cluster FIELD)" in warning for warning in comparison.warnings)


def test_clusters_of_one_sample_are_documents_and_a_single_cluster_is_ignored(table: Any) -> None:
    head = "id,document,ok"
    own = [table(f"{n}.csv", head, [(i, f"d{i}", i * n % 3) for i in range(20)]) for n in (1, 2)]
    assert pipelines.compare(*own).differences["ok"].interval.units == 20
    shared = [table(f"{n}.csv", head, [(i, "d", i * n % 3) for i in range(20)]) for n in (1, 2)]
    comparison = pipelines.compare(*shared)
    assert comparison.differences["ok"].interval.unit == "example"
    assert (
        "there is only one document: intervals are over its examples, and say nothing about other documents"
        in comparison.warnings
    )


def test_samples_pair_by_id_in_any_order_and_the_others_are_counted(table: Any) -> None:
    rows = [(f"q{number}", number % 4) for number in range(12)]
    a = table("a.csv", "id,points", rows)
    same = table("same.csv", "id,points", rows[::-1])
    comparison = pipelines.compare(a, same)
    assert (comparison.differences["points"].value, comparison.differences["points"].ties) == (0, 12)
    fewer = table("fewer.csv", "id,points", [*rows[3:], ("new", 1)])
    warnings = pipelines.compare(a, fewer).warnings
    assert f"3 of 12 samples left out: {fewer} has none of them" in warnings
    assert f"1 of 10 samples left out: {a} has none of them" in warnings
    renamed = table("renamed.csv", "id,points", [(f"x{name}", value) for name, value in rows])
    with pytest.raises(UserError, match=r"no sample in common, by their ids \('q0' and 'xq0'\)"):
        pipelines.compare(a, renamed)


def test_values_that_are_missing_are_left_out_and_counted(table: Any) -> None:
    a = table("a.csv", "id,ok,f1", [(n, "nan" if n < 2 else n % 2, n) for n in range(20)])
    b = table("b.csv", "id,ok,f1", [(n, "" if n == 5 else 1, n) for n in range(20)])
    comparison = pipelines.compare(a, b)
    difference = comparison.differences["ok"]
    assert (difference.wins, difference.losses, difference.ties) == (9, 0, 8)
    assert "ok: 3 of 20 samples left out, which have none in a or in b" in comparison.warnings


@pytest.mark.parametrize(
    ("head", "rows", "message"),
    [
        ("name,f1", [("q", 1)], "no column with the samples' ids"),
        ("id,text", [("q", "x")], "has no column of numbers"),
        ("id,f1", [("q", 1), ("q", 2)], r"the sample 'q' comes twice \(epoch 1\)"),
        ("id,epoch,f1", [("q", "x", 1)], "epoch must be a whole number"),
        ("id,f1", [("q", 1), ("r", "bad")], "f1 is 'bad' where the rows before have numbers"),
        ("id,f1", [("q", 1), ("r",)], "1 cells, but the header has 2"),
        ("id,f1", [], "is empty"),
        ("id,f1", [("q", 1), ("", 2)], "id is empty: give each sample its id"),
    ],
)
def test_a_broken_table_is_refused(table: Any, head: str, rows: Any, message: str) -> None:
    whole = table("whole.csv", "id,f1", [("q", 1), ("r", 2)])
    with pytest.raises(UserError, match=message):
        pipelines.compare(whole, table("broken.csv", head, rows))


def test_scores_of_different_scales_are_a_warning(table: Any) -> None:
    a = table("a.csv", "id,f1", [(n, n / 20) for n in range(20)])
    b = table("b.csv", "id,f1", [(n, n * 5) for n in range(20)])
    assert (
        "f1 is at most 0.95 in one log and 95 in the other: are both on the same scale?"
        in pipelines.compare(a, b).warnings
    )


def test_very_many_units_are_resampled_as_groups(table: Any) -> None:
    rows = [(n, n * 7919 % 101) for n in range(21_000)]
    a, b = table("a.csv", "id,f1", rows), table("b.csv", "id,f1", [(n, value * (n % 3 != 0)) for n, value in rows])
    comparison = pipelines.compare(a, b, resamples=200)
    interval = comparison.differences["f1"].interval
    assert interval.units == 10_000
    assert "f1: 10,000 random groups of samples are resampled" in comparison.warnings
    differences = [value * (n % 3 != 0) - value for n, value in rows]
    mean = sum(differences) / len(differences)
    error = (sum((value - mean) ** 2 for value in differences) / len(differences) ** 2) ** 0.5
    assert (interval.high - interval.low) / (2 * 1.96 * error) == pytest.approx(1, abs=0.2)


def test_a_gate_decides_the_exit_code(table: Any, capfd: pytest.CaptureFixture[str]) -> None:
    rows = [(n, n % 7 * 10) for n in range(40)]
    a = table("a.csv", "id,f1", rows)
    b = table("b.csv", "id,f1", [(n, value - 8 + n % 5 * 2) for n, value in rows])  # 4 points below, give or take

    def command(*conditions: str) -> tuple[int, str, str]:
        return longdoc(capfd, "compare", str(a), str(b), *conditions)

    code, out, _ = command("--fail-if", "f1 < baseline - 1")
    assert (code, "f1 < baseline - 1: holds (b - a: -4.00" in out) == (1, True)
    assert command("--fail-if", "f1 < baseline - 9")[0] == 0
    code, out, _ = command("--fail-if", "f1 < baseline - 4", "--fail-if", "f1 > 90")
    assert (code, "f1 < baseline - 4: in doubt" in out) == (0, True)
    assert command("--fail-if", "f1 < baseline - 4", "--fail-on-doubt")[0] == 1
    assert command("--fail-on-doubt")[0] == 2
    code, _, error = command("--fail-if", "f2 < baseline")
    assert (code, "unknown score of both 'f2'; did you mean f1?" in error) == (2, True)


def test_samples_that_changed_are_shown_in_points_the_largest_changes_first(table: Any) -> None:
    a = table("a.csv", "id,f1", [(n, value) for n, value in enumerate((0.25, 0.5, 1.0, 0.5, 0.0))])
    b = table("b.csv", "id,f1", [(n, value) for n, value in enumerate((0.5, 0.5, 0.25, 0.75, 0.0))])
    changed = pipelines.compare(a, b).changed
    assert [(example.id, example.score_before, example.score_after) for example in changed] == [
        ("2", 100.0, 25.0), ("0", 25.0, 50.0), ("3", 50.0, 75.0),
    ]  # fmt: skip
