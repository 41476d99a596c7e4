"""Asks with the options or labels in several orders, and takes the answer that most orders give.

Models prefer some places in a list (Pezeshkpour and Hruschka 2024; Zheng et al. 2024): an answer that depends on the
order of the options is no answer from the document.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from longdoc.errors import UserError
from models.requests import Request
from pipelines.prompts.chat_prompt import ChatPrompt
from pipelines.prompts.closed_answers import LETTERS
from pipelines.records import ORDERS, Example
from pipelines.strategies import Job

_LISTS = ("before", "after", "options_text")  # metadata that a prompt may list the options in
Item = TypeVar("Item")


def check_orders(orders: int) -> None:
    """Raise `UserError` for fewer orders than one."""
    if orders < 1:
        raise UserError(f"orders must be at least 1, got {orders}")


def ordered_jobs(job: Job, orders: int, request_of: Callable[[Job], Request]) -> list[tuple[Job, Request]]:
    """The job, and copies of it with rotated options or labels, each with its request.

    There are at most as many orders as options. Only the job itself is returned where it has no options, or where its
    prompt does not list them in a way that can be changed.
    """
    count = min(orders, max(len(job.example.options), len(_labels(job)), 1))
    rotated_jobs = [rotated for place in range(1, count) if (rotated := _rotated_job(job, place, count)) is not None]
    first = request_of(job)
    pairs = [(rotated, request_of(rotated)) for rotated in rotated_jobs]
    return [(job, first), *(pair for pair in pairs if pair[1] != first)]


def original_answer(job: Job, rotated: Job, output: str) -> str:
    """The answer in the output of a rotated job, with letters translated to the original order."""
    answer, options = rotated.answer(output), rotated.example.options
    if not options or answer in options or rotated.template.remark(rotated.example, answer):
        return answer
    if _with_options(rotated.prompt(()).text, options, options) is None:  # the prompt has no letters
        return answer
    letters = {letter: LETTERS[job.example.options.index(text)] for letter, text in zip(LETTERS, options, strict=False)}
    return re.sub(rf"\b[{''.join(letters)}]\b", lambda match: letters[match[0]], answer)


def most_frequent_place(answers: Sequence[str], are_options: Sequence[bool]) -> int:
    """The index of the most frequent answer; of equally frequent ones, the first.

    Answers that are not options or labels count only if no answer is one.
    """
    candidates = [answer for answer, is_option in zip(answers, are_options, strict=True) if is_option] or list(answers)
    counts = Counter(candidates)
    return answers.index(max(candidates, key=lambda answer: (counts[answer], -answers.index(answer))))


def orders_note(answers: Sequence[str]) -> dict[str, str]:
    """The note `orders` with the answers of all orders as JSON."""
    return {ORDERS: json.dumps(list(answers), ensure_ascii=False)}


def _labels(job: Job) -> tuple[str, ...]:
    return job.labels or (job.template.labels if isinstance(job.template, ChatPrompt) else ())


def _rotated_job(job: Job, place: int, count: int) -> Job | None:
    example = _rotated_example(job.example, place, count)
    if example is None:
        return None
    template = job.template
    if isinstance(template, ChatPrompt):
        template = replace(template, labels=_rotated(template.labels, place, count))
    return replace(job, example=example, template=template, labels=_rotated(job.labels, place, count))


def _rotated_example(example: Example, place: int, count: int) -> Example | None:
    """The example with rotated options; None where one of its texts lists them in an unknown way."""
    options = _rotated(example.options, place, count)
    if not options:
        return example
    query, meta = _with_options(example.query, example.options, options), example.meta
    lists = {name: _with_options(str(meta[name]), example.options, options) for name in _LISTS if name in meta}
    is_in_query = all(option in example.query for option in example.options)
    is_in_row = "before" in meta
    if (is_in_query and query is None) or (is_in_row and not (lists.get("before") or lists.get("after"))):
        return None
    if "options_text" in lists and lists["options_text"] is None:
        return None
    changed_lists = {name: text for name, text in lists.items() if text is not None}
    return replace(example, query=query or example.query, options=options, meta={**meta, **changed_lists})


def _with_options(text: str, options: Sequence[str], rotated_options: Sequence[str]) -> str | None:
    """A text with the options of its lettered list replaced; None where it has no list of these options."""
    spans: list[tuple[int, int]] = []
    for letter, option in zip(LETTERS, options, strict=False):
        words = r"\s+".join(map(re.escape, option.split()))
        start = spans[-1][1] if spans else 0
        match = re.compile(rf"(?<!\w)\(?{letter}[).:]\s*({words})(?!\w)").search(text, start)
        if match is None:
            return None
        spans.append(match.span(1))
    spellings = {option: text[start:end] for option, (start, end) in zip(options, spans, strict=False)}
    parts, position = [], 0
    for (start, end), other in zip(spans, rotated_options, strict=False):
        parts += [text[position:start], spellings[other]]
        position = end
    return "".join([*parts, text[position:]])


def _rotated(items: tuple[Item, ...], place: int, count: int) -> tuple[Item, ...]:
    """The items rotated to start at number `place` of `count` evenly spread positions."""
    start = place * len(items) // count
    return items[start:] + items[:start]
