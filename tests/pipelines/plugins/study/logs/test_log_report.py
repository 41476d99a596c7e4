"""Reports of logs of other harnesses: their scores, differences, pages; and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.study.logs.formats import read
from pipelines.plugins.study.logs.log_report import log_content
from tests.turns import for_each

STORY = "The miller of Wend keeps seven geese, and sells their eggs on Fridays. " * 10


@pytest.fixture
def lm_eval_log(tmp_path: Path) -> Callable[..., Path]:
    """Writes samples of lm-evaluation-harness, two a document, with their scores."""

    def write(name: str, scores: Any, **further: Any) -> Path:
        path = tmp_path / name
        rows = [
            {
                "doc_id": number,
                "doc": {"question": f"Question {number}?", "context": f"{STORY}{number // 2}"},
                "target": "seven geese" if number % 2 else "nine geese",
                "arguments": {"gen_args_0": {"arg_0": f"{STORY}{number // 2}\nQuestion {number}?", "arg_1": {}}},
                "resps": [[f"answer {number}"]],
                "filter": "none",
                "metrics": ["f1"],
                "f1": score,
            }
            | further
            for number, score in enumerate(scores)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


def test_a_log_is_reported_with_intervals_by_document(lm_eval_log: Callable[..., Path]) -> None:
    content = log_content([lm_eval_log("a.jsonl", [0.0, 1.0] * 6)])
    (run,) = content.runs
    assert run.recipe.endswith(" (lm-evaluation-harness)")
    assert (run.counts.examples, run.counts.documents) == (12, 6)
    assert dict(run.scores) == {"f1": 50.0}
    assert (run.scores.intervals["f1"].unit, run.scores.intervals["f1"].units) == ("document", 6)
    assert run.scores.signatures == {"f1": "f1|of:the log (lm-evaluation-harness)|scale:0 to 1, times 100"}
    first = run.run.predictions[0] if run.run is not None else None
    assert first is not None
    assert (first.query, first.references, first.prediction) == ("Question 0?", ("nine geese",), "answer 0")


def test_differences_of_several_logs_are_those_of_compare_corrected_over_the_logs(
    lm_eval_log: Callable[..., Path],
) -> None:
    paths = [lm_eval_log(name, scores) for name, scores in (
        ("a.jsonl", [0, 0] * 6), ("b.jsonl", [0, 1] * 6), ("c.jsonl", [1, 0] * 3 + [0, 0] * 3))]  # fmt: skip
    content = log_content(paths)
    assert [run.name for run in content.runs] == ["a", "b", "c"]
    assert content.baseline == "a"
    differences = [run.differences.get("f1") for run in content.runs]
    assert differences[0] is None
    assert differences[1] is not None and differences[2] is not None
    alone = pipelines.compare(paths[0], paths[1]).differences["f1"]
    assert (differences[1].value, differences[1].p) == (alone.value, alone.p)
    assert differences[1].p_holm == 2 * alone.p


def test_a_page_has_the_samples_and_nothing_of_passages(lm_eval_log: Callable[..., Path], tmp_path: Path) -> None:
    log = lm_eval_log("a.jsonl", [0.0, 1.0] * 6)
    page = pipelines.report(log, out=tmp_path / "page.html")
    text = Path(page).read_text(encoding="utf-8")
    assert "<title>a" in text
    assert "in the shown text" in text
    assert "Passages are not shown" not in text.partition('id="examples"')[0]


def test_tables_are_texts_and_need_no_texts_of_samples(lm_eval_log: Callable[..., Path]) -> None:
    log = lm_eval_log("a.jsonl", [0.0, 1.0] * 6)
    assert "50.00" in str(pipelines.report(log, format="markdown"))
    rows = json.loads(str(pipelines.report(log, format="json")))
    assert rows["runs"][0]["scores"] == {"f1": 50.0}
    assert read(log).texts == []


def test_epochs_are_one_sample_with_all_outputs(inspect_log: Callable[..., Path]) -> None:
    samples = {(key, epoch): {"match": "C"} for key in range(5) for epoch in (1, 2)}
    log = read(inspect_log("a.eval", samples), keeps_texts=True)
    assert [text.outputs for text in log.texts] == [["", ""]] * 5
    (run,) = log_content([log.path]).runs
    assert run.counts.examples == 5
    assert run.run is not None and run.run.predictions[0].prediction == "1. \n\n2. "


def test_scores_beyond_0_to_100_have_no_interval_where_all_are_the_same(table: Callable[..., Path]) -> None:
    path = table("a.csv", "id,length,f1", [(name, 512, 0.5) for name in "abcdefgh"])
    (run,) = log_content([path]).runs
    assert dict(run.scores) == {"length": 512.0, "f1": 50.0}
    assert list(run.scores.intervals) == ["f1"]
    assert run.scores.no_interval == {"length": "all values are the same, and beyond 0 to 100: no interval"}


def test_logs_and_options_without_a_report_are_refused_in_a_line(table: Callable[..., Path], tmp_path: Path) -> None:
    rows = [(name, 0.5) for name in "abcdef"]
    a, b = table("a.csv", "id,f1", rows), table("b.csv", "id,f1", [(name, 1) for name in "uvwxyz"])
    for arguments, options, problem in (
        ((a, a), {}, "named twice"),
        ((a, b), {}, "no sample in common"),
        ((a,), {"primary_metric": "f2"}, "f1"),
        ((a,), {"cluster": "book"}, "book"),
        ((a,), {"data": "x.jsonl"}, "is for runs"),
        ((a,), {"out": tmp_path / "none" / "page.html"}, "is not a folder"),
        ((tmp_path / "missing.csv",), {}, "there is no run"),
    ):
        with pytest.raises(UserError, match=problem) as error:
            pipelines.report(*arguments, **{"format": "markdown", **options})  # type: ignore[arg-type]
        assert "\n" not in str(error.value)


def test_a_log_without_a_number_is_refused_alone_and_has_no_differences_beside_others(
    lm_eval_log: Callable[..., Path],
) -> None:
    empty, full = lm_eval_log("empty.jsonl", [float("nan")] * 6), lm_eval_log("full.jsonl", [0, 1] * 3)
    with pytest.raises(UserError, match="has no score that is a number for any sample"):
        log_content([empty])
    content = log_content([full, empty])
    assert [dict(run.scores) for run in content.runs] == [{"f1": 50.0}, {}]
    assert not content.runs[1].differences


def test_hostile_texts_are_data_in_the_page(table: Callable[..., Path], tmp_path: Path) -> None:
    rows = [(f"<img src=x onerror=alert({number})>", "</script><b>", 0.5) for number in range(6)]
    page = pipelines.report(table("a.csv", "id,question,f1", rows), out=tmp_path / "page.html")
    text = Path(page).read_text(encoding="utf-8")
    assert "onerror" not in text
    assert "</script><b>" not in text


@for_each("field", ["target", "resps", "doc", "arguments"])
@for_each("value", [5, [], [[[]]], ["\ud800"], {"a": {"b": 1}}, True, None])
def test_fields_of_other_types_are_reported_or_refused_in_a_line(
    lm_eval_log: Callable[..., Path], tmp_path: Path, field: str, value: Any
) -> None:
    log = lm_eval_log("a.jsonl", [0, 1] * 3, **{field: value})
    for call in (lambda: pipelines.report(log, out=tmp_path / "page.html"), lambda: pipelines.blame(log)):
        try:
            assert str(call())
        except UserError as error:
            assert "\n" not in str(error)


def test_a_page_of_too_many_samples_is_refused_and_its_table_is_not(
    table: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("pipelines.plugins.study.logs.log_report.PAGE_SAMPLES", 5)
    log = table("a.csv", "id,f1", [(name, 0.5) for name in "abcdef"])
    with pytest.raises(UserError, match="has 6 samples, and a page holds 5: give --format markdown"):
        pipelines.report(log, out=tmp_path / "page.html")
    assert "50.00" in str(pipelines.report(log, format="markdown"))


def test_blame_says_whether_answers_stood_in_the_prompts(lm_eval_log: Callable[..., Path]) -> None:
    (stages,) = pipelines.blame(lm_eval_log("a.jsonl", [0.0, 1.0] * 6)).runs
    assert (stages.run.examples, stages.with_evidence, stages.primary_metric) == (12, 0, "f1")
    assert stages.text is not None
    assert (stages.text.examples, stages.text.in_document, stages.text.in_shown_text) == (12, 50.0, 50.0)
    assert (stages.text.score, stages.text.score_without) == (100.0, 0.0)
    assert str(stages).endswith("all examples: longdoc report " + str(stages.run.folder))


def test_blame_lists_answers_that_the_document_has_and_the_prompt_has_not(lm_eval_log: Callable[..., Path]) -> None:
    prompt = {"gen_args_0": {"arg_0": "Nothing of it is here. " * 40, "arg_1": {}}}
    blame = pipelines.blame(lm_eval_log("a.jsonl", [0.0, 1.0] * 6, arguments=prompt), stage="text", limit=2)
    assert blame.runs[0].text is not None
    assert blame.runs[0].text.lost == 6
    assert [example.id for example in blame.runs[0].losing] == ["1", "3"]


@pytest.mark.parametrize(
    "further",
    [
        {"arguments": {}},
        {"arguments": 5},
        {"arguments": {"gen_args_0": {"arg_0": {"text": STORY}}}},
        {"arguments": {"gen_args_0": {"arg_0": "Short?"}}},
        {"target": "yes"},
        {"target": 1},
        {"target": []},
        {"arguments": {"gen_args_0": {"arg_0": STORY}, "gen_args_1": {"arg_0": STORY}}},
    ],
)
def test_blame_of_a_log_without_prompts_documents_or_written_answers_is_refused(
    lm_eval_log: Callable[..., Path], further: Any
) -> None:
    log = lm_eval_log("a.jsonl", [0.0, 1.0] * 6, **further)
    with pytest.raises(UserError, match="no sample with a document in its prompt and a written-out answer"):
        pipelines.blame(log)
