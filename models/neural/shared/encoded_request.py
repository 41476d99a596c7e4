"""A request that is ready for a network that generates: its prompt truncated and encoded."""

from dataclasses import dataclass

from models.neural.shared.inputs import Fused, Source
from models.prompts import Prompt
from models.requests import Fuse, Generate, Score


@dataclass(frozen=True, slots=True)
class Reading:
    """A request whose prompt fits; `tokens` are the prompt's, special ones left out.

    For a decoder-only network they are all that it reads, as a server counts them: chat template and special ones too.
    """

    index: int
    request: Generate | Fuse | Score
    prompt: Prompt
    tokens: int

    @property
    def variant(self) -> int:
        """What else must agree within a batch."""
        return 0

    @property
    def kind(self) -> tuple[str, int, int, tuple[str, ...], int]:
        """What must agree within a batch."""
        if isinstance(self.request, Score):
            return ("score", 0, 0, (), self.variant)
        name = "fuse" if isinstance(self.request, Fuse) else "generate"
        return (name, self.request.max_new_tokens, self.request.n, self.request.stop, self.variant)

    @property
    def key(self) -> str:
        """What identifies this request when its output is sampled."""
        return f"{self.kind[:4]}\n{self.prompt.text}"


@dataclass(frozen=True, slots=True)
class SourceReading(Reading):
    """One for an encoder-decoder network. `padded`: the padded length where outputs depend on it, else 0."""

    source: Source | Fused
    padded: int = 0

    @property
    def variant(self) -> int:
        """The padded length."""
        return self.padded

    @property
    def source_key(self) -> str | int:
        """Scores of equal prompts share one source."""
        return self.prompt.text if isinstance(self.request, Score) else self.index


@dataclass(frozen=True, slots=True)
class TokenReading(Reading):
    """One for a decoder-only network: token ids of the prompt and, of a score, of the continuation.

    `thinking`: the mark of a block of thinking that the chat template opened, "" for none.
    """

    ids: list[int]
    target: list[int]
    thinking: str

    @property
    def variant(self) -> int:
        """Whether outputs begin inside a block of thinking."""
        return int(bool(self.thinking) and not isinstance(self.request, Score))
