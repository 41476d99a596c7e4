"""Two runs' folders, compared; many runs against one of them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from lxml.html import fromstring

import pipelines
from longdoc import checked_json
from longdoc.errors import UserError
from pipelines.records import Document, Example
from pipelines.results.comparisons.compare import compare
from pipelines.results.comparisons.runs import compare_runs
from pipelines.results.reports import content, html
from pipelines.results.run_folders.record import FORMAT, recipe_of_spec
from pipelines.results.run_folders.run import finished_run
from tests.resealed import resealed

DOCUMENTS = [Document(f"d{n}", f"{name} sat on the wall. The ship left at dawn. Nobody saw {name} again.") for n, name
             in enumerate(("Anna", "Boris", "Clara", "David", "Elena", "Fritz"))]  # fmt: skip


def examples(answer: str = "the wall") -> list[Example]:
    rows = []
    for document in DOCUMENTS:
        name = document.text.split()[0]
        rows += [
            Example(f"{document.id}-1", document, f"Where did {name} sit?", (answer,)),
            Example(f"{document.id}-2", document, "When did the ship leave?", ("at dawn",)),
            Example(f"{document.id}-3", document, "Who was not seen again?", (name,)),
        ]
    return rows


def run(folder: Path, **arguments: Any) -> Path:
    options = {"data": examples(), "model": "extractive", "metrics": ["bleu-1", "f1", "exact_match"], **arguments}
    pipelines.run("narrativeqa", out=folder, **options)
    return folder


@pytest.fixture(scope="module")
def a(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("a") / "run", model="lead", retriever="first", k=1)


@pytest.fixture(scope="module")
def b(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("b") / "run", chunker="sentences:1", retriever="tfidf", k=2)


def copy_with(folder: Path, to: Path, **changes: Any) -> Path:
    """Copy a run with changes in the spec of its record."""
    to.mkdir()
    for file in ("run.json", "predictions.jsonl", "scores.json"):
        (to / file).write_bytes((folder / file).read_bytes())
    record = json.loads((to / "run.json").read_text(encoding="utf-8"))
    record["format"] = changes.pop("format", FORMAT)
    record["spec"] |= changes
    (to / "run.json").write_text(checked_json.dumps(record), encoding="utf-8")
    return to


def copy_without(folder: Path, to: Path, *ids: str) -> Path:
    """Copy a run without some examples, as if they had failed."""
    copy_with(folder, to)
    lines = (to / "predictions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    lines_left = [line for line in lines if json.loads(line)["id"] not in ids]
    (to / "predictions.jsonl").write_text("".join(lines_left), encoding="utf-8")
    scored = json.loads((to / "scores.json").read_text(encoding="utf-8")) | {"examples": len(lines_left)}
    (to / "scores.json").write_text(checked_json.dumps(scored), encoding="utf-8")
    resealed(to)
    return to


def test_scores_differences_and_recipes_are_those_of_the_runs(a: Path, b: Path) -> None:
    comparison, first_run, second_run = compare(a, b), finished_run(a), finished_run(b)
    assert (comparison.a.scores, comparison.b.scores) == (
        pytest.approx(first_run.scores),
        pytest.approx(second_run.scores),
    )
    assert list(comparison.differences) == ["bleu-1", "f1", "exact_match"]
    for name, difference in comparison.differences.items():
        assert difference.value == pytest.approx(second_run.scores[name] - first_run.scores[name])
        assert (difference.interval.unit, difference.interval.units) == ("document", 6)
    assert (comparison.examples, comparison.documents, comparison.task, comparison.split) == (
        18,
        6,
        "narrativeqa",
        "test",
    )
    assert comparison.a.recipe == recipe_of_spec(first_run.spec) == "tokens:200 → first k=1 → stuff → lead"
    assert comparison.warnings == []
    assert compare(a, b) == comparison


def test_the_recipe_of_a_record_is_the_result_s(tmp_path: Path) -> None:
    for number, arguments in enumerate(
        (
            {"retriever": "bm25", "budget": "50 tokens"},
            {"chunker": "truncate:30"},
            {"retriever": "tfidf", "query": "centroid"},
        )
    ):
        result = pipelines.run(
            "narrativeqa", data=examples(), model="extractive", out=tmp_path / str(number), **arguments
        )
        assert recipe_of_spec(finished_run(result.folder).spec) == result.recipe


def test_the_words_that_each_run_showed_are_printed(a: Path, b: Path) -> None:
    comparison = compare(a, b)
    words = [prediction.shown_words for prediction in finished_run(a).predictions]
    assert comparison.a.words == sum(words) / len(words)
    assert (
        f"  words shown, on average: {comparison.a.words:,.0f} in a, {comparison.b.words:,.0f} in b"
        in str(comparison).splitlines()
    )


def test_a_run_compared_with_itself_made_the_same_requests(a: Path) -> None:
    comparison = compare(a, a)
    assert (comparison.same_requests, comparison.differences, comparison.changed, comparison.warnings) == (
        True,
        {},
        [],
        [],
    )
    assert comparison.a.scores == comparison.b.scores == pytest.approx(finished_run(a).scores)
    assert str(comparison).splitlines() == [
        "narrativeqa, test: 18 examples over 6 documents",
        f"  a: {a}: {comparison.a.recipe}",
        f"  b: {a}: {comparison.b.recipe}",
        "  both runs made the same requests: nothing is compared",
    ]


def test_runs_with_unknown_requests_are_compared(a: Path, tmp_path: Path) -> None:
    """Predictions of earlier versions do not say what was requested."""
    other = copy_with(a, tmp_path / "run")
    lines = [json.loads(line) for line in (other / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]
    written = ["".join(json.dumps({k: v for k, v in line.items() if k != "request_digest"}) + "\n") for line in lines]
    (other / "predictions.jsonl").write_text("".join(written), encoding="utf-8")
    resealed(other)
    for difference in compare(other, other).differences.values():
        assert (difference.value, difference.p, difference.wins, difference.ties) == (0, 1, 0, 18)
        assert (difference.interval.low, difference.interval.high) == pytest.approx(
            (-45.926, 45.926), abs=1e-3
        )  # of 0 of 6 documents


def test_of_three_documents_there_is_no_interval_and_a_line_says_why(tmp_path: Path) -> None:
    runs = [run(tmp_path / str(k), data=examples()[:9], retriever="first", chunker="sentences:1", k=k) for k in (1, 3)]
    comparison = compare(*runs)
    assert [difference.interval for difference in comparison.differences.values()] == [None] * 3
    assert comparison.differences["f1"].no_interval == "3 documents: no interval; at least 5 are needed"
    lines = str(comparison).splitlines()
    assert "  3 documents: no interval; at least 5 are needed" in lines
    assert "  p by exchanging the runs' documents" in lines
    assert "  warning: with 3 documents no p can be below 0.25" in lines
    assert "3 documents: no interval; at least 5 are needed" in comparison.tables()[0].notes
    table = fromstring(html.text(content.gather(runs[0]))).get_element_by_id("scores")
    assert next(table.iter("caption")).text == "Scores, 0–100; 3 documents: no interval; at least 5 are needed"


def test_the_most_changed_examples_come_first_by_the_requested_score(a: Path, b: Path) -> None:
    comparison = compare(a, b, primary_metric="exact_match", changed=3)
    assert comparison.primary_metric == "exact_match"
    assert compare(a, b).primary_metric == "f1", "BLEU is no mean over examples"
    changes = [abs(example.score_after - example.score_before) for example in compare(a, b, changed=99).changed]
    assert len(changes) > 3
    assert changes == sorted(changes, reverse=True)
    first, predictions = compare(a, b, changed=1).changed[0], {one.id: one for one in finished_run(b).predictions}
    assert (first.after, first.query) == (predictions[first.id].prediction, predictions[first.id].query)
    with pytest.raises(UserError, match="unknown score of both runs 'f2'; did you mean f1"):
        compare(a, b, primary_metric="f2")


def test_a_comparison_prints_a_table_and_examples_and_becomes_json(a: Path, b: Path) -> None:
    comparison = compare(a, b)
    text = str(comparison)
    assert "narrativeqa, test: 18 examples over 6 documents" in text
    assert "95% intervals from 2,000 resamples of 6 documents" in text
    assert "  * fewer than 10 documents: such an interval is too narrow" in text.splitlines()
    assert "\n\nmost changed by f1\n" in text
    f1 = comparison.differences["f1"]
    line = next(line for line in text.splitlines() if line.startswith("  f1 "))
    assert line.split()[-1] == f"{f1.wins}/{f1.losses}/{f1.ties}"
    as_json = json.loads(json.dumps(comparison.to_dict()))
    assert as_json["differences"]["f1"]["interval"]["units"] == 6
    assert len(as_json["changed"]) == 5


def test_examples_that_failed_in_one_run_are_left_out_and_counted(a: Path, b: Path, tmp_path: Path) -> None:
    comparison = compare(a, copy_without(b, tmp_path / "run", "d0-1", "d3-3"))
    assert (comparison.examples, comparison.documents) == (16, 6)
    assert f"2 of 18 examples left out: {tmp_path / 'run'} has none of them" in comparison.warnings
    assert comparison.a.scores["f1"] != pytest.approx(finished_run(a).scores["f1"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"task": "qa"}, "cannot be compared: other task: narrativeqa against qa. Run one again as the other was run"),
        ({"split": "validation"}, "cannot be compared: other split: test against validation. "),
        ({"sample": 5}, "cannot be compared: other sample: all against 5. "),
        (
            {"data": {"files": [{"name": "rows.jsonl", "bytes": 1234}], "size": 1234}},
            r": other data: \S*run has 18 examples given in Python, 18 examples run, "
            r"\S*run has rows.jsonl \(1.2 kB\), 18 examples run. ",
        ),
    ],
)
def test_runs_of_different_examples_are_refused_with_the_difference(
    values: dict[str, Any], message: str, a: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        compare(a, copy_with(a, tmp_path / "run", **values))


def test_samples_of_different_seeds_are_refused(a: Path, tmp_path: Path) -> None:
    one = copy_with(a, tmp_path / "one", sample=5, seed=0)
    compare(one, copy_with(a, tmp_path / "same", sample=5, seed=0))
    with pytest.raises(UserError, match="other seed: 0 against 1"):
        compare(one, copy_with(a, tmp_path / "other", sample=5, seed=1))
    compare(a, copy_with(a, tmp_path / "whole", seed=1))


def test_different_metric_signatures_are_refused_but_not_different_prompts(a: Path, b: Path, tmp_path: Path) -> None:
    other = copy_with(b, tmp_path / "run")
    scores = json.loads((other / "scores.json").read_text(encoding="utf-8"))
    scores["signatures"]["f1"] += "|of:another kind"
    (other / "scores.json").write_text(checked_json.dumps(scores), encoding="utf-8")
    with pytest.raises(UserError, match=r"other metric settings: f1 \(of none against another kind\)\. "):
        compare(a, other)
    spec = finished_run(other).spec
    worded = copy_with(other, tmp_path / "worded", prompt={**spec["prompt"], "wording": "own"})
    scores["signatures"] = {
        name: f"{rules}|prompt:own wording" for name, rules in finished_run(a).scores.signatures.items()
    }
    (worded / "scores.json").write_text(checked_json.dumps(scores), encoding="utf-8")
    assert compare(a, worded).differences


def test_differences_are_named_where_the_recipes_read_alike(a: Path, b: Path, tmp_path: Path) -> None:
    other = copy_with(a, tmp_path / "other", prompt={"text": "{document} {query}"}, max_input_tokens=30)
    (warning,) = [one for one in compare(a, other).warnings if one.startswith("the recipes differ")]
    assert warning.startswith("the recipes differ in prompt (")
    assert warning.endswith("; max_input_tokens (none against 30)")
    assert not [one for one in compare(a, b).warnings if one.startswith("the recipes differ")]


def test_different_data_objects_and_examples_read_differently_are_refused(a: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be compared: other data of the same names and sizes"):
        compare(a, run(tmp_path / "run", data=examples("a bench")))
    other = copy_with(a, tmp_path / "other")
    lines = (other / "predictions.jsonl").read_text(encoding="utf-8").replace('["the wall"]', '["a wall"]', 1)
    (other / "predictions.jsonl").write_text(lines, encoding="utf-8")
    resealed(other)
    with pytest.raises(UserError, match=r"example d0-1 has other references in .*: the runs used different data"):
        compare(a, other)


def test_metrics_that_only_one_run_has_are_named(a: Path, tmp_path: Path) -> None:
    comparison = compare(a, run(tmp_path / "run", metrics=["f1", "rouge"]))
    assert list(comparison.differences) == ["f1"]
    assert f"bleu-1, exact_match left out: only {a} has them" in comparison.warnings
    with pytest.raises(UserError, match="no scored example and metric in common"):
        compare(a, run(tmp_path / "other", metrics=["rouge"]))


def test_a_run_of_a_newer_longdoc_is_refused(a: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"newer longdoc \(format 99\): upgrade longdoc"):
        compare(a, copy_with(a, tmp_path / "run", format=99))


@pytest.mark.parametrize("settings", [{"level": 95}, {"resamples": 5}, {"changed": -1}])
def test_settings_out_of_range_are_refused(settings: dict[str, Any], a: Path) -> None:
    with pytest.raises(UserError, match="must be"):
        compare(a, a, **settings)


def test_many_runs_get_intervals_differences_from_the_baseline_and_holm_s_correction(
    a: Path, b: Path, tmp_path: Path
) -> None:
    folders = {"b": b, "a": a, "less": copy_without(a, tmp_path / "run", "d1-2")}
    runs = [finished_run(folder) for folder in folders.values()]
    first, second, third = compare_runs(dict(zip(folders, runs, strict=True)), "a").values()
    assert second.differences == {}
    assert {name: difference.interval for name, difference in first.differences.items()} == {
        name: difference.interval for name, difference in compare(a, b).differences.items()
    }
    for name, score in runs[0].scores.items():
        assert first.run.scores.intervals[name].low <= score <= first.run.scores.intervals[name].high
        ps = sorted([first.differences[name], third.differences[name]], key=lambda difference: difference.p)
        assert ps[0].p_holm == min(1, 2 * ps[0].p)
        assert ps[1].p_holm == max(ps[0].p_holm, ps[1].p)
    assert third.differences["f1"].value == 0
    assert third.differences["f1"].ties == 17


def test_the_command_prints_the_comparison(a: Path, b: Path) -> None:
    from typer.testing import CliRunner

    from pipelines.cli.main import app

    result = CliRunner().invoke(app, ["compare", str(a), str(b), "--primary-metric", "f1", "--changed", "2"])
    assert result.stdout.rstrip("\n") == str(compare(a, b, primary_metric="f1", changed=2))
    as_json = json.loads(CliRunner().invoke(app, ["compare", str(a), str(b), "--json"]).stdout)
    assert as_json["primary_metric"] == "f1"


def test_on_a_terminal_the_command_draws_a_table_that_fits(a: Path, b: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import typer
    from typer.testing import CliRunner

    from pipelines.cli.compare import compare as command

    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "60"}.items():
        monkeypatch.setenv(name, value)
    app = typer.Typer()
    app.command()(command)
    lines = re.sub(r"\x1b\[[\d;]*m", "", CliRunner().invoke(app, [str(a), str(b)]).stdout).splitlines()
    assert any("─" in line for line in lines)
    assert max(map(len, lines)) <= 60


def test_the_plain_table_fits_80_columns(a: Path, b: Path) -> None:
    table = str(compare(a, b)).splitlines()[1:5]
    assert table[-1].startswith("  exact_match ")
    assert max(map(len, table)) <= 80


def test_over_a_single_example_there_is_no_interval_but_a_dash(tmp_path: Path) -> None:
    one = run(tmp_path / "one", data=examples()[:1], model="lead")
    other = run(tmp_path / "other", data=examples()[:1], model="extractive", retriever="first", k=1)
    comparison = compare(one, other)
    assert [difference.interval for difference in comparison.differences.values()] == [None] * 3
    (line,) = (line for line in str(comparison).splitlines() if line.startswith("  f1"))
    assert line.split()[4] == "–"
    assert "  1 example: no interval; at least 5 are needed" in str(comparison).splitlines()
    assert [row[4] for row in comparison.tables()[0].entries] == ["–"] * 3
    assert content.gather(one).runs[0].scores.intervals == {}
    table = fromstring(html.text(content.gather(one))).get_element_by_id("scores")
    cells = [cell.text for cell in table.iter("td")]
    assert cells[1::2] == ["–"] * 3
    ablation = pipelines.ablate("narrativeqa", data=examples()[:1], model=["lead", "extractive"], out=tmp_path / "many")
    assert [(cell.scores.intervals, next(iter(cell.differences.values())).interval) for cell in ablation.cells[1:]] == [
        ({}, None)
    ]
    assert ablation.to_frame()["f1_difference_low"].isna().all()
    assert "[" not in str(ablation).splitlines()[3]


def test_a_metric_that_neither_run_computed_is_named_once(a: Path, b: Path, tmp_path: Path) -> None:
    folders = [copy_with(folder, tmp_path / name) for folder, name in ((a, "a"), (b, "b"))]
    for folder in folders:
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        record["metrics"]["meteor"] = {"name": "meteor"}
        (folder / "run.json").write_text(checked_json.dumps(record), encoding="utf-8")
    comparison = compare(*folders)
    assert [line for line in comparison.warnings if "meteor" in line] == [
        "meteor is left out: it was not computed in either run"
    ]
