"""Runs made again by the arguments in their `run.json`."""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import longdoc
import pipelines
from longdoc import checked_json
from longdoc.errors import UserError
from pipelines.records import Document, Example
from tests import command_line

TEXT = "Anna lives in Kyiv. Boris keeps bees. Clara reads maps. Dora sails north. " * 5
QUESTIONS = {"Where does Anna live?": "Kyiv", "Who keeps bees?": "Boris", "Who reads maps?": "Clara"}
CODE = """
import os, pathlib
pathlib.Path(os.environ["MARK"]).write_text(__name__)
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A working folder with rows; a module in it leaves a mark where it is imported."""
    lines = [{"document": TEXT, "question": question, "answers": [answer]} for question, answer in QUESTIONS.items()]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (tmp_path / "evil.py").write_text(CODE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    yield
    sys.modules.pop("evil", None)


def run(out: str = "a", **arguments: Any) -> Any:
    return pipelines.run(
        "qa", **{"data": "rows.jsonl", "model": "extractive", "metrics": "f1", "out": out, **arguments}
    )


def record(folder: str | Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((Path(folder) / "run.json").read_text(encoding="utf-8"))
    return content


def change_arguments(folder: str, **changes: Any) -> None:
    """Rewrite the arguments in a folder's record."""
    content = record(folder)
    content["arguments"] |= changes
    (Path(folder) / "run.json").write_text(checked_json.dumps(content), encoding="utf-8")


def files(folder: str | Path) -> list[bytes]:
    return [(Path(folder) / name).read_bytes() for name in ("predictions.jsonl", "scores.json")]


def test_a_finished_run_asks_nothing_and_with_out_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = run(retriever="bm25", k=2)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = pipelines.rerun("../a")
    assert (again.folder, again.resumed, again.new_requests, again.scores) == (Path("../a"), 3, 0, first.scores)
    note = "longdoc: the run in ../a is finished: nothing is asked again; out=FOLDER makes it anew\n"
    assert capsys.readouterr().err == note
    anew = pipelines.rerun("../a", out="new")
    assert (anew.folder, anew.new_requests) == (Path("new"), 3)
    assert files("../a") == files("new")
    assert capsys.readouterr().err == ""


def test_an_unfinished_run_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    run()
    lines = Path("a/journal.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("a/journal.jsonl").write_text(lines[0], encoding="utf-8")
    expected = files("a")
    for name in ("scores.json", "predictions.jsonl"):
        (Path("a") / name).unlink()
    assert pipelines.rerun("a").resumed == 1
    assert files("a") == expected
    left = "1 of 3 examples is finished; about 2 of 3 requests left (fewer if some are identical)"
    assert capsys.readouterr().err == f"longdoc: {left}\n"


def test_a_changed_argument_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    run(k=2, report=False)
    other = pipelines.rerun("a", retriever="bm25")
    assert other.folder.parent == Path("runs")
    assert capsys.readouterr().err == "longdoc: as a, but retriever: evidence there, bm25 now\n"
    arguments = record(other.folder)["arguments"]
    assert arguments == {
        "task": "qa", "data": str(Path("rows.jsonl").resolve()), "retriever": "bm25", "k": 2, "model": "extractive",
        "metrics": "f1", "report": False,
    }  # fmt: skip
    assert record(pipelines.rerun("a", budget="20 words", out="b").folder)["spec"]["k"] is None


def test_more_examples_of_the_same_run_go_on_in_its_folder() -> None:
    run(limit=1)
    more = pipelines.rerun("a", limit=3)
    assert (more.folder, more.examples, more.new_requests) == (Path("a"), 3, 2)
    assert record("a")["arguments"]["limit"] == 3


def test_arguments_spelled_otherwise_are_the_same_run() -> None:
    run(retriever="bm25:b=0.5", chunker="tokens:200")
    again = run(retriever={"name": "bm25", "b": 0.5}, chunker="tokens:size=200")
    assert (again.resumed, again.new_requests) == (3, 0)
    assert record("a")["arguments"]["retriever"] == {"name": "bm25", "b": 0.5}


def test_metrics_that_were_added_later_stay() -> None:
    run()
    pipelines.rescore("a", metrics=["exact_match"])
    assert list(pipelines.rerun("a").scores) == ["f1", "exact_match"]


def test_a_cell_of_an_ablation_is_made_again() -> None:
    ablation = pipelines.ablate("qa", data="rows.jsonl", model="extractive", metrics="f1", k=[1, 2], out="grid")
    cell = ablation.cells[1].folder
    assert cell is not None
    assert pipelines.rerun(cell).new_requests == 0
    anew = pipelines.rerun(cell, out="alone")
    assert files(cell) == files("alone")
    assert "k=2" in anew.recipe


def test_data_that_moved_must_be_given_again() -> None:
    run()
    Path("rows.jsonl").rename("moved.jsonl")
    gone = Path("rows.jsonl").resolve()
    with pytest.raises(UserError, match=f"^the data of the run in a are not at {gone} any more: give data=PATH$"):
        pipelines.rerun("a")
    with pytest.raises(UserError, match="there is no"):
        pipelines.rerun("a", data="rows.jsonl")
    Path("moved.jsonl").rename("rows.jsonl")
    rows = Path("rows.jsonl").read_text(encoding="utf-8")
    Path("rows.jsonl").write_text(rows.replace("maps", "charts"), encoding="utf-8")
    with pytest.raises(UserError, match=r"^this would be another run than the one in a \(.*\): choose another folder"):
        pipelines.rerun("a")


def test_objects_must_be_given_again() -> None:
    rows = [Example("a", Document("d", TEXT), "Who keeps bees?", ("Boris",))]
    run(data=rows)
    problem = "the data of the run in a was an object, 1 example given in Python, which no file can hold"
    with pytest.raises(UserError, match=f"^{problem}: give data= again, or another$"):
        pipelines.rerun("a")
    assert pipelines.rerun("a", data=rows).new_requests == 0


def test_a_folder_without_arguments_says_how_to_start_it() -> None:
    run()
    old = record("a")
    del old["arguments"]
    Path("a/run.json").write_text(checked_json.dumps(old), encoding="utf-8")
    with pytest.raises(UserError, match=r"was made before arguments were kept in run\.json: start the same run again"):
        pipelines.rerun("a")
    assert run().new_requests == 0
    assert record("a")["arguments"]["task"] == "qa"
    with pytest.raises(UserError, match="nowhere is not a run's folder"):
        pipelines.rerun("nowhere")


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("task", "evil:TASK", "task"),
        ("chunker", "evil:Chunks", "chunker"),
        ("retriever", "evil:Ranks", "retriever"),
        ("retriever", {"name": "rerank", "retriever": "evil:Ranks", "model": "x"}, "retriever"),
        ("strategy", {"name": "evil:Asks"}, "strategy"),
        ("model", "evil:Reads", "reader"),
        ("metrics", ["f1", "evil:Scores"], "metric"),
        ("engine", "evil:Runs", "engine"),
        ("retriever", "dense:model=evil:Encoder", "encoder"),
    ],
)
def test_a_record_names_no_code(name: str, value: Any, kind: str) -> None:
    run()
    change_arguments("a", **{name: value})
    with pytest.raises(UserError, match=rf"a/run.json names the {kind} evil:\w+, which is code"):
        pipelines.rerun("a", out="b")
    assert not Path("mark").exists()


@pytest.mark.parametrize(
    ("arguments", "name"), [({"model": "evil:Reads"}, "Reads"), ({"metrics": ["f1", "evil:Scores"]}, "Scores")]
)
def test_arguments_beside_a_record_may_name_code(arguments: dict[str, Any], name: str) -> None:
    run()
    with pytest.raises(UserError, match=f"module 'evil' has no '{name}'"):
        pipelines.rerun("a", **arguments)
    assert Path("mark").exists()


def test_a_user_s_component_is_refused_with_the_argument_to_give_again() -> None:
    run()
    for retriever, metric, again in (
        ("evil.py:Ranks", "f1", "retriever='evil.py:Ranks'"),
        ({"name": "evil:Ranks", "depth": 3}, "f1", "retriever='evil:Ranks:depth=3'"),
        ("tfidf", "evil:Scores", "metrics=['f1', 'evil:Scores']"),
    ):
        change_arguments("a", retriever=retriever, metrics=["f1", metric])
        with pytest.raises(UserError, match=r"registered components\. If you trust it, give ") as error:
            pipelines.rerun("a", out="b")
        assert str(error.value).endswith(f"give {again}")
        assert not Path("mark").exists(), again


def test_an_api_that_a_record_names_is_not_asked_unless_it_is_given_again() -> None:
    pytest.importorskip("openai")
    run()
    change_arguments("a", model="openai:http://evil.invalid/x")
    message = (
        "a/run.json sets model of the reader openai, which counts only where you type it yourself: "
        "give model='openai:http://evil.invalid/x'"
    )
    with pytest.raises(UserError) as error:
        pipelines.rerun("a", out="b")
    assert str(error.value) == message
    (unchecked,) = [check for check in pipelines.verify("a").checks if check.name == "prompts and predictions"]
    assert (unchecked.outcome, unchecked.details) == ("not checked", (message,))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"k": "many"}, "a/run.json: k must be a whole number, got 'many'"),
        ({"kk": 1}, "a/run.json: unknown key 'kk'; did you mean k"),
        ({"task": None}, "a/run.json is damaged"),
    ],
)
def test_damaged_arguments_are_one_line(changes: dict[str, Any], problem: str) -> None:
    run()
    change_arguments("a", **changes)
    with pytest.raises(UserError, match=f"^{problem}"):
        pipelines.rerun("a")


