"""Options and labels in several orders: the prompts, the answer, and the note on answers that change."""

import json
import re
from dataclasses import replace

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.prompts.chat_prompt import ChatPrompt
from pipelines.prompts.row_prompt import RowPrompt
from pipelines.prompts.template import Template
from pipelines.records import ORDERS, Document, Example, Prediction
from pipelines.results import reference_counts
from pipelines.sources.own_data.answer_options import listing
from pipelines.strategies import get
from pipelines.strategies.shared.option_orders import ordered_jobs, original_answer
from pipelines.tasks import all_tasks
from tests.pipelines.strategies.made import drive, job

OPTIONS = ("the mill", "a horse", "A man did", "nobody")
LABELS = ("Hero", "Villain", "Neither")


def options_job(example=None, template=None, **fields):
    base = job("Cows eat grass.", **fields)
    return replace(base, example=example or lettered(), template=template or words("scrolls/quality"))


def lettered(**fields):
    return Example("e", Document("d", "Cows eat grass."), "Who?", options=OPTIONS, meta=listing(OPTIONS), **fields)


def words(task):
    return ChatPrompt(all_tasks()[task].chat)


def letters_by_text(prompt):
    """The letters of the options in a prompt, by text."""
    return {text: letter for letter, text in re.findall(r"\(?([A-D])\)? (the mill|a horse|A man did|nobody)", prompt)}


def letter_of(option):
    return lambda request: letters_by_text(request.prompt.text)[option]


@pytest.mark.parametrize(
    ("orders", "firsts"),
    [(1, ["the mill"]), (2, ["the mill", "A man did"]), (3, ["the mill", "a horse", "A man did"]), (9, [*OPTIONS])],
)
def test_each_order_begins_with_another_option(orders, firsts):
    _, ((*prompts,),) = drive(get("stuff", orders=orders), options_job(), letter_of("nobody"))
    assert [min((letter, text) for text, letter in letters_by_text(prompt).items()) for prompt in prompts] == [
        ("A", first) for first in firsts
    ]
    assert all("Cows eat grass." in prompt and set(letters_by_text(prompt)) == set(OPTIONS) for prompt in prompts)


@pytest.mark.parametrize("option", OPTIONS)
def test_a_letter_is_read_in_the_order_that_was_shown(option):
    forms = {
        "its text": (words("scrolls/quality"), option),
        "its letter": (words("infinitebench/en_mc"), "ABCD"[OPTIONS.index(option)]),
        "a template with letters": (Template("{query}\n{options}\n{document}"), option),
        "a template of letters": (
            Template("{query} A) {option_a}\nB) {option_b}\nC) {option_c}\nD) {option_d}\n{document}"),
            "ABCD"[OPTIONS.index(option)],
        ),
    }
    for form, (template, answer) in forms.items():
        example = replace(lettered(), meta={}) if len(answer) == 1 else lettered()
        outcome, _ = drive(get("stuff:orders=4"), options_job(example, template), letter_of(option))
        assert (form, outcome.prediction) == (form, answer)
        assert json.loads(outcome.notes[ORDERS]) == [answer] * 4


def test_a_row_s_own_prompt_has_its_list_rotated_and_nothing_else():
    query = "Who?\n\n" + "\n".join(f" ({letter}) {text}" for letter, text in zip("ABCD", OPTIONS, strict=True))
    before, after = "Choose.\n\nStory:\n", f"\n\nQuestion and Possible Answers:\n{query}\n\nAnswer:\n"
    meta = {"before": before, "after": after, "truncation": "", "query_in_after": [2, 2 + len(after) - 11 - 1]}
    example = Example("e", Document("d", "Cows eat grass."), query, options=OPTIONS, meta=meta)
    outcome, ((first, second),) = drive(
        get("stuff:orders=2"),
        options_job(example, RowPrompt("row")),
        lambda r: f"({letter_of('nobody')(r)}) nobody did A",
    )
    assert first == f"{before}Cows eat grass.{after}"
    assert sorted(first) == sorted(second)
    assert [min((letter, text) for text, letter in letters_by_text(p).items())[1] for p in (first, second)] == [
        "the mill",
        "A man did",
    ]
    assert outcome.prediction.startswith("(D) nobody did ")


def test_most_orders_decide_and_of_equally_many_the_first():
    always = {order: drive(get("stuff", orders=order), options_job(), lambda request: "B")[0] for order in (2, 3, 4)}
    assert {order: outcome.prediction for order, outcome in always.items()} == dict.fromkeys((2, 3, 4), "a horse")
    replies = iter(["B", "A", "D", "A"])  # a horse; then the mill, A man did, nobody begin
    outcome, _ = drive(get("stuff:orders=4"), options_job(), lambda request: next(replies))
    assert json.loads(outcome.notes[ORDERS]) == ["a horse", "a horse", "a horse", "nobody"]
    replies = iter(["I cannot say.", "C"])
    outcome, _ = drive(get("stuff:orders=2"), options_job(), lambda request: next(replies))
    assert (outcome.prediction, json.loads(outcome.notes[ORDERS])) == ("the mill", ["I cannot say.", "the mill"])


