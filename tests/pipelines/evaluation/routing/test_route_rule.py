"""Rules fitted on answers of one system with retrieval and with the whole document."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.evaluation._run_components import readers_of_runs, retrievers_of_runs, second_retrievers_of_runs
from pipelines.evaluation.routing.calibration_rows import (
    CalibrationRow,
    PredictionFiles,
    Reading,
    TokenCounts,
    calibration_rows,
)
from pipelines.evaluation.routing.fit import Criterion, documents_needed, fitted_rule
from pipelines.evaluation.routing.route_scores import decisions
from pipelines.strategies.shared.route_rule import read_rule, route_features
from tests.command_line import longdoc

LEVELS = {"location": "location", "reasoning": "reasoning", "comparison": "comp", "hallucination": "hallu"}
HEDGED, PLAIN, REFUSAL = "It may be a gull, however", "a gull", "The log does not mention it."


def answer_rows(documents: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Three questions a document: the whole document is better where retrieval hedges, and worse elsewhere."""
    whole, retrieved = [], []
    for number in range(documents):
        for kind, output in enumerate((HEDGED, PLAIN, REFUSAL)):
            fields = {"id": f"{number}-{kind}", "document": f"d{number}", "query": "Which bird is it?"}
            reference = REFUSAL if kind == 2 else "a gull"
            answer = ("a gull", "a gull and a tern", "a tern")[kind]
            whole.append({**fields, "references": [reference], "prediction": answer})
            retrieved.append({**fields, "references": [reference], "prediction": output})
    return whole, retrieved


def write(folder: Path, documents: int = 9, **fields: Any) -> dict[str, tuple[Path, Path]]:
    paths = folder / "whole.jsonl", folder / "retrieved.jsonl"
    for path, rows in zip(paths, answer_rows(documents), strict=True):
        path.write_text("".join(json.dumps({**row, **fields}) + "\n" for row in rows), encoding="utf-8")
    return {"qa": paths}


def test_it_reads_on_where_that_helps_and_refuses_where_that_is_right(tmp_path: Path) -> None:
    comparison = pipelines.route_rule(write(tmp_path), budget=0.5, out=tmp_path / "rule.json")
    rule = read_rule(tmp_path / "rule.json")
    assert rule == comparison.rule
    assert [rule.decide("Which bird is it?", output) for output in (HEDGED, PLAIN, REFUSAL)] == [
        "whole", "stop", "refuse",
    ]  # fmt: skip
    values = {scores.name: scores.scores for scores in comparison.scores}
    assert list(values) == ["whole", "retrieved", "self_route", "budget=0.5"]
    assert values["budget=0.5"]["qa"] == pytest.approx(100)
    assert values["whole"]["qa"] == pytest.approx(50)
    assert (values["self_route"]["refused rightly"], values["self_route"]["unanswerable read whole"]) == (0, 100)
    assert values["budget=0.5"]["tokens"] == pytest.approx(100 / 3)
    assert comparison.scores[0].intervals["qa"].unit == "document"
    assert "the tokens of documents are not known: they count as equally long" in str(comparison)


def test_a_smaller_budget_reads_less(tmp_path: Path) -> None:
    comparison = pipelines.route_rule(write(tmp_path), budget=0.2)
    assert comparison.scores[-1].scores["tokens"] == 0


def test_prompt_tokens_of_runs_and_given_ones_are_counted(tmp_path: Path) -> None:
    whole, retrieved = write(tmp_path, tokens_in=50)["qa"]
    whole.write_text(whole.read_text(encoding="utf-8").replace('"tokens_in": 50', '"tokens_in": 200'), encoding="utf-8")
    assert pipelines.route_rule({"qa": (whole, retrieved)}, budget=0.9).scores[1].scores["tokens"] == 25
    counts = {f"d{number}": 500 for number in range(9)}
    comparison = pipelines.route_rule(write(tmp_path), budget=0.6, tokens=counts, retrieved_tokens=100)
    assert comparison.scores[1].scores["tokens"] == 20


