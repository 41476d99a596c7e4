"""FinanceBench's questions: the pages of filings, the places of evidence, and what is missing or refused."""

import json
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines import documents, sources, tasks
from pipelines.benchmarks.financebench.layouts.financebench import KEY, quotation_span
from pipelines.records import Example
from pipelines.sources import Dataset
from tests.pipelines.documents import small_files

PAGES = ("MILL CORP\nannual report", "Revenue was $ 1,200 in 2021.\nCosts: 700", "", "Notes. Revenue was 1 200.")
TEXT = "\f".join(PAGES)


def evidence(page: Any, text: str, **changes: Any) -> dict[str, Any]:
    return {"evidence_text": text, "doc_name": "MILL_2021_10K", "evidence_page_num": page, **changes}


def row(number: int = 1, **changes: Any) -> dict[str, Any]:
    fields = {"financebench_id": f"financebench_id_{number:05}", "company": "Mill", "doc_name": "MILL_2021_10K"}
    fields |= {"question_type": "metrics-generated", "question_reasoning": None, "question": "What was revenue?"}
    return {**fields, "answer": "$1200", "evidence": [evidence(1, "Revenue was $1,200 in 2021.")], **changes}


def write(folder: Path, *rows: Any, texts: dict[str, str] | None = None) -> Path:
    """The folder of the repository, with these filings."""
    for name in ("data", "texts", "pdfs"):
        (folder / name).mkdir(exist_ok=True)
    lines = "".join(json.dumps(one) + "\n" for one in rows)
    (folder / "data" / "financebench_open_source.jsonl").write_text(lines)
    (folder / "data" / "financebench_document_information.jsonl").write_text('{"doc_name": "MILL_2021_10K"}\n')
    for name, text in (texts or {"MILL_2021_10K": TEXT}).items():
        (folder / "texts" / f"{name}.txt").write_text(text)
    return folder


def load(data: Any) -> Dataset:
    return sources.load("financebench", tasks.get("financebench").dataset, data)


def read(data: Any) -> list[Example]:
    return list(load(data).examples())


def evidence_texts(example: Example) -> list[str]:
    return [example.document.text[start:end] for start, end in example.evidence]


def test_evidence_is_found_on_its_page_by_letters_and_digits(tmp_path: Path) -> None:
    rows = [
        row(),
        row(2, evidence=[evidence(3, "revenue was\n1200"), evidence(0, "MILL CORP")], question_reasoning="x"),
    ]
    one, two = read(write(tmp_path, *rows))
    assert (one.id, one.query, one.references) == ("financebench_id_00001", "What was revenue?", ("$1200",))
    assert one.document is two.document
    assert (one.document.text, one.document.title) == (TEXT, "MILL_2021_10K")
    assert (evidence_texts(one), evidence_texts(two)) == (
        ["Revenue was $ 1,200 in 2021"],
        ["Revenue was 1 200", "MILL CORP"],
    )
    start = len(PAGES[0]) + 1
    assert one.meta == {
        "company": "Mill", "question_type": "metrics-generated", "pages": [[1, start, start + len(PAGES[1]) + 2]]
    }  # fmt: skip
    assert [number for number, _, _ in two.meta["pages"]] == [3, 0]
    assert two.meta["question_reasoning"] == "x"
    assert documents.location(one.document.meta, TEXT, start, start + 5) == "page 2"


def test_for_evidence_that_is_not_on_its_page_the_whole_page_counts_with_a_warning(tmp_path: Path) -> None:
    data = load(write(tmp_path, row(evidence=[evidence(0, "Profit"), evidence(1, "Costs: 700")])))
    (example,) = data.examples()
    assert [text.strip() for text in evidence_texts(example)] == [PAGES[0], "Costs: 700"]
    assert data.warnings == [
        "evidence not found on its page, so that the whole page is the evidence: 1 of 2 (financebench_id_00001: page 0)"
    ]


