"""A judge's prompt: longdoc's own for answers, summaries and absent answers, or one from a file."""

from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines.plugins.judging.prompts import JudgePrompt, judge_prompt
from pipelines.records import Prediction
from pipelines.tasks import Judging

CODE = """
def score(pred, label, query, kind):
    if kind == 'absent':
        prompt = f'''Is it said to be missing? True or False.
Q {query} R {label} P {pred}'''
    else:
        prompt = f'''Is it right? True or False. {{braces}}
Q {query} R {label} P {pred}'''
    messages = [{"role": "system", "content": "You judge."}, {"role": "user", "content": prompt}]
    path = f'{kind}_{other}'
"""
JOINED = """
def score(question, reference, hypothesis, task):
    if "qa" in task:
        p = "The same or not?"
        prompt = [{"role": "system", "content": p}, {"role": "user", "content": "Q: " + question + "\\nG: "
            + reference + "\\nP: " + hypothesis}]
    else:
        prompt = "A summary: {} and {}".format(reference, hypothesis)
        prompt = [{"role": "system", "content": prompt}]
"""


def prediction(query: str = "Who flew?", *references: str, text: str = "a {gull}") -> Prediction:
    return Prediction("q", "d", query, references or ("A gull.",), text, (), (), 0, 0, 0, 0)


def test_the_default_prompt_has_question_reference_and_answer() -> None:
    text = judge_prompt(Judging()).fill(prediction()).text
    assert "Question: Who flew?\n\nReference answer: A gull.\n\nAnswer to be graded: a {gull}\n\n" in text
    assert text.endswith("Reply with one word: yes or no.")
    several = judge_prompt(Judging()).fill(prediction("Who?", "a gull", "the bird")).text
    assert "Reference answer: one of these\n- a gull\n- the bird\n\n" in several


def test_the_judge_is_told_where_the_document_has_no_answer() -> None:
    text = judge_prompt(Judging(absent=True)).fill(prediction()).text
    assert "does not contain what the question below asks for" in text


def test_without_a_question_the_prompt_has_no_question_line() -> None:
    text = judge_prompt(Judging()).fill(prediction("")).text
    assert "Question" not in text
    assert text.startswith("You grade texts about a document")


def test_a_field_name_within_a_filled_in_text_is_not_replaced() -> None:
    text = judge_prompt(Judging()).fill(prediction("{prediction}?", text="{reference}")).text
    assert "Question: {prediction}?" in text
    assert "graded: {reference}\n" in text


def test_a_second_request_names_the_two_words_of_its_prompt() -> None:
    assert judge_prompt(Judging()).fill(prediction(), is_again=True).text.endswith("has to be one word: yes or no.")
    published = JudgePrompt("{reference} {prediction} True?", "published")
    assert published.fill(prediction(), is_again=True).text.endswith("has to be one word: True or False.")


def test_a_text_file_is_a_prompt(tmp_path: Path) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text("{query}: {label} or {pred}?\n")
    prompt = judge_prompt(Judging(), file)
    assert (prompt.text, prompt.wording) == ("{question}: {reference} or {prediction}?", "published")
    assert prompt.name.startswith("published ")
    file.write_text("{question} {prediction}")
    with pytest.raises(UserError, match=r"has no \{reference\}: give a prompt with \{reference\} and \{prediction\}"):
        judge_prompt(Judging(), file)


def test_the_prompts_of_a_benchmark_s_code_are_read_and_chosen_by_their_condition(tmp_path: Path) -> None:
    file = tmp_path / "judge.py"
    file.write_text(CODE)
    body = "Q {question} R {reference} P {prediction}"
    usual = f"You judge.\n\nIs it right? True or False. {{braces}}\n{body}"
    absent = f"You judge.\n\nIs it said to be missing? True or False.\n{body}"
    assert judge_prompt(Judging(), file).text == usual
    assert judge_prompt(Judging(True, "absent"), file).text == absent
    assert judge_prompt(Judging(), f"{file}::absent").text == absent
    with pytest.raises(UserError, match=r"unknown prompt in judge.py .*'hallu'; known: absent"):
        judge_prompt(Judging(True, "hallu"), file)
    file.write_text(JOINED)
    assert judge_prompt(Judging(), file).text == (
        "The same or not?\n\nQ: {question}\nG: {reference}\nP: {prediction}"
    )  # the only one, whatever its condition


def test_the_file_is_not_executed(tmp_path: Path) -> None:
    file = tmp_path / "judge.py"
    file.write_text("raise SystemExit('run')\n" + CODE)
    assert judge_prompt(Judging(), file).wording == "published"


def test_files_without_a_prompt_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "judge.py"
    for content, message in (
        ("x = f'{pred}'", "has no prompt for a judge"),
        ("def (", "is not a Python file that can be parsed"),
        ("a = f'{label} {pred}'\nb = f'{label}, {pred}'", "has 2 prompts for a judge: choose one by a word"),
    ):
        file.write_text(content)
        with pytest.raises(UserError, match=message):
            judge_prompt(Judging(), file)
    with pytest.raises(UserError, match="is a folder"):
        judge_prompt(Judging(), tmp_path)
