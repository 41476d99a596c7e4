"""The counts of a run's requests since its start: those that were answered, and those that wait."""

from dataclasses import dataclass, field, fields, replace

from models.accounting import Usage
from models.requests import Reply


@dataclass(frozen=True, slots=True)
class Work:
    """Counts of one start of a run. Tokens are those of prompts as counted here, except in `usage`.

    - `prepared`: examples that were prepared; `requesting` of them had to wait for a reply.
    - `replies`: requests that were answered. Their prompts, and those of failed requests, have `answered_tokens`;
      `usage` are the tokens that the reader reports.
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
        """The counts with one more example, which asks something or not."""
        return replace(self, prepared=self.prepared + 1, requesting=self.requesting + asks)

    def with_reply(self, reply: Reply, prompt_tokens: int) -> "Work":
        """The counts with one more reply."""
        return replace(
            self,
            replies=self.replies + (reply.error is None),
            answered_tokens=self.answered_tokens + prompt_tokens,
            usage=self.usage + Usage.of(reply),
        )

    @property
    def processed_tokens(self) -> int:
        """The tokens that the model has read or written, without those from a server's cache."""
        return self.usage.tokens_in - self.usage.cached_tokens + self.usage.tokens_out

    def tokens_left(self, examples: int) -> float:
        """The prompt tokens of pending requests, and those expected of so many examples that are not prepared yet.

        0 where no example had to wait for a reply.
        """
        mean = (self.answered_tokens + self.pending_tokens) / self.requesting if self.requesting else 0.0
        return self.pending_tokens + examples * mean

    def __add__(self, other: "Work") -> "Work":
        """The sum of the counts."""
        return Work(*(getattr(self, count.name) + getattr(other, count.name) for count in fields(self)))
