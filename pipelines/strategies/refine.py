"""A running answer, asked for again with each next chunk (LangChain's "refine"; Chang et al. 2024, "BooookScore":
incremental updating).
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from longdoc.errors import UserError
from models.prompts import Part, Prompt
from models.requests import Generate
from pipelines.strategies import Job, Outcome, Step

FIELD = "{answer}"


@dataclass(frozen=True, slots=True)
class Refine:
    """One request a selected chunk, in document order, each with the answer of the one before.

    `so_far` is how the prompt says that answer, before the chunk; it is a part of the prompt's own words, which are
    never cut: give the chunker a `size` that leaves room for it. A blank output leaves the answer as it was. Readers
    without weights look at passages alone, so they answer from the last chunk. The note `changed_by` names the chunks
    (from 1) that changed the answer. Raises `UserError` for a `so_far` without `{answer}`.
    """

    needs: ClassVar[frozenset[type]] = frozenset({Generate})

    so_far: str = "Answer so far: {answer}\n"

    def __post_init__(self) -> None:
        if FIELD not in self.so_far:
            raise UserError(f"so_far must hold {FIELD}, where the answer so far is put; got {self.so_far!r}")

    def __call__(self, job: Job) -> Generator[Step, list[Any], Outcome]:
        """Ask about one chunk after the other."""
        answer, changed = "", []
        for number, chunk in enumerate(sorted(job.selected, key=lambda chunk: chunk.start), 1):
            prompt = job.prompt(chunk)
            if answer:
                prompt = _before_passages(prompt, self.so_far.replace(FIELD, answer))
            (output,) = yield [Generate(prompt, job.length)]
            new = job.answer(output).strip()
            if new and new != answer:
                answer = new
                changed.append(str(number))
        return Outcome(answer, {"changed_by": ", ".join(changed)})

    def training_examples(self, job: Job) -> list[tuple[Generate, tuple[str, ...]]]:
        """None: what is right after some chunks cannot be told from what is right in the end. Raises `UserError`."""
        raise UserError(
            "refine asks for answers on the way, and the references are of the whole: train with strategy='stuff' "
            "and chunker='truncate', then read with refine"
        )


def _before_passages(prompt: Prompt, words: str) -> Prompt:
    at = next(i for i, part in enumerate(prompt.parts) if part.role == "document")
    return replace(prompt, parts=(*prompt.parts[:at], Part("text", words), *prompt.parts[at:]))
