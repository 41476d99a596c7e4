"""Which of a benchmark's prompts a run takes: its form depends on the strategy, and on what the retriever selects."""

from dataclasses import replace
from pathlib import Path

import retrievers
from longdoc.errors import UserError
from longdoc.folders import expanded
from pipelines import strategies, tasks
from pipelines.strategies._benchmark_prompt import BenchmarkPrompt
from pipelines.strategies.chain_of_thought import ChainOfThought
from pipelines.tasks._prompt_files import CLOSED_BOOK, CONCLUSION, PASSAGES, REASONING

Form = tuple[str, ...]  # the forms that apply, the one that decides where a benchmark has it first


def form_of(strategy: strategies.Strategy, retriever: retrievers.Retriever) -> Form:
    """The forms of `Task.prompts` that apply to a run; none where it reads whole documents in one request."""
    found = []
    if retriever.most == 0:
        found.append(CLOSED_BOOK)
    elif retriever.takes_k:
        found.append(PASSAGES)
    return (*found, REASONING) if isinstance(strategy, ChainOfThought) else tuple(found)


def own_prompt(task: tasks.Task, form: Form) -> str:
    """The task's prompt in our words."""
    return next((task.prompts[one] for one in form if one in task.prompts), task.prompt)


def published_prompt(task: tasks.Task, prompts_from: str | Path | None, form: Form) -> BenchmarkPrompt | None:
    """The benchmark's own prompt where its file is given. Raises `UserError` for a task that has none."""
    if prompts_from is None:
        return None
    if task.prompt_file is None:
        known = ", ".join(sorted(name for name, one in tasks.all_tasks().items() if one.prompt_file))
        raise UserError(
            f"prompts_from= is for benchmarks that keep their prompts in a file ({known}), not for {task.name}: "
            "leave it out, or give prompt='{query} {document}'"
        )
    file, given = task.prompt_file, str(prompts_from)
    if file.by:
        texts = file.read_each(given)
        text = next(iter(texts.values()))
        return BenchmarkPrompt(text, cut_at=task.cut_at, wording="published", by=file.by, texts=texts)
    decisive = next((one for one in form if one in file.forms), "")
    text = file.read(given, decisive)
    if decisive != PASSAGES:
        return BenchmarkPrompt(text, cut_at=task.cut_at, wording="published")
    return BenchmarkPrompt(text, separator=file.separator, cut_at=task.cut_at, wording="published", label=file.label)


def concluding(strategy: strategies.Strategy, task: tasks.Task, prompts_from: str | Path | None) -> strategies.Strategy:
    """The strategy; chain_of_thought with its second prompt: the benchmark's where its files are given, or the task's.

    Raises `UserError` where the benchmark has none.
    """
    if not isinstance(strategy, ChainOfThought) or strategy.conclusion is not None:
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
