"""Reasoning first, then the answer from the reasoning alone (LongBench v2, Bai et al. 2025; after Wei et al. 2022)."""

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from longdoc.errors import UserError
from models.requests import Generate
from pipelines.prompts.chat_prompt import ChatPrompt
from pipelines.prompts.strategy_words import CONCLUSION
from pipelines.prompts.template import Template
from pipelines.strategies import Job, Outcome, Step, Strategy

REASONING_RATIO = 8


@dataclass(frozen=True)
class ChainOfThought(Strategy):
    """Two requests: the prompt with the selected chunks, for `reasoning_tokens` tokens, then `conclusion`.

    `reasoning_tokens` None: eight times the run's output length, as in LongBench v2 (1,024 and 128).
    `conclusion` is a template without the document: the reasoning takes the place of its `{document}`, and is what is
    cut where it does not fit. None: the benchmark's where its files are given (`prompts_from`), that of the words
    for chat models where a run has them, else the task's, or one for any question. The note `reasoning` holds the
    first output. Where that is empty there is no second request, and no answer. Raises `UserError` for
    `reasoning_tokens` below 1.
    """

    needs = frozenset({Generate})
    one_prompt = True

    reasoning_tokens: int | None = None
    conclusion: str | None = None

    def __post_init__(self) -> None:
        if self.reasoning_tokens is not None and self.reasoning_tokens < 1:
            raise UserError(f"reasoning_tokens must be at least 1, got {self.reasoning_tokens}")
        if self.conclusion is not None:
            Template(self.conclusion)

    def longest_output(self, length: int) -> int:
        """The longest output in tokens: the reasoning, or the answer if that is longer."""
        return max(length, self._reasoning_length(length))

    def _reasoning_length(self, length: int) -> int:
        return REASONING_RATIO * length if self.reasoning_tokens is None else self.reasoning_tokens

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Make one request after the other."""
        (output,) = yield [Generate(job.prompt(job.selected), self._reasoning_length(job.length))]
        reasoning = str(output).strip()
        if not reasoning:
            return Outcome("", {"reasoning": ""})
        conclusion_job = replace(job, template=self._conclusion_template(job), fills_budget=False)
        (answer,) = yield [conclusion_job.request(reasoning)]
        return Outcome(job.answer(answer), {"reasoning": reasoning})

    def _conclusion_template(self, job: Job) -> Template | ChatPrompt:
        if self.conclusion is None and isinstance(job.template, ChatPrompt):
            return job.template.concluding()
        return Template(CONCLUSION if self.conclusion is None else self.conclusion)

    def training_examples(self, job: Job) -> list[tuple[Generate, tuple[str, ...]]]:
        """Raises `UserError`: the first request asks for reasoning, and the references are answers."""
        raise UserError(
            "chain_of_thought cannot be used for training, as references have no reasoning; train with strategy='stuff'"
        )
