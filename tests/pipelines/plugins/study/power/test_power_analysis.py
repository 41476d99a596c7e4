"""How many documents a difference needs, planned from runs, files of predictions, and data with given spreads."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import longdoc
from longdoc.errors import UserError
from pipelines.cli.main import app
from pipelines.plugins.study.power.power_analysis import plan
from pipelines.records import Document, Example
from pipelines.results.comparisons.compare import compare

NAMES = ("Anna", "Boris", "Clara", "David", "Elena", "Fritz", "Gina", "Hugo")
DOCUMENTS = [Document(f"d{n}", f"{name} sat on the wall. The ship left at dawn. Nobody saw {name} again.")
             for n, name in enumerate(NAMES)]  # fmt: skip


def examples(documents: list[Document] = DOCUMENTS) -> list[Example]:
    rows = []
    for number, document in enumerate(documents):
        name = document.text.split()[0]
        answer = "the wall" if number % 2 else f"{name} sat on the wall"
        rows += [
            Example(f"{document.id}-1", document, f"Where did {name} sit?", (answer,)),
            Example(f"{document.id}-2", document, "When did the ship leave?", ("at dawn" if number % 3 else name,)),
            Example(f"{document.id}-3", document, "Who was not seen again?", (name,)),
        ]
    return rows


def run(folder: Path, **changes: Any) -> Path:
    options = {"data": examples(), "model": "extractive", "metrics": ["f1", "bleu-1"], "report": False, **changes}
    longdoc.run("narrativeqa", out=folder, **options)
    return folder


@pytest.fixture(scope="module")
def a(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("a") / "run", model="lead", retriever="first", k=1)


@pytest.fixture(scope="module")
def b(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("b") / "run", chunker="sentences:1", retriever="tfidf", k=2)


def test_two_runs_are_planned_from_the_variance_that_compare_shows(a: Path, b: Path) -> None:
    planned = plan(a, b, detect=10)
    assert (planned.task, planned.metric, planned.documents, planned.questions) == ("narrativeqa", "f1", 8, 24)
    interval = compare(a, b).differences["f1"].interval
    assert interval is not None
    half = (interval.high - interval.low) / 2
    assert planned.design_effect is not None
    error = planned.standard_error * np.sqrt(min(planned.design_effect, 1.0))  # below 1 it counts as 1
    assert half / error == pytest.approx(2.3646, rel=0.2)  # Student's t of 7 degrees
    assert planned.detectable > half
    assert planned.as_here is not None and planned.power_here is not None and planned.correlation is not None
    assert planned.as_here.low is not None and planned.as_here.high is not None
    assert planned.as_here.low <= planned.as_here.documents <= planned.as_here.high
    assert planned.as_here.questions == 3 * planned.as_here.documents
    assert [one.questions_per_document for one in planned.designs] == [1, 2, 5, 10, 20, 50]
    assert planned.designs[0].documents == planned.independent_questions


def test_a_difference_of_what_is_detectable_needs_the_documents_that_there_are(a: Path, b: Path) -> None:
    least = plan(a, b).detectable
    planned = plan(a, b, detect=least)
    assert planned.as_here is not None
    assert planned.as_here.documents == 8
    assert planned.power_here == pytest.approx(0.8, abs=1e-4)
    strict = plan(a, b, detect=least, power=0.9, alpha=0.01)
    assert strict.as_here is not None
    assert strict.as_here.documents > 8


def test_several_comparisons_are_planned_at_the_first_step_of_holm_s_correction(a: Path, b: Path) -> None:
    alone, together = (plan(a, b, detect=10, comparisons=count) for count in (1, 12))
    strict = plan(a, b, detect=10, alpha=0.05 / 12)
    assert (together.as_here, together.detectable, together.power_here, together.designs) == (
        strict.as_here, strict.detectable, strict.power_here, strict.designs,
    )  # fmt: skip
    assert together.as_here is not None and alone.as_here is not None
    assert together.as_here.documents > alone.as_here.documents
    assert (alone.comparisons, together.comparisons, together.alpha) == (1, 12, 0.05)
    text = str(together)
    assert "alpha 0.05 after Holm's correction for 12 comparisons" in text
    assert "planned for 12 comparisons together: each at alpha / 12, the first step of Holm's correction" in text
    assert "with 8 documents no p of longdoc compare can be below 0.0078125: 9 are needed" in text
    assert "Holm" not in str(alone)


def test_the_command_plans_several_comparisons(a: Path, b: Path) -> None:
    result = CliRunner().invoke(app, ["plan", str(a), str(b), "--detect", "10", "--comparisons", "12", "--json"])
    assert json.loads(result.output)["comparisons"] == 12
    assert json.loads(result.output)["as_here"]["documents"] == plan(a, b, detect=10, comparisons=12).as_here.documents  # type: ignore[union-attr]


def test_of_one_run_the_correlation_with_a_second_system_is_assumed_with_a_note(b: Path) -> None:
    planned, alike = plan(b, detect=5), plan(b, detect=5, correlation=0.875)
    assert planned.correlation == 0.5
    assert alike.standard_error == pytest.approx(planned.standard_error / 2)
    assert "assumed: a second system whose scores correlate with these by 0.5" in str(planned)


def test_a_score_that_is_no_mean_of_examples_is_planned_by_the_bootstrap(a: Path, b: Path) -> None:
    planned = plan(a, b, detect=5, metric="bleu-1")
    assert (planned.metric, planned.sd, planned.icc, planned.designs, planned.independent_questions) == (
        "bleu-1",
        None,
        None,
        (),
        None,
    )
    assert planned.as_here is not None and planned.as_here.low is not None


def test_data_are_planned_with_a_given_spread() -> None:
    planned = plan(task="narrativeqa", data=examples(), sd=40, icc=0.1, detect=10)
    assert (planned.documents, planned.questions, planned.design_effect) == (8, 24, pytest.approx(1.2))
    assert planned.standard_error == pytest.approx(40 * np.sqrt(1.2 / 24))
    assert planned.as_here is not None
    assert (planned.as_here.low, planned.as_here.high) == (None, None)
    assert planned.designs[0].documents == planned.independent_questions == 128
    assert planned.least_documents == 15


WRONG_ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    ({"detect": 0}, "detect must be more than 0"),
    ({"detect": -3}, "detect must be more than 0"),
    ({"power": 1.0}, "power must be above alpha and below 1"),
    ({"alpha": 0.0}, "alpha must be between"),
    ({"comparisons": 0}, "comparisons must be at least 1, got 0"),
    ({"comparisons": 101}, "none can be below 0.05: make 100 or fewer, or take a larger alpha"),
    ({"metric": "f2"}, "unknown score 'f2'; did you mean f1"),
    ({"sd": 3.0}, "sd= is for data without runs"),
    ({"correlation": 0.3}, "correlation= is for a single run"),
    ({"data": "sample"}, "data= is for a task's files"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_ARGUMENTS)
def test_arguments_that_do_not_fit_are_refused(a: Path, b: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message.replace("(", r"\(")):
        plan(a, b, **arguments)


def test_data_that_say_nothing_of_other_documents_are_refused(a: Path, tmp_path: Path) -> None:
    single = run(tmp_path / "one", data=examples(DOCUMENTS[:1]))
    with pytest.raises(UserError, match="all 3 questions are about one document"):
        plan(single, detect=3)
    with pytest.raises(UserError, match="f1 differs in no document"):
        plan(a, a, detect=3)
    others = [Document(f"x{document.id}", document.text) for document in DOCUMENTS]
    with pytest.raises(UserError, match="cannot be compared"):
        plan(a, run(tmp_path / "other", data=examples(others)), detect=3)
    with pytest.raises(UserError, match="is not a run's folder"):
        plan(tmp_path, detect=3)
    with pytest.raises(UserError, match=r"sd=50 and icc=0\.2 are cautious"):
        plan(task="narrativeqa", data=examples(), detect=3)
    with pytest.raises(UserError, match="there is nothing to plan from"):
        plan(detect=3)


def test_the_command_prints_a_table_or_json(a: Path, b: Path) -> None:
    output = CliRunner().invoke(app, ["plan", str(a), str(b), "--detect", "10"]).stdout
    assert output.startswith("narrativeqa, f1: documents that show a difference of 10 points\n")
    assert "3 on average, as here" in output
    assert "these data (24 questions over 8 documents) show a difference of" in output
    record = json.loads(CliRunner().invoke(app, ["plan", str(a), str(b), "--json"]).stdout)
    assert (record["detect"], record["documents"], record["designs"]) == (None, 8, [])


@pytest.mark.parametrize("level", ["location", "reasoning"])
def test_published_predictions_are_planned_by_document(realdata: Path, level: str) -> None:
    folder = realdata / "lara" / "predictions" / "gpt-4o"
    full, rag = (folder / f"{way}_32k_financial_{level}.jsonl" for way in ("full", "rag"))
    planned = longdoc.plan(full, rag, task=f"lara/{level}", detect=3)
    assert (planned.documents, planned.metric) == (14, "f1")
    assert planned.as_here is not None
    assert planned.as_here.documents > 14
