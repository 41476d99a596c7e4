"""The five short documents of the sample, and the examples of `qa` over them and the long one."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import pipelines
from pipelines.records import Example, is_unanswerable
from pipelines.sources import bundled
from pipelines.sources.own_data import folder
from pipelines.sources.warnings import Warnings
from tests.command_line import longdoc
from tests.conftest import ROOT
from tests.turns import for_each

KINDS = ("contract", "manual", "minutes", "report", "story")
FILES = folder.texts(bundled.SHORT_DOCUMENTS)
ROWS = {path.stem: [json.loads(line) for line in path.with_suffix(".jsonl").open(encoding="utf-8")] for path in FILES}
EXAMPLES = list(bundled.examples("qa"))
RUN: dict[str, Any] = {"data": "sample", "model": "extractive", "metrics": ["f1", "evidence_recall"], "k": 1}


def test_there_are_five_kinds_of_400_to_900_words_with_four_to_six_questions_each() -> None:
    assert tuple(path.stem for path in FILES) == KINDS
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert 400 <= len(text.split()) <= 900, path.name
        assert 4 <= len(ROWS[path.stem]) <= 6, path.name
        assert not text.isascii(), path.name


def test_git_converts_no_line_ends_of_the_short_documents() -> None:
    attributes = (ROOT / ".gitattributes").read_text(encoding="utf-8")
    assert f"{bundled.SHORT_DOCUMENTS.relative_to(ROOT)}/* -text" in attributes
    assert [path.name for path in bundled.SHORT_DOCUMENTS.iterdir() if b"\r" in path.read_bytes()] == []


def test_qa_has_six_documents_with_five_to_seven_questions_each() -> None:
    counts = Counter(example.document.title for example in EXAMPLES)
    long = bundled.document().title
    assert counts == {long: 7, "contract": 6, "manual": 6, "minutes": 6, "report": 5, "story": 6}
    assert len({example.id for example in EXAMPLES}) == len(EXAMPLES) == 36


def test_the_facts_about_the_long_document_are_spread_over_it() -> None:
    facts = list(bundled.examples("narrativeqa"))
    of_the_long = [example for example in EXAMPLES if example.id.startswith("sample-")]
    assert [example.id for example in of_the_long] == [example.id for example in facts[::11]]
    assert of_the_long == facts[::11]


def test_three_questions_have_no_answer_and_all_others_evidence() -> None:
    unanswerable = [example.id for example in EXAMPLES if is_unanswerable(example.references)]
    assert unanswerable == ["contract-6", "manual-6", "minutes-6"]
    assert [example.id for example in EXAMPLES if not example.evidence] == unanswerable


@for_each("example", EXAMPLES)
def test_no_question_gives_its_answer_away(example: Example) -> None:
    words = rf"(?<!\w)(?:{'|'.join(map(re.escape, filter(None, example.references)))})(?!\w)"
    assert is_unanswerable(example.references) or re.search(words, example.query) is None


def test_the_evidence_stands_in_the_documents_word_for_word() -> None:
    warnings = Warnings([])
    read = list(folder.read(FILES, "test", warnings, has_query=True))
    warnings.close()
    assert warnings.warnings == []
    for example in read:
        row = ROWS[example.document.title][int(example.id.rpartition("-")[2]) - 1]
        phrases = {example.document.text[start:end] for start, end in example.evidence}
        assert phrases == set(row.get("evidence", ()))


def test_the_folder_is_data_of_ones_own_and_gives_the_same_scores(tmp_path: Path) -> None:
    own = pipelines.run("qa", **(RUN | {"data": bundled.SHORT_DOCUMENTS}), report=False, out=tmp_path / "own")
    sample = pipelines.run("qa", **RUN, report=False, out=tmp_path / "sample")
    of_the_short = [one for one in sample.predictions if not one.id.startswith("sample-")]
    assert [(one.id, one.prediction) for one in own.predictions] == [(one.id, one.prediction) for one in of_the_short]


def test_a_reader_without_weights_is_partly_right_and_intervals_are_over_documents(tmp_path: Path) -> None:
    result = pipelines.run("qa", **RUN, retriever="bm25", report=False, out=tmp_path / "run")
    scores = {name: round(score, 6) for name, score in result.scores.items()}
    assert scores == {"f1": 29.534355, "evidence_recall": 68.13447}
    interval = result.scores.intervals["f1"]
    assert (interval.unit, interval.low > 0, interval.high < 100) == ("document", True, True)


def test_two_retrievers_are_compared_over_six_documents_and_planned_from_them(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folders = [tmp_path / name for name in ("tfidf", "bm25")]
    for path in folders:
        pipelines.run("qa", **RUN, retriever=path.name, report=False, out=path)
    comparison = str(pipelines.compare(*folders))
    assert "36 examples over 6 documents" in comparison
    assert "resamples of 6 documents; p by exchanging the runs' documents" in comparison
    code, plan, _ = longdoc(capfd, "plan", *folders, "--detect", 5)
    assert (code, "documents that show a difference of 5 points" in plan) == (0, True)
    assert "these data (36 questions over 6 documents) show a difference of" in plan