def test_labels_are_listed_in_each_order_and_read_by_their_words():
    label_job = replace(options_job(template=Template("{document}"), labels=LABELS), length=50)
    label_job = replace(label_job, example=Example("e", label_job.example.document))
    outcome, ((*prompts,),) = drive(
        get("label:by=generation,orders=3"), label_job, lambda request: request.prompt.text.splitlines()[-1]
    )
    assert [prompt.splitlines()[-3:] for prompt in prompts] == [
        ["Hero", "Villain", "Neither"],
        ["Villain", "Neither", "Hero"],
        ["Neither", "Hero", "Villain"],
    ]
    assert outcome.prediction == "Neither"
    assert json.loads(outcome.notes[ORDERS]) == ["Neither", "Hero", "Villain"]
    nli = replace(label_job, template=words("scrolls/contract_nli"), example=replace(label_job.example, options=LABELS))
    outcome, ((*prompts,),) = drive(get("stuff:orders=2"), nli, lambda request: "Villain")
    assert [prompt.splitlines()[-3:] for prompt in prompts] == [[*LABELS], ["Villain", "Neither", "Hero"]]
    assert outcome.prediction == "Villain"


def test_prompts_that_cannot_be_rotated_are_asked_once():
    no_list = Example("e", Document("d", "x"), "Is it the mill, a horse, A man did or nobody?", options=OPTIONS)
    for example, template in (
        (no_list, words("scrolls/quality")),
        (replace(no_list, options=()), words("qa")),
        (replace(no_list, query="Who?"), Template("{query} {document}")),
    ):
        outcome, ((*prompts,),) = drive(
            get("stuff:orders=4"), options_job(example, template), lambda request: "A man did"
        )
        assert len(prompts) == len(json.loads(outcome.notes[ORDERS])) == 1


def test_an_answer_without_letters_is_left_as_it_is():
    given_job = options_job(
        Example("e", Document("d", "x"), "Who?", options=OPTIONS), Template("{query}\n{options}\n{document}")
    )
    (_, _), (rotated, _) = ordered_jobs(given_job, 2, lambda ordered: ordered.request(ordered.selected))
    assert original_answer(given_job, rotated, "A cow and B") == "A cow and B"


def test_one_order_is_the_default_and_invalid_orders_are_refused():
    outcome, ((_,),) = drive(get("stuff"), options_job(), letter_of("nobody"))
    assert (outcome.prediction, dict(outcome.notes)) == ("nobody", {})
    for name in ("stuff", "label"):
        with pytest.raises(UserError, match=r"^orders must be at least 1, got 0$"):
            get(name, orders=0)
    with pytest.raises(UserError, match="training uses one order of the options; leave orders out"):
        get("stuff:orders=2").training_examples(options_job())


def test_changes_with_the_order_are_reported():
    def prediction_with(answers):
        notes = {} if answers is None else {ORDERS: answers}
        return Prediction("e", "d", "q", ("x",), "x", (), (), 1, 1, 1, 0, notes)

    notes_of = {
        ('["a","a"]', '["a","b"]', '["b","b"]'): "With the options rotated, 1 of 3 answers changes.",
        ('["a","b"]', '["a","b"]'): "With the options rotated, 2 of 2 answers change.",
        ('["a","b"]', '["a"]'): "With the options rotated, 1 of 1 answer changes. 1 prompt could not be rotated.",
        (None, "no JSON", "{}", "[1]", "[" * 9999): "",
    }
    assert {rows: reference_counts.rotated([*map(prediction_with, rows)]) for rows in notes_of} == notes_of


def test_a_run_reports_changes_with_the_order_and_a_second_start_makes_the_same_files(tmp_path):
    rows = [
        {"id": f"q{i}", "document": "A mill.", "question": f"Who {i}?", "options": ["Ann", "Bob", "Tom"], "answer": "B"}
        for i in range(4)
    ]
    data = tmp_path / "rows.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def model(prompt):
        return "B" if "Who 3" in prompt else re.search(r"\((.)\) Bob", prompt)[1]

    arguments = {"data": data, "model": model, "prompt": "chat", "strategy": "stuff:orders=3", "report": False}
    results = [pipelines.run("qa", out=tmp_path / name, **arguments) for name in ("a", "a", "b")]
    assert [prediction.prediction for prediction in results[0].predictions] == ["Bob"] * 4
    assert "  With the options rotated, 1 of 4 answers changes.\n" in str(results[0])
    for name in ("predictions.jsonl", "scores.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert results[1].new_requests == 0
    assert json.loads((tmp_path / "a" / "scores.json").read_text())["orders"].startswith("With the options rotated")
