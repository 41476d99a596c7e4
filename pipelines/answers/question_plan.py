"""The plan of a question: the recipe of the task `qa`, with a prompt made for questions to one's own documents."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from longdoc.errors import UserError
from models import Reader
from pipelines import tasks
from pipelines.answers.file_prompt import FilePrompt
from pipelines.answers.passage_prompt import PassagePrompt
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.planning.served_reader import with_served_reader
from pipelines.records import Document, Example
from pipelines.strategies.shared.template import Template

TASK = "qa"
# Whole sentences, because they are shown to people; the ranker compares words, so that nothing has to be encoded, and
# follows mentions of titles from document to document.
CHUNKER = "sentences:size=200"
RETRIEVER = "links:{bm25:heading=true,stop_words=auto,stem=auto}"
CHAT_LENGTH = 512  # tokens of a chat model's answer, which is whole sentences
UNSCORED = "answer_recall"  # nothing is scored, and the metrics of `qa` take a second to import
SHARE = 4  # of a window that holds prompt and answer, the answer has at most this part
THE_READER_NAMES = ("model", "device", "dtype", "max_input_tokens", "deterministic", "revision", "model_options")


def question_plan(arguments: Mapping[str, Any]) -> Plan:
    """The plan for arguments of a run. Raises `UserError`.

    Chat models get numbered passages and write up to 512 tokens, or a quarter of a window that is smaller than four
    times that; the others get the question and the passages, with the names of files where there are several.
    """
    given_fields: dict[str, Any] = {
        "data": [Example("question", Document("question", "question"), "question")],
        "metrics": UNSCORED,
    }
    given_fields |= with_served_reader(arguments)
    task = replace(tasks.get(TASK), chunker=CHUNKER, retriever=RETRIEVER)
    plan = make_plan(task, **given_fields)
    wording = None if given_fields.pop("prompt", None) is None else plan.template
    if wording is not None and not (isinstance(wording, Template) and "{query}" in wording.text):
        prompt_form = "{document} Question: {query}"
        raise UserError(f"the prompt {arguments['prompt']!r} has no {{query}}: give a template like {prompt_form!r}")
    if not plan.reader.reads:
        return plan
    prompt = None if wording is None else wording.text  # of a name, its wording
    run_values = {name: value for name, value in given_fields.items() if name not in THE_READER_NAMES}
    if not plan.reader.is_chat:
        template = FilePrompt(prompt or task.prompt)
        return make_plan(task, template=template, model=plan.reader, **run_values)
    length = given_fields.get("max_new_tokens") or _length(plan.reader)
    chat = PassagePrompt.of(prompt, plan.strategy)
    return make_plan(task, template=chat, model=plan.reader, **{**run_values, "max_new_tokens": length})


def _length(reader: Reader) -> int:
    """How long a chat model's answer may be where nothing was given."""
    lengths = [CHAT_LENGTH]
    if reader.max_output_tokens is not None:
        lengths.append(reader.max_output_tokens)
    whole_count = reader.prompt_limit(0)
    if whole_count is not None and whole_count != reader.prompt_limit(CHAT_LENGTH):  # one window for both
        lengths.append(max(whole_count // SHARE, 1))
    return min(lengths)
