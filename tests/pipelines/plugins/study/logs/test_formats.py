"""Logs of lm-evaluation-harness, HELMET, LongBench and Every Eval Ever: what is read and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.study.logs.formats import is_log, read
from pipelines.plugins.study.statistics.value_sample import GROUPS
from tests import foreign_files
from tests.turns import for_each


def write_lines(path: Path, rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def lm_eval_row(number: int, value: Any, filter_name: str = "none", metric: str = "acc") -> dict[str, Any]:
    doc = {"question": f"q{number}", "context": "a long story " * 30 + str(number // 3)}
    return {
        "doc_id": number, "doc": doc, "target": "x", "arguments": {}, "resps": [["x"]], "filtered_resps": ["x"],
        "filter": filter_name, "metrics": [metric], "doc_hash": f"h{number}", metric: value,
    }  # fmt: skip


def test_samples_of_lm_evaluation_harness_have_a_score_for_each_filter_and_their_model(tmp_path: Path) -> None:
    rows = [lm_eval_row(n, n % 2) for n in range(6)]
    rows += [lm_eval_row(n, 1.0, "strict-match") for n in range(6)]
    rows += [lm_eval_row(n, [1, 2], "none", "perplexity") for n in range(6)]
    date = "2026-01-02T03-04-05.678"
    path = write_lines(tmp_path / f"samples_qasper_long_{date}.jsonl", rows)
    (tmp_path / f"results_{date}.json").write_text('{"model_name": "org/model", "results": {}}', encoding="utf-8")
    log = read(tmp_path)
    assert (log.format, log.task, log.system, len(log.ids)) == ("lm-evaluation-harness", "qasper_long", "org/model", 6)
    assert list(log.sample_scores("acc")) == [0, 1, 0, 1, 0, 1]
    assert list(log.sample_scores("acc,strict-match")) == [1] * 6
    assert log.notes == [f"{path}: perplexity left out: not a number for each sample"]
    assert len(set(log.fields["context"])) == 2
    write_lines(tmp_path / "samples_other_2026-01-02T03-04-05.678.jsonl", rows)
    with pytest.raises(UserError, match="has 2 logs: give one of them"):
        read(tmp_path)


def test_samples_of_lm_evaluation_harness_pair_by_number_and_cluster_by_context(tmp_path: Path) -> None:
    a = write_lines(tmp_path / "a.jsonl", [lm_eval_row(n, n % 2) for n in range(18)])
    b = write_lines(tmp_path / "b.jsonl", [lm_eval_row(n, 1) for n in reversed(range(18))])
    comparison = pipelines.compare(a, b)
    assert (comparison.examples, comparison.documents) == (18, 6)
    assert comparison.b.scores == {"acc": 100}
    other = write_lines(tmp_path / "c.jsonl", [lm_eval_row(n, 1) | {"doc_hash": "new"} for n in range(18)])
    with pytest.raises(UserError, match="the sample '0' is another question"):
        pipelines.compare(a, other)
    doubled = write_lines(tmp_path / "d.jsonl", [lm_eval_row(0, 1), lm_eval_row(0, 1)])
    with pytest.raises(UserError, match="the sample '0' has acc twice"):
        pipelines.compare(a, doubled)


def helmet(path: Path, values: Any, **further: Any) -> Path:
    rows = [
        {"question": f"q{n // 2}", "answer": ["x"], "output": "x", "input_len": 9, "depth": 0.5, "f1": value}
        for n, value in enumerate(values)
    ]
    record = {"args": {"datasets": "nq", "model_name_or_path": "org/m", "tag": "v1"}, "data": rows,
              "metrics": {"f1": list(values), "input_len": [9] * len(rows)}, "throughput": 1.5}  # fmt: skip
    path.write_text(json.dumps(record | further, indent=4), encoding="utf-8")
    return path


def test_outputs_of_helmet_are_read(tmp_path: Path) -> None:
    log = read(helmet(tmp_path / "nq.json", [0.5, 1, 0, 0.25]))
    assert (log.task, log.system, list(log.scores), len(log.ids)) == ("nq", "org/m", ["f1"], 4)
    assert list(log.sample_scores("f1")) == [0.5, 1, 0, 0.25]
    assert log.ids[1] == f"{log.ids[0]} 2"
    with pytest.raises(UserError, match="has no score by example"):
        read(helmet(tmp_path / "alce.json", [0.5], metrics={}))
    cut = tmp_path / "cut.json"
    cut.write_text((tmp_path / "nq.json").read_text(encoding="utf-8")[:-300], encoding="utf-8")
    with pytest.raises(UserError, match="ends in the middle"):
        read(cut)


def test_predictions_of_longbench_are_scored_by_the_metric_of_their_data_set(tmp_path: Path) -> None:
    rows = [
        {"pred": pred, "answers": ["the wall"], "all_classes": None, "length": 9} for pred in ("the wall", "a wall on")
    ]
    log = read(write_lines(tmp_path / "qasper.jsonl", rows))
    assert (log.task, log.ids) == ("longbench/qasper", ["1", "2"])
    name = next(iter(log.scores))
    assert log.sample_scores(name)[0] == 100
    with pytest.raises(UserError, match=r"rename it after its data set, DATASET\.jsonl"):
        read(write_lines(tmp_path / "mine.jsonl", rows))


def every_eval_ever_row(number: int, name: str, score: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.2.1", "evaluation_id": "e", "model_id": "org/m", "evaluation_name": name,
        "sample_id": f"s{number}", "sample_hash": f"h{number}", "interaction_type": "single_turn",
        "input": {"raw": "?", "reference": ["x"]}, "output": {"raw": ["x"]}, "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": True}, "metadata": {"document": f"d{number // 2}"},
    }  # fmt: skip


def test_rows_of_every_eval_ever_are_read(tmp_path: Path) -> None:
    rows = [every_eval_ever_row(n, name, n / 8) for name in ("f1", "em") for n in range(4)]
    log = read(write_lines(tmp_path / "qa_samples.jsonl", rows))
    assert (log.task, log.system, list(log.scores)) == ("qa", "org/m", ["f1", "em"])
    assert (list(log.sample_scores("em")), log.fields["document"]) == (
        [0, 0.125, 0.25, 0.375],
        ["d0", "d0", "d1", "d1"],
    )
    with pytest.raises(UserError, match=r"evaluation\.score must be a number, not 'good'"):
        read(write_lines(tmp_path / "bad_samples.jsonl", [every_eval_ever_row(1, "f1", "good")]))
    whole = tmp_path / "qa.json"
    whole.write_text('{"schema_version": "0.2.1", "evaluation_id": "e", "evaluation_results": []}', encoding="utf-8")
    with pytest.raises(UserError, match="give the file that its detailed_evaluation_results names"):
        read(whole)


@for_each(
    "row",
    [
        {"doc_id": 1, "doc": {"a": 1}, "metrics": 5, "acc": 1.0},
        {"doc_id": None, "doc": {}, "metrics": ["acc"], "acc": "C"},
        {"doc_id": [1], "doc": {}, "filter": ["x"], "metrics": ["acc", 3], "acc": {"acc": [1]}},
        {"schema_version": 1, "evaluation_id": 1, "sample_id": [], "evaluation": []},
        {"schema_version": 1, "evaluation_id": 1, "sample_id": 1, "evaluation": {"score": 1}, "metadata": [1]},
        {"schema_version": 1, "evaluation_id": 1, "sample_id": 1, "evaluation": {"score": float("nan")}},
        {"id": {"a": 1}, "f1": [1], "document": {"b": 2}},
        {"id": "x", "f1": float("inf")},
        {"pred": 1, "answers": 2, "all_classes": 3},
        {"args": 1, "data": 2},
        {"status": 1, "eval": 2},
    ],
)
@for_each("name", ["rows.jsonl", "rows.json", "samples_x_2026-01-02T03-04-05.6.jsonl"])
def test_values_of_other_types_are_read_or_refused_in_a_line(tmp_path: Path, row: Any, name: str) -> None:
    path = write_lines(tmp_path / name, [row])
    try:
        log = read(path)
    except UserError as error:
        assert "\n" not in str(error)
    else:
        assert len(log.ids) == 1


def test_other_files_and_folders_are_no_logs(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    assert not is_log(tmp_path)
    with pytest.raises(UserError, match="is not a log that longdoc reads"):
        read(tmp_path / "notes.txt")


@pytest.mark.slow
def test_memory_does_not_grow_with_the_texts_of_a_log(tmp_path: Path) -> None:
    """200,000 rows with a kilobyte of text each: the log has their numbers alone."""
    import tracemalloc

    path = tmp_path / "large.jsonl"
    text = "x" * 1000
    with path.open("w", encoding="utf-8") as file:
        for number in range(200_000):
            row = {"id": number, "document": f"d{number % 30_000}", "text": text, "f1": number % 101}
            file.write(json.dumps(row) + "\n")
    tracemalloc.start()
    log = read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(log.ids) == 200_000
    assert peak < path.stat().st_size / 3
    comparison = pipelines.compare(path, path, resamples=200)
    assert comparison.differences["f1"].interval.units == GROUPS


SAMPLE = "samples/3_epoch_1.json"
TOO_LARGE = ("1e308", "-1e308", "9" * 4000, "9" * 20)
LARGEST = ("1e15", "-1e15")


@for_each(
    "name", ("scores.csv", "scores.jsonl", "samples_x.jsonl", "nq.json", "x_samples.jsonl", "log.eval", "log.json")
)
def test_a_score_that_is_too_large_to_be_summed_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    before, content = {
        "scores.csv": (b"\n3,1", "\n".join(["id,acc", *(f"{n},{n % 2}" for n in range(12))]).encode()),
        "scores.jsonl": (b'"acc": 1', foreign_files.lines(*({"id": str(n), "acc": n % 2} for n in range(12)))),
        "samples_x.jsonl": (b'"acc": 1', foreign_files.lm_eval_samples()),
        "nq.json": (b'"f1": 1', foreign_files.helmet_outputs()),
        "x_samples.jsonl": (b'"score": 1', foreign_files.every_eval_ever_samples()),
        "log.eval": (b'"value": 1', foreign_files.eval_members()[SAMPLE].encode()),
        "log.json": (b'"value": 1', foreign_files.eval_log_json()),
    }[name]
    assert before in content
    for number in (*LARGEST, *TOO_LARGE):
        changed = content.replace(before, before[:-1] + number.encode(), 1)
        members = foreign_files.eval_members() | {SAMPLE: changed}
        path.write_bytes(foreign_files.zipped(members) if name == "log.eval" else changed)
        if number in LARGEST:
            pipelines.compare(path, path)
            continue
        for call in (lambda: pipelines.compare(path, path), lambda: pipelines.plan(path), lambda: read(path)):
            with pytest.raises(UserError, match=r"must be between -1e\+15 and 1e\+15|more than 300 digits") as refused:
                call()
            assert len(str(refused.value)) < 250 + len(str(path))
