"""The rule that stops a run whose model writes nothing useful, so that it does not go on costing time or money.

It holds for models, behind a server or on this machine; readers without weights cost nothing. All replies are kept, and
no file of the run says that it was stopped: with `go_on` it goes on in the same files.
"""

from longdoc.errors import UserError
from longdoc.messages import note
from models.reader import Reader
from models.requests import Reply
from pipelines.engine.inference.unread_prompts import Unread, UnreadPrompts
from pipelines.engine.interruption_note import STOPPED
from pipelines.results import output_counts

FIRST = 20  # finished requests of a run in which empty outputs are counted
MOST_EMPTY = FIRST // 2
EACH_UNTIL, EVERY = 200, 50  # prompts are checked after each reply up to the 200th, then after every 50th
MOST_UNREAD = 3  # prompts that a server cut without saying so
KEPT = "so no more requests are sent and all replies are kept"
GO_ON = "--go-on (go_on=True) sends the rest all the same"
WINDOW = (
    "Give the server's window among the model's fields, as in window=4096, and prompts are cut here by the recipe; or "
    "start the server with a larger one (for Ollama give ollama:MODEL, not openai:MODEL: then each request sets it)"
)


class SendingStopped(UserError):
    """The run sends no more requests; the message says why, and how to go on."""


class StopRule:
    """Counts the replies to a run in the order in which they are logged, those of earlier starts included.

    `notes`: whether the first prompts that a server cut without saying so are reported on standard error at once.
    """

    def __init__(self, reader: Reader, go_on: bool, notes: bool = True) -> None:
        self._reader, self._may_stop, self._notes = reader, reader.stops_when_empty and not go_on, notes
        self._finished = self._empty = self._empty_after_thinking = 0
        self._all_empty = True
        self._prompts = UnreadPrompts()
        self._replies = 0
        self._noted = False
        self._unread = Unread()  # as of the last check

    def count(self, reply: Reply) -> None:
        """Count one more reply. A failed reply has no output, and a refusal is not empty."""
        self._prompts.add(reply)
        self._replies += 1
        if reply.sent is not None and (self._replies <= EACH_UNTIL or self._replies % EVERY == 0):
            self._look()
        if not self._may_stop or reply.error is not None:
            return
        is_empty = output_counts.EMPTY in output_counts.output_kinds(reply) and not reply.refused
        self._all_empty = self._all_empty and is_empty
        if self._finished == FIRST:
            return
        self._finished += 1
        if is_empty:
            self._empty += 1
            self._empty_after_thinking += bool(reply.thinking or reply.reasoning_tokens)

    @property
    def problem(self) -> str | None:
        """The reason to send no more requests, and what to type; None where there is none."""
        if not self._may_stop:
            return None
        if self._empty > MOST_EMPTY:
            counts = f"{self._empty} of the first {self._finished} outputs are empty"
            return f"{STOPPED}{counts}, {KEPT}. {self._remedy}; {GO_ON}"
        if self._unread.requests >= MOST_UNREAD:
            return f"{STOPPED}{self._unread}, {KEPT}. {WINDOW}; {GO_ON}"
        return None

    @property
    def empty_problem(self) -> str | None:
        """The reason to compute no scores where all outputs are empty, and what to type; None where one has text."""
        if not self._finished or not self._all_empty:
            return None
        return f"all outputs are empty, so nothing is scored and all replies are kept. {self._remedy}; {GO_ON}"

    @property
    def unread(self) -> Unread:
        """The counts of prompts of which the server read only a part, over all replies."""
        return self._prompts.unread

    @property
    def unread_warning(self) -> str | None:
        """A warning on prompts of which the server read only a part, with what to type; None where there are none."""
        unread = self.unread
        return f"{unread}. {WINDOW}" if unread.requests else None

    def _look(self) -> None:
        """Look for prompts that the server cut without saying so; the first are reported at once."""
        before, self._unread = self._unread, self.unread
        if self._notes and self._unread.requests and not before.requests and not self._noted:
            self._noted = True
            note(f"{self._unread}. {WINDOW}")

    @property
    def _remedy(self) -> str:
        """What to type where outputs are empty."""
        if self._empty_after_thinking:
            return "The model thought until its output was full: give it room, thinking=2048 among the model's fields"
        if self._reader.is_chat:
            return "A model that thinks needs room for it, thinking=2048 among its fields, others a longer output"
        return "See what the model is asked (longdoc prompt), and give a longer output (--max-new-tokens)"
