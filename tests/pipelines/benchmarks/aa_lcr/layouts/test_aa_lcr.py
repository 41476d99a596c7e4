"""AA-LCR: sets of documents as one document, file names in any form, and what is missing or refused."""

import csv
import unicodedata
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import documents, sources, tasks
from pipelines.benchmarks.aa_lcr.layouts import aa_lcr
from pipelines.benchmarks.aa_lcr.layouts.aa_lcr import FIELDS, name_forms
from pipelines.records import Example
from pipelines.sources import Dataset

FILES = {"b.txt": "Bees fly.", "a café – ş.txt": "Ants walk.\n\nThey carry leaves.", "c.txt": "Cats sleep."}
TEXT = (
    "# Document 1: b.txt\n\nBees fly.\n\n# Document 2: a café – ş.txt\n\nAnts walk.\n\nThey carry leaves."
    "\n\n# Document 3: c.txt\n\nCats sleep."
)


def row(number: int = 1, **changes: Any) -> dict[str, Any]:
    fields = {"document_category": "Nature", "document_set_id": "n_small", "question_id": str(number)}
    fields |= {"question": "Which of them fly?", "answer": "1. Bees\\n2. None else"}
    return {**fields, "data_source_filenames": ";".join(FILES), "data_source_urls": "", "input_tokens": "9", **changes}


def write(
    folder: Path, *rows: Mapping[str, Any], files: Mapping[str, str] = FILES, place: str = "Nature/n_small"
) -> Path:
    with (folder / "AA-LCR_Dataset.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["", *FIELDS, "data_source_urls", "input_tokens"])
        writer.writeheader()
        writer.writerows({"": number, **one} for number, one in enumerate(rows))
    target = folder / "extracted_text" / "lcr" / place
    target.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (target / name).write_text(text, encoding="utf-8")
    return folder


def load(data: Any) -> Dataset:
    return sources.load("aa_lcr", tasks.get("aa_lcr").dataset, data)


def read(data: Any) -> list[Example]:
    return list(load(data).examples())


def test_a_set_is_one_document_with_a_line_before_each_in_the_order_of_the_row(tmp_path: Path) -> None:
    one, two = read(write(tmp_path, row(), row(7)))
    assert (one.id, one.query, one.references) == ("1", "Which of them fly?", ("1. Bees\n2. None else",))
    assert (one.document.text, one.document.title) == (TEXT, "n_small")
    assert one.document is two.document
    assert [TEXT[start:end] for _, start, end in one.meta["documents"]] == list(FILES.values())
    assert (one.meta["category"], one.meta["set"]) == ("Nature", "n_small")
    start = TEXT.index("They carry")
    assert documents.location(one.document.meta, TEXT, start, start + 4) == "section Document 2: a café – ş.txt"


def test_another_order_or_choice_of_files_is_another_document(tmp_path: Path) -> None:
    rows = [row(), row(2, data_source_filenames="c.txt; b.txt;"), row(3)]
    one, three, two = read(write(tmp_path, *rows))
    assert (one.id, three.id, two.id) == ("1", "3", "2")
    assert two.document.text == "# Document 1: c.txt\n\nCats sleep.\n\n# Document 2: b.txt\n\nBees fly."


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("code_page", ["", "cp437", "cp850"])
def test_names_are_compared_in_any_form_and_code_page(tmp_path: Path, form: Any, code_page: str) -> None:
    name = "résumé – café.txt"
    stored = unicodedata.normalize(form, name)
    stored = stored.encode().decode(code_page) if code_page else stored
    write(tmp_path, row(data_source_filenames=f"b.txt;{name}"), files={"b.txt": "Bees.", stored: "Ants."})
    (example,) = read(tmp_path)
    assert example.document.text == f"# Document 1: b.txt\n\nBees.\n\n# Document 2: {name}\n\nAnts."
    assert name in name_forms(stored)


def test_the_published_zip_is_read_where_it_is(tmp_path: Path) -> None:
    write(tmp_path, row())
    folder = tmp_path / "extracted_text"
    with zipfile.ZipFile(folder / "AA-LCR_extracted-text.zip", "w") as archive:
        for path in sorted(folder.rglob("*.txt")):
            archive.write(path, path.relative_to(folder))
            path.unlink()
        archive.writestr("lcr/Other/Nature/n_small.txt", "Of another set.")
        archive.writestr("__MACOSX/lcr/Nature/n_small/._b.txt", "Nothing.")
    (folder / "lcr" / "Nature" / "n_small").rmdir()
    data = load(tmp_path)
    assert [example.document.text for example in data.examples()] == [TEXT]
    assert data.warnings == []


def test_a_missing_file_is_reported_and_one_that_no_question_names_is_not_read(
    tmp_path: Path,
) -> None:
    rows = [row(), row(2), row(3, document_set_id="n_large", data_source_filenames="d.txt;e.txt;f.txt")]
    write(tmp_path, *rows)
    write(tmp_path, *rows, files={"d.txt": "Dogs.", "e (1).txt": "Eels."}, place="Nature/n_large")
    data = load(tmp_path)
    assert [example.id for example in data.examples()] == ["1", "2"]
    assert data.warnings == [
        "files that no question names, not read: 1 (Nature/n_large/e (1).txt)",
        "questions left out, because a file of their documents is missing: 1 "
        "(Nature/n_large/e.txt, Nature/n_large/f.txt)",
    ]
    for path in (tmp_path / "extracted_text").rglob("b.txt"):
        path.unlink()
    with pytest.raises(
        UserError, match=r"3 files of its documents are missing, and no set is complete; put Nature/n_sm"
    ):
        read(tmp_path)


def test_all_questions_are_read_where_texts_are_not_needed(tmp_path: Path) -> None:
    folder = write(tmp_path, row(), row(2, document_set_id="n_large"), row(3), files={"other.txt": "x"})
    data = sources.load("aa_lcr", tasks.get("aa_lcr").dataset, folder, has_texts=False)
    examples = [(example.id, example.document.id, example.document.title) for example in data.examples()]
    assert examples == [
        ("1", "Nature/n_small", "n_small"), ("3", "Nature/n_small", "n_small"), ("2", "Nature/n_large", "n_large"),
    ]  # fmt: skip


def test_a_file_that_only_one_question_of_the_set_names_gives_no_warning(tmp_path: Path) -> None:
    data = load(write(tmp_path, row(), row(2, data_source_filenames="b.txt;c.txt")))
    assert len(list(data.examples())) == 2
    assert data.warnings == []


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    name = "café.txt"
    files = {unicodedata.normalize(form, name): form for form in ("NFC", "NFD")}
    write(tmp_path, row(data_source_filenames=name), files=files)
    with pytest.raises(
        UserError, match=r"Nature/n_small has 2 files that may be 'café.txt': 'cafe\\u0301.txt' and 'caf"
    ):
        read(tmp_path)
    write(tmp_path, row(data_source_filenames="b.txt;c.txt;b.txt"))
    with pytest.raises(UserError, match=r"csv:2: data_source_filenames has 'b.txt' twice: leave one out"):
        read(tmp_path)


@pytest.mark.parametrize("names", ["", " ; "])
def test_a_question_without_documents_is_refused(tmp_path: Path, names: str) -> None:
    with pytest.raises(UserError, match=r"csv:2: the question has no documents: name them in data_source_filenames"):
        read(write(tmp_path, row(data_source_filenames=names)))


@pytest.mark.parametrize(
    "fields", [{"data_source_filenames": "../b.txt"}, {"document_set_id": ".."}, {"document_category": "a\\b"}]
)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, fields: dict[str, str]) -> None:
    with pytest.raises(UserError, match="categories, sets and files must be names without folders"):
        read(write(tmp_path, row(**fields)))


