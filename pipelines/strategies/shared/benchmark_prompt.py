"""The prompt of a benchmark whose rows carry none: in its own words, or in ours where its file is not at hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from longdoc.errors import unknown
from models.prompts import Part, Prompt
from pipelines.records import Example
from pipelines.strategies.shared.template import Template


@dataclass(frozen=True, slots=True)
class BenchmarkPrompt(Template):
    """A template that says whose words it has; scores that rest on ours are marked by it.

    Where a benchmark has several prompts for the examples of one task, `texts` are those, and `by` names the field of
    an example's metadata that chooses between them; `text` is then any of them. `label` stands before each passage,
    with `{number}` from 1.
    """

    wording: Literal["published", "own"] = "own"
    by: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    label: str = ""

    def render(self, example: Example, passages: Sequence[Part]) -> Prompt:
        """The prompt for an example with these document parts. Raises `UserError` where the file has none for it."""
        if self.label:
            passages = [
                replace(part, label=self.label.format(number=number), label_end="")
                for number, part in enumerate(passages, 1)
            ]
        if not self.by:
            return Template.render(self, example, passages)
        chosen_text = str(example.meta.get(self.by, ""))
        if chosen_text not in self.texts:
            raise unknown(f"{self.by} of the benchmark's prompts", chosen_text, self.texts)
        return Template.render(replace(self, text=self.texts[chosen_text]), example, passages)
