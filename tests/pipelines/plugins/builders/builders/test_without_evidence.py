"""Twins: questions without their evidence, the text that is taken out, and questions without a twin."""

from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import sources, tasks
from pipelines.plugins.builders.builder import Built
from pipelines.plugins.builders.builders.without_evidence import text_without
from tests.pipelines.plugins.builders import small_sources

TEXT = "Anna lives in Bergen. She keeps bees. Her brother is a pilot.\n\nThe house is red."


def span(text: str, part: str) -> list[int]:
    return [text.index(part), text.index(part) + len(part)]


def build_twins(tmp_path: Path, *rows: dict[str, Any], **fields: Any) -> Built:
    questions = [{"document": TEXT, "question": "Who?", "id": f"q{number}", **row} for number, row in enumerate(rows)]
    source = small_sources.jsonl(tmp_path / "rows.jsonl", questions)
    return pipelines.build("without_evidence", source, out=tmp_path / "set", **fields)


def letter_count(text: str) -> int:
    return len("".join(text.split()))


BEES = {"question": "What does she keep?", "answers": ["bees"], "evidence": [span(TEXT, "She keeps bees.")]}


def test_a_twin_lacks_its_evidence_and_nothing_else(tmp_path: Path) -> None:
    (row,) = small_sources.read(build_twins(tmp_path, BEES).folder / "test.jsonl")
    assert row["document"] == "Anna lives in Bergen. Her brother is a pilot.\n\nThe house is red."
    assert (row["id"], row["question"], row["unanswerable"]) == ("q0-without-evidence", "What does she keep?", True)
    assert row["metadata"]["taken_out"] == [[22, 37]]
    assert (row["metadata"]["question"], row["metadata"]["references"]) == ("q0", ["bees"])


@pytest.mark.parametrize(
    ("text", "part", "left"),
    [
        ("A b. C d. E f.", "C d.", "A b. E f."),
        ("Title\nC d.\n\nNext\nE f.", "C d.", "Title\n\nNext\nE f."),
        ("C d. E f.", "C d.", "E f."),
        ("A b. C d.", "C d.", "A b."),
        ("(a) one; (b) two; (c) three", "(b) two; ", "(a) one; (c) three"),
        ("A b.C d.E f.", "C d.", "A b.E f."),
        ("C d.", "C d.", ""),
    ],
)
def test_white_space_stays_on_one_side_of_a_removed_part(text: str, part: str, left: str) -> None:
    start, end = span(text, part)
    assert text_without(text, [(start, end)]) == left


def test_several_spans_are_taken_out_at_once() -> None:
    assert text_without("a b c d e f", [(2, 3), (6, 7)]) == "a c e f"


def test_the_unit_widens_an_annotation_to_its_sentence_or_paragraph(tmp_path: Path) -> None:
    row = {**BEES, "evidence": [span(TEXT, "bees")]}
    texts = []
    for unit in ("span", "sentence", "paragraph"):
        (tmp_path / unit).mkdir()
        (twin,) = small_sources.read(build_twins(tmp_path / unit, row, unit=unit).folder / "test.jsonl")
        texts.append(twin["document"])
    assert texts == [
        "Anna lives in Bergen. She keeps . Her brother is a pilot.\n\nThe house is red.",
        "Anna lives in Bergen. Her brother is a pilot.\n\nThe house is red.",
        "The house is red.",
    ]


def test_questions_without_a_twin_are_counted(tmp_path: Path) -> None:
    manifest = build_twins(
        tmp_path,
        BEES,
        {"answers": ["a pilot"], "evidence": [span(TEXT, "She keeps bees.")]},
        {"answers": ["bees"]},
        {"answers": ["bees"], "evidence": [[0, len(TEXT)]]},
        {"answers": [], "evidence": [[0, 5]]},
        {"unanswerable": True, "evidence": [[0, 5]]},
        {"answers": ["bees"], "evidence": ["Nowhere in the text is this whole sentence at all."]},
        {"document": "Bees.", "answers": ["bees"], "evidence": [[0, 4]]},
        unit="sentence",
    ).manifest
    assert (manifest["read"], manifest["kept"]) == (8, 1)
    assert manifest["dropped"] == {
        "questions some of whose evidence is not in their document": 1,
        "questions whose evidence is the whole document": 2,
        "questions without an answer": 2,
        "questions without gold evidence": 1,
        "twins in whose text a reference still stands": 1,
    }


