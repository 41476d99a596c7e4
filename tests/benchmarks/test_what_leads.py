"""The questions of what leads: their answers are in their files, and what counts as right."""

from pathlib import Path

import pipelines
from benchmarks.what_leads import FOLDER, Question, led, questions


def test_each_half_has_questions_of_its_own_files_that_these_answer() -> None:
    for half, count in (("fitted", 153), ("held_out", 40)):
        asked = list(questions(half))
        assert len(asked) == count
        assert {question.file for question in asked} == set((FOLDER / half).iterdir())
        for question in asked:
            text = " ".join(question.file.read_text(encoding="utf-8").split())
            assert any(words in text for words in question.answers), question


def test_a_lead_is_right_with_the_words_of_the_right_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Bees hum all day. Ships sail.\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Bees hum all night. Geese honk.\n", encoding="utf-8")
    right = Question(tmp_path / "a.txt", "What do ships do?", ["Ships sail"])
    other = Question(tmp_path / "b.txt", "What do ships do?", ["Ships sail"])
    assert led([right, other], tmp_path) == (1, 1)
    assert not right.is_led(pipelines.ask(tmp_path, "What do geese do?"))
