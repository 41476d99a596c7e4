"""Chunks encoded one by one, the decoder attending over all of them: Fusion-in-Decoder (Izacard and Grave 2021) and
SLED (Ivgi et al. 2023).
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from longdoc.errors import UserError
from models import requests
from pipelines.strategies import Job, Step, Strategy


@dataclass(frozen=True)
class Fuse(Strategy):
    """One request per example, for readers that can fuse (sequence-to-sequence models).

    - `overlap=0`, Fusion-in-Decoder: every selected chunk is encoded in its own prompt, with the question.
    - `overlap>0`, SLED: the selected chunks are one text, in document order, that is encoded in windows as long as
      the reader's limit, each with the question; so many tokens on both sides of a window are context, whose states
      the decoder does not see. Only a budget or `truncate` cuts that text.

    Raises `UserError` for a negative `overlap`.
    """

    needs = frozenset({requests.Fuse})

    overlap: int = 0

    def __post_init__(self) -> None:
        if self.overlap < 0:
            raise UserError(f"overlap must be 0 or more tokens, got {self.overlap}")

    def __call__(self, job: Job) -> Generator[Step, list[Any], str]:
        """Make one request."""
        if self.overlap:
            chunks = sorted(job.selected, key=lambda chunk: chunk.start)
            prompts = [job.prompt(chunks)]
        else:
            prompts = [job.prompt(chunk) for chunk in job.selected] or [job.prompt()]
        (answer,) = yield [requests.Fuse(tuple(prompts), job.length, overlap=self.overlap)]
        return job.answer(answer)

    def training_examples(self, job: Job) -> list[tuple[requests.Fuse, tuple[str, ...]]]:
        """Raises `UserError`: models are trained on prompts that are encoded whole."""
        raise UserError("fuse cannot be used for training; train with strategy='stuff', then run with strategy='fuse'")
