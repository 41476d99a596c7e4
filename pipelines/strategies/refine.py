"""A running answer, updated with each next chunk (LangChain's "refine"; Chang et al. 2024, "BooookScore":
incremental updating).
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from longdoc.errors import UserError
from models.prompts import Part, Prompt
from models.requests import Generate
from pipelines.prompts.chat_prompt import ChatPrompt
from pipelines.prompts.strategy_words import ANSWER_SO_FAR
from pipelines.strategies import Job, Outcome, Step, Strategy


@dataclass(frozen=True)
class Refine(Strategy):
    """One request per selected chunk, in document order, each with the previous answer.

    That answer stands in the prompt before the chunk, and is never truncated: give the chunker a `size` that leaves
    room for it. A blank output leaves the answer as it was. Readers without weights look at passages
    alone, so they answer from the last chunk. The note `changed_by` lists the chunks (from 1) that changed the answer.
    """

    needs = frozenset({Generate})
    by_part = True

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make one request after the other."""
        answer, changed_by = "", []
        for number, chunk in enumerate(sorted(job.selected, key=lambda chunk: chunk.start), 1):
            request = job.request(chunk)
            if answer:
                prompt = _with_answer(job, Prompt.of(request.prompt), ANSWER_SO_FAR.replace("{answer}", answer))
                request = replace(request, prompt=prompt)
            (output,) = yield [request]
            new_answer = job.answer(output).strip()
            if new_answer and new_answer != answer and not (answer and job.declines(new_answer)):
                answer = new_answer
                changed_by.append(str(number))
        return Outcome(answer, {"changed_by": ", ".join(changed_by)})

    def training_examples(self, job: Job) -> list[tuple[Generate, tuple[str, ...]]]:
        """Raises `UserError`: references are about whole documents, not about their first chunks."""
        raise UserError(
            "refine cannot be used for training, as references are about whole documents; train with strategy='stuff' "
            "and chunker='truncate', then run with strategy='refine'"
        )


def _with_answer(job: Job, prompt: Prompt, words: str) -> Prompt:
    if isinstance(job.template, ChatPrompt):
        return job.template.with_answer_so_far(prompt, words)
    first = next(i for i, part in enumerate(prompt.parts) if part.role == "document")
    return replace(prompt, parts=(*prompt.parts[:first], Part("text", words), *prompt.parts[first:]))
