"""The prompt that a model without a chat template gets with a question: short, with the names of files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.prompts import Part, Prompt
from pipelines.answers.indexing.collection import Collection
from pipelines.answers.passage_prompt import one_line
from pipelines.records import Example
from pipelines.strategies.shared.template import Template


@dataclass(frozen=True, slots=True)
class FilePrompt(Template):
    """A template whose passages of another document than the one before stand below a blank line and its name.

    Passages of a single document have no names.
    """

    collection: Collection | None = None

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """The prompt for an example with these document parts."""
        return Template.render(self, example, self._named_rows(passages))

    def _named_rows(self, passages: Sequence[Part]) -> list[Part]:
        collection = self.collection
        if collection is None or len(collection.documents) < 2:
            return list(passages)
        parts: list[Part] = []
        before: int | None = None
        for part in passages:
            number = None if part.start is None else collection.number(part.start)
            if number is not None and number != before:
                part = replace(part, label=f"\n{one_line(collection.names[number])}:")  # noqa: PLW2901
            parts.append(part)
            before = number
        return parts
