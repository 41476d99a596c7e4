"""NarrativeQA's releases: the hub's rows and the GitHub folder, cut at their markers, put together by document."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources
from pipelines.benchmarks.muld.tasks import DATASETS

BOOK = "Transcriber's note.\n\nCHAPTER  I\r\nAnna – «née» Karénine – came.\n\nTHE\nEND\nLicence."
STORY = "CHAPTER  I\r\nAnna – «née» Karénine – came.\n\nTHE\nEND"
FILM = "FADE IN\n\nANNA\nHello.\n\nFADE OUT"


def hub_row(name: str, question: str, text: str, start: str = "", end: str = "") -> dict[str, Any]:
    tokens = question.split()
    return {
        "document": {
            "id": name,
            "kind": "movie",
            "url": "",
            "file_size": len(text),
            "word_count": 9,
            "start": start,
            "end": end,
            "summary": {"text": "It ends.", "tokens": ["It", "ends"], "url": "", "title": f"Title {name}"},
            "text": text,
        },
        "question": {"text": question, "tokens": tokens},
        "answers": [{"text": "her son", "tokens": ["her", "son"]}, {"text": "a son", "tokens": ["a", "son"]}],
    }


ROWS = [
    hub_row("a", "Who came?", BOOK, "CHAPTER I", "THE END"),
    hub_row("b", "Who says hello?", FILM),
    hub_row("a", "What was her name?", BOOK, "CHAPTER I", "THE END"),
]


def load(data: Any, split: str = "test") -> sources.Dataset:
    return sources.load("narrativeqa", DATASETS["narrativeqa"], data, split)


def parquet(folder: Path, parts: list[list[dict[str, Any]]]) -> Path:
    import pyarrow
    import pyarrow.parquet

    (folder / "data").mkdir()
    for number, rows in enumerate(parts):
        name = f"test-{number:05}-of-{len(parts):05}.parquet"
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "data" / name, row_group_size=2)
    return folder


def hub_data(layout: str, folder: Path) -> Any:
    if layout == "parquet":
        return parquet(folder, [ROWS[:2], ROWS[2:]])
    if layout == "dataset":
        import datasets

        return datasets.Dataset.from_list(ROWS)
    (folder / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return folder / "test.jsonl"


@pytest.mark.parametrize("layout", ["parquet", "dataset", "lines"])
def test_hub_rows_are_put_together_by_document_and_cut_at_both_markers(tmp_path: Path, layout: str) -> None:
    data = load(hub_data(layout, tmp_path))
    first, second, third = data.examples()
    assert [one.id for one in (first, second, third)] == ["a_0", "a_1", "b_0"]
    assert first.document is second.document
    assert first.document.text == STORY
    assert third.document.text == FILM
    assert (second.query, second.references) == ("What was her name?", ("her son", "a son"))
    assert (first.document.title, dict(first.document.meta)) == ("Title a", {"document_id": "a", "kind": "movie"})
    assert data.warnings == []


@pytest.mark.parametrize(("start", "end"), [("CHAPTER I", "NOWHERE"), ("NOWHERE", "THE END"), ("THE END", "CHAPTER I")])
def test_without_both_markers_in_order_the_document_stays_whole_and_is_counted(
    tmp_path: Path, start: str, end: str
) -> None:
    data = load(parquet(tmp_path, [[hub_row("a", "Who?", BOOK, start, end), hub_row("a", "Why?", BOOK, start, end)]]))
    assert {example.document.text for example in data.examples()} == {BOOK}
    (warning,) = data.warnings
    assert warning.startswith("documents left whole, because the words that mark their start and end")


def test_a_hub_row_without_text_is_refused(tmp_path: Path) -> None:
    data = load(parquet(tmp_path, [[hub_row("a", "Who?", " ")]]))
    with pytest.raises(UserError, match=r"test-00000-of-00001.parquet, row 1: the document is empty"):
        list(data.examples())


def release(folder: Path, stories: str = "tmp/{}.content", encoding: str = "utf-8") -> Path:
    """The GitHub layout: two test documents, one without its story, and one document of the validation split."""
    documents = [
        ["document_id", "set", "kind", "story_url", "wiki_title", "story_start", "story_end"],
        ["v", "valid", "movie", "", "Film", "", ""],
        ["a", "test", "gutenberg", "", "Karénine, Anna", "CHAPTER I", "THE END"],
        ["lost", "test", "movie", "", "Lost", "", ""],
    ]
    questions = [
        ["document_id", "set", "question", "answer1", "answer2", "question_tokenized"],
        ["v", "valid", "Who says hello?", "Anna", "Anna", ""],
        ["a", "test", "Who, say, came?", "Anna", "Anna Karénine", ""],
        ["lost", "test", "Who?", "A", "B", ""],
        ["a", "test", "Why?", "To see.", "", ""],
    ]
    for name, rows in (("documents.csv", documents), ("qaps.csv", questions)):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    for name, text in (("v", FILM), ("a", BOOK)):
        path = folder / stories.format(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.replace("–", "-").encode(encoding) if encoding != "utf-8" else text.encode())
    return folder


@pytest.mark.parametrize("stories", ["tmp/{}.content", "tmp/{}.txt", "stories/{}.txt"])
def test_the_github_folder_gives_the_split_s_stories_with_two_references(tmp_path: Path, stories: str) -> None:
    data = load(release(tmp_path, stories))
    first, second = data.examples()
    assert (first.id, first.query, first.references) == ("a_0", "Who, say, came?", ("Anna", "Anna Karénine"))
    assert (second.id, second.query, second.references) == ("a_1", "Why?", ("To see.",))
    assert first.document is second.document
    assert (first.document.text, first.document.title) == (STORY, "Karénine, Anna")
    assert data.warnings == ["documents left out, because there is no file with their story: 1 (lost)"]
    assert data.fingerprint["documents"]["files"] == 1


def test_the_validation_split_is_valid_in_the_github_files(tmp_path: Path) -> None:
    (example,) = load(release(tmp_path), "validation").examples()
    assert (example.id, example.document.text) == ("v_0", FILM)


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_a_story_in_another_encoding_is_read_with_a_warning(tmp_path: Path, encoding: str) -> None:
    data = load(release(tmp_path, encoding=encoding))
    assert next(data.examples()).document.text == STORY.replace("–", "-")
    list(data.examples())
    assert "stories are not UTF-8 and were read as cp1252: 1 (a.content)" in data.warnings


def test_a_github_folder_without_stories_names_the_script_that_fetches_them(tmp_path: Path) -> None:
    release(tmp_path)
    (tmp_path / "tmp" / "a.content").unlink()
    with pytest.raises(UserError, match=r"has no story of the split 'test'.*bash download_stories.sh"):
        list(load(tmp_path).examples())


def test_a_github_file_without_its_columns_is_refused(tmp_path: Path) -> None:
    release(tmp_path)
    (tmp_path / "documents.csv").write_text("id,set\na,test\n")
    with pytest.raises(UserError, match=r"documents.csv:2: documents.csv needs document_id and set; found id, set"):
        list(load(tmp_path).examples())


def test_a_story_s_name_is_no_path(tmp_path: Path) -> None:
    folder = release(tmp_path)
    (folder / "documents.csv").write_text("document_id,set\n../secret,test\n")
    with pytest.raises(UserError, match=r"documents.csv:2: document_id must be the name of a story, got '../secret'"):
        load(folder)
