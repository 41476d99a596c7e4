"""The words of tasks for chat models and the kept replies of real models give the figures of RESULTS.md."""

import re

from benchmarks.results import FILE
from benchmarks.wordings import measuring
from benchmarks.wordings import rows as question_sets
from benchmarks.wordings.replies import MODELS, Replies

NEW_REPLIES = "the words of a task changed: make wordings, with servers of both models, asks for new replies"


def printed_rows() -> list[list[str]]:
    """The lines of the table in RESULTS.md."""
    section = FILE.read_text(encoding="utf-8").partition("\n## wordings\n")[2].partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [line for line in lines if line[2] in MODELS]


def test_the_present_words_and_the_kept_replies_give_the_table_of_wordings(realdata, prompt_files):
    printed, replies = printed_rows(), Replies()
    names = dict.fromkeys(line[0] for line in printed)
    assert {"hotpotqa", "qa"} <= names.keys()
    computed, missing = [], []
    for question_set in (measuring.reported_questions(realdata, name) for name in names):
        for name, wording, model in (line[:3] for line in printed if line[0] == question_set.name):
            figures = measuring.figures(question_set, wording, model, replies)
            missing += [(name, wording, model)] if figures.missing else []
            computed.append(figures.row)
    assert missing == [], NEW_REPLIES
    assert computed == printed


def test_kept_replies_contain_no_text_of_documents_or_questions():
    lines = Replies().file.read_text(encoding="utf-8").splitlines()
    assert all(re.match(r'\["Qwen2\.5-Coder-[01]\.5B", "[0-9a-f]{12}", "', line) for line in lines)


def test_twins_are_in_the_half_of_their_question(realdata):
    for question_set in (question_sets.qa(realdata), question_sets.qasper(realdata)):
        halves = [question_set.half(number) for number in (0, 1)]
        documents = [{example.document.id for example in half.examples} for half in halves]
        assert documents[0].isdisjoint(documents[1])
        questions = [{twin.meta["question"] for twin in half.twins if "question" in twin.meta} for half in halves]
        assert questions[0].isdisjoint(documents[1])
        assert questions[1].isdisjoint(documents[0])