def test_an_unknown_change_is_refused() -> None:
    run()
    with pytest.raises(UserError, match="unknown argument 'retreiver'; did you mean retriever"):
        longdoc.rerun("a", retreiver="bm25")  # type: ignore[call-arg]


def test_the_printed_configuration_makes_the_same_run(capfd: pytest.CaptureFixture[str]) -> None:
    run(retriever="bm25:b=0.5", k=2, seed=4)
    code, printed, _ = command_line.longdoc(capfd, "rerun", "a", "--print-config")
    assert (code, printed) == (
        0,
        "task: qa\ndata: rows.jsonl\nretriever: bm25:b=0.5\nk: 2\nmodel: extractive\nseed: 4\nmetrics: f1\n",
    )
    Path("run.yaml").write_text(printed, encoding="utf-8")
    shutil.move("a", "first")
    assert command_line.longdoc(capfd, "run", "--config", "run.yaml", "--out", "b")[0] == 0
    assert files("first") == files("b")
    code, printed, _ = command_line.longdoc(capfd, "rerun", "first", "--print-config", "--json", "-k", "3")
    assert json.loads(printed)["k"] == 3


def test_the_command_makes_a_run_again(capfd: pytest.CaptureFixture[str]) -> None:
    run(k=2)
    code, out, err = command_line.longdoc(capfd, "rerun", "a", "-k", "1", "--out", "b")
    assert (code, err) == (0, "longdoc: as a, but k: 2 there, 1 now\n")
    assert out.splitlines()[0] == "qa: sentences:200 → evidence:general,encoder=none k=1 → stuff → extractive"
    assert record("b")["starts"][0]["command"] == "longdoc rerun a -k 1 --out b"
