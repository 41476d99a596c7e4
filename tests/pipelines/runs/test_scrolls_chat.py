"""SCROLLS' tasks for chat models: the prompt has an instruction, and a letter in the reply becomes its option."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

import pipelines
from chunkers.shared.words import count_words
from longdoc.errors import UserError
from models import Generate, Reader, Reply
from pipelines import tasks
from pipelines.engine.planning.plan import make_plan
from pipelines.engine.planning.spec import digest
from pipelines.prompts.chat_words import CHAT
from pipelines.prompts.row_prompt import RowPrompt
from pipelines.prompts.template import Template
from pipelines.records import Document, Example

STORY = "The ship left at noon. He stood at the pier, for the doctor had lied to him."
OPTIONS = ("He was afraid", "The doctor had lied", "He was asleep", "Nobody knows")
QUALITY = [Example(f"q{i}", Document("d", STORY), "Why did he stay?", (OPTIONS[1],), OPTIONS) for i in range(3)]
LABELS = ("Entailment", "Contradiction", "Not mentioned")
CONTRACT = [Example("c", Document("d", STORY), "The ship shall leave.", ("Not mentioned",), LABELS)]
PAPER = [Example("p", Document("d", STORY), "Is it a ship?", ("Yes",))]


@dataclass
class Says(Reader):
    """Gives prepared answers in order and records the prompts."""

    says: Any = "The best answer is (B)."
    is_chat: bool = False
    supports = frozenset({Generate})
    max_input_tokens: int | None = None
    prompts: list[str] = field(default_factory=list)

    def count(self, texts: Any) -> list[int]:
        return count_words(texts)

    def reply(self, requests: Any) -> list[Reply]:
        self.prompts += [request.prompt.text for request in requests]
        replies = [self.says] if isinstance(self.says, str) else self.says
        return [Reply(replies[i % len(replies)]) for i, _ in enumerate(requests)]


def run(task: str, data: Any, reader: Any, folder: Any, **arguments: Any) -> Any:
    return pipelines.run(
        f"scrolls/{task}", data=data, model=reader, out=folder, **{"metrics": "exact_match"} | arguments
    )


def test_a_letter_becomes_the_options_text_and_the_log_keeps_the_reply(tmp_path):
    result = run("quality", QUALITY, Says(), tmp_path / "run", prompt="chat")
    assert {prediction.prediction for prediction in result.predictions} == {OPTIONS[1]}
    assert result.scores["exact_match"] == 100.0
    logged = json.loads((tmp_path / "run" / "requests.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert logged["value"] == "The best answer is (B)."
    suffix = "|prompt:own wording for chat models|answer:option named in the reply"
    assert result.scores.signatures["exact_match"].endswith(suffix)
    assert pipelines.rescore(tmp_path / "run")["signatures"] == dict(result.scores.signatures)


def test_the_published_input_is_scored_as_it_is_written(tmp_path):
    result = run("quality", QUALITY, Says(), tmp_path / "run")
    assert {prediction.prediction for prediction in result.predictions} == {"The best answer is (B)."}
    assert result.scores["exact_match"] == 0.0
    assert (
        "|answer:" not in result.scores.signatures["exact_match"]
        and "|prompt:" not in result.scores.signatures["exact_match"]
    )


def test_the_prompt_has_the_instruction_and_lettered_options():
    shown = pipelines.prompt("scrolls/quality", "q0", data=QUALITY, model=Says(), prompt="chat").text
    assert shown == (
        f"Answer a question of multiple choice about a story or an article.\n\nText:\n{STORY}\n\n"
        "Write the letter of the best answer and nothing else.\n\nQuestion: Why did he stay?\n(A) He was afraid\n"
        "(B) The doctor had lied\n(C) He was asleep\n(D) Nobody knows\nAnswer:"
    )


def test_contracts_get_their_labels_without_letters(tmp_path):
    reader = Says("The contract does not say so: **Not mentioned**.")
    result = run("contract_nli", CONTRACT, reader, tmp_path / "run", prompt="chat")
    assert result.scores["exact_match"] == 100.0
    (prompt,) = reader.prompts
    assert prompt.endswith(
        f"{STORY}\n\nWrite the one of these labels that holds, and nothing else:\nEntailment\nContradiction\n"
        "Not mentioned\n\nStatement: The ship shall leave.\nAnswer:"
    )


def test_a_yes_with_its_reason_is_a_yes_and_other_answers_stay(tmp_path):
    result = run("qasper", PAPER, Says("Yes, it left at noon."), tmp_path / "a", prompt="chat", metrics="f1")
    assert (result.predictions[0].prediction, result.scores["f1"]) == ("Yes", 100.0)
    other = run("qasper", PAPER, Says("A ship at the pier."), tmp_path / "b", prompt="chat", metrics="f1")
    assert other.predictions[0].prediction == "A ship at the pier."


def test_answers_can_be_requested_in_tags(tmp_path):
    reader = Says("The doctor lied, thus <answer>(B)</answer>.")
    result = run("quality", QUALITY, reader, tmp_path / "run", prompt="tags")
    assert result.scores["exact_match"] == 100.0
    assert "Write the answer between <answer> and </answer>.\n\nQuestion: Why did he stay?\n" in reader.prompts[0]
    assert reader.prompts[0].endswith("\n(D) Nobody knows\n\n<answer>")


def test_replies_that_name_several_stay_as_they_are_and_are_counted(tmp_path):
    data = [*QUALITY, Example("z", Document("e", "Other."), "Why?", (OPTIONS[1],), OPTIONS)]
    result = run("quality", data, Says(["B", "(A) or (B)"]), tmp_path / "run", prompt="chat", chunker="whole")
    assert sorted({prediction.prediction for prediction in result.predictions}) == ["(A) or (B)", OPTIONS[1]]
    assert "1 of 4 examples: the reply names no option, or several" in result.warnings


@pytest.mark.parametrize("task", sorted(CHAT))
def test_every_task_has_an_instruction_and_says_how_to_write_the_answer(task):
    data = [Example("x", Document("d", STORY), "Why?", ("x",), OPTIONS if task == "quality" else ())]
    shown = pipelines.prompt(f"scrolls/{task}", "x", data=data, model=Says(), prompt="chat").text
    assert shown.startswith(CHAT[task].instruction)
    assert shown.partition(STORY)[2].startswith(f"\n\n{CHAT[task].format}")
    assert shown.rpartition("\n\n")[2].startswith(f"{CHAT[task].query}: Why?\n")
    assert shown.endswith(f"\n{CHAT[task].cue}")


def test_a_chat_model_is_asked_in_words_unless_a_prompt_is_given(tmp_path):
    data: Any = QUALITY
    reader = Says(is_chat=True)
    result = run("quality", data, reader, tmp_path / "a")
    assert result.scores["exact_match"] == 100.0
    assert reader.prompts[0].startswith(CHAT["quality"].instruction)
    assert result.warnings == ()
    own_prompt = make_plan("scrolls/quality", model=Says(is_chat=True), prompt="Choose. {document}", data=data, seed=0)
    assert own_prompt.template == Template("Choose. {document}")
    plain = make_plan("scrolls/quality", model=Says(), data=data, seed=0)
    assert plain.template == Template("{query}\n\n{options}\n\n{document}", cut_at="token")
    row_form = make_plan("zero_scrolls/quality", model=Says(is_chat=True), data=data, seed=0)
    assert isinstance(row_form.template, RowPrompt)


def test_a_run_in_words_that_is_started_again_asks_nothing(tmp_path):
    first = run("contract_nli", CONTRACT, Says("Not mentioned", is_chat=True), tmp_path / "run")
    again = Says("Not mentioned", is_chat=True)
    assert run("contract_nli", CONTRACT, again, tmp_path / "run").scores == first.scores
    assert again.prompts == []


def test_runs_of_both_wordings_are_told_apart(tmp_path):
    chat = run("quality", QUALITY, Says(is_chat=True), tmp_path / "a")
    published = run("quality", QUALITY, Says(is_chat=True), tmp_path / "b", prompt=tasks.get("scrolls/quality").prompt)
    ending = "|prompt:own wording for chat models|answer:option named in the reply"
    assert chat.scores.signatures["exact_match"] == published.scores.signatures["exact_match"] + ending
    specs = [json.loads((tmp_path / name / "run.json").read_text(encoding="utf-8"))["spec"] for name in ("a", "b")]
    assert specs[0]["prompt"]["words"]["instruction"] == CHAT["quality"].instruction
    assert digest(specs[0]) != digest(specs[1])


def test_the_row_form_is_refused_where_rows_have_no_prompt():
    with pytest.raises(UserError, match="prompt='row' needs rows with prompts, which scrolls/qual"):
        pipelines.prompt("scrolls/quality", "q0", data=QUALITY, model=Says(), prompt="row")


def test_fifty_real_questions_answered_by_letter_are_all_right(realdata, tmp_path):
    file = realdata / "quality" / "quality_dev_50.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    plan = make_plan("scrolls/quality", model=Says(), data=str(file), split="validation", seed=0)
    examples = list(plan.data.examples())
    assert len(examples) == len(data) == 50
    letters = [f"The best answer is ({'ABCD'[example.options.index(example.references[0])]})." for example in examples]
    answers = dict(zip([example.query for example in examples], letters, strict=True))

    class Knows(Says):
        def reply(self, requests: Any) -> list[Reply]:
            return [Reply(answers[request.prompt.query]) for request in requests]

    result = run("quality", str(file), Knows(), tmp_path / "run", prompt="chat")
    assert (result.examples, result.scores["exact_match"]) == (50, 100.0)
