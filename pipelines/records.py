"""The records that travel through a run. Frozen and small; no logic beyond reading them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from models.prompts import Part, Prompt

__all__ = ["Document", "Example", "Part", "Prediction", "Prompt", "RunSpec", "Span"]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Document:
    """A text and what is known of it. Positions everywhere are code points into `text`."""

    id: str
    text: str
    title: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Example:
    """One thing asked of one document.

    `references` are the accepted outputs, empty where the split has none. `evidence` are gold spans of the document.
    """

    id: str
    document: Document
    query: str = ""
    references: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    evidence: tuple[Span, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a run says about one example: one line of `predictions.jsonl`.

    `selected` are the spans (start, end, score) that the retriever chose, in the order shown; `seen` the spans left
    after cutting; `cut` the prompt tokens that went. `notes` are the strategy's further outputs and remarks by name;
    `statistics` the rows of the metrics. `outputs` counts the model's outputs that are "ended at length", "empty" or
    "refused"; those that occur. `passages` counts by retriever what was longer than its encoder's limit
    (`pipelines.results.over_limit`); empty where none has a limit.
    """

    id: str
    document: str
    query: str
    references: tuple[str, ...]
    prediction: str
    selected: tuple[tuple[int, int, float], ...]
    seen: tuple[Span, ...]
    requests: int
    tokens_in: int
    tokens_out: int
    cut: int
    notes: Mapping[str, str] = field(default_factory=dict)
    statistics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    outputs: Mapping[str, int] = field(default_factory=dict)
    passages: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Everything that decides a run's numbers, as nested mappings with defaults filled: the heart of `run.json`."""

    task: str
    split: str
    fields: Mapping[str, Any]
