"""Every task with every kind of reader: the prompt's parts, the room for the answer, and how replies are read.

The same functions make the documentation's tables (`docs/_generator/chat_pages.py`).
"""

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from models import Generate
from pipelines import tasks
from pipelines.engine.planning.plan import make_plan
from pipelines.prompts.chat_prompt import ChatPrompt
from pipelines.records import Document, Example
from pipelines.strategies.authors import Authors
from tests import documents
from tests.api_server import ApiServer, chat
from tests.turns import for_each

pytest.importorskip("openai", reason="the client of chat models is not installed (extra openai)")
with pytest.MonkeyPatch.context() as patch:
    patch.setattr(sys, "path", [str(documents.ROOT / "docs" / "_generator"), *sys.path])
    pages: Any = importlib.import_module("chat_pages")

Form = pages.Form
NAMES = tasks.names()
CHAT = ("api", "thinking", "decoder")
IN_ROWS = {name for name in NAMES if tasks.get(name).chat is None}  # their rows carry the prompts
IN_WORDS = [name for name in NAMES if name not in IN_ROWS]
ORDER = ("instruction", "document", "question", "options", "format")
CUED = ("instruction", "document", "format", "question", "options", "beginning of the answer")
SHORT_QUESTION = ("instruction", "document", "format", "question", "beginning of the answer")
ORDERS = {parts for count in range(3, 6) for parts in combinations(ORDER, count)} | {CUED, SHORT_QUESTION}
THINKING = 2048
READER = "the reader 'linear' does not answer; choose one that fits: strategy='label' or strategy='share'"

EXACT = {
    ("narrativeqa", "api"): Form("stuff", SHORT_QUESTION, 64, 0, "text"),
    ("narrativeqa", "thinking"): Form("stuff", SHORT_QUESTION, 64, THINKING, "text"),
    ("narrativeqa", "t5"): Form("stuff", ("question", "document"), 64, 0, "text"),
    ("narrativeqa", "classifier"): Form(reason=f"this strategy makes Generate requests, which {READER}"),
    ("qa", "api"): Form("stuff", SHORT_QUESTION, 64, 0, "absent"),
    ("scrolls/quality", "api"): Form("stuff", CUED, 1024, 0, "option"),
    ("infinitebench/en_mc", "api"): Form("stuff", CUED, 40, 0, "letter"),
    ("longbench/qasper", "api"): Form("stuff", SHORT_QUESTION, 128, 0, "short"),
    ("loogle/shortdep_cloze", "api"): Form(
        "stuff", ("instruction", "document", "question", "format"), 50, 0, "dictionary"
    ),
    ("vlsp", "api"): Form("map_reduce", ("instruction", "document", "format"), 440, 0, "text"),
    ("opensubtitles", "api"): Form("numbered_lines", ("instruction", "document", "format"), 512, 0, "number: line"),
    ("vlsp", "t5"): Form("map", ("instruction", "document"), 32, 0, "text"),
    ("character_types", "api"): Form("label", ("instruction", "document", "question", "format"), 42, 0, "label"),
    ("character_types", "thinking"): Form(
        "label", ("instruction", "document", "question", "format"), 42, THINKING, "label"
    ),
    ("character_types", "decoder"): Form(
        "label", ("instruction", "document", "question", "format"), None, 0, "most probable label"
    ),
    ("character_types", "t5"): Form("label", ("instruction", "question", "document"), None, 0, "most probable label"),
    ("character_types", "classifier"): Form(
        "label", ("instruction", "question", "document"), None, 0, "most probable label"
    ),
    ("style_change", "api"): Form("authors", ("instruction", "document", "format"), 532, 0, "number: author"),
    ("style_change", "decoder"): Form("pairs", ("two paragraphs",), None, 0, "similarity"),
    ("style_change", "comparer"): Form("pairs", ("two paragraphs",), None, 0, "similarity"),
    ("style_change", "classifier"): Form(reason=f"this strategy makes Compare requests, which {READER}"),
    ("classify", "api"): Form("label", ("instruction", "document", "format"), 36, 0, "label"),
}
SLOPPY = {  # for each kind of answer: replies, and the answers read from them with `pages.OPTIONS`
    "text": [("Anna went to the river.", "Anna went to the river.")],
    "option": [("**(B)** to the river", "to the river"), ("The answer is B.", "to the river")],
    "letter": [("**(B)** to the river", "B"), ("to the river", "B")],
    "short": [("**Yes**, she did.", "Yes"), ("unanswerable.", "Unanswerable"), ("the river", "the river")],
    "absent": [("Unanswerable.", "unanswerable"), ("the river", "the river")],
    "dictionary": [('Here it is: {"a": "b"} as asked', '{"a": "b"}')],
}


@for_each("kind", pages.KINDS)
@for_each("name", NAMES)
def test_each_task_has_a_prompt_room_and_a_parser_or_is_refused_in_a_line(name: str, kind: str) -> None:
    form = pages.form_of(tasks.get(name), kind)
    if form.reason:
        assert form == Form(reason=form.reason)
        assert "\n" not in form.reason
        assert kind in ("classifier", "comparer")
    else:
        assert "document" in form.parts or form.parts == ("two paragraphs",)
        assert form.answer in pages.ANSWERS
        assert (form.room is None) is pages.ANSWERS[form.answer].startswith("nothing is written")
        assert form.room is None or form.room >= 10


