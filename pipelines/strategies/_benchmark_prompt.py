"""The prompt of a benchmark whose rows carry none: in its own words, or in ours where its file is not at hand."""

from dataclasses import dataclass
from typing import Literal

from pipelines.strategies._template import Template


@dataclass(frozen=True, slots=True)
class BenchmarkPrompt(Template):
    """A template that says whose words it has; scores that rest on ours are marked by it."""

    wording: Literal["published", "own"] = "own"
