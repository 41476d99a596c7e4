"""When a run sends no more requests: what its model writes is worth nothing, and goes on costing time or money.

That is so for models, behind a server or on this machine; readers without weights cost nothing. All replies that came
are kept, and no file of the run says that it was stopped: it goes on with `go_on`, to the same files.
"""

from longdoc.errors import UserError
from models.reader import Reader
from models.requests import Reply
from pipelines.results import output_counts

FIRST = 20  # finished requests of a run that are looked at
MOST_EMPTY = FIRST // 2


class SendingStopped(UserError):
    """A run that sends no more requests; the message says why, and how it goes on."""


class StopRule:
    """Looks at the replies to a run, in the order in which they are logged, those of earlier starts among them."""

    def __init__(self, reader: Reader, go_on: bool) -> None:
        self._reader, self._looks = reader, reader.stops_when_empty and not go_on
        self._finished = self._empty = self._thought = 0

    def count(self, reply: Reply) -> None:
        """Look at one more reply; failed ones are no outputs, and a refusal is not empty."""
        if not self._looks or reply.error is not None or self._finished == FIRST:
            return
        self._finished += 1
        if output_counts.EMPTY in output_counts.kinds_of(reply) and not reply.refused:
            self._empty += 1
            self._thought += bool(reply.thinking or reply.reasoning_tokens)

    @property
    def problem(self) -> str | None:
        """Why no more requests are sent, and what to type; None where they are."""
        if self._empty <= MOST_EMPTY:
            return None
        return (
            f"stopped: {self._empty} of the first {self._finished} outputs are empty, so no more requests are sent and "
            f"all replies are kept. {self._cure}; --go-on (go_on=True) goes on all the same"
        )

    @property
    def _cure(self) -> str:
        if self._thought:
            return "The model thought until its output was full: give it room, thinking=2048 among the model's fields"
        if self._reader.is_chat:
            return "A model that thinks needs room for it, thinking=2048 among its fields, others a longer output"
        return "See what the model is asked (longdoc prompt), and give a longer output (--max-new-tokens)"
