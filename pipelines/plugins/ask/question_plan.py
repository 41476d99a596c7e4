"""The plan of a question: the recipe of the task `qa`, with a prompt made for questions to one's own documents."""

from collections.abc import Mapping
from typing import Any

from longdoc.errors import UserError
from models import Reader
from pipelines import tasks
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.served_reader import with_served_reader
from pipelines.plugins.ask.file_prompt import FilePrompt
from pipelines.plugins.ask.passage_prompt import PassagePrompt
from pipelines.prompts.template import Template
from pipelines.records import Document, Example

TASK = "qa"
CHAT_LENGTH = 512  # tokens of a chat model's answer, which is whole sentences
UNSCORED = "answer_recall"  # nothing is scored, and the metrics of `qa` take a second to import
SHARE = 4  # the answer gets at most a fourth of a window that holds prompt and answer


def question_plan(arguments: Mapping[str, Any]) -> Plan:
    """The plan for arguments of a run. Raises `UserError`.

    Chat models get numbered passages and write up to 512 tokens, or a quarter of a window that is smaller than four
    times that; the others get the question and the passages, with the names of files where there are several.
    """
    options: dict[str, Any] = {
        "data": [Example("question", Document("question", "question"), "question")],
        "metrics": UNSCORED,
    }
    options |= with_served_reader(arguments)
    task = tasks.get(TASK)
    plan = make_plan(task, **options)
    wording = None if options.pop("prompt", None) is None else plan.template
    if wording is not None and not (isinstance(wording, Template) and "{query}" in wording.text):
        example = "{document} Question: {query}"
        raise UserError(f"the prompt {arguments['prompt']!r} has no {{query}}: give a template like {example!r}")
    if not plan.reader.reads:
        return plan
    prompt = None if wording is None else wording.text  # a prompt's name stands for its wording
    others = {name: value for name, value in options.items() if name != "model"}
    if not plan.reader.is_chat:
        template = FilePrompt(prompt or task.prompt)
        return make_plan(task, template=template, model=plan.reader, **others)
    length = options.get("max_new_tokens") or _length(plan.reader)
    chat = PassagePrompt.of(prompt, plan.strategy)
    return make_plan(task, template=chat, model=plan.reader, **{**others, "max_new_tokens": length})


def _length(reader: Reader) -> int:
    """The default length of a chat model's answer, in tokens."""
    lengths = [CHAT_LENGTH]
    if reader.max_output_tokens is not None:
        lengths.append(reader.max_output_tokens)
    window = reader.prompt_limit(0)
    if window is not None and window != reader.prompt_limit(CHAT_LENGTH):  # one window for both
        lengths.append(max(window // SHARE, 1))
    return min(lengths)
