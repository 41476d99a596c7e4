"""The prompt of a run. A benchmark may have several forms of it, by the strategy and what the retriever selects."""

from dataclasses import replace
from pathlib import Path

import models
import retrievers
from longdoc.errors import UserError, unknown
from longdoc.files import expanded
from pipelines import sources, strategies, tasks
from pipelines.engine.planning.run_options import PlanOptions
from pipelines.prompts.benchmark_prompt import BenchmarkPrompt
from pipelines.prompts.chat_prompt import ChatPrompt, ShownText
from pipelines.prompts.presets import FAMILIES
from pipelines.prompts.row_prompt import FORMS, RowPrompt
from pipelines.prompts.template import Template
from pipelines.records import Document, Example
from pipelines.strategies.chain_of_thought import ChainOfThought
from pipelines.tasks.prompt_files import CLOSED_BOOK, CONCLUSION, PASSAGES, REASONING
from pipelines.tasks.row_prompts import own_instruction, row_prompt

Forms = tuple[str, ...]  # the forms of prompt that fit a run; the first that a benchmark has is taken
Wording = Template | RowPrompt | ChatPrompt
FOR_CHAT = ("chat", "tags")  # values of `prompt` that mean the task's words for chat models, where rows have no prompt


def forms_of(strategy: strategies.Strategy, retriever: retrievers.Retriever) -> Forms:
    """The forms of `Task.prompts` that fit a run; none where it reads whole documents in one request."""
    forms = []
    if retriever.most == 0:
        forms.append(CLOSED_BOOK)
    elif retriever.takes_k:
        forms.append(PASSAGES)
    return (*forms, REASONING) if isinstance(strategy, ChainOfThought) else tuple(forms)


def own_prompt(task: tasks.Task, forms: Forms) -> str:
    """The task's prompt in our words."""
    return next((task.prompts[form] for form in forms if form in task.prompts), task.prompt)


def published_prompt(task: tasks.Task, prompts_from: str | Path | None, forms: Forms) -> BenchmarkPrompt | None:
    """The benchmark's own prompt where its file is given. Raises `UserError` for a task that has none."""
    if prompts_from is None:
        return None
    if task.prompt_file is None:
        others = ", ".join(sorted(name for name, task in tasks.all_tasks().items() if task.prompt_file))
        raise UserError(
            f"prompts_from= is for benchmarks that keep their prompts in a file ({others}), not for {task.name}: "
            "leave it out, or give prompt='{query} {document}'"
        )
    file, location = task.prompt_file, str(prompts_from)
    if file.name_field:
        texts = file.read_entries(location)
        text = next(iter(texts.values()))
        return BenchmarkPrompt(text, cut_at=task.cut_at, wording="published", by=file.name_field, texts=texts)
    published_form = next((form for form in forms if form in file.forms), "")
    text = file.read(location, published_form)
    if published_form != PASSAGES:
        return BenchmarkPrompt(text, cut_at=task.cut_at, wording="published")
    return BenchmarkPrompt(text, separator=file.separator, cut_at=task.cut_at, wording="published", label=file.label)


def uses_chat_words(options: PlanOptions, task: tasks.Task, reader: models.Reader) -> bool:
    """Whether the prompt has the task's words for chat models: by default for a chat model, or as `prompt` says."""
    by_default = options["prompt"] is None and options["prompts_from"] is None and reader.is_chat
    return task.chat is not None and (options["prompt"] in FOR_CHAT or by_default)


def prompt_of(
    options: PlanOptions, task: tasks.Task, forms: Forms, strategy: strategies.Strategy, in_chat_words: bool
) -> Wording:
    """The prompt of a run before its rows are read, which may have their own (`prompt_for_rows`).

    `in_chat_words`: in the task's words for chat models. Raises `UserError` for an unknown form.
    """
    if (published := published_prompt(task, options["prompts_from"], forms)) is not None:
        return published
    if in_chat_words and task.chat is not None:
        shown: ShownText = "part" if strategy.by_part else "passages" if PASSAGES in forms else "document"
        return ChatPrompt(
            task.chat, shown, task.labels or strategy.labels, REASONING in forms, options["prompt"] == "tags",
            not strategy.has_format, cut_at=task.cut_at,
        )  # fmt: skip
    text = options["prompt"] or own_prompt(task, forms)
    if text in FORMS:
        return RowPrompt(text)
    if text in FAMILIES:
        return FAMILIES[text].prompt
    if text.isidentifier():
        raise unknown("form of prompt", text, (*FORMS, *FAMILIES))
    return _template(task, text, forms)


def _template(task: tasks.Task, text: str, forms: Forms) -> Template:
    """The template of a text. The task's own text keeps what belongs to it: where it is cut, whose wording it is."""
    is_own = text == own_prompt(task, forms)
    cut_at = task.cut_at if is_own else "word"
    instruction = task.instruction or own_instruction(task)
    if task.prompt_file is not None and is_own:
        return BenchmarkPrompt(text, instruction, cut_at=cut_at)
    return Template(text, instruction, cut_at=cut_at)


def prompt_for_rows(
    wording: Wording, task: tasks.Task, data: sources.Dataset, prompt: str | None, forms: Forms
) -> tuple[Wording, Example]:
    """The prompt once the rows are read, and an example to count its own words by: the first row where words differ.

    `prompt` is the run's argument: chat models get a prompt that rows carry only where it asks for it. On people's own
    rows, what to write where there is no answer is left out unless a row has none.
    """
    if isinstance(wording, Template) and not (isinstance(wording, BenchmarkPrompt) and wording.by):
        return wording, Example("", Document("", ""))
    first = next(iter(data.examples()), None)
    example = first or Example("", Document("", ""))
    if isinstance(wording, Template):
        return wording, example
    if isinstance(wording, ChatPrompt):
        if "before" not in example.meta:
            return _without_needless_absence(wording, data), example
        if prompt is None:
            return _template(task, own_prompt(task, forms), forms), Example("", Document("", ""))
        wording = RowPrompt("tags" if wording.tags else "chat")
    example = first or Example("", Document("", ""), meta={"before": ""})
    return row_prompt(task, wording.form, first), example


def _without_needless_absence(wording: ChatPrompt, data: sources.Dataset) -> ChatPrompt:
    """The prompt without what to write where there is no answer, if every row has one."""
    if wording.words.answers != "absent" or data.row_counts().unanswerable:
        return wording
    return replace(wording, words=replace(wording.words, absent=""))


def with_conclusion(
    strategy: strategies.Strategy, task: tasks.Task, prompts_from: str | Path | None, in_chat_words: bool = False
) -> strategies.Strategy:
    """The strategy; chain_of_thought gets its second prompt: from the file `prompts_from`, else the task's.

    `in_chat_words`: the prompt is in the task's words for chat models, which include a second prompt. Raises
    `UserError` where the benchmark has none.
    """
    if not isinstance(strategy, ChainOfThought) or strategy.conclusion is not None or in_chat_words:
        return strategy
    if prompts_from is None:
        return replace(strategy, conclusion=task.prompts.get(CONCLUSION))
    if task.prompt_file is None or CONCLUSION not in task.prompt_file.forms:
        raise UserError(
            f"prompts_from= has no second prompt for chain_of_thought in {task.name}: leave prompts_from out, or give "
            "the strategy a conclusion= of your own"
        )
    path = expanded(prompts_from)
    folder = path.parent if path.is_file() else path
    return replace(strategy, conclusion=task.prompt_file.read(str(folder), CONCLUSION))
