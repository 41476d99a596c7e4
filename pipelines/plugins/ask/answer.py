"""The result of `ask`: an answer that shows itself as text, on a terminal, as a page and in notebooks."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.plugins.ask import page, rendering
from pipelines.plugins.ask.answer_content import AnswerContent

if TYPE_CHECKING:
    from rich.console import Group


@dataclass(frozen=True, slots=True)
class Answer(AnswerContent):
    """An answer to a question about documents, with the passages the reader saw, in the order shown.

    `text` is what the model said. Without a model (the reader `extractive`) it is the text of `best_sentence`, the
    sentence that most likely answers; where nothing in the documents matches the question, `found` is False, `text`
    empty, and there are no passages.

    `truncated_tokens` are the prompt tokens that were cut; `warnings` name what was not read, guessed encodings, and
    answers that were cut or refused. `outputs` counts the model's outputs that are "ended at length", "empty",
    "refused", "filled by thinking". `asked` is False where there was no model (`model="none"`), only passages. `found`
    is False, too, where the model says that the passages do not answer the question. `citations` are the passages that
    a chat model's answer cites, in its order.
    """

    def __str__(self) -> str:
        """The answer, then an excerpt of each passage with its location, in it the answer in «»."""
        return self.plain()

    def plain(self, full: bool = False) -> str:
        """As `str`; `full` prints answer and passages whole."""
        return rendering.as_text(self, full)

    def rich(self, full: bool = False) -> "Group":
        """As `plain`, with bold and colour for a terminal, and wrapped to its width."""
        return rendering.for_terminal(self, full)

    def to_html(self) -> str:
        """A page with the answer and its passages in their places, in one file that needs no network."""
        return page.html(self)

    def _repr_html_(self) -> str:
        """The answer and excerpts of its passages, for notebooks."""
        return rendering.for_notebook(self)
