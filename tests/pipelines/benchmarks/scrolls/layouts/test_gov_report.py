"""GovReport's layouts: the files of both offices, the folder of the release, the hub's sections."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources

DATASETS = sources.DatasetInfo("", {}, "gov_report", {}, has_query=False)
CRS: dict[str, Any] = {
    "id": "R1",
    "title": "Mills",
    "summary": ["Mills grind.", "They are “old”."],
    "reports": {
        "section_title": "",
        "paragraphs": ["Of mills."],
        "subsections": [
            {
                "section_title": "Introduction",
                "paragraphs": ["First – «so».", "Second."],
                "subsections": [{"section_title": "Wheels", "paragraphs": ["Third."], "subsections": []}],
            }
        ],
    },
}
CRS_TEXT = "Of mills.\n\n\tIntroduction\n\nFirst – «so».\n\nSecond.\n\n\t\tWheels\n\nThird."
GAO: dict[str, Any] = {
    "id": "GAO-2",
    "title": "Bread",
    "highlight": [
        {"section_title": "What GAO Found", "paragraphs": ["Bread rises."], "subsections": []},
        {"section_title": "What GAO Recommends", "paragraphs": ["Bake."], "subsections": []},
    ],
    "report": [
        {
            "section_title": "Letter",
            "paragraphs": ["Dear Sir"],
            "subsections": [{"section_title": "Background", "paragraphs": ["Flour."], "subsections": []}],
        },
        {"section_title": "Appendix", "paragraphs": ["Salt."]},
    ],
}
GAO_TEXT = "\tBackground\n\nFlour.\n\nAppendix\n\nSalt."


def load(path: Path, split: str = "validation") -> sources.Dataset:
    return sources.load("t", DATASETS, path, split)


def write_rows(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def release(folder: Path) -> Path:
    write_rows(folder / "crs" / "R1.json", CRS)
    write_rows(folder / "gao" / "GAO-2.json", GAO)
    (folder / "split_ids").mkdir()
    for name, ids in {"crs_train": "R1\n", "gao_train": "", "crs_valid": "R1\nR9\n", "gao_valid": "GAO-2\n"}.items():
        (folder / "split_ids" / f"{name}.ids").write_text(ids or "GAO-2\n")
    return folder


def test_reports_of_both_offices_are_put_together_as_the_paper_did(tmp_path: Path) -> None:
    mills, bread = load(write_rows(tmp_path / "dev.jsonl", CRS, GAO)).examples()
    assert (mills.id, mills.document.title, mills.document.text) == ("R1", "Mills", CRS_TEXT)
    assert mills.references == ("Mills grind.\nThey are “old”.",)
    assert (bread.id, bread.document.text, bread.references) == ("GAO-2", GAO_TEXT, ("Bread rises.",))
    assert (mills.query, mills.options, mills.evidence) == ("", (), ())


def test_the_folder_of_the_release_has_its_splits_by_name(tmp_path: Path) -> None:
    data = load(release(tmp_path))
    mills, bread = data.examples()
    assert (mills.document.text, bread.document.text) == (CRS_TEXT, GAO_TEXT)
    assert data.warnings == ["reports left out, because there is no file with them: 1 (R9)"]
    assert [one["name"] for one in data.fingerprint["files"]] == ["split_ids/crs_valid.ids", "split_ids/gao_valid.ids"]
    assert data.fingerprint["documents"]["files"] == 2
    assert [one.id for one in load(tmp_path, "train").examples()] == ["crs_R1", "gao_GAO-2"]
    with pytest.raises(UserError, match=r"no reports of the split 'test'; its split_ids: crs_train.ids, crs_valid.ids"):
        load(tmp_path, "test")


def test_a_release_without_its_reports_is_refused(tmp_path: Path) -> None:
    release(tmp_path)
    for file in [*tmp_path.glob("*/*.json")]:
        file.unlink()
    with pytest.raises(UserError, match=r"none of the 3 reports exists: the first should be .*crs/R1.json"):
        list(load(tmp_path).examples())


def test_the_hub_s_sections_give_the_same_document(tmp_path: Path) -> None:
    row = {
        "id": "CRS_R1",
        "document_sections": {
            "title": ["", "Introduction", "Wheels"],
            "paragraphs": ["Of mills.", "First – «so».\nSecond.", "Third."],
            "depth": [0, 1, 2],
        },
        "summary_sections": {"title": [""], "paragraphs": ["Mills grind.\nThey are “old”."]},
    }
    (example,) = load(write_rows(tmp_path / "validation.jsonl", row)).examples()
    assert (example.id, example.document.text) == ("crs_R1", CRS_TEXT)
    assert example.references == ("Mills grind.\nThey are “old”.",)


def test_plain_rows_are_read_as_rows_of_one_s_own(tmp_path: Path) -> None:
    row = {"id": "GAO_1", "document": "Of mills.", "summary": "Mills."}
    (example,) = load(write_rows(tmp_path / "validation.jsonl", row)).examples()
    assert (example.id, example.document.text, example.references) == ("GAO_1", "Of mills.", ("Mills.",))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "x", "summary": "y"}, "dev.jsonl:2: a report needs its sections in 'report'; found id, summary"),
        ({"report": [{"section_title": "x", "paragraphs": []}, 3]}, "dev.jsonl:2: a section must be an object with"),
        ({"report": {"section_title": "", "paragraphs": [], "subsections": []}}, "dev.jsonl:2: the document is empty"),
        (
            {"document_sections": {"title": ["x"], "paragraphs": []}},
            "dev.jsonl:2: the sections' titles, paragraphs and depths must be lists of the same length",
        ),
    ],
)
def test_a_malformed_report_is_named(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    reading = load(write_rows(tmp_path / "dev.jsonl", CRS, row)).examples()
    next(reading)
    with pytest.raises(UserError, match=message):
        next(reading)


def test_the_real_reports_are_read_whole(realdata: Path) -> None:
    data = load(realdata / "gov_report")
    examples = list(data.examples())
    lines = (realdata / "gov_report" / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    assert (len(examples), data.warnings) == (6, [])
    for row, example in zip(map(json.loads, lines), examples, strict=True):
        assert (example.document.text, example.references) == (row["document"], (row["summary"],))


def test_a_report_s_name_is_no_path(tmp_path: Path) -> None:
    release(tmp_path)
    (tmp_path / "split_ids" / "gao_valid.ids").write_text("../../secret\n")
    with pytest.raises(UserError, match=r"gao_valid.ids: expected the id of a report on each line, got '../../secret'"):
        load(tmp_path)
