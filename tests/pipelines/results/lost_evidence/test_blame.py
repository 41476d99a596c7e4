"""Where gold evidence is lost, by the counts in a run's predictions."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.records import Document, Example
from pipelines.results.lost_evidence.stages import LosingExample, RunStages, Stage
from tests.resealed import resealed

TEXT = "Anna keeps bees. Bert mends clocks. Carla paints ships."
DOCUMENT = Document("d", TEXT)


def example(id: str, evidence: str = "", reference: str = "Anna", **meta: Any) -> Example:
    start = TEXT.index(evidence)
    spans = ((start, start + len(evidence)),) if evidence else ()
    return Example(id, DOCUMENT, f"Who is {id}?", (reference,), evidence=spans, meta=meta)


EXAMPLES = [
    example("shown", "Anna keeps bees."),
    example("cut", "Bert mends clocks.", "Bert"),
    example("low", "Carla paints ships.", "Carla"),
    example("lacking", reference="Dora", evidence_missing=2),
    example("none"),
    example("unseen", reference="Carla"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The first five words are shown: the first sentence, and two words of the second."""
    arguments: dict[str, Any] = {
        "chunker": "units:of=sentence",
        "retriever": "first",
        "budget": "5 words",
        "model": "lead:words=5",
    }
    arguments |= {"metrics": ["f1", "answer_recall", "evidence_recall"], "report": False}
    return pipelines.run("qa", data=EXAMPLES, out=tmp_path / "run", **arguments).folder


def stages_of(folder: Path, **arguments: Any) -> RunStages:
    (run_stages,) = pipelines.blame(folder, **arguments).runs
    return run_stages


def test_evidence_in_more_chunks_than_k_is_lost_to_the_budget_not_to_ranking(tmp_path: Path) -> None:
    both = Example("both", DOCUMENT, "Who?", ("Anna",), evidence=((0, 16), (17, 35)))
    low = example("low", "Carla paints ships.", "Carla")
    arguments: dict[str, Any] = {"chunker": "units:of=sentence", "retriever": "first", "k": 1, "model": "lead"}
    folder = pipelines.run("qa", data=[both, low], out=tmp_path / "run", report=False, **arguments).folder
    losing = {stage.name: stage.losing for stage in stages_of(folder).stages}
    assert losing == {"document": 0, "chunks": 0, "budget": 1, "ranked": 2, "selected": 0, "shown": 0}
    (of_budget,) = stages_of(folder, stage="budget").losing
    assert (of_budget.id, of_budget.lost) == ("both", pytest.approx(100 * 14 / 30))


def test_each_stage_has_what_is_left_of_the_evidence_and_the_examples_that_lose_some(folder: Path) -> None:
    run_stages = stages_of(folder)
    assert (run_stages.run.examples, run_stages.with_evidence, run_stages.missing) == (6, 4, 2)
    assert run_stages.stages == [
        Stage("document", 100.0, 47, 3, 1),
        Stage("chunks", 100.0, 47, 3, 0),
        Stage("budget", 100.0, 47, 3, 0),
        Stage("ranked", pytest.approx(200 / 3), 30, 2, 1),
        Stage("selected", pytest.approx((100 + 56.25) / 3), 23, 1, 1),
        Stage("shown", pytest.approx((100 + 56.25) / 3), 23, 1, 0),
    ]


def test_of_more_evidence_than_the_budget_holds_the_budget_loses_the_rest_and_not_the_ranking(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"chunker": "units:of=sentence", "retriever": "first", "model": "lead", "report": False}
    data = [example("all", TEXT), example("low", "Carla paints ships.")]
    run = pipelines.run("qa", data=data, budget="5 words", out=tmp_path / "run", **arguments)
    (one, two) = run.predictions
    assert (one.evidence["in_chunks"], one.evidence["budget"], two.evidence["budget"]) == (47, 23, 17)
    lost = {stage.name: stage.losing for stage in stages_of(run.folder).stages}
    assert lost == {
        "document": 0,
        "chunks": 0,
        "budget": 1,
        "ranked": 1,
        "selected": 0,
        "shown": 0,
    }
    stage_of_example = {one.id: one.stage for one in stages_of(run.folder).losing}
    assert stage_of_example["low"] == "ranked"
    assert [one.id for one in stages_of(run.folder, stage="budget").losing] == ["all"]
    assert "\n\nmore than the budget holds: 1 example\n" in str(pipelines.blame(run.folder))


