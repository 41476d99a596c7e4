"""When a run sends no more requests: what its model writes is worth nothing, and goes on costing time or money.

That is so for models, behind a server or on this machine; readers without weights cost nothing. All replies that came
are kept, and no file of the run says that it was stopped: it goes on with `go_on`, to the same files.
"""

from longdoc.errors import UserError
from longdoc.visible import note
from models.reader import Reader
from models.requests import Reply
from pipelines.engine.inference.unread_prompts import Unread, UnreadPrompts
from pipelines.engine.interruption_note import STOPPED
from pipelines.results import output_counts

FIRST = 20  # finished requests of a run that are looked at
MOST_EMPTY = FIRST // 2
EACH_LIMIT, EVERY_LIMIT = (
    200,
    50,
)  # replies, after each of which prompts are looked at, and of the later ones after so many
MOST_UNREAD = 3  # prompts that a server cut unseen
KEPT_TEXT = "so no more requests are sent and all replies are kept"
GO_ON_TEXT = "--go-on (go_on=True) goes on all the same"
WINDOW = (
    "Give the window that it reads among the model's fields, as in window=4096, and prompts are cut here by the "
    "recipe; or start the server with a larger one (each request tells Ollama: give ollama:MODEL, not openai:MODEL)"
)


class SendingStopped(UserError):
    """A run that sends no more requests; the message says why, and how it goes on."""


class StopRule:
    """Looks at the replies to a run, in the order in which they are logged, those of earlier starts among them.

    `notes`: whether prompts that were cut unseen are said on standard error at once.
    """

    def __init__(self, reader: Reader, go_on: bool, notes: bool = True) -> None:
        self._reader, self._looks, self._notes = reader, reader.stops_when_empty and not go_on, notes
        self._finished = self._empty = self._thought_values = 0
        self._all_empty = True
        self._prompts = UnreadPrompts()
        self._replies = 0
        self._said_values = False
        self._unread = Unread()  # when it was last looked at

    def count(self, reply: Reply) -> None:
        """Look at one more reply; failed ones are no outputs, and a refusal is not empty."""
        self._prompts.add(reply)
        self._replies += 1
        if reply.sent is not None and (self._replies <= EACH_LIMIT or self._replies % EVERY_LIMIT == 0):
            self._look()
        if not self._looks or reply.error is not None:
            return
        is_empty = output_counts.EMPTY in output_counts.output_kinds(reply) and not reply.refused
        self._all_empty = self._all_empty and is_empty
        if self._finished == FIRST:
            return
        self._finished += 1
        if is_empty:
            self._empty += 1
            self._thought_values += bool(reply.thinking or reply.reasoning_tokens)

    @property
    def problem(self) -> str | None:
        """Why no more requests are sent, and what to type; None where they are."""
        if not self._looks:
            return None
        if self._empty > MOST_EMPTY:
            counts = f"{self._empty} of the first {self._finished} outputs are empty"
            return f"{STOPPED}{counts}, {KEPT_TEXT}. {self._cure_text}; {GO_ON_TEXT}"
        if self._unread.requests >= MOST_UNREAD:
            return f"{STOPPED}{self._unread}, {KEPT_TEXT}. {WINDOW}; {GO_ON_TEXT}"
        return None

    @property
    def empty_problem(self) -> str | None:
        """Why a run whose outputs are all empty has no scores, however few they are; None where one has text."""
        if not self._finished or not self._all_empty:
            return None
        return f"all outputs are empty, so nothing is scored and all replies are kept. {self._cure_text}; {GO_ON_TEXT}"

    @property
    def unread(self) -> Unread:
        """What the server read only a part of, over all replies."""
        return self._prompts.unread

    @property
    def unread_warning(self) -> str | None:
        """The same as a warning, with what to type; None where everything was read."""
        unread = self.unread
        return f"{unread}. {WINDOW}" if unread.requests else None

    def _look(self) -> None:
        """Look for prompts that were cut unseen; the first are said at once."""
        before, self._unread = self._unread, self.unread
        if self._notes and self._unread.requests and not before.requests and not self._said_values:
            self._said_values = True
            note(f"{self._unread}. {WINDOW}")

    @property
    def _cure_text(self) -> str:
        if self._thought_values:
            return "The model thought until its output was full: give it room, thinking=2048 among the model's fields"
        if self._reader.is_chat:
            return "A model that thinks needs room for it, thinking=2048 among its fields, others a longer output"
        return "See what the model is asked (longdoc prompt), and give a longer output (--max-new-tokens)"
