"""How much a run has asked since its start, and how much waits to be asked."""

from dataclasses import dataclass, field, fields, replace

from models.accounting.usage import Usage
from models.requests import Reply


@dataclass(frozen=True, slots=True)
class Work:
    """Counts of one start of a run; tokens are those of prompts as the reader counts them, unless they are `usage`.

    - `prepared`: examples that were prepared; `requesting` of them had to wait for a reply.
    - `replies`: requests that were answered. The prompts of these and of failed ones have `answered_tokens`; `usage` is
      what the reader says of them.
    - `pending`: requests without a reply so far, whose prompts have `pending_tokens`.
    """

    prepared: int = 0
    requesting: int = 0
    replies: int = 0
    answered_tokens: int = 0
    usage: Usage = field(default=Usage())
    pending: int = 0
    pending_tokens: int = 0

    def with_example(self, asks: bool) -> "Work":
        """The same with one more example."""
        return replace(self, prepared=self.prepared + 1, requesting=self.requesting + asks)

    def with_reply(self, reply: Reply, prompt_tokens: int) -> "Work":
        """The same with one more reply."""
        return replace(
            self,
            replies=self.replies + (reply.error is None),
            answered_tokens=self.answered_tokens + prompt_tokens,
            usage=self.usage + Usage.of(reply),
        )

    @property
    def processed_tokens(self) -> int:
        """Tokens that the model has read or written; what came from a server's cache was not read."""
        return self.usage.tokens_in - self.usage.cached_tokens + self.usage.tokens_out

    def tokens_left(self, examples: int) -> float:
        """The prompt tokens of what waits and of so many examples that are not prepared yet, which are like the others.

        0 where no example had to wait for a reply.
        """
        mean = (self.answered_tokens + self.pending_tokens) / self.requesting if self.requesting else 0.0
        return self.pending_tokens + examples * mean

    def __add__(self, other: "Work") -> "Work":
        """The sum of two."""
        return Work(*(getattr(self, count.name) + getattr(other, count.name) for count in fields(self)))