def test_a_run_from_before_the_budget_was_counted_loses_nothing_to_it(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line.get("evidence", {}).pop("budget", None)
    (folder / "predictions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    resealed(folder)
    assert [(stage.name, stage.characters) for stage in stages_of(folder).stages[1:4]] == [
        ("chunks", 47), ("budget", 47), ("ranked", 30),
    ]  # fmt: skip


def test_examples_are_listed_with_what_they_lose_and_where_their_chunks_rank(folder: Path) -> None:
    by_stage = {one.stage: one for one in stages_of(folder).losing}
    assert by_stage["ranked"] == LosingExample("ranked", "low", "d", "Who is low?", 100.0, 0, 1, 3, 3, 2, 0.0)
    assert by_stage["selected"].lost == 43.75
    assert "  cut  44% lost, rank 2, 2 taken  Who is cut?\n" in str(pipelines.blame(folder))
    assert (by_stage["document"].id, by_stage["document"].missing, by_stage["document"].lost) == ("lacking", 2, None)


def test_answers_are_told_apart_by_how_much_evidence_was_shown(folder: Path) -> None:
    groups = {group.shown: group for group in stages_of(folder).answers}
    assert {name: group.examples for name, group in groups.items()} == {"all": 1, "part": 1, "none": 2}
    assert stages_of(folder).primary_metric == "f1"
    assert (groups["all"].score, groups["all"].right, groups["all"].answer_recall) == (pytest.approx(100 / 3), 0, 100.0)
    assert (groups["none"].score, groups["none"].answer_recall) == (0.0, 0.0)


def test_an_example_answered_wrong_with_all_evidence_shown_is_behind_the_answers(folder: Path) -> None:
    assert [example.id for example in stages_of(folder, stage="answered").losing] == ["shown"]


def test_examples_without_gold_evidence_are_judged_by_the_text_of_the_answer(folder: Path) -> None:
    text = stages_of(folder).text
    assert text is not None
    assert (text.examples, text.in_document, text.in_shown_text) == (2, 100.0, 50.0)
    assert (text.lost, text.score, text.score_without) == (1, pytest.approx(100 / 3), 0.0)
    assert [one.id for one in stages_of(folder, stage="text").losing] == ["unseen"]


def test_answer_recall_with_arguments_is_answer_recall_too(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"metrics": ["f1", "answer_recall:unicode"], "report": False, "out": tmp_path / "run"}
    folder = pipelines.run("qa", data=[example("none")], model="lead", **arguments).folder
    text = stages_of(folder).text
    assert text is not None
    assert (text.examples, text.in_shown_text, text.score_without) == (1, 100.0, None)
    assert "not shown" not in str(stages_of(folder))


def test_stage_and_limit_choose_what_is_listed(folder: Path) -> None:
    assert [one.stage for one in stages_of(folder, stage="ranked").losing] == ["ranked"]
    assert stages_of(folder, limit=0).losing == []
    with pytest.raises(UserError, match=r"unknown stage 'rank'; did you mean ranked\?"):
        pipelines.blame(folder, stage="rank")
    with pytest.raises(UserError, match="unknown score of single examples 'f2'"):
        pipelines.blame(folder, primary_metric="f2")


def test_the_text_has_a_bar_for_each_stage_and_says_how_to_see_more(folder: Path) -> None:
    text = str(pipelines.blame(folder))
    assert "  4 of 6 examples have gold evidence; 2 of its spans are not in the documents\n" in text
    assert f"  in chunks ranked high enough   66.7%          2          1  {'█' * 7}\n" in text
    assert text.endswith(f"in {folder}; one example: longdoc show {folder} ID")


def test_several_runs_stand_side_by_side(folder: Path, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"chunker": "whole", "model": "none", "out": tmp_path / "whole", "report": False}
    whole = pipelines.run("qa", data=EXAMPLES, **arguments).folder
    text = str(pipelines.blame(folder, whole))
    assert "  in chunks ranked high enough   66.7%  100.0%\n" in text
    assert f"  run 2: {whole}: whole → all → select_only → no_reader\n" in text
    assert text.splitlines()[-2:] == [f"  in {run}; one example: longdoc show {run} ID" for run in (folder, whole)]
    assert stages_of(whole).primary_metric == "", "no model was asked"
    assert all(group.score is None for group in stages_of(whole).answers)


def test_evidence_that_truncation_cuts_is_lost_at_the_stage_shown(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"chunker": "whole", "model": "extractive:max_input_tokens=8", "metrics": ["f1"]}
    run = pipelines.run("qa", data=EXAMPLES, out=tmp_path / "run", report=False, **arguments)
    stages = {stage.name: stage for stage in stages_of(run.folder).stages}
    assert stages["selected"].share == 100.0
    assert stages["shown"].share < 100.0
    assert stages["shown"].losing > 0


def test_evidence_of_white_space_alone_does_not_count(tmp_path: Path) -> None:
    blank = Example("blank", DOCUMENT, "Who?", ("Anna",), evidence=((4, 5),))
    run = pipelines.run("qa", data=[blank, EXAMPLES[0]], model="lead", out=tmp_path / "run", report=False)
    assert stages_of(run.folder).with_evidence == 1


def test_an_old_run_and_a_run_without_anything_to_judge_by_are_refused(folder: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (folder / "predictions.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        del line["evidence"], line["statistics"]["answer_recall"]
    (folder / "predictions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    resealed(folder)
    with pytest.raises(UserError, match="does not record where evidence is lost: an older longdoc wrote it; run it"):
        pipelines.blame(folder)
    bare = pipelines.run("qa", data=[EXAMPLES[4]], model="lead", metrics=["f1"], out=tmp_path / "bare", report=False)
    with pytest.raises(UserError, match=f"longdoc score {bare.folder} --metric answer_recall adds it"):
        pipelines.blame(bare.folder)


def test_an_ablation_is_refused_with_the_command_that_fits(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {
        "data": EXAMPLES,
        "model": "lead",
        "retriever": ["first", "last"],
        "out": tmp_path / "axes",
    }
    ablation = pipelines.ablate("qa", metrics=["f1"], **arguments)
    with pytest.raises(UserError, match=r"is an ablation: name one of its runs, as longdoc blame .*/runs/\w+; all of"):
        pipelines.blame(ablation.folder)
