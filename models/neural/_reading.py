"""A request that is ready for an encoder-decoder network: its prompt cut and encoded."""

from dataclasses import dataclass

from models.neural._inputs import Fused, Source
from models.prompts import Prompt
from models.requests import Fuse, Generate, Score


@dataclass(frozen=True, slots=True)
class Reading:
    """A request whose prompt fits; `tokens` without special ones; `shape`: the padded length if it must agree, or 0."""

    index: int
    request: Generate | Fuse | Score
    prompt: Prompt
    source: Source | Fused
    tokens: int
    shape: int = 0

    @property
    def kind(self) -> tuple[str, int, int, tuple[str, ...], int]:
        """What must agree within a batch."""
        if isinstance(self.request, Score):
            return ("score", 0, 0, (), self.shape)
        kind = "fuse" if isinstance(self.request, Fuse) else "generate"
        return (kind, self.request.max_new_tokens, self.request.n, self.request.stop, self.shape)

    @property
    def key(self) -> str:
        """What tells this request from others when its output is drawn."""
        return f"{self.kind[:4]}\n{self.prompt.text}"

    @property
    def source_of(self) -> str | int:
        """What the encoder reads it with: equal prompts of scores together."""
        return self.prompt.text if isinstance(self.request, Score) else self.index


def places_of_query(prompt: Prompt) -> list[tuple[int, int]]:
    """Where the query parts stand in the prompt's text."""
    places, at, before = [], 0, ""
    for part in prompt.shown:
        if before == part.role == "document":
            at += len(prompt.separator)
        if part.role == "query":
            places.append((at, at + len(part.text)))
        at += len(part.text)
        before = part.role
    return places
