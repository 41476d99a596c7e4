"""What each kind of reader is asked in each task: the plan that a run makes, with an example of our own.

The prompt's parts in order, the room for the answer, and how a reply becomes it; or the line that refuses the pair.
`tests/laws/test_requests_of_tasks.py` holds every task to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import markdown_text as md

import models
from chunkers.shared.words import count_words
from longdoc.errors import UserError
from longdoc.registry import name_of
from models import Classify, Compare, Fuse, Generate, Reader, Reply
from models.neural.causal import Causal
from models.neural.seq2seq import Seq2seq
from models.prompts import Part, Prompt
from pipelines import tasks
from pipelines.engine.estimate.dry_run import RequestCounter
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.preparation.prepare import prepare
from pipelines.prompts.chat_prompt import ChatPrompt
from pipelines.prompts.row_prompt import RowPrompt
from pipelines.records import Document, Example
from pipelines.strategies.authors import Authors
from pipelines.strategies.label import Label
from pipelines.strategies.numbered_lines import NumberedLines

THINKING = 2048
WINDOW = 128_000
QUERY = "Where did Anna go?"
TEXT = "Anna kept a lamp at the mill.\nAt noon Anna left the mill.\nShe went to the river, and Tom stayed.\n"
OPTIONS = ("to the mill", "to the river", "to a road", "to a field")
OWN_LABELS = ("letter", "report")  # of a classification of one's own, which has no labels


@dataclass
class Local(Reader):
    """A reader without weights that answers what another class does."""

    supports: frozenset[type]
    is_chat: bool = False
    decoder_window: bool = False
    max_input_tokens: int | None = WINDOW

    def count(self, texts: Sequence[str]) -> list[int]:
        """Words."""
        return count_words(texts)

    def reply(self, requests: Sequence[Any]) -> list[Reply]:
        """Nothing is asked."""
        raise NotImplementedError


KINDS = ("api", "thinking", "decoder", "t5", "classifier", "comparer")
ANSWERS = {
    "text": "all of the reply",
    "option": "the one option that it names, by letter or text, as its text",
    "letter": "the one option that it names, by letter or text, as its letter",
    "label": "the one label that it names, marks, case and a sentence around it forgiven",
    "short": "yes, no or unanswerable where it says that, else all of it",
    "absent": '"unanswerable" where it says that, else all of it',
    "dictionary": "what stands in braces, where anything does",
    "number: line": "the line of each number; those that are missing are asked for again, in halves",
    "number: author": "the author of each paragraph, a line each; several, or none, is the author of the one before",
    "most probable label": "nothing is written: the label with the highest probability",
    "similarity": "nothing is written: authors follow from how alike two paragraphs are",
}


@dataclass(frozen=True)
class Form:
    """What a kind of reader is asked in a task; `reason` is why it is refused, and all else is empty then.

    `room` is the most tokens of an answer, None where none is written; `thinking` come on top of it.
    """

    strategy: str = ""
    parts: tuple[str, ...] = ()
    room: int | None = None
    thinking: int = 0
    answer: str = ""
    reason: str = ""


def reader_of(kind: str) -> Reader:
    """A reader of this kind, which needs no weights to be planned with."""
    api = f"openai:MODEL,window={WINDOW}"
    readers: Mapping[str, Any] = {
        "api": api,
        "thinking": f"{api},thinking={THINKING}",
        "decoder": Local(Causal.supports, is_chat=True, decoder_window=True),
        "t5": Local(Seq2seq.supports),
        "classifier": "linear",
        "comparer": "stylometry",
    }
    return models.get(readers[kind])


def example_of(task: tasks.Task) -> Example:
    """An example of our own, with options where the task's examples have some."""
    answers = task.chat.answers if task.chat else ""
    has_options = answers in ("option", "letter", "label") and not task.labels and task.dataset.has_query
    query = "Anna" if task.strategy == "label" else QUERY
    return Example(
        "a",
        Document("d", TEXT),
        query if task.dataset.has_query else "",
        ("to the river",),
        OPTIONS if has_options or task.name == "longbench_v2" else (),
    )


def plan_of(task: tasks.Task, kind: str, **given: Any) -> Plan:
    """The plan of a run by the task's recipe. Raises `UserError` for a pair that is refused."""
    if task.strategy == "select_only":
        given = {"strategy": "stuff"} | given
    elif task.strategy == "label" and not task.labels:
        given = {"strategy": f"label:labels=[{','.join(OWN_LABELS)}]"} | given
    data = [example_of(task)]
    return make_plan(task, model=reader_of(kind), data=data, seed=0, metrics="exact_match", **given)