def test_an_empty_document_and_rows_without_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"c.txt is empty; fetch or copy it again"):
        read(write(tmp_path, row(), files=FILES | {"c.txt": ""}))
    with pytest.raises(UserError, match="pass the path of the table of questions, which has the documents beside it"):
        read([row()])


def test_the_share_of_documents_shown_is_a_score(tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"data": write(tmp_path, row()), "report": False}
    whole = pipelines.run("aa_lcr", model="lead", out=tmp_path / "whole", **arguments)
    assert whole.scores["document_coverage"] == 100.0
    arguments |= {"model": "extractive", "chunker": "lines", "retriever": "bm25", "k": 1, "out": tmp_path / "one"}
    one = pipelines.run("aa_lcr", **arguments | {"chunker": "sentences:size=8"})
    assert one.scores["document_coverage"] == pytest.approx(100 / 3)


def test_the_real_sets_are_complete(realdata: Path) -> None:
    data = load(realdata / "aa_lcr")
    examples = list(data.examples())
    assert (len(examples), len({example.document.id for example in examples})) == (30, 7)
    counts = {example.document.title: len(example.meta["documents"]) for example in examples}
    assert counts == {
        "ac_hack": 9, "co_pro_rel_ann": 12, "co_pro_transcripts_2023": 6, "co_pro_ssheet_rel_tran": 8, "gc_screen": 22,
        "legal_sb1047": 12, "mkt_mkt": 9,
    }  # fmt: skip
    assert data.warnings == []
    assert all("\\n" not in reference for example in examples for reference in example.references)


def test_each_file_of_a_set_of_thousands_is_looked_at_once_and_few_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{number}.txt": "Bees fly." for number in range(2_000)}
    names = ";".join(files)
    write(tmp_path, row(1, data_source_filenames=names), row(2, data_source_filenames=names), files=files)
    names_looked_at = list[str]()
    monkeypatch.setattr(aa_lcr, "name_forms", lambda name: [names_looked_at.append(name), name_forms(name)][1])
    (example, _) = read(tmp_path)
    assert len(example.meta["documents"]) == 2_000
    assert len(names_looked_at) <= 2 * 2_000  # by the files of the data, and by their examples
    for number in range(1, 2_000):
        (tmp_path / f"extracted_text/lcr/Nature/n_small/{number}.txt").unlink()
    write(tmp_path, row(1, data_source_filenames=names), row(9, document_set_id="o", data_source_filenames="a.txt"),
          files={"a.txt": "Ants walk."}, place="Nature/o")  # fmt: skip
    dataset = load(tmp_path)
    assert [example.id for example in dataset.examples()] == ["9"]
    places = ", ".join(f"Nature/n_small/{number}.txt" for number in range(1, 6))
    assert dataset.warnings == [
        f"questions left out, because a file of their documents is missing: 1 ({places} and 1,994 more)"
    ]