def test_pages_that_the_filing_does_not_have_are_reported_and_count_as_missing(tmp_path: Path) -> None:
    pieces = [evidence(9, "Revenue"), evidence(-1, "Revenue"), evidence(2, "Revenue"), evidence(1, "Revenue was")]
    data = load(write(tmp_path, row(evidence=pieces)))
    (example,) = data.examples()
    assert (evidence_texts(example), example.meta["evidence_missing"]) == (["Revenue was"], 3)
    assert [number for number, _, _ in example.meta["pages"]] == [1]
    (warning,) = data.warnings
    assert warning.startswith("pages of evidence that the filing does not have, or without text: 3 (")
    assert "financebench_id_00001: page 9 of MILL_2021_10K, from 0" in warning


def test_evidence_in_another_filing_is_left_out_and_the_readme_s_name_of_the_field_is_read(tmp_path: Path) -> None:
    other = evidence(0, "MILL CORP", doc_name="MILL_2020_10K")
    fields = {name: value for name, value in evidence(0, "MILL CORP").items() if name != "doc_name"}
    data = load(write(tmp_path, row(evidence=[other, {**fields, "evidence_doc_name": "MILL_2021_10K"}])))
    (example,) = data.examples()
    assert evidence_texts(example) == ["MILL CORP"]
    assert data.warnings == [
        "evidence in another filing than the question's, left out: 1 (financebench_id_00001: MILL_2020_10K)"
    ]


def test_only_the_first_letters_have_to_be_the_same(tmp_path: Path) -> None:
    page = "Sales 1 " + "ab " * KEY + "the end. More."
    span = quotation_span(page, (0, len(page)), "SALES 1" + "ab" * KEY + "THE OTHER")
    assert span == (0, len("Sales 1 " + "ab " * KEY + "the end. Mo"))
    assert quotation_span(page, (0, len(page)), "x" + page) is None
    assert quotation_span(page, (0, len(page)), " – ") is None
    assert quotation_span("ab", (0, 1), "ab ab") is None
    assert quotation_span("İab", (0, 3), "i̇AB") == (0, 3)


def test_a_pdf_is_read_by_the_numbers_of_its_pages_those_without_text_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))  # read anew, with its warnings
    folder = write(tmp_path, row(evidence=[evidence(2, "Costs: 700"), evidence(1, "Costs")]), texts={"OTHER": "x"})
    small_files.pdf(folder / "pdfs" / "MILL_2021_10K.pdf", [["Mill Corp"], [], ["Revenue", "Costs: 700"]])
    data = load(folder)
    (example,) = data.examples()
    assert (evidence_texts(example), example.meta["evidence_missing"]) == (["Costs: 700"], 1)
    assert example.meta["pages"] == [[2, 11, 29]]
    assert [warning.partition(":")[0] for warning in data.warnings] == [
        str(folder / "pdfs" / "MILL_2021_10K.pdf"), "pages of evidence that the filing does not have, or without text",
    ]  # fmt: skip


def test_an_encrypted_pdf_says_how_to_open_it(tmp_path: Path) -> None:
    folder = write(tmp_path, row(), texts={"OTHER": "x"})
    small_files.pdf(folder / "pdfs" / "MILL_2021_10K.pdf", [["Mill Corp"]], protected=True)
    with pytest.raises(UserError, match=r"is protected by a password.*qpdf --decrypt"):
        read(folder)


def test_questions_without_their_filing_are_left_out_and_counted_and_none_at_all_is_refused(tmp_path: Path) -> None:
    rows = [row(), row(2, doc_name="DAM_2020_10K"), row(3, doc_name="DAM_2020_10K"), row(4)]
    data = load(write(tmp_path, *rows))
    assert [example.id[-1] for example in data.examples()] == ["1", "4"]
    assert data.warnings == [
        "questions left out, because their filing is neither in texts/ nor in pdfs/: 2 (DAM_2020_10K)"
    ]
    (tmp_path / "texts" / "MILL_2021_10K.txt").unlink()
    with pytest.raises(
        UserError, match=r"none of 2 filings is there, MILL_2021_10K the first: put .*10K.pdf into .*pdf"
    ):
        read(tmp_path)


