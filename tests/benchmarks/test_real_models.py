"""Cells of real models: their file names, their outputs, their tables and plots."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from benchmarks.real_models import outputs
from benchmarks.real_models.cells import SETS, STRATEGIES, WAYS, Cell, cells
from benchmarks.real_models.outputs import Output
from benchmarks.real_models.plot import plots
from benchmarks.real_models.tables import answers_of, nearest, tables
from pipelines.records import Document, Example

TEXT = "Anna Berg built the mill. Cows eat grass. Anna Berg was born in Oslo. Rain fell on the hills."
SENTENCE = "Anna Berg was born in Oslo."
SPAN = (TEXT.index(SENTENCE), TEXT.index(SENTENCE) + len(SENTENCE))
EXAMPLES = [
    Example(f"q{i}", Document(f"d{i}", TEXT), "Where was Anna Berg born?", ("Oslo",), evidence=(SPAN,))
    for i in range(6)
]
READER = {"name": "extractive"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(outputs, "FOLDER", tmp_path / "outputs")
    return tmp_path / "outputs"


def test_every_cell_is_found_by_its_file_name() -> None:
    strategy_cells = [Cell("HotpotQA", way, 60) for way in STRATEGIES] + [Cell("How often", "map count", None)]
    for cell in [*(cell for name in SETS for cell in cells(name)), *strategy_cells]:
        assert Cell.named(cell.file_name) == cell


def test_a_strategy_has_the_arguments_of_the_way_that_it_is_compared_with() -> None:
    assert Cell.named("hotpotqa-iterative-130").arguments == {
        **WAYS["bm25 sentences"], "strategy": "iterative", "budget": "130 words",
    }  # fmt: skip
    assert Cell.named("how_many_different-map_count").arguments["strategy"] == "map:count,total=distinct"


def test_each_question_of_a_cell_is_asked_once_and_its_run_is_kept(folder: Path) -> None:
    cell, runs = Cell("HotpotQA", "bm25 sentences", 8), folder.parent / "runs"
    outputs.ask("m", READER, cell, EXAMPLES[:2], runs)
    outputs.ask("m", READER, cell, EXAMPLES, runs)
    assert list(outputs.kept_outputs("m", cell)) == [f"q{i}" for i in range(6)]
    assert sorted(path.name for path in (runs / "m").iterdir()) == [f"hotpotqa-bm25_sentences-8-{n}" for n in (0, 2)]
    assert outputs.asked_cells("m") == [cell]


def test_a_strategy_is_compared_with_the_cell_whose_prompt_tokens_are_nearest() -> None:
    for name in ("hotpotqa-bm25_sentences-8", "hotpotqa-bm25_sentences-16", "hotpotqa-iterative-8"):
        outputs.ask("m", READER, Cell.named(name), EXAMPLES)
    outputs.ask("m", READER, Cell.named("hotpotqa-bm25_sentences-12"), EXAMPLES[:3])
    sets = {"HotpotQA": EXAMPLES}
    all_answers = answers_of("m", sets)
    iterative = next(one for one in all_answers if one.cell.way == "iterative")
    plain = nearest(iterative, all_answers, "bm25 sentences")
    assert plain is not None and plain.cell.budget == 16
    ways, _, strategies = tables("m", all_answers).split("\n\n")[1:]
    assert [line.count("|") for line in ways.splitlines()] == [13] * 5
    row = next(line for line in strategies.splitlines() if line.startswith("| HotpotQA"))
    assert row.startswith("| HotpotQA | iterative | 8 | 6 | 2.0 |") and "| bm25 sentences |" in row


def test_outputs_of_a_strategy_that_was_removed_are_still_scored(folder: Path) -> None:
    outputs.ask("m", READER, Cell.named("hotpotqa-bm25_sentences-8"), EXAMPLES)
    lines = [json.dumps(asdict(Output(one.id, "Oslo", "", 900, 0, 0, 0, 3))) for one in EXAMPLES]
    (folder / "m" / "hotpotqa-agent-60.jsonl").write_text("\n".join(lines), encoding="utf-8")
    strategies = tables("m", answers_of("m", {"HotpotQA": EXAMPLES})).split("\n\n")[-1]
    assert strategies.splitlines()[-1].startswith("| HotpotQA | agent | 60 | 6 | 3.0 | 900 | – | 100.0 ")


def test_answers_with_all_the_evidence_shown_are_scored_apart_from_the_others() -> None:
    for name in ("hotpotqa-bm25_sentences-8", "hotpotqa-first-8", "hotpotqa-oracle-8"):
        outputs.ask("m", READER, Cell.named(name), EXAMPLES)
    evidence = tables("m", answers_of("m", {"HotpotQA": EXAMPLES})).split("\n\n")[2]
    first, sentences = (line.split(" | ") for line in evidence.splitlines()[2:])
    assert (first[1:4], first[6]) == (["first", "8", "0"], "6")
    assert (sentences[1:4], sentences[6]) == (["bm25 sentences", "8", "6"], "0")
    assert sentences[5].startswith("+0.0")


def test_questions_of_two_hops_are_scored_apart_from_those_of_more() -> None:
    examples = [replace(one, id=f"{hops}hop__{one.id}") for one, hops in zip(EXAMPLES, "222234", strict=True)]
    for name in ("musique-bm25-8", "musique-bm25_sentences-8"):
        outputs.ask("m", READER, Cell.named(name), examples)
    by_hops = tables("m", answers_of("m", {"MuSiQue": examples})).split("\n\n")[3]
    rows = [line.split(" | ") for line in by_hops.splitlines()[2:]]
    assert [row[1:5] for row in rows] == [
        [way, "8", hops, n] for way in ("bm25", "bm25 sentences") for hops, n in (("2", "4"), ("3 and 4", "2"))
    ]
    assert [row[6][:5] for row in rows] == ["–", "–", "+100.", "+100."]


def test_a_set_that_was_asked_at_several_budgets_has_a_plot(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("hotpotqa-bm25-8", "hotpotqa-closed_book"):
        outputs.ask("m", READER, Cell.named(name), EXAMPLES)
    plots(folder.parent, "m", answers_of("m", {"HotpotQA": EXAMPLES}))
    assert not list(folder.parent.glob("*.svg"))
    outputs.ask("m", READER, Cell.named("hotpotqa-bm25-16"), EXAMPLES)
    plots(folder.parent, "m", answers_of("m", {"HotpotQA": EXAMPLES}))
    assert [path.name for path in folder.parent.glob("*.svg")] == ["m-hotpotqa.svg"]


def test_a_recipe_of_muld_has_a_table_with_its_own_scores() -> None:
    outputs.ask("m", READER, Cell.named("hotpotqa-recipe"), EXAMPLES)
    recipes = tables("m", answers_of("m", {"HotpotQA": EXAMPLES})).split("\n\n")[1]
    row = "| HotpotQA | 6 | bleu-1 100.0, bleu-4 0.0, rouge-l 100.0, meteor 50.0 | 1.0 | 24 |"
    assert recipes.splitlines()[-1].startswith(row)
