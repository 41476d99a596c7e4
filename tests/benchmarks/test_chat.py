"""A chat model that knows the answers scores as gold does; a prompt that asks for no form gets no answer."""

from pathlib import Path
from typing import Any

import pytest

import pipelines
from benchmarks.chat import Case, cases, gold_score, parts, style_score
from benchmarks.rule_follower import LOST, STYLES, RuleFollower
from pipelines.prompts.chat_words import SHORTLY
from pipelines.records import Document, Example
from tests.turns import for_each

MILL = Document("mill", "Anna left the mill at noon.\n\nTom stayed. He locked the door, and nobody came by.")
SHIP = Document("ship", "The ship sailed at dawn.\n\nNobody spoke. Zelda counted the waves until the evening.")
OPTIONS = ("to sleep", "to count the waves", "to lock the door", "to leave")
LABELS = ("Entailment", "Contradiction", "Not mentioned")
CLOSED = {
    "scrolls/quality": [
        Example("a", SHIP, "Why did Zelda come?", (OPTIONS[1],), OPTIONS),
        Example("b", MILL, "Why did Tom stay?", (OPTIONS[2],), OPTIONS),
    ],
    "scrolls/contract_nli": [
        Example("a", SHIP, "The ship shall sail.", (LABELS[0],), LABELS),
        Example("b", MILL, "The ship shall sail.", (LABELS[2],), LABELS),
    ],
    "style_change": [Example("a", Document("d", "One.\nTwo.\nThree.\nFour.\nFive."), references=("1,2,3,4,2",))],
}
QUESTIONS = [
    Example("a", MILL, "Who left the mill?", ("Anna",)),
    Example("b", MILL, "Did Tom stay?", ("yes",)),
    Example("c", SHIP, "When did the ship sail?", ("at dawn",)),
]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@for_each("style", [*STYLES, "thinking"])
@for_each("task", CLOSED)
def test_closed_answers_are_right_in_every_style(task: str, style: str, tmp_path: Path) -> None:
    metric = "style_change" if task == "style_change" else "exact_match"
    case = Case(task, "own", CLOSED[task])
    assert style_score(case, style, metric, tmp_path) == gold_score(case, metric) == 100


def test_words_around_free_text_lower_its_score(tmp_path: Path) -> None:
    case = Case("hotpotqa", "own", QUESTIONS)
    f1 = {style: round(style_score(case, style, "f1", tmp_path), 2) for style in (*STYLES, "thinking")}
    assert f1 == {
        "exact": 100, "bold": 100, "sentence": 55.56, "lower case": 100, "preamble": 26.94, "JSON": 55.56,
        "thinking": 100,
    }  # fmt: skip
    assert gold_score(case, "f1") == 100


@pytest.mark.parametrize("task", ["hotpotqa", "longbench/hotpotqa", "longbench/2wikimqa", "scrolls/qasper"])
def test_a_yes_is_written_where_the_prompt_asks_for_the_answer_alone(task: str) -> None:
    model = {"name": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"}
    prompt = pipelines.prompt(task, "b", data=QUESTIONS, model=model).text
    assert RuleFollower(QUESTIONS).answer(prompt) == "yes"
    assert RuleFollower(QUESTIONS).answer(prompt.replace(SHORTLY, "")) == LOST


def test_an_unanswerable_question_is_answered_in_the_words_of_the_prompt() -> None:
    model = {"name": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"}
    rows = [Example("a", MILL, "Who sold the mill?", ("Unanswerable",))]
    prompt = pipelines.prompt("scrolls/qasper", "a", data=rows, model=model).text
    prompts = [prompt, prompt.replace("not stated", "unanswerable"), prompt.replace("not stated", "nothing")]
    assert [RuleFollower(rows).answer(each) for each in prompts] == ["not stated", "unanswerable", LOST]


@pytest.mark.parametrize("heading", ["Question: ", "Question:\n"])
def test_a_prompt_without_the_question_the_letters_or_the_form_gets_no_answer(heading: str) -> None:
    follower = RuleFollower(CLOSED["scrolls/quality"])
    listed = "\n".join(f"({letter}) {option}" for letter, option in zip("ABCD", OPTIONS, strict=True))
    prompt = f"{SHIP.text}\n\n{heading}Why did Zelda come?\n{listed}\n\nWrite the letter of the best answer."
    assert follower.answer(prompt) == "B"
    for missing in (heading, "Why did Zelda come?", "(B) ", "letter"):
        assert follower.answer(prompt.replace(missing, "")) == LOST
    for task in ("scrolls/contract_nli", "style_change"):
        (example, *_) = CLOSED[task]
        assert RuleFollower(CLOSED[task]).answer(f"{example.document.text}\n\n{heading}{example.query}") == LOST


def test_a_question_about_two_documents_is_answered_for_the_one_that_the_prompt_shows() -> None:
    follower = RuleFollower(CLOSED["scrolls/contract_nli"])
    form = "\n\nWrite the one of these labels that holds:\n" + "\n".join(LABELS)
    ending = f"{form}\n\nStatement: The ship shall sail.\nAnswer:"
    assert [follower.answer(document.text + ending) for document in (SHIP, MILL)] == ["Entailment", "Not mentioned"]


def test_each_part_of_a_document_gets_its_share_of_the_words_of_the_answer() -> None:
    text = "\n\n".join(f"# Part {number}\n\nIt is about the number {number} alone." for number in (1, 2, 3))
    case = Case("vlsp", "own", [Example("a", Document("d", text), references=("one two three four five six",))])
    model = {"name": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1", "max_input_tokens": 200}
    document_parts = parts(case, {"data": case.examples, "model": model})
    follower = RuleFollower(case.examples, parts=document_parts)
    ending = "\n\nSum up this part in one sentence of at most 20 words, and write nothing else."
    replies = [follower.answer(f"Part of the paper:\n{part}{ending}") for part in document_parts["d"]]
    assert " ".join(replies) == "one two three four five six"
    assert len(replies) > 1 and all(replies)
    one_word = ending.replace("20", "1")
    assert follower.answer(f"Part of the paper:\n{document_parts['d'][0]}{one_word}") == "one"


@pytest.mark.parametrize("task", ["hotpotqa", "scrolls/contract_nli", "zero_scrolls/qasper", "zero_scrolls/quality"])
def test_exact_answers_to_real_questions_score_as_gold_does(task: str, realdata: Any, tmp_path: Path) -> None:
    (case,) = cases(realdata, tmp_path, [task])
    metric = {"hotpotqa": "f1", "scrolls/contract_nli": "exact_match"}.get(task, "")
    metric = metric or ("f1_ascii" if task.endswith("qasper") else "choice_accuracy")
    assert style_score(case, "exact", metric, tmp_path) == gold_score(case, metric) == 100