def test_all_questions_are_read_where_texts_are_not_needed(tmp_path: Path) -> None:
    folder = write(tmp_path, row(), row(2, doc_name="DAM_2020_10K"), row(3), texts={"OTHER": "x"})
    data = sources.load("financebench", tasks.get("financebench").dataset, folder, has_texts=False)
    examples = [(example.id[-1], example.document.id, example.document.text) for example in data.examples()]
    assert examples == [("1", "MILL_2021_10K", ""), ("2", "DAM_2020_10K", ""), ("3", "MILL_2021_10K", "")]


def test_a_file_in_the_working_folder_has_its_filings_beside_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write(tmp_path, row()) / "data")
    assert [example.document.text for example in read("financebench_open_source.jsonl")] == [TEXT]


@pytest.mark.parametrize("name", ["../MILL", "", "/etc/hosts"])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=r"jsonl:1: `doc_name` must be the name of a filing"):
        read(write(tmp_path, row(doc_name=name)))


@pytest.mark.parametrize("piece", ["Revenue", {"evidence_text": "Revenue"}, {"evidence_page_num": "1"}, None])
def test_evidence_without_a_page_is_refused_with_its_row(tmp_path: Path, piece: Any) -> None:
    with pytest.raises(UserError, match=r"jsonl:1: `evidence` must be a list of objects with evidence_text and evid"):
        read(write(tmp_path, row(evidence=[piece])))


def test_the_file_is_found_in_the_repository_in_its_folder_and_by_itself(tmp_path: Path) -> None:
    folder = write(tmp_path, row())
    for path in (folder, folder / "data", folder / "data" / "financebench_open_source.jsonl"):
        assert [example.document.text for example in read(path)] == [TEXT]
    with pytest.raises(UserError, match="pass the path of the file of questions, which has the filings beside it"):
        read([row()])


def test_a_whole_filing_shows_every_page_and_a_passage_only_some(tmp_path: Path) -> None:
    folder = write(tmp_path, row(evidence=[evidence(1, "Costs: 700"), evidence(3, "Notes")]))
    arguments: dict[str, Any] = {"data": folder, "report": False}
    whole = pipelines.run("financebench", model="lead", out=tmp_path / "whole", **arguments)
    assert (whole.scores["page_recall"], whole.scores["evidence_recall"]) == (100.0, 100.0)
    first = pipelines.run(
        "financebench",
        model="extractive",
        chunker="tokens:size=6",
        retriever="first",
        k=1,
        out=tmp_path / "first",
        **arguments,
    )
    assert (first.scores["page_recall"], first.scores["evidence_recall"]) == (50.0, 0.0)


def test_every_quotation_of_the_real_filings_is_found_on_its_page(realdata: Path) -> None:
    data = load(realdata / "financebench")
    examples = list(data.examples())
    assert (len(examples), len({example.document.id for example in examples})) == (14, 9)
    assert sum(len(example.evidence) for example in examples) == 17
    (warning,) = data.warnings
    assert warning.startswith(
        "questions left out, because their filing is neither in texts/ nor in pdfs/: 59 (3M_2018_"
    )
    places = {example.id[-5:]: [number for number, _, _ in example.meta["pages"]] for example in examples}
    assert (places["04458"], places["01912"], places["01928"]) == ([39, 41], [2, 3], [11])


def test_an_unreadable_filing_leaves_out_only_its_own_questions(tmp_path: Path) -> None:
    other = row(2, doc_name="B", evidence=[evidence(1, "Revenue", doc_name="B")])
    folder = write(tmp_path, row(), other, texts={"MILL_2021_10K": TEXT, "B": "Costs\0"})
    data = load(folder)
    assert [example.id for example in data.examples()] == ["financebench_id_00001"]
    path = folder / "texts" / "B.txt"
    assert data.warnings == [
        f"questions left out, because their filing cannot be read: {path} is binary, not text; it has a zero byte at "
        "offset 5: 1 (financebench_id_00002)"
    ]
    (folder / "texts" / "MILL_2021_10K.txt").write_text("\0")
    with pytest.raises(UserError, match="is binary, not text"):
        read(folder)
