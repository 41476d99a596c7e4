"""Originals as SCROLLS has them: what is cut or left out, with which warnings, and what stays as it is."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.benchmarks.muld import tasks as muld
from pipelines.benchmarks.scrolls import tasks as scrolls
from pipelines.benchmarks.zero_scrolls import tasks as zero_scrolls

LONG = "We read long papers. " * 500
LICENSED = (
    "Licence\n*** START OF THIS PROJECT GUTENBERG EBOOK A ***\nAnna woke.\n*** END OF THE PROJECT GUTENBERG EBOOK"
)
DATASETS = [scrolls.DATASETS, zero_scrolls.DATASETS]


def load(facts: sources.DatasetInfo, folder: Path, *rows: dict[str, Any]) -> sources.Dataset:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return sources.load("t", facts, path, "validation")


def paper(name: str, body: str, *evidence: str) -> dict[str, Any]:
    answer = {"extractive_spans": ["long"], "evidence": list(evidence)}
    question = {"question": "How?", "question_id": f"q-{name}", "answers": [{"answer": answer}]}
    sections = [{"section_name": "Introduction", "paragraphs": [body]}]
    return {"id": name, "title": "On papers", "abstract": "They are long.", "full_text": sections, "qas": [question]}


def story(text: str) -> dict[str, Any]:
    return {"document": {"id": "d", "text": text}, "question": {"text": "Who?"}, "answers": [{"text": "Anna"}]}


@pytest.mark.parametrize("facts", DATASETS)
def test_papers_lose_title_and_abstract_and_their_evidence_moves_along(facts: Any, tmp_path: Path) -> None:
    data = load(facts["qasper"], tmp_path, paper("a", LONG, LONG, "They are long."), paper("b", "Short."))
    (one,) = data.examples()
    assert one.document.text == f"Introduction\n{LONG}"
    assert [one.document.text[slice(*span)] for span in one.evidence] == [LONG]
    assert data.warnings == [
        "stretches of evidence left out, because they are in what SCROLLS leaves out: 1 (q-a)",
        "examples left out as in SCROLLS, of papers of fewer than 8,192 characters: 1 (q-b)",
    ]
    assert data.fingerprint["cleansed"] == "papers"


@pytest.mark.parametrize("facts", DATASETS)
def test_stories_lose_the_licence_around_them(facts: Any, tmp_path: Path) -> None:
    data = load(facts["narrative_qa"], tmp_path, story(LICENSED))
    assert [one.document.text for one in data.examples()] == ["Anna woke."]
    (warning,) = data.warnings
    assert warning.startswith("stories cut at marks of Project Gutenberg or of a web page: 1 (")


@pytest.mark.parametrize("facts", DATASETS)
def test_reports_that_contain_their_summary_are_left_out(facts: Any, tmp_path: Path) -> None:
    reports = [{"report": [{"paragraphs": ["The mill grinds corn."]}], "summary": [text]} for text in ("Corn.", "mill")]
    data = load(facts["gov_report"], tmp_path, *reports)
    assert [one.references for one in data.examples()] == [("Corn.",)]
    assert data.warnings == [
        "examples left out as in SCROLLS, of reports that hold their summary to the letter: 1 (validation-2)"
    ]


def test_own_rows_and_other_benchmarks_stay_as_they_are(tmp_path: Path) -> None:
    row = {"document": LICENSED, "question": "Who?", "answers": ["Anna"]}
    for facts, original in (
        (scrolls.DATASETS["narrative_qa"], row),
        (muld.DATASETS["narrativeqa"], story(LICENSED)),
    ):
        data = load(facts, tmp_path, original)
        assert [one.document.text for one in data.examples()] == [LICENSED]
        assert "cleansed" not in data.fingerprint
    short = load(replace(scrolls.DATASETS["qasper"], cleansing=None), tmp_path, paper("b", "Short."))
    assert [one.document.text for one in short.examples()] == ["On papers\n\nThey are long.\n\nIntroduction\nShort."]


def test_data_of_which_nothing_is_left_are_refused_with_the_reason(tmp_path: Path) -> None:
    data = load(scrolls.DATASETS["qasper"], tmp_path, paper("b", "Short."))
    with pytest.raises(UserError, match="SCROLLS' rules leave out every example: they drop papers of fewer than"):
        list(data.examples())


def test_a_place_is_named_once_however_often_it_is_counted() -> None:
    from pipelines.sources.warnings import Warnings

    notes = Warnings([])
    for place in ("a", "b", "a", "a"):
        notes.count("rows dropped", place)
    notes.close()
    assert notes.warnings == ["rows dropped: 4 (a, b)"]


def test_the_source_of_a_built_benchmark_is_refused_with_the_builder(tmp_path: Path) -> None:
    facts = zero_scrolls.DATASETS
    with pytest.raises(UserError, match="type: longdoc data build space_digest SOURCE --out FOLDER"):
        load(facts["space_digest"], tmp_path, {"hotel": "H", "rating": 5, "text": "Fine."})
    with pytest.raises(UserError, match="type: longdoc data build book_sum_sort SOURCE --out FOLDER"):
        load(facts["book_sum_sort"], tmp_path, {"book": "Emma", "summaries": ["One.", "Two."]})
    (tmp_path / "Emma").mkdir()
    (tmp_path / "Emma" / "section_0_part_1.txt").write_text("One.")
    (warning,) = sources.load("t", facts["book_sum_sort"], tmp_path / "Emma").warnings
    assert "longdoc data build book_sum_sort" in warning
