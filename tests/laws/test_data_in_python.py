"""Every public function with `data=` accepts Python objects: rows, a pandas or a polars frame."""

import inspect
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import longdoc
import pipelines
from longdoc.arguments import argument_names
from tests.turns import for_each

DOCUMENT = "Anna came in {year}. Bo slept in the barn. Carl left the town. Dora sang all night."
ROWS = [
    {"id": f"{number}-{verb}", "document": DOCUMENT.format(year=1900 + number), "question": f"Who {verb} ({number})?",
     "answers": [name, f"{name} did"], "evidence": [name]}
    for number in range(6) for verb, name in (("came", "Anna"), ("slept", "Bo"))
]  # fmt: skip
LABELLED_ROWS = [{"id": row["id"], "document": row["document"], "label": "even"} for row in ROWS]
SMALL: dict[str, Any] = {"chunker": "sentences:20", "retriever": "bm25", "budget": "10 words"}
READ: dict[str, Any] = {"model": "extractive", "metrics": "f1"}

Call = Callable[[Callable[[list[dict[str, Any]]], Any], Path], Any]
CALLS: dict[str, Call] = {
    "run": lambda data, run: longdoc.run("qa", data=data(ROWS), **READ, out="again", report=False),
    "run_repeats": lambda data, run: longdoc.pipelines.run_repeats(
        "qa", repeat=2, data=data(ROWS), **READ, report=False
    ),
    "run_tasks": lambda data, run: longdoc.pipelines.run_tasks("qa", data={"qa": data(ROWS)}, **READ),
    "rerun": lambda data, run: longdoc.rerun(run, data=data(ROWS)),
    "rescore": lambda data, run: longdoc.pipelines.rescore(run, data=data(ROWS), metrics="evidence_recall"),
    "score": lambda data, run: longdoc.score("qa", "given.jsonl", data=data(ROWS), metrics="f1"),
    "score_predictions": lambda data, run: longdoc.pipelines.score_predictions("qa", "given.jsonl", data=data(ROWS)),
    "score_prediction_files": lambda data, run: longdoc.pipelines.score_prediction_files(
        "qa", ["given.jsonl"], data=data(ROWS)
    ),
    "evidence": lambda data, run: longdoc.evidence("qa", data=data(ROWS), **SMALL),
    "train": lambda data, run: longdoc.train("classify", model="linear", data=data(LABELLED_ROWS), out="trained"),
    "ablate": lambda data, run: longdoc.ablate("qa", data=data(ROWS), **READ, k=[1, 2], out="grid"),
    "plan_ablation": lambda data, run: longdoc.pipelines.plan_ablation(
        "qa", data=data(ROWS), **READ, k=[1, 2], out="grid"
    ),
    "versus": lambda data, run: longdoc.versus("qa", data=data(ROWS), **READ, budget=["10 words"], out="ways"),
    "plan_versus": lambda data, run: longdoc.pipelines.plan_versus(
        "qa", data=data(ROWS), **READ, budget=["10 words"], out="ways"
    ),
    "dry_run": lambda data, run: longdoc.dry_run("qa", data=data(ROWS), model="extractive"),
    "dry_run_tasks": lambda data, run: longdoc.pipelines.dry_run_tasks(
        "qa", data={"qa": data(ROWS)}, model="extractive"
    ),
    "prompt": lambda data, run: longdoc.prompt("qa", "0-came", data=data(ROWS), model="extractive"),
    "plan": lambda data, run: longdoc.plan("given.jsonl", task="qa", data=data(ROWS), metric="f1"),
    "agreement": lambda data, run: longdoc.pipelines.agreement("qa", data=data(ROWS), metrics="f1"),
    "curve": lambda data, run: longdoc.pipelines.curve("given.jsonl", task="qa", data=data(ROWS)),
    "lengths": lambda data, run: longdoc.pipelines.lengths("qa", data=data(ROWS)),
    "spread": lambda data, run: longdoc.pipelines.spread("qa", data=data(ROWS)),
    "report": lambda data, run: longdoc.report(run, data=data(ROWS), out="page.html"),
    "show": lambda data, run: longdoc.show(run, "0-came", data=data(ROWS)),
    "verify": lambda data, run: longdoc.pipelines.verify(run, data=data(ROWS)),
    "export": lambda data, run: longdoc.pipelines.export(run, data=data(ROWS)),
}
NEEDS = {"train": "sklearn", "export": "inspect_ai"}
OTHER_DATA = {
    "read_config": "the data of a settings file, which are a path; other data are passed on unchanged",
    "label_agreement": "the data of files of predictions with labels, read as score_predictions reads them",
    "submit": "the data of a benchmark with submissions",
    "check_submission": "the data of a benchmark with submissions",
}


def frame(library: str, rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip(library, reason=f"{library} is not installed").DataFrame(rows)


def converter(form: str) -> Callable[[list[dict[str, Any]]], Any]:
    """A function that gives rows the form of `data=`: as they are, or as a data frame."""
    return (lambda rows: rows) if form == "rows" else lambda rows: frame(form, rows)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps({"id": row["id"], "prediction": "Anna"}) + "\n" for row in ROWS]
    Path("given.jsonl").write_text("".join(lines), encoding="utf-8")
    return longdoc.run("qa", data=ROWS, **READ, out="run", report=False).folder


def takes_data(function: Any) -> bool:
    return inspect.isfunction(function) and "data" in argument_names(function)


@for_each("name", CALLS)
def test_a_function_takes_a_frame(name: str, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most other tests give a function rows; the test of predictions covers polars."""
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed")
    shutil.copy("given.jsonl", tmp_path)
    copy = shutil.copytree(run, tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    assert CALLS[name](converter("pandas"), copy) is not None


def test_no_function_that_takes_data_is_left_out() -> None:
    functions = {name: getattr(pipelines, name) for name in pipelines.__all__}
    names = {name for name, function in functions.items() if takes_data(function)}
    assert names - CALLS.keys() - OTHER_DATA.keys() == set()


@pytest.mark.parametrize("form", ["pandas", "polars"])
def test_a_frame_gives_the_predictions_of_the_same_rows(form: str, run: Path) -> None:
    result = longdoc.run("qa", data=converter(form)(ROWS), **READ, out="frame", report=False)
    files = [(folder / "predictions.jsonl").read_text(encoding="utf-8") for folder in (run, result.folder)]
    assert files[0] == files[1]


@pytest.mark.parametrize("form", ["rows", "pandas", "polars"])
def test_a_plan_names_python_data_by_the_number_of_rows(form: str) -> None:
    plan = longdoc.plan(task="qa", data=converter(form)(ROWS), sd=40, icc=0.1)
    assert plan.sources == ("12 rows given in Python",)