def first_request(plan: Plan) -> Any:
    """The first request of the plan's only example."""
    (example,) = plan.data.examples()
    (job,) = prepare(plan, example.document, [example])
    return RequestCounter(plan).session.first_requests(job)[0]


def form_of(task: tasks.Task, kind: str) -> Form:
    """What a kind of reader is asked. Raises `ValueError` for a task without words for chat models."""
    try:
        plan = plan_of(task, kind)
    except UserError as error:
        return Form(reason=str(error))
    if plan.reader.is_chat and not isinstance(plan.template, ChatPrompt | RowPrompt):
        raise ValueError(f"{task.name} has no words for chat models: give it chat=ChatWords(…)")
    request = first_request(plan)
    writes = isinstance(request, Generate | Fuse)
    return Form(
        name_of(plan.strategy),
        _parts(plan, request),
        request.max_new_tokens if writes else None,
        plan.reader.thinking_tokens if writes else 0,
        _answer(plan, request),
    )


def requests(kind: str) -> str:
    """A table of what a kind of reader is asked: tasks that have the same are one row.

    For a chat decoder of what differs from a chat model that only writes; refused tasks with the reason below.
    """
    forms = {name: form_of(tasks.get(name), kind) for name in tasks.names()}
    if kind == "decoder":
        forms = {name: form for name, form in forms.items() if form != form_of(tasks.get(name), "api")}
    answered, refused = (_alike(forms, bool(is_refused)) for is_refused in (0, 1))
    rows = [
        [", ".join(names), md.code(form.strategy), ", ".join(form.parts), _room(form), form.answer]
        for form, names in answered.items()
    ]
    parts = [md.table(["tasks", "strategy", "prompt", "room", "answer"], rows)]
    if refused:
        most = max(refused.values(), key=len)
        lines = [
            [f"the {len(names)} others" if names is most else ", ".join(names), md.prose(form.reason)]
            for form, names in sorted(refused.items(), key=lambda one: len(one[1]))
        ]
        parts.append(md.table(["tasks", "refused"], lines))
    return "\n\n".join(parts)


def _alike(forms: Mapping[str, Form], is_refused: bool) -> dict[Form, list[str]]:
    """The names of tasks, as code, by what they have in common."""
    alike: dict[Form, list[str]] = {}
    for name, form in forms.items():
        if bool(form.reason) is is_refused:
            alike.setdefault(form, []).append(md.code(name))
    return alike


def answers() -> str:
    """How a reply becomes the answer."""
    return md.table(["answer", "what of a reply it is"], [[name, md.prose(text)] for name, text in ANSWERS.items()])


def _room(form: Form) -> str:
    if form.room is None:
        return "–"
    return f"{form.room:,}" + (f" + {form.thinking:,}" if form.thinking else "")


def _parts(plan: Plan, request: Any) -> tuple[str, ...]:
    """The names of the prompt's parts in order, each once where it is repeated."""
    if isinstance(request, Compare):
        return ("two paragraphs",)
    prompt = Prompt.of(request.text if isinstance(request, Classify) else request.prompt)
    parts = [part for part in prompt.visible_parts if part.text.strip()]
    names = [_name(plan, part, is_first=place == 0) for place, part in enumerate(parts)]
    return tuple(name for name, _ in groupby(filter(None, names)))


def _name(plan: Plan, part: Part, is_first: bool) -> str:
    """What a part is called; "" for headings in prompts for chat models, which are no parts of their own."""
    if isinstance(plan.template, ChatPrompt) and not is_first and part.role == "instruction":
        return "format"
    if isinstance(plan.template, ChatPrompt) and part.role == "options" and plan.strategy.has_format:
        return "format"  # the strategy's own
    heading = part.role == "text" and not isinstance(plan.template, ChatPrompt)
    return {"query": "question", "text": "words" if heading else "", "cue": "beginning of the answer"}.get(
        part.role, part.role
    )


def _answer(plan: Plan, request: Any) -> str:
    if isinstance(request, Compare):
        return "similarity"
    if isinstance(request, Classify):
        return "most probable label"
    if isinstance(plan.strategy, NumberedLines):
        return "number: line"
    if isinstance(plan.strategy, Authors):
        return "number: author"
    if isinstance(plan.strategy, Label):
        return "label"
    return plan.template.words.answers if isinstance(plan.template, ChatPrompt) else "text"