def test_a_source_without_evidence_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^no row is left of 1: questions without gold evidence: 1$"):
        build_twins(tmp_path, {"answers": ["bees"]})


def test_a_task_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^scrolls/gov_report asks no question, so it has no evidence"):
        build_twins(tmp_path, BEES, task="scrolls/gov_report")


def test_with_originals_the_set_has_the_original_questions_too(tmp_path: Path) -> None:
    folder = build_twins(tmp_path, BEES, originals=True).folder
    examples = {example.id: example for example in sources.load("qa", tasks.get("qa").dataset, folder).examples()}
    assert list(examples) == ["q0-without-evidence", "q0"]
    assert (examples["q0"].document.text, examples["q0"].references) == (TEXT, ("bees",))
    assert examples["q0"].evidence == (tuple(span(TEXT, "She keeps bees.")),)


def test_an_option_that_refuses_is_the_answer_of_a_twin(tmp_path: Path) -> None:
    row = {**BEES, "answers": ["Entailment"], "options": ["Entailment", "Contradiction", "Not mentioned"]}
    folder = build_twins(tmp_path, row).folder
    (example,) = sources.load("qa", tasks.get("qa").dataset, folder).examples()
    assert example.references == ("Not mentioned",)


def test_a_run_over_twins_says_how_many_are_answered_anyway(tmp_path: Path) -> None:
    folder = build_twins(tmp_path, BEES, {**BEES, "question": "What does Anna keep in the house?"}).folder
    result = pipelines.run("qa", data=folder, model="constant:bees", out=tmp_path / "run")
    line = "2 of 2 questions have no answer (right: 'Unanswerable')"
    notes = [note for note in str(result).split("\n  ") if note.startswith(line)]
    assert ["; the model answered all of them" in note for note in notes] == [True]
    result = pipelines.run("qa", data=folder, model="constant:Unanswerable", out=tmp_path / "refusing")
    assert "; the model answered none of them" in str(result)


def test_versus_has_a_column_for_questions_answered_anyway(tmp_path: Path) -> None:
    folder = build_twins(tmp_path, BEES).folder
    table = pipelines.versus("qa", data=folder, model="constant:bees", budget=["5 words"], out=tmp_path / "versus")
    assert {condition.answers_anyway for condition in table.ways} == {100.0}
    assert "answers anyway" in str(table)


def test_evidence_counts_twins_and_says_which_command_reads_them(tmp_path: Path) -> None:
    line = "1 of {} have no answer; longdoc versus qa --data PATH --model MODEL says how many"
    options: dict[str, Any] = {"chunker": "units:of=sentence", "retriever": "bm25", "budget": "5 words"}
    with pytest.raises(UserError, match=f"^no example of qa has gold evidence; {line.format('1 question')}"):
        pipelines.evidence("qa", data=build_twins(tmp_path, BEES).folder, **options)
    table = pipelines.evidence("qa", data=build_twins(tmp_path / "both", BEES, originals=True).folder, **options)
    assert table.warnings == (f"qa: {line.format('2 questions')} a model answers anyway",)


@pytest.mark.parametrize(
    ("task", "file", "kept", "read"),
    [
        ("hotpotqa", "hotpotqa/hotpot_distractor_80.jsonl", 37, 80),
        ("zero_scrolls/musique", "musique/musique_80.jsonl", 52, 80),
        ("scrolls/contract_nli", "contract_nli/dev.json", 614, 1037),
    ],
)
def test_twins_of_published_questions_lose_their_evidence_alone(
    realdata: Path, task: str, file: str, kept: int, read: int, tmp_path: Path
) -> None:
    set_ = pipelines.build("without_evidence", realdata / file, out=tmp_path / "set", task=task, split="validation")
    assert (set_.manifest["kept"], set_.manifest["read"]) == (kept, read)
    info = tasks.get(task)
    originals = {
        example.id: example for example in sources.load(task, info.dataset, realdata / file, "validation").examples()
    }
    for twin in sources.load(task, info.dataset, set_.folder, "validation").examples():
        original = originals[twin.id.removesuffix("-without-evidence")]
        spans = twin.meta["metadata"]["taken_out"]
        removed_letters = sum(letter_count(original.document.text[start:end]) for start, end in spans)
        assert letter_count(original.document.text) - letter_count(twin.document.text) == removed_letters > 0
