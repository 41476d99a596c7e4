"""The tables of evidence by page and by document, and those of labels, from small folders and from real ones."""

import json
from pathlib import Path

from benchmarks import pages_and_sets
from benchmarks.labelled_files import aa_lcr_table, financebench_table
from benchmarks.pages_and_sets import BENCHMARKS, Benchmark, benchmark_table


def test_the_whole_document_comes_first_then_every_selection_at_every_budget(tmp_path: Path, monkeypatch) -> None:
    for name in ("data", "texts"):
        (tmp_path / "financebench" / name).mkdir(parents=True)
    (tmp_path / "financebench" / "texts" / "MILL.txt").write_text("Mill Corp reports.\fRevenue: 1,200\fCosts: 700")
    evidence = [{"evidence_text": "Costs: 700", "doc_name": "MILL", "evidence_page_num": 2}]
    row = {
        "financebench_id": "f1",
        "doc_name": "MILL",
        "question": "Which costs?",
        "answer": "700",
        "evidence": evidence,
    }
    (tmp_path / "financebench" / "data" / "financebench_open_source.jsonl").write_text(json.dumps(row) + "\n")
    monkeypatch.setattr(pages_and_sets, "SYSTEMS", (("tokens:size=3", "first"), ("lines:size=3", "bm25")))
    benchmark = Benchmark("financebench", "FinanceBench", (3,), ("page_recall", "full_evidence"))
    lines = benchmark_table(benchmark, tmp_path, tmp_path / "runs").splitlines()
    assert lines[0] == "FinanceBench: 1 questions, 1 documents."
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[4:]]
    assert [row[:2] for row in cells] == [
        ["whole document", ""], ["`first` over `tokens:size=3`", "3"], ["`bm25` over `lines:size=3`", "3"],
    ]  # fmt: skip
    assert [row[3] for row in cells] == ["100.0 –", "0.0 –", "100.0 –"]


def test_both_benchmarks_have_the_scores_of_their_table() -> None:
    assert [benchmark.scores[0] for benchmark in BENCHMARKS] == ["page_recall", "document_coverage"]


def test_label_counts_stand_beside_those_of_the_whole_files(realdata: Path, tmp_path: Path) -> None:
    financebench = financebench_table(realdata / "financebench")
    assert "| gpt-4-1106-preview_inContext | 17 / 27 / 29 of 73 | 23.29 [" in financebench
    assert "| 37 / 54 / 59 of 150 |" in financebench
    assert financebench.count("\n| ") == 18
    aa_lcr = aa_lcr_table(realdata / "aa_lcr")
    assert "| doubao-seed-2-0-pro-260215/20260302_132745 | 26 of 30 | 86.67 [" in aa_lcr
    assert aa_lcr.count("\n| ") == 10
    assert (financebench_table(tmp_path), aa_lcr_table(tmp_path)) == ("", "")