@pytest.mark.parametrize(
    ("documents", "options", "message"),
    [
        (9, {}, "give one of budget=SHARE and risk=SHARE"),
        (9, {"budget": 0.3, "risk": 0.3}, "give one of"),
        (9, {"risk": 0}, "risk must be between 0 and 1, got 0"),
        (9, {"risk": 1.0}, "risk must be between 0 and 1"),
        (9, {"budget": 1.0}, "budget must be between 0 and 1"),
        (1, {"budget": 0.3}, "all 3 rows are of one document"),
        (9, {"risk": 0.05}, "9 documents cannot give risk=0.05: 28 are needed"),
        (9, {"budget": 0.5, "retrieved_tokens": 0.45}, "is less than retrieval's own tokens, 0.450"),
        (9, {"budget": 0.5, "tokens": {"d0": 1}}, "tokens= lacks the document 'd1'"),
        (9, {"budget": 0.5, "retrieved_tokens": -1}, "retrieved_tokens must be a number"),
        (9, {"budget": 0.5, "metric": "f2"}, "f2"),
    ],
)
def test_what_no_rule_can_be_fitted_on_is_refused(
    tmp_path: Path, documents: int, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        pipelines.route_rule(write(tmp_path, documents), **options)


def test_rows_without_questions_documents_or_common_ids_are_refused(tmp_path: Path) -> None:
    for fields, message in (
        ({"query": None}, "lacks the questions of 27 predictions"),
        ({"document": ""}, "lacks the documents of 27 predictions"),
    ):
        with pytest.raises(UserError, match=message):
            pipelines.route_rule(write(tmp_path, **fields), budget=0.5)
    (path, other) = write(tmp_path)["qa"]
    other.write_text(other.read_text(encoding="utf-8").replace('"id": "', '"id": "x'), encoding="utf-8")
    with pytest.raises(UserError, match="no question in common"):
        pipelines.route_rule({"qa": (path, other)}, budget=0.5)
    with pytest.raises(UserError, match="qa needs two files"):
        pipelines.route_rule({"qa": (path,)}, budget=0.5)
    with pytest.raises(UserError, match="no calibration rows"):
        pipelines.route_rule({}, budget=0.5)


def test_rows_in_which_one_way_is_never_better_are_refused(tmp_path: Path) -> None:
    (whole, retrieved) = write(tmp_path)["qa"]
    with pytest.raises(UserError, match="the whole document is never better"):
        pipelines.route_rule({"qa": (retrieved, retrieved)}, budget=0.5)
    lines = [json.dumps({**json.loads(line), "prediction": "x"}) for line in retrieved.read_text().splitlines()]
    retrieved.write_text("\n".join(line for line in lines if "-2" not in line), encoding="utf-8")
    with pytest.raises(UserError, match="the whole document is always better"):
        pipelines.route_rule({"qa": (whole, retrieved)}, budget=0.5)


def test_a_risk_that_only_all_documents_give_is_not_cross_validated(tmp_path: Path) -> None:
    assert documents_needed(0.15) == 9
    comparison = pipelines.route_rule(write(tmp_path), risk=0.15)
    assert comparison.rule.calibration["bound"] == "expectation"
    assert comparison.rule.calibration["documents"] == 6
    assert [scores.name for scores in comparison.scores] == ["whole", "retrieved", "self_route"]
    assert "risk=0.15 is not cross-validated: without one of the documents, 8 documents cannot" in str(comparison)


def write_more(folder: Path) -> Path:
    """Answers from more passages, as they are from the whole document."""
    path = folder / "more.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in answer_rows(9)[0]), encoding="utf-8")
    return path


def test_more_passages_are_read_in_place_of_the_document_where_they_do(capfd: Any, tmp_path: Path) -> None:
    (whole, retrieved), more = write(tmp_path)["qa"], write_more(tmp_path)
    comparison = pipelines.route_rule(
        {"qa": (whole, retrieved)}, more_predictions={"qa": (more,)}, more_tokens=0.25, budget=0.5
    )
    assert [comparison.rule.decide("Which bird is it?", output) for output in (HEDGED, PLAIN, REFUSAL)] == [
        "more", "stop", "refuse",
    ]  # fmt: skip
    values = {scores.name: scores.scores for scores in comparison.scores}
    assert list(values) == ["whole", "retrieved", "more", "self_route", "budget=0.5"]
    assert (values["more"]["read more"], values["more"]["tokens"]) == (100, 25)
    assert values["budget=0.5"]["qa"] == pytest.approx(100)
    assert values["budget=0.5"]["tokens"] == pytest.approx(25 / 3)
    words = ["analyze", "route-rule", f"qa={whole},{retrieved},{more}", "--more-tokens", "0.25", "--budget", "0.5"]
    code, text, _ = longdoc(capfd, *words, "--json")
    assert (code, json.loads(text)["rule"]) == (0, comparison.rule.to_dict())
    with pytest.raises(UserError, match="more_predictions needs as many files for qa as there are pairs, 1"):
        pipelines.route_rule({"qa": (whole, retrieved)}, more_predictions={"qa": (more, more)}, budget=0.5)
    other_rows = {"qa": (whole, retrieved), "hotpotqa": (whole, retrieved)}
    with pytest.raises(UserError, match="some questions have an answer from more passages"):
        pipelines.route_rule(other_rows, more_predictions={"qa": (more,)}, budget=0.5)
    with pytest.raises(UserError, match="more_tokens must be a number of tokens"):
        pipelines.route_rule({"qa": (whole, retrieved)}, more_predictions={"qa": (more,)}, more_tokens=-1, budget=0.5)


def test_the_components_of_runs_and_the_scores_of_their_passages_are_known_to_the_rule(tmp_path: Path) -> None:
    texts = [f"Anna{n} has two cats.\n\nBerta saw a dog.\n\nRain fell on hill {n}." for n in range(4)]
    rows = [{"id": f"{n}-{name}", "document": text, "document_id": f"d{n}", "question": question, "answers": [answer]}
            for n, text in enumerate(texts) for name, question, answer in
            (("a", "Who has cats?", f"Anna{n}"), ("b", "What did Berta see?", "a dog"))]  # fmt: skip
    options: dict[str, Any] = {"data": rows, "model": "extractive", "chunker": "units:of=sentence"}
    for name, fields in {"one": {"retriever": "bm25", "k": 1}, "all": {"retriever": "all"}}.items():
        pipelines.run("qa", out=tmp_path / name, **fields, **options)
    whole, retrieved = (tmp_path / name / "predictions.jsonl" for name in ("all", "one"))
    for line in retrieved.read_text(encoding="utf-8").splitlines():
        assert json.loads(line)["selected"][0][2] > 0
    rows_of_runs = calibration_rows("qa", PredictionFiles(whole, retrieved), None, "f1", TokenCounts({}))
    assert all(row.features["best_score"] > 0 for row in rows_of_runs)
    assert readers_of_runs([whole, retrieved]) == ("extractive",)
    assert readers_of_runs(write(tmp_path)["qa"]) == ()
    bm25 = {"name": "bm25", "k1": 1.2, "b": 0.75, "heading": False, "stop_words": None, "stem": None}
    assert retrievers_of_runs([retrieved, whole, retrieved]) == (bm25, {"name": "all"})
    better_rows = [row | {"prediction": row["references"][0]} if row["id"].endswith("b") else row
                   for row in map(json.loads, whole.read_text(encoding="utf-8").splitlines())]  # fmt: skip
    whole.write_text("".join(json.dumps(row) + "\n" for row in better_rows), encoding="utf-8")
    rule = pipelines.route_rule({"qa": (whole, retrieved)}, budget=0.9).rule
    assert (rule.readers, rule.retrievers, rule.weighs(["best_score"])) == (("extractive",), (bm25,), True)


def test_what_runs_note_of_their_selection_is_known_to_the_rule(tmp_path: Path) -> None:
    texts = [f"Anna{n} has two cats and {n} cows.\n\nCows eat grass.\n\nBerta{n} saw a dog." for n in range(3)]
    rows = [{"id": f"{n}-{name}", "document": text, "question": question, "answers": [answer]}
            for n, text in enumerate(texts) for name, question, answer in
            (("a", "Who has cats and cows?", f"Anna{n}"), ("b", "What do cows eat?", "grass"))]  # fmt: skip
    options: dict[str, Any] = {"data": rows, "model": "extractive", "chunker": "units:of=sentence"}
    pipelines.run("qa", out=tmp_path / "all", retriever="all", **options)
    for second in ("tfidf", "bm25:b=0,k1=9"):
        strategy = {"name": "route", "rule": "retrieved", "second": second}
        pipelines.run("qa", out=tmp_path / second[:4], retriever="bm25", k=1, strategy=strategy, **options)
    whole, retrieved, other = (tmp_path / name / "predictions.jsonl" for name in ("all", "tfid", "bm25"))
    lines = [json.loads(line) for line in retrieved.read_text(encoding="utf-8").splitlines()]
    found_rows = calibration_rows("qa", PredictionFiles(whole, retrieved), None, "f1", TokenCounts({}))
    for name in ("agreement", "expected_evidence"):
        assert [row.features[name] for row in found_rows] == [float(line["notes"][name]) for line in lines]
    (record,) = second_retrievers_of_runs([retrieved, whole])
    assert record["name"] == "tfidf"
    assert [one["name"] for one in second_retrievers_of_runs([retrieved, other])] == ["tfidf", "bm25"]


@pytest.mark.parametrize("notes", [{"agreement": "nan"}, {"agreement": 0.5}, {"agreement": "2"}, {"agreement": "much"},
                                   {}, "agreement: 0.5", None])  # fmt: skip
def test_notes_that_are_no_share_are_not_known(tmp_path: Path, notes: Any) -> None:
    (whole, retrieved) = write(tmp_path, notes=notes)["qa"]
    rows = calibration_rows("qa", PredictionFiles(whole, retrieved), None, "f1", TokenCounts({}))
    assert {row.features["agreement"] for row in rows} == {0.0}


def with_notes(path: Path) -> None:
    """Notes of a selection, the lower where the whole document is better."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    notes = [{"agreement": "0.1" if line["prediction"] == HEDGED else "0.9"} for line in lines]
    rows = [{**line, "notes": note} for line, note in zip(lines, notes, strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_a_rule_that_weighs_agreement_records_what_was_compared_with(tmp_path: Path, monkeypatch: Any) -> None:
    (whole, retrieved) = write(tmp_path)["qa"]
    assert pipelines.route_rule({"qa": (whole, retrieved)}, budget=0.5).rule.second is None
    with_notes(retrieved)
    rule = pipelines.route_rule({"qa": (whole, retrieved)}, budget=0.5).rule
    assert (rule.weighs(["agreement"]), rule.second) == (True, None)  # nobody says which
    seconds: list[dict[str, Any]] = [{"name": "tfidf"}]
    place = "pipelines.evaluation.routing.route_rule.second_retrievers_of_runs"
    monkeypatch.setattr(place, lambda paths: tuple(seconds))
    assert pipelines.route_rule({"qa": (whole, retrieved)}, budget=0.5).rule.second == {"name": "tfidf"}
    seconds.append({"name": "bm25", "b": 0})
    with pytest.raises(UserError, match=r"compared with those of tfidf and bm25:b=0: give runs of one route:second="):
        pipelines.route_rule({"qa": (whole, retrieved)}, budget=0.5)


def simulated_rows(random: Any, documents: int, has_more: bool = False) -> list[CalibrationRow]:
    """Questions whose retrieved answer is worse the longer it is, more so in some documents.

    More passages are as good as the whole document half the time, and else as bad as the first ones.
    """
    rows = []
    for number in range(documents):
        slope = random.beta(1, 2)
        for length in random.integers(1, 30, 6).tolist():
            loss = 100.0 * bool(random.random() < slope * length / 30)
            features = route_features("Which bird?", " ".join(["gull"] * length))
            more_reading = Reading(100 - loss * bool(random.random() < 0.5), False, 0.3) if has_more else None
            rows.append(CalibrationRow("qa", f"d{number}", False, features, Reading(100 - loss, False, 0.1),
                                       Reading(100.0 - 50 * (loss == 0), False, 1.0), more_reading))  # fmt: skip
    return rows


@pytest.mark.parametrize("has_more", [False, True])
def test_the_mean_loss_in_a_further_document_is_within_the_risk(has_more: bool) -> None:
    random, risk, losses, readings = np.random.default_rng(3), 0.2, list[float](), set[str | None]()
    for seed in range(150):
        rows = simulated_rows(random, 13, has_more)
        (further, rule) = rows[-6:], fitted_rule(rows[:-6], Criterion(risk=risk), seed)
        decided = decisions(rule, further)
        readings |= {*decided}
        losses.append(float(np.mean([lost(row, reading) for row, reading in zip(further, decided, strict=True)])))
    assert 0 < np.mean(losses) <= risk + 3 * np.std(losses) / np.sqrt(len(losses))
    assert readings == ({None, "more", "whole"} if has_more else {None, "whole"})


def lost(row: CalibrationRow, reading: Any) -> float:
    """The points, of 1, that reading more than this would have added."""
    longer: list[Any] = {None: ["more", "whole"], "more": ["whole"], "whole": []}[reading]
    gains = [row.gain(name) for name in longer if name in row.readings]
    return max([0.0, *(gain - (row.gain(reading) if reading else 0.0) for gain in gains)]) / 100


def test_the_command_writes_the_rule_and_prints_the_table(capfd: Any, tmp_path: Path) -> None:
    (whole, retrieved) = write(tmp_path)["qa"]
    out = tmp_path / "rule.json"
    words = ["analyze", "route-rule", f"qa={whole},{retrieved}", "--budget", "0.5", "--out", str(out), "--json"]
    code, text, _ = longdoc(capfd, *words)
    assert (code, json.loads(text)["rule"]) == (0, read_rule(out).to_dict())
    code, _, errors = longdoc(capfd, "analyze", "route-rule", str(whole), "--budget", "0.5")
    assert (code, "is not TASK=WHOLE,RETRIEVED" in errors) == (2, True)


def test_a_task_with_several_pairs_of_files_has_the_rows_of_all(capfd: Any, tmp_path: Path) -> None:
    (whole, retrieved) = write(tmp_path)["qa"]
    other_pair = [path.with_name(f"other_{path.name}") for path in (whole, retrieved)]
    for path, other in zip((whole, retrieved), other_pair, strict=True):
        other.write_text(path.read_text(encoding="utf-8").replace('"document": "d', '"document": "e'), encoding="utf-8")
    words = [f"qa={whole},{retrieved}", f"qa={other_pair[0]},{other_pair[1]}"]
    code, text, _ = longdoc(capfd, "analyze", "route-rule", *words, "--budget", "0.5", "--json")
    assert (code, json.loads(text)["rule"]["calibration"]["rows"]) == (0, 54)


def test_on_published_predictions_it_reads_less_than_its_budget_and_refuses_as_well(realdata: Path) -> None:
    folder = realdata / "lara" / "predictions" / "gpt-4o"
    files = {f"lara/{task}": [folder / f"{way}_32k_financial_{level}.jsonl" for way in ("full", "rag")]
             for task, level in LEVELS.items()}  # fmt: skip
    documents = (realdata / "lara" / "documents").iterdir()
    tokens = {path.name: len(path.read_text(encoding="utf-8")) / 4 for path in documents}
    comparison = pipelines.route_rule(files, budget=0.3, tokens=tokens, retrieved_tokens=3000)
    whole, retrieved, self_route, route = (scores.scores for scores in comparison.scores)
    assert (comparison.questions, comparison.documents) == (219, 14)
    assert route["tokens"] < 30 < self_route["tokens"]
    assert route["mean"] > max(whole["mean"], retrieved["mean"])
    assert self_route["unanswerable read whole"] == pytest.approx(100 * 42 / 54)
    assert whole["refused rightly"] - route["refused rightly"] < 2
