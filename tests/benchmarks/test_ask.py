"""What the benchmark of `ask` measures, and that the answer leads more often than the reader's output did."""

from pathlib import Path

import pytest

import pipelines
from benchmarks.ask import BEFORE, Headline, hits, hotpotqa, without_yes_or_no, write

ROWS = [
    ("Where was the maker of Deep Water born?", ["Turin"], [("Deep Water", "Carl Mond made Deep Water."),
                                                            ("Carl Mond", "Carl Mond was born in Turin.")]),
    ("Is Carl Mond dead?", ["yes"], [("Carl Mond", "Carl Mond is dead."), ("A/B: C?", "A ship.")]),
]  # fmt: skip


def test_paragraphs_are_files_named_by_their_titles(tmp_path: Path) -> None:
    assert write(ROWS, tmp_path) == 4
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "A_B_ C_.txt": "A ship.\n",
        "Carl Mond.txt": "Carl Mond was born in Turin.\n",
        "Carl Mond 2.txt": "Carl Mond is dead.\n",
        "Deep Water.txt": "Carl Mond made Deep Water.\n",
    }


def test_questions_whose_answer_leads_or_stands_in_the_passages_are_counted(tmp_path: Path) -> None:
    write(ROWS, tmp_path)
    rows = without_yes_or_no(ROWS)
    assert rows == ROWS[:1]
    assert hits(rows, tmp_path) == [1, 0, 1]
    assert hits([("Who made Deep Water?", ["Nobody"], [])], tmp_path) == [0, 0, 0]


def test_the_headline_reader_gives_an_answer_without_a_best_sentence(tmp_path: Path) -> None:
    write(ROWS, tmp_path)
    answer = pipelines.ask(tmp_path, "Who made Deep Water?", model=Headline(), **BEFORE)
    assert (answer.text, answer.best_sentence) == ("Carl Mond", None)


@pytest.mark.slow
def test_answers_to_real_questions_lead_far_more_often(
    realdata: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    rows = list(hotpotqa(realdata / "hotpotqa" / "hotpot_distractor_80.jsonl"))
    folder = tmp_path / "paragraphs"
    folder.mkdir()
    assert write(rows, folder) == 794
    questions = without_yes_or_no(rows)
    assert len(questions) == 70
    before = hits(questions, folder, model=Headline(), **BEFORE)
    now = hits(questions, folder)
    assert before == [15, 21, 64]
    assert now == [39, 27, 69]
    assert now[0] >= 1.5 * before[0]
