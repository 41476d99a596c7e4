"""The short prompt for models without a chat template, with the names of files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from models.prompts import Part, Prompt
from pipelines.plugins.ask.indexing.collection import Collection
from pipelines.plugins.ask.passage_prompt import one_line
from pipelines.prompts.template import Template
from pipelines.records import Example


@dataclass(frozen=True, slots=True)
class FilePrompt(Template):
    """A template whose passages of another document than the one before stand below a blank line and its name.

    Passages of a single document have no names.
    """

    collection: Collection | None = None

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """The prompt for an example with these document parts."""
        return Template.render(self, example, self._named_parts(passages))

    def _named_parts(self, passages: Sequence[Part]) -> list[Part]:
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
