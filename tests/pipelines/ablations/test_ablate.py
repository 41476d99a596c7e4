"""Ablations from the list given to `ablate` to the record that comes back."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pipelines
from chunkers import Chunk, Chunker
from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.links import follow_links
from models.reader import Reader
from models.requests import Generate, Reply
from pipelines.ablations.ablation_folder import locked
from pipelines.cli.main import app
from pipelines.engine import interruption_note
from pipelines.records import Document, Example
from pipelines.results.ablations import ablation_file
from pipelines.results.run_folders.run import finished_run
from tests import dying_reader
from tests.resealed import resealed

TEXTS = {
    "d1": "The mill stood by the river. Anna kept a lamp in the window. Tom mended the wheel every spring.",
    "d2": "The ship left at dawn. Nobody saw the captain again. A letter came from Lisbon in May.",
    "d3": "Rain fell on the orchard. The gardener sold his pears. His sister painted the gate green.",
}
QUESTIONS = {
    "d1": [
        ("Who kept a lamp?", "Anna kept a lamp in the window."),
        ("Who mended the wheel?", "Tom mended the wheel every spring."),
    ],
    "d2": [("Where did the letter come from?", "A letter came from Lisbon in May.")],
    "d3": [("Who painted the gate?", "His sister painted the gate green.")],
}  # fmt: skip


def data() -> list[Example]:
    return [
        Example(f"{name}-{i}", Document(name, text), question, (answer,))
        for name, text in TEXTS.items()
        for i, (question, answer) in enumerate(QUESTIONS[name])
    ]


ARGUMENTS = {"data": data(), "chunker": "sentences:size=8", "model": "extractive:unit=sentence", "metrics": ["f1"]}


def ablate(out: Path | None, **arguments: Any) -> Any:
    return pipelines.ablate("qa", out=out, **{**ARGUMENTS, **arguments})


def test_scores_equal_those_of_single_runs(tmp_path: Path) -> None:
    ablation = ablate(tmp_path / "grid", k=[1, 2], retriever=["bm25", "first"])
    for cell in ablation.cells:
        alone = pipelines.run(
            "qa", data=data(), chunker="sentences:size=8", model="extractive:unit=sentence", metrics=["f1"],
            out=tmp_path / cell.name, **cell.settings,
        )  # fmt: skip
        assert cell.scores == alone.scores
        for name in ("predictions.jsonl", "scores.json"):
            assert (cell.folder / name).read_bytes() == (tmp_path / cell.name / name).read_bytes()
        record, record_alone = (
            json.loads((folder / "run.json").read_text()) for folder in (cell.folder, tmp_path / cell.name)
        )
        assert {**record, "starts": None, "crc32": None} == {**record_alone, "starts": None, "crc32": None}


def test_every_cell_is_compared_with_the_baseline(tmp_path: Path) -> None:
    ablation = ablate(tmp_path / "grid", retriever=["first", "bm25"], k=1)
    first, ranked = ablation.cells
    assert (ablation.baseline, ablation.primary_metric) == ("retriever=first", "f1")
    assert first.differences == {}
    assert ranked.differences["f1"].value == pytest.approx(ranked.scores["f1"] - first.scores["f1"])
    assert ranked.differences["f1"].interval is None
    assert ranked.differences["f1"].no_interval == "3 documents: no interval; at least 5 are needed"
    assert (first.scores.intervals, first.scores.no_interval) == (
        {},
        {"f1": "3 documents: no interval; at least 5 are needed"},
    )
    assert (ranked.counts.examples, ranked.counts.documents, ranked.counts.requests) == (4, 3, 4)
    assert ranked.counts.tokens_shown == ranked.counts.tokens_in / 4


def test_the_folder_gives_the_same_record_back_and_can_be_moved(tmp_path: Path) -> None:
    ablation = ablate(tmp_path / "grid", k=[1, 2])
    assert ablation_file.read(tmp_path / "grid").to_dict() == ablation.to_dict() | {"seconds": None}
    (tmp_path / "grid").rename(tmp_path / "moved")
    assert [cell.scores for cell in ablation_file.read(tmp_path / "moved").cells] == [
        cell.scores for cell in ablation.cells
    ]


def test_a_longer_list_computes_only_what_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from models.baselines.extractive import Extractive

    ablate(tmp_path / "grid", k=[1, 2])
    request_counts: list[int] = []
    reply = Extractive.reply
    monkeypatch.setattr(
        Extractive, "reply", lambda self, requests: request_counts.append(len(requests)) or reply(self, requests)
    )
    assert pipelines.plan_ablation(
        "qa", data=data(), chunker="sentences:size=8", model="extractive:unit=sentence", metrics=["f1"],
        out=tmp_path / "grid", k=[1, 2],
    ).estimate.requests == 0  # fmt: skip
    ablate(tmp_path / "grid", k=[1, 2])
    assert request_counts == []
    ablate(tmp_path / "grid", k=[1, 2, 3])
    assert sum(request_counts) >= 4
    assert len(list((tmp_path / "grid" / "runs").iterdir())) == 3


def test_without_a_folder_a_cell_is_the_run_of_the_same_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    alone = pipelines.run("qa", data=data(), model="extractive", k=2, metrics=["f1"])
    ablation = pipelines.ablate("qa", data=data(), model="extractive", k=[1, 2], metrics=["f1"])
    assert ablation.cells[1].folder == alone.folder
    assert ablation.folder.parent == Path("runs")


def test_cells_that_fail_keep_their_error_and_the_others_finish(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    ablation = ablate(tmp_path / "grid", retriever=["first", "nope", "tests_absent:Thing"], k=1)
    good, unknown, absent = ablation.cells
    assert good.error is None
    assert "unknown retriever 'nope'" in unknown.error
    assert "tests_absent" in absent.error
    assert (unknown.scores, unknown.folder) == ({}, None)
    assert "cannot run: unknown retriever 'nope'" in capsys.readouterr().err


def test_a_bug_in_a_component_fails_its_cell_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from retrievers.bm25 import Bm25

    monkeypatch.setattr(Bm25, "index", lambda self, chunks: 1 / 0)
    ablation = ablate(tmp_path / "grid", retriever=["first", "bm25"], k=1)
    assert ablation.cells[0].scores
    assert ablation.cells[1].error.startswith("ZeroDivisionError: division by zero (test_ablate.py, line")
    assert json.loads((tmp_path / "grid" / "ablation.json").read_text())["cells"][1]["error"] == ablation.cells[1].error


def test_where_all_cells_fail_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no cell can run; the first, retriever=nope: unknown retriever"):
        ablate(tmp_path / "grid", retriever=["nope", "neither"])
    assert not (tmp_path / "grid").exists()


def test_a_failed_baseline_is_reported_and_nothing_is_compared(tmp_path: Path) -> None:
    ablation = ablate(tmp_path / "grid", retriever=["nope", "first"], k=1, baseline="retriever=nope")
    assert ablation.warnings == ("the baseline 'retriever=nope' has no scores, so nothing is compared with it",)
    assert ablation.cells[1].differences == {}


@pytest.mark.parametrize(
    ("baseline", "name"),
    [
        pytest.param(None, "k=1, retriever=first", id="the first"),
        pytest.param("k=2, retriever=first", "k=2, retriever=first", id="a name"),
        pytest.param("retriever=bm25,k=2", "k=2, retriever=bm25", id="settings in any order"),
        pytest.param({"k": 1, "retriever": "bm25"}, "k=1, retriever=bm25", id="a mapping"),
    ],
)
def test_a_baseline_is_a_cell_by_name_or_settings(baseline: Any, name: str, tmp_path: Path) -> None:
    assert ablate(tmp_path / "grid", k=[1, 2], retriever=["first", "bm25"], baseline=baseline).baseline == name


@pytest.mark.parametrize(
    ("baseline", "message"),
    [
        pytest.param(
            "k=2", r"2 cells match 'k=2': give more settings, as in baseline='k=2, retriever=first'", id="several"
        ),
        pytest.param("k=7", r"unknown baseline 'k=7'", id="none"),
    ],
)
def test_a_baseline_that_is_not_one_cell_is_refused_before_anything_runs(
    baseline: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        ablate(tmp_path / "grid", k=[1, 2], retriever=["first", "bm25"], baseline=baseline)
    assert not (tmp_path / "grid").exists()


def test_a_large_grid_has_to_be_confirmed(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"k \(100\) × seed \(100\) = 10,000 cells: more than 200 have to be confirmed, yes=True"
    ):
        ablate(tmp_path / "grid", k=list(range(1, 101)), seed=list(range(100)))


def test_the_plan_counts_cells_and_requests_before_anything_is_written(tmp_path: Path) -> None:
    plan = pipelines.plan_ablation("qa", data=data(), model="extractive", k=[1, 2], retriever=["first", "nope"])
    assert [cell.state for cell in plan.cells] == ["new", "cannot run", "new", "cannot run"]
    assert (plan.estimate.documents, plan.estimate.examples, plan.estimate.requests) == (3, 4, 8)
    assert plan.estimate.seconds > 0
    assert str(plan).splitlines()[0] == "qa: k (2) × retriever (2) = 4 cells (2 new, 2 cannot run)"
    assert "time: about 1 s; cost: no prices given" in str(plan)
    assert list(tmp_path.iterdir()) == []


def test_settings_of_the_same_run_share_it(tmp_path: Path) -> None:
    ablation = ablate(tmp_path / "grid", k=1, retriever=["first", {"name": "first"}, "bm25"][1:], order=None)
    assert len({cell.folder for cell in ablation.cells}) == 2
    same = ablate(
        tmp_path / "same", grid=[{"name": "a", "k": 1}, {"name": "b", "k": 1, "order": "score"}], retriever="bm25"
    )
    assert same.cells[0].folder == same.cells[1].folder
    assert (same.cells[1].differences, same.cells[1].same_as) == ({}, same.cells[0].name)


def test_cells_whose_readers_are_shown_the_same_are_compared_once(tmp_path: Path) -> None:
    """A prompt of twelve words has room for one chunk, however many are selected."""
    ablation = ablate(tmp_path / "grid", k=[1, 2, 3], retriever="bm25", model="extractive:max_input_tokens=12")
    first, second, third = ablation.cells
    assert third.counts.tokens_shown == second.counts.tokens_shown
    assert len({cell.folder for cell in ablation.cells}) == 3
    assert (first.same_as, second.same_as, third.same_as) == (None, None, "k=2")
    assert third.differences == {}
    assert second.differences["f1"].p_holm == second.differences["f1"].p
    assert [line.split()[2:4] for line in str(ablation).splitlines()[2:5]][2] == ["=", "k=2"]
    alone = pipelines.compare(second.folder, third.folder)
    assert (alone.same_requests, alone.differences) == (True, {})
    assert str(alone).splitlines()[-1] == "  both runs made the same requests: nothing is compared"


def test_cells_with_equal_requests_and_other_predictions_are_compared(tmp_path: Path) -> None:
    ablation = ablate(tmp_path / "grid", k=[1, 2, 3], retriever="bm25", model="extractive:max_input_tokens=12")
    assert ablation.cells[2].same_as == "k=2"
    file = ablation.cells[2].folder / "predictions.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    lines[0]["prediction"] = "another answer to the same request"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    resealed(file.parent)
    again = ablation_file.read(tmp_path / "grid")
    assert again.cells[2].same_as is None
    assert list(again.cells[2].differences) == ["f1"]


class Pieces(Chunker):
    """Chunks of `size` characters; no dataclass, so a record has its name only."""

    def __init__(self, size: int) -> None:
        self.size = size

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        edges = [*range(0, len(text), self.size), len(text)]
        return [Chunk(text[start:end], start, end) for start, end in pairwise(edges)]


def test_objects_with_equal_descriptions_have_runs_of_their_own(tmp_path: Path) -> None:
    grid = [{"name": "small", "chunker": Pieces(20)}, {"name": "large", "chunker": Pieces(50)}]
    for _ in range(2):  # the second time from what is there
        small, large = ablate(tmp_path / "grid", grid=grid, chunker=None, k=1).cells
        assert small.folder != large.folder
        for cell, size in ((small, 20), (large, 50)):
            (first, *_) = finished_run(cell.folder).predictions
            assert first.selected[0][1] - first.selected[0][0] == size


def test_objects_with_equal_descriptions_in_a_list_have_to_be_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r'Pieces twice: leave one out; objects .* get names: grid=\[\{"name": "ours"'):
        ablate(tmp_path / "grid", chunker=[Pieces(20), Pieces(50)])


def test_an_error_of_every_cell_is_raised_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^no cell can run: there is no 'nowhere'"):
        ablate(tmp_path / "grid", data=str(tmp_path / "nowhere"), k=[1, 2])


def test_a_wrong_baseline_is_refused_in_the_plan() -> None:
    with pytest.raises(UserError, match=r"unknown baseline 'k=7'"):
        pipelines.plan_ablation("qa", data=data(), model="extractive", k=[1, 2], baseline="k=7")
    assert pipelines.plan_ablation("qa", data=data(), model="extractive", k=[1, 2]).baseline == "k=1"


def test_a_folder_that_holds_something_else_is_refused_and_unchanged(tmp_path: Path) -> None:
    ablate(tmp_path / "grid", k=[1, 2])
    file = tmp_path / "grid" / "ablation.json"
    before = file.read_text()
    with pytest.raises(UserError, match=r"grid holds an ablation of qa, not of narrativeqa: .* out="):
        pipelines.ablate("narrativeqa", data="sample", model="extractive", k=[1, 2], out=tmp_path / "grid")
    file.write_text(newer := checked_json.dumps(json.loads(before) | {"format": 99}))
    with pytest.raises(UserError, match="upgrade longdoc"):
        ablate(tmp_path / "grid", k=[1, 2, 3])
    assert file.read_text() == newer
    file.write_text("{")  # damaged: written anew
    assert ablate(tmp_path / "grid", k=[1, 2]).cells[0].scores
    with pytest.raises(UserError, match=r"holds a run; an ablation needs a folder of its own"):
        ablate(next((tmp_path / "grid" / "runs").iterdir()), k=[1, 2])
    with pytest.raises(UserError, match=r"is a file; an ablation needs a folder"):
        ablate(file, k=[1, 2])


def test_a_run_of_a_newer_version_fails_its_cell_alone(tmp_path: Path) -> None:
    first = ablate(tmp_path / "grid", k=[1, 2]).cells[0].folder / "run.json"
    first.write_text(checked_json.dumps(json.loads(first.read_text()) | {"format": 99}))
    old, new = ablate(tmp_path / "grid", k=[1, 2]).cells
    assert "upgrade longdoc" in old.error
    assert new.scores


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    with locked(tmp_path / "grid"), pytest.raises(UserError, match="another process is running the ablation"):
        ablate(tmp_path / "grid", k=[1, 2])


@dataclass(frozen=True)
class Refuses(Reader):
    """A reader without an answer where a prompt has `word`."""

    word: str = "Lisbon"
    supports = frozenset({Generate})
    max_input_tokens: int | None = None

    def count(self, texts: Any) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Any) -> list[Reply]:
        return [
            Reply.failed("no answer today") if self.word in request.prompt.text else Reply("x") for request in requests
        ]


def test_failed_examples_are_reported_and_their_cell_is_not_finished(tmp_path: Path) -> None:
    ablation = ablate(tmp_path / "grid", k=[3], retriever=["bm25", "first"], model=Refuses())
    assert [len(cell.failures) for cell in ablation.cells] == [1, 1]
    assert ablation.warnings[-1].startswith(
        "k=3, retriever=first has no prediction for 1 of 4 examples; the first, d2-0: no answer today."
    )
    plan = pipelines.plan_ablation(
        "qa", data=data(), chunker="sentences:size=8", metrics=["f1"], k=[3], retriever=["bm25", "first"],
        model=Refuses(), out=tmp_path / "grid",
    )  # fmt: skip
    assert [cell.state for cell in plan.cells] == ["begun", "begun"]


def test_a_baseline_alone_prints_no_comparison(tmp_path: Path) -> None:
    assert ablate(tmp_path / "grid", retriever=["first", "nope"], k=1).warnings == ()
    (warning,) = ablate(tmp_path / "grid", retriever=["first", "bm25"], k=1).warnings
    assert warning == ("with 3 documents no p can come out below 0.25: compare over more documents")


def test_an_ablation_of_a_newer_version_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    ablate(tmp_path / "grid", k=[1, 2])
    file = tmp_path / "grid" / "ablation.json"
    record = json.loads(file.read_text())
    file.write_text(checked_json.dumps(record | {"format": 99}))
    with pytest.raises(UserError, match="upgrade longdoc"):
        ablation_file.read(tmp_path / "grid")
    file.write_text("{")
    with pytest.raises(UserError, match="is damaged"):
        ablation_file.read(tmp_path / "grid")
    with pytest.raises(UserError, match="is not an ablation's folder"):
        ablation_file.read(tmp_path)


def test_a_cell_over_other_examples_is_not_compared_with_the_baseline(tmp_path: Path) -> None:
    ablation = ablate(tmp_path / "grid", sample=[4, 2], k=1)
    assert ablation.cells[1].differences == {}
    assert ablation.warnings[0] == "sample=2 is not compared with the baseline: other sample: 4 against 2"
    assert ablation.cells[1].scores.no_interval == {"f1": "2 documents: no interval; at least 5 are needed"}


def test_cells_with_another_limit_or_other_metrics_have_folders_of_their_own_and_are_compared(tmp_path: Path) -> None:
    ablation = ablate(tmp_path / "grid", limit=[4, 2], k=1)
    assert [cell.counts.examples for cell in ablation.cells] == [4, 2]
    assert len({cell.folder for cell in ablation.cells}) == 2
    assert ablation.cells[1].differences["f1"].ties == 2
    warning = "limit=2: another limit than the baseline's; differences are over the examples that both have"
    assert warning in ablation.warnings
    grid = [{"name": "one", "metrics": ["f1"]}, {"name": "two", "metrics": ["f1", "exact_match"]}]
    ablation = ablate(tmp_path / "two", grid=grid, k=1, metrics=None)
    assert [list(cell.scores) for cell in ablation.cells] == [["f1"], ["f1", "exact_match"]]


def test_an_ablation_with_a_larger_limit_or_further_metrics_asks_only_what_is_new(tmp_path: Path) -> None:
    ablate(tmp_path / "grid", k=[1, 2], limit=2)
    for limit, state, requests in ((3, "begun", 2), (1, "finished", 0), (None, "begun", 2 * len(data()) - 4)):
        plan = pipelines.plan_ablation("qa", out=tmp_path / "grid", k=[1, 2], limit=limit, **ARGUMENTS)
        assert [cell.state for cell in plan.cells] == [state] * 2
        assert plan.estimate.requests == requests
    ablation = ablate(tmp_path / "grid", k=[1, 2], limit=3, metrics=["f1", "exact_match"])
    assert [(cell.counts.examples, list(cell.scores)) for cell in ablation.cells] == [(3, ["f1", "exact_match"])] * 2
    for cell in ablation.cells:
        lines = (cell.folder / "requests.jsonl").read_text().splitlines()
        assert [json.loads(line)["start"] for line in lines] == [0, 0, 1]


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        pytest.param(["--limit", "1,2"], ["limit=1", "limit=2"], id="counts"),
        pytest.param(["--sample", "1", "--sample", "2"], ["sample=1", "sample=2"], id="given twice"),
        pytest.param(["--data", "sample", "--data", "rows.jsonl"], ["data=sample", "data=rows.jsonl"], id="places"),
    ],
)
def test_an_option_given_several_times_is_an_axis(
    words: list[str], cells: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    row = {"id": "1", "document": TEXTS["d1"], "question": "Who kept a lamp?", "answers": ["Anna"]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    data_words = [] if "--data" in words else ["--data", "sample"]
    app(
        ["ablate", "narrativeqa", "--model", "extractive", *data_words, *words, "--dry-run", "--json"],
        standalone_mode=False,
    )
    assert [cell["name"] for cell in json.loads(capsys.readouterr().out)["cells"]] == cells


def test_encoders_that_take_turns_are_loaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from models.encoders import sentence_transformer

    loaded: list[str] = []

    class Counted:
        limit = None

        def __init__(self, path: Path, devices: tuple[str, ...], dtype: str) -> None:
            loaded.append(path.name)

        def encode(self, texts: list[str], kind: str, prefix: str | None, batch_tokens: int) -> Any:
            return np.ones((len(texts), 2), np.float32)

        def split(self, texts: list[str], kind: str, prefix: str | None) -> Any:
            return [sentence_transformer.Split(1, 0, ((0, len(text)),)) for text in texts]

    monkeypatch.setattr(sentence_transformer, "Network", Counted)
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    sentence_transformer._loaded.cache_clear()
    names = [f"encoder{number}" for number in range(4)]
    for name in names:
        (tmp_path / name).mkdir()
        for file in sentence_transformer.find("minilm", None).path.iterdir():
            (tmp_path / name / file.name).symlink_to(file)
    try:
        with follow_links():  # to the packaged model's files
            ablation = ablate(tmp_path / "grid", retriever=[f"dense:model={tmp_path / name}" for name in names], k=1)
    finally:
        sentence_transformer._loaded.cache_clear()
    assert [cell.error for cell in ablation.cells] == [None] * 4
    assert sorted(loaded) == names


@pytest.mark.slow
def test_an_ablation_killed_at_any_moment_resumes_and_asks_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(dying_reader.SOURCE, encoding="utf-8")
    rows = [
        {"id": example.id, "document": example.document.text, "question": example.query, "answers": ["x"]}
        for example in data()
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = [
        sys.executable, "-m", "longdoc", "ablate", "qa", "--data", "rows.jsonl", "--model", "killed:Dies",
        "--chunker", "sentences:size=8", "-k", "1,2", "--retriever", "bm25", "--retriever", "first", "--metric", "f1",
    ]  # fmt: skip
    environment = os.environ | {"PYTHONPATH": str(Path.cwd())}
    for dies in ("5", "3", ""):
        process = subprocess.run(
            [*command, "--out", "grid"], cwd=tmp_path, env=environment | {"DIES": dies}, capture_output=True, text=True
        )
        assert (process.returncode, process.stderr[-300:] if process.returncode not in (0, 9) else "") == (
            9 if dies else 0,
            "",
        )
    resumed = (tmp_path / "asked.txt").read_text()
    (tmp_path / "asked.txt").unlink()
    subprocess.run([*command, "--out", "whole"], cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert resumed == (tmp_path / "asked.txt").read_text()
    for file in sorted((tmp_path / "whole").rglob("*.json*")):
        if file.name not in ("journal.jsonl", "requests.jsonl", "run.json"):  # times, order of arrival, the command
            again = (tmp_path / "grid" / file.relative_to(tmp_path / "whole")).read_bytes()
            if file.name == "ablation.json":  # the command, and so the checksum
                again = checked_json.dumps(json.loads(again.replace(b"--out grid", b"--out whole"))).encode()
            assert again == file.read_bytes()


def test_another_command_alone_leaves_the_record_and_so_the_page(tmp_path: Path) -> None:
    def command_after(command: str, **arguments: Any) -> str:
        token = interruption_note.typed_command.set(command)
        try:
            ablate(tmp_path / "grid", **arguments)
        finally:
            interruption_note.typed_command.reset(token)
        return json.loads((tmp_path / "grid" / "ablation.json").read_text())["command"]

    assert command_after("longdoc ablate qa", k=[1, 2]) == "longdoc ablate qa"
    page = tmp_path / "grid" / "report.html"
    assert command_after("longdoc ablate qa --no-report", k=[1, 2], report=False) == "longdoc ablate qa"
    assert page.is_file()
    assert (
        command_after("longdoc ablate qa -k 3 --no-report", k=[1, 2, 3], report=False)
        == "longdoc ablate qa -k 3 --no-report"
    )
    assert not page.exists()