@for_each(("name", "kind"), EXACT)
def test_the_form_of_a_request_is_the_expected_one(name: str, kind: str) -> None:
    assert pages.form_of(tasks.get(name), kind) == EXACT[name, kind]


@for_each("kind", CHAT)
@for_each("name", IN_WORDS)
def test_chat_models_read_the_instruction_first_and_the_question_or_the_format_last(name: str, kind: str) -> None:
    form = pages.form_of(tasks.get(name), kind)
    assert form.answer == "similarity" or form.parts in ORDERS
    assert form.parts[0] == "instruction" or form.answer == "similarity"
    assert form.parts[-1] in ("format", "beginning of the answer") or form.answer == "similarity"
    assert ("question" in form.parts) is (tasks.get(name).dataset.has_query)


@for_each("name", NAMES)
def test_thinking_is_added_to_the_room_of_the_answer_and_the_window_holds_both(name: str) -> None:
    task = tasks.get(name)
    assert pages.form_of(task, "thinking") == replace(pages.form_of(task, "api"), thinking=THINKING)
    without_thinking, thinking = (pages.plan_of(task, kind).prompt_limit for kind in ("api", "thinking"))
    assert 0 <= without_thinking - thinking - int(0.8 * THINKING) <= 1  # a fifth of an estimated room is left free


@for_each("name", NAMES)
def test_the_room_holds_the_longest_answer_that_may_be_written(name: str) -> None:
    task = tasks.get(name)
    plan, form = pages.plan_of(task, "api"), pages.form_of(task, "api")
    answers = {
        "label": [*plan.labels, *pages.example_of(task).options],
        "option": list(pages.OPTIONS),
        "letter": ["(A)"],
        "short": ["Unanswerable"],
        "absent": ["unanswerable"],
    }.get(form.answer, [])
    if isinstance(plan.strategy, Authors):
        answers = ["\n".join(f"[{number}]: author 4" for number in range(1000, 1000 + plan.strategy.paragraphs))]
    assert form.room >= max(plan.reader.count(answers), default=1)


def test_the_room_holds_the_options_of_rows_that_have_no_common_labels() -> None:
    options = ("a letter " * 30, "a report " * 40)
    row = Example("a", Document("d", pages.TEXT), "", (options[0],), options)
    plan = make_plan("classify", model=pages.reader_of("api"), data=[row], seed=0, metrics="accuracy")
    longest = max(plan.reader.count(list(options)))
    assert pages.first_request(plan).max_new_tokens == 2 * longest + 32
    shorter = make_plan(
        "classify", model=pages.reader_of("api"), data=[row], seed=0, metrics="accuracy", max_new_tokens=9
    )
    assert pages.first_request(shorter).max_new_tokens == 9


@for_each("name", IN_WORDS)
def test_sloppy_replies_give_the_answer(name: str) -> None:
    plan = pages.plan_of(tasks.get(name), "api")
    assert isinstance(plan.template, ChatPrompt)
    (example,) = plan.data.examples()
    kind = plan.template.words.answers
    labels = plan.labels or example.options
    replies = [(f"The label is **{labels[0].upper()}**.", labels[0])] if kind == "label" else SLOPPY[kind]
    assert [plan.template.answer(example, reply) for reply, _ in replies] == [answer for _, answer in replies]


def test_classifiers_and_comparers_are_refused_where_text_is_to_be_written() -> None:
    tasks_of_kind = {
        kind: [name for name in NAMES if not pages.form_of(tasks.get(name), kind).reason]
        for kind in ("classifier", "comparer")
    }
    assert tasks_of_kind == {"classifier": ["character_types", "classify"], "comparer": ["style_change"]}


def test_a_new_task_without_words_for_chat_models_fails() -> None:
    new = replace(tasks.get("narrativeqa"), name="new", chat=None)
    assert pages.form_of(new, "t5") == EXACT["narrativeqa", "t5"]
    for kind in CHAT:
        with pytest.raises(ValueError, match=r"new has no words for chat models: give it chat=ChatWords"):
            pages.form_of(new, kind)


@pytest.fixture
def server() -> Iterator[ApiServer]:
    server = ApiServer(lambda request, times: chat("1: 1"))
    yield server
    server.close()


@pytest.mark.parametrize("name", ["narrativeqa", "character_types", "style_change", "vlsp"])
def test_a_sent_request_has_room_for_the_answer_and_the_thinking(name: str, server: ApiServer) -> None:
    task = tasks.get(name)
    for kind, thinking in (("api", 0), ("thinking", THINKING)):
        plan = pages.plan_of(task, kind)
        request = pages.first_request(plan)
        assert isinstance(request, Generate)
        replace(plan.reader, base_url=f"{server.url}/v1").reply([request])
        assert server.received[-1].body["max_tokens"] == pages.form_of(task, kind).room + thinking
        assert server.received[-1].prompt == request.prompt.text


def test_the_tables_of_the_documentation_have_every_task() -> None:
    tables = "\n".join(map(pages.requests, ("api", "t5")))
    assert [name for name in NAMES if tables.count(f"`{name}`") != 2] == []
    assert [row.split(" | ")[0] for row in pages.requests("decoder").splitlines()[2:]] == [
        "| `character_types`",
        "| `classify`",
        "| `style_change`",
    ]
    assert f"the {len(NAMES) - 3} others" in pages.requests("classifier")
