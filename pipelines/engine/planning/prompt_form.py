"""Which of a benchmark's prompts a run takes: its form depends on the strategy, and on what the retriever selects."""

from dataclasses import replace
from pathlib import Path

import models
import retrievers
from longdoc.errors import UserError, unknown
from longdoc.folders import expanded
from pipelines import sources, strategies, tasks
from pipelines.engine.planning.run_arguments import PlanArguments
from pipelines.records import Document, Example
from pipelines.strategies.chain_of_thought import ChainOfThought
from pipelines.strategies.shared.benchmark_prompt import BenchmarkPrompt
from pipelines.strategies.shared.chat_prompt import ChatPrompt, ShownText
from pipelines.strategies.shared.prompt_presets import FAMILIES
from pipelines.strategies.shared.row_prompt import FORMS, RowPrompt
from pipelines.strategies.shared.template import Template
from pipelines.tasks.prompts.prompt_files import CLOSED_BOOK, CONCLUSION, PASSAGES, REASONING
from pipelines.tasks.prompts.row_prompts import own_instruction, row_prompt

Form = tuple[str, ...]  # the forms that apply, the one that decides where a benchmark has it first
Wording = Template | RowPrompt | ChatPrompt
FOR_CHAT = ("chat", "tags")  # forms of prompts that have the task's words for chat models, where rows have no prompt


def form_of(strategy: strategies.Strategy, retriever: retrievers.Retriever) -> Form:
    """The forms of `Task.prompts` that apply to a run; none where it reads whole documents in one request."""
    names = []
    if retriever.most == 0:
        names.append(CLOSED_BOOK)
    elif retriever.takes_k:
        names.append(PASSAGES)
    return (*names, REASONING) if isinstance(strategy, ChainOfThought) else tuple(names)


def own_prompt(task: tasks.Task, form: Form) -> str:
    """The task's prompt in our words."""
    return next((task.prompts[text] for text in form if text in task.prompts), task.prompt)


def published_prompt(task: tasks.Task, prompts_from: str | Path | None, form: Form) -> BenchmarkPrompt | None:
    """The benchmark's own prompt where its file is given. Raises `UserError` for a task that has none."""
    if prompts_from is None:
        return None
    if task.prompt_file is None:
        known_text = ", ".join(sorted(name for name, task in tasks.all_tasks().items() if task.prompt_file))
        raise UserError(
            f"prompts_from= is for benchmarks that keep their prompts in a file ({known_text}), not for {task.name}: "
            "leave it out, or give prompt='{query} {document}'"
        )
    file, file_name = task.prompt_file, str(prompts_from)
    if file.name_field:
        texts = file.read_entries(file_name)
        text = next(iter(texts.values()))
        return BenchmarkPrompt(text, cut_at=task.cut_at, wording="published", by=file.name_field, texts=texts)
    decisive = next((text for text in form if text in file.forms), "")
    text = file.read(file_name, decisive)
    if decisive != PASSAGES:
        return BenchmarkPrompt(text, cut_at=task.cut_at, wording="published")
    return BenchmarkPrompt(text, separator=file.separator, cut_at=task.cut_at, wording="published", label=file.label)


def asks_in_words(options: PlanArguments, task: tasks.Task, reader: models.Reader) -> bool:
    """Whether a run takes the task's words for chat models: they get them where nothing else is given."""
    by_default = options["prompt"] is None and options["prompts_from"] is None and reader.is_chat
    return task.chat is not None and (options["prompt"] in FOR_CHAT or by_default)


def prompt_of(
    options: PlanArguments, task: tasks.Task, form: Form, strategy: strategies.Strategy, asks_words: bool
) -> Wording:
    """The prompt of a run; whether rows have their own is known once these are read (`by_rows`).

    `asks_words`: it is in the task's words for chat models. Raises `UserError` for an unknown form.
    """
    if (published := published_prompt(task, options["prompts_from"], form)) is not None:
        return published
    if asks_words and task.chat is not None:
        shown_value: ShownText = "part" if strategy.by_part else "passages" if PASSAGES in form else "document"
        return ChatPrompt(
            task.chat, shown_value, task.labels or strategy.labels, REASONING in form, options["prompt"] == "tags",
            not strategy.has_format, cut_at=task.cut_at,
        )  # fmt: skip
    text = options["prompt"] or own_prompt(task, form)
    if text in FORMS:
        return RowPrompt(text)
    if text in FAMILIES:
        return FAMILIES[text].prompt
    if text.isidentifier():
        raise unknown("form of prompt", text, (*FORMS, *FAMILIES))
    return _template(task, text, form)


def _template(task: tasks.Task, text: str, form: Form) -> Template:
    is_own = text == own_prompt(task, form)
    cut_at = task.cut_at if is_own else "word"
    instruction = task.instruction or own_instruction(task.name)
    if task.prompt_file is not None and is_own:
        return BenchmarkPrompt(text, instruction, cut_at=cut_at)
    return Template(text, instruction, cut_at=cut_at)


def by_rows(
    wording: Wording, task: tasks.Task, data: sources.Dataset, prompt: str | None, form: Form
) -> tuple[Wording, Example]:
    """The prompt, and an example that has its own words: the first row where rows have them.

    `prompt` is the run's argument: where rows carry a published prompt, chat models get that only where it asks for it.
    What to write where there is no answer is said of a person's own rows only where one of them has none.
    """
    if isinstance(wording, Template) and not (isinstance(wording, BenchmarkPrompt) and wording.by):
        return wording, Example("", Document("", ""))
    first = next(iter(data.examples()), None)
    example = first or Example("", Document("", ""))
    if isinstance(wording, Template):
        return wording, example
    if isinstance(wording, ChatPrompt):
        if "before" not in example.meta:
            return _with_absent_by_rows(wording, data), example
        if prompt is None:
            return _template(task, own_prompt(task, form), form), Example("", Document("", ""))
        wording = RowPrompt("tags" if wording.tags else "chat")
    example = first or Example("", Document("", ""), meta={"before": ""})
    return row_prompt(task.name, wording.form, first), example


def _with_absent_by_rows(wording: ChatPrompt, data: sources.Dataset) -> ChatPrompt:
    if wording.words.answers != "absent" or data.row_counts().unanswerable:
        return wording
    return replace(wording, words=replace(wording.words, absent=""))


def concluding(
    strategy: strategies.Strategy, task: tasks.Task, prompts_from: str | Path | None, asks_words: bool = False
) -> strategies.Strategy:
    """The strategy; chain_of_thought with its second prompt: the benchmark's where its files are given, or the task's.

    `asks_words`: the prompt is in the task's words for chat models, which have a second one of their own.

    Raises `UserError` where the benchmark has none.
    """
    if not isinstance(strategy, ChainOfThought) or strategy.conclusion is not None or asks_words:
        return strategy
    if prompts_from is None:
        return replace(strategy, conclusion=task.prompts.get(CONCLUSION))
    if task.prompt_file is None or CONCLUSION not in task.prompt_file.forms:
        raise UserError(
            f"prompts_from= has no second prompt for chain_of_thought in {task.name}: leave prompts_from out, or give "
            "the strategy a conclusion= of your own"
        )
    place = expanded(prompts_from)
    folder = place.parent if place.is_file() else place
    return replace(strategy, conclusion=task.prompt_file.read(str(folder), CONCLUSION))
