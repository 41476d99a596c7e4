"""Text files with their questions beside them."""

import json
from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import sources
from tests.pipelines.documents import small_files

OWN = sources.DatasetInfo("", {}, "rows", {})
NO_QUESTION = sources.DatasetInfo("", {}, "rows", {}, has_query=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text("About these files.")
    (tmp_path / "b.md").write_text("# Bertha\n\nBertha left.", encoding="utf-8")
    (tmp_path / "b.json").write_text(json.dumps({"question": "Who left?", "answers": ["Bertha"]}, indent=2))
    (tmp_path / "a.txt").write_text("Anna came – in May.", encoding="utf-8-sig")
    rows = [{"question": "Who came?", "answers": "Anna", "evidence": [[0, 4]]}, {"question": "When?", "id": "when"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


def test_every_text_has_the_questions_of_the_file_beside_it(folder: Path) -> None:
    data = sources.load("qa", OWN, str(folder))
    first, second, third = data.examples()
    assert [one.id for one in (first, second, third)] == ["a-1", "when", "b-1"]
    assert first.document is second.document
    assert (first.document.text, first.document.title) == ("Anna came – in May.", "a")
    assert (first.query, first.references, first.evidence) == ("Who came?", ("Anna",), ((0, 4),))
    assert (second.references, third.query) == ((), "Who left?")
    assert [file["name"] for file in data.fingerprint["files"]] == ["a.jsonl", "b.json"]
    assert data.fingerprint["documents"]["files"] == 2


def test_one_text_file_with_its_questions_is_read_as_well(folder: Path) -> None:
    assert [one.query for one in sources.load("qa", OWN, folder / "a.txt").examples()] == ["Who came?", "When?"]


def test_a_text_without_questions_is_refused_with_how_to_write_them(folder: Path) -> None:
    (folder / "c.txt").write_text("Clara.")
    reading = sources.load("qa", OWN, folder).examples()
    with pytest.raises(UserError, match=r'c.txt has no questions; write them to .*c.jsonl.*\{"question": "…"'):
        list(reading)


def test_in_a_task_without_questions_a_text_alone_is_an_example(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("Clara.")
    (example,) = sources.load("x", NO_QUESTION, tmp_path).examples()
    assert (example.id, example.query, example.document.text) == ("c", "", "Clara.")


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ('{"answers": "x"}', "c.jsonl:1: the row needs a question; found answers"),
        ("[]", "c.jsonl has no rows"),
        ('{"question": "Q", "evidence": [[0, 9]]}', r"c.jsonl:1: evidence \[0, 9\] is not within"),
    ],
)
def test_invalid_questions_are_named(tmp_path: Path, questions: str, message: str) -> None:
    (tmp_path / "c.txt").write_text("Clara.")
    (tmp_path / "c.jsonl").write_text(questions)
    with pytest.raises(UserError, match=message):
        list(sources.load("qa", OWN, tmp_path).examples())


def test_documents_of_other_kinds_are_read_as_ask_reads_them(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<script>x</script><p>Anna <b>came</b>.", encoding="utf-8")
    (tmp_path / "a.jsonl").write_text(json.dumps({"question": "Who came?", "answers": ["Anna"], "evidence": [[0, 4]]}))
    small_files.pdf(tmp_path / "b.pdf", [["Bertha left."], []])
    (tmp_path / "b.jsonl").write_text(json.dumps({"question": "Who left?", "answers": ["Bertha"]}))
    data = sources.load("qa", OWN, tmp_path)
    assert [one.document.text for one in data.examples()] == ["Anna came.", "Bertha left."]
    assert ["page 2 of 2" in warning for warning in data.warnings] == [True]
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"document_path": "b.pdf", "question": "Who left?", "answers": ["Bertha"]}))
    (one,) = sources.load("qa", OWN, rows).examples()
    assert one.document.text == "Bertha left."
