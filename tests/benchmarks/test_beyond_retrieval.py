"""The table of what retrieval finds, from small rows."""

from pathlib import Path

import pytest

from benchmarks.beyond_retrieval import CASES, counting_reader, row


@pytest.mark.parametrize("task", ["ruler/vt", "ruler/cwe", "graphwalks"])
def test_a_line_has_a_score_for_each_budget_and_for_the_whole_document(task: str, tmp_path: Path) -> None:
    (case,) = [case for case in CASES if case.task == task]
    cells = row(case, tmp_path, length=2000, examples=2)
    assert cells[:2] == [f"`{task}`", case.description]
    assert [cell.split()[0] for cell in cells[3:]][-1] == "100.0"
    assert len(cells) == 7


def test_a_chain_is_never_whole_among_few_passages(tmp_path: Path) -> None:
    (case,) = [case for case in CASES if case.task == "ruler/vt"]
    assert row(case, tmp_path, length=2000, examples=3)[3].startswith("0.0 ")


def test_the_counting_reader_names_the_words_that_it_is_shown_most_often() -> None:
    shown = (
        "Do it.\n\nList:\n1. bakuto 2. lomine 3. bakuto 4. sateki 5. lomine 6. bakuto\n\nQuestion:\nWhich?\n\nWords:"
    )
    assert counting_reader("ruler/cwe")(shown).startswith("bakuto, lomine, sateki")
    dots = "Do it.\n\nText:\n... bakuto lomine ... lomine ...\n\nQuestion:\nWhich?\n\nWords:"
    assert counting_reader("ruler/fwe")(dots) == "lomine, bakuto"
