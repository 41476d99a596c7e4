"""The questions about leading sentences: their files have the answers, and a lead counts as right by its words."""

from pathlib import Path

import pipelines
from benchmarks.what_leads import FOLDER, Question, count_led, questions


def test_the_files_of_each_half_answer_its_questions() -> None:
    for half, count in (("fitted", 153), ("held_out", 40)):
        half_questions = list(questions(half))
        assert len(half_questions) == count
        assert {question.file for question in half_questions} == set((FOLDER / half).iterdir())
        for question in half_questions:
            text = " ".join(question.file.read_text(encoding="utf-8").split())
            assert any(words in text for words in question.answers), question


def test_a_lead_is_right_with_the_words_of_the_right_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Bees hum all day. Ships sail.\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Bees hum all night. Geese honk.\n", encoding="utf-8")
    right = Question(tmp_path / "a.txt", "What do ships do?", ["Ships sail"])
    other = Question(tmp_path / "b.txt", "What do ships do?", ["Ships sail"])
    assert count_led([right, other], tmp_path) == (1, 1)
    assert not right.is_led(pipelines.ask(tmp_path, "What do geese do?"))
