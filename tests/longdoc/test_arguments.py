"""Unknown names of arguments are refused with the nearest known one, and functions take runs in several forms."""

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import longdoc
import pipelines
from longdoc.arguments import checks_names, unknown_argument
from longdoc.errors import UserError
from tests.turns import for_each

FUNCTIONS = sorted(name for name in pipelines.__all__ if inspect.isfunction(getattr(pipelines, name)))
SLIPS = {
    "metric": "metrics", "retreiver": "retriever", "top_k": "k", "max_tokens": "max_new_tokens", "llm": "model",
    "dataset": "data", "output_dir": "out", "Seed": "seed", "chunks": "chunker", "promt": "prompt",
}  # fmt: skip


def required_arguments(function: Any) -> dict[str, str]:
    """A value for each argument that the function requires."""
    parameters = inspect.signature(function).parameters.values()
    if function in (longdoc.ablate, longdoc.pipelines.plan_ablation):  # a grid may have the task
        return {"task": "narrativeqa"}
    variable = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    required = [p for p in parameters if p.default is p.empty and p.kind not in variable]
    return {parameter.name: "narrativeqa" for parameter in required}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_run_suggests_the_right_name_for_a_wrong_one(slip: str) -> None:
    with pytest.raises(UserError, match=f"^unknown argument '{slip}'; did you mean {SLIPS[slip]}[?]$"):
        longdoc.run("narrativeqa", data="sample", **{slip: "f1"})


@pytest.mark.parametrize("name", ["dry_run", "ablate", "ask", "index", "versus", "prompt"])
def test_functions_that_pass_arguments_on_suggest_the_right_name(name: str) -> None:
    function = getattr(longdoc, name)
    with pytest.raises(UserError, match=r"unknown argument 'retreiver'; did you mean retriever[?]"):
        function(**required_arguments(function), retreiver="bm25")


@for_each("name", [name for name in FUNCTIONS if name not in {"build", "train", "read_config"}])
def test_every_function_refuses_an_unknown_name(name: str) -> None:
    function = getattr(pipelines, name)
    with pytest.raises(UserError, match=re.escape("'no_such_thing'")):
        function(**required_arguments(function), no_such_thing=1)


def test_metric_is_suggested_for_metrics_where_a_function_takes_one_score() -> None:
    with pytest.raises(UserError, match=r"unknown argument 'metrics'; did you mean metric[?]"):
        longdoc.plan("runs/first", metrics="f1")  # type: ignore[call-arg]


def test_for_a_name_unlike_any_other_all_names_are_listed() -> None:
    assert str(unknown_argument("zzz", ["k", "data"])) == "unknown argument 'zzz'; known: data, k"


def test_a_checked_function_keeps_its_signature_its_name_and_its_errors() -> None:
    @checks_names
    def halves(number: int, *, whole: bool = False) -> float:
        """Half of it."""
        return number / 2

    assert (halves(3), halves.__name__, halves.__doc__) == (1.5, "halves", "Half of it.")
    assert list(inspect.signature(halves).parameters) == ["number", "whole"]
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        halves()  # type: ignore[call-arg]


def test_a_function_that_takes_any_name_is_not_checked() -> None:
    with pytest.raises(TypeError, match="takes any name"):
        checks_names(lambda **names: names)


def test_functions_of_a_run_take_its_result_and_functions_of_several_runs_take_a_list(tmp_path: Path) -> None:
    rows = [{"document": f"Anna came {n}.", "question": "Who came?", "answers": ["Anna" + " K." * n]} for n in range(6)]
    runs = [
        longdoc.run(
            "qa",
            data=rows,
            model="extractive",
            metrics=["f1", "answer_recall"],
            k=k,
            out=tmp_path / str(k),
            report=False,
        )
        for k in (1, 2)
    ]
    assert longdoc.compare(*runs).a.name == str(tmp_path / "1")
    assert longdoc.compare(run_a=runs[0], run_b=runs[1]).b.name == str(tmp_path / "2")
    assert (
        longdoc.pipelines.rescore(runs[0])["scores"]
        == longdoc.pipelines.rescore(folder=runs[0])["scores"]
        == dict(runs[0].scores)
    )
    assert longdoc.report(runs[0]) == tmp_path / "1" / "report.html"
    page = tmp_path / "both.csv"
    assert longdoc.report(runs, out=page) == longdoc.report(*runs, out=page) == page
    assert longdoc.rerun(runs[1], data=rows).folder == tmp_path / "2"
    assert (
        longdoc.pipelines.verify(runs[0], data=rows).checks
        and longdoc.pipelines.outputs(runs[0])
        and longdoc.show(runs[0])
    )
    assert longdoc.blame(runs).runs and longdoc.plan(runs[0])
    table = longdoc.versus("qa", runs=runs, out=tmp_path / "versus")
    assert [way.folder for way in table.ways] == [tmp_path / "1", tmp_path / "2"]
