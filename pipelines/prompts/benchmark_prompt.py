"""The prompt of a benchmark whose rows have none: as published, or in our words where its file is not available."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from longdoc.errors import unknown
from models.prompts import Part, Prompt
from pipelines.prompts.template import Template
from pipelines.records import Example


@dataclass(frozen=True, slots=True)
class BenchmarkPrompt(Template):
    """A template that records whose wording it is; scores with our own wording are marked.

    Where a benchmark has several prompts for one task, they are in `texts`, and `by` is the field of an example's
    metadata that chooses between them; `text` is then any of them. `label` stands before each passage, with `{number}`
    from 1.
    """

    wording: Literal["published", "own"] = "own"
    by: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    label: str = ""

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """The prompt for an example with these document parts. Raises `UserError` if the benchmark has none for it."""
        if self.label:
            passages = [
                replace(part, label=self.label.format(number=number), label_end="")
                for number, part in enumerate(passages, 1)
            ]
        if not self.by:
            return Template.render(self, example, passages)
        key = str(example.meta.get(self.by, ""))
        if key not in self.texts:
            raise unknown(f"{self.by} of the benchmark's prompts", key, self.texts)
        return Template.render(replace(self, text=self.texts[key]), example, passages)
