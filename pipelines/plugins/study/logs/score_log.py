"""The scores of one system by example, in columns: arrays of numbers, so that a million samples fit into memory."""

import json
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import nan
from pathlib import Path
from sys import intern
from typing import Any

import numpy as np

from longdoc.checked_json import LARGEST
from longdoc.errors import UserError
from pipelines.plugins.study.logs.sample_text import SampleText
from pipelines.statistics.sample import Floats

CLUSTER_FIELDS = (
    "document", "document_id", "doc_id", "context_id", "context", "article_id", "article", "passage_id", "passage",
    "story_id", "story", "book_id", "book", "paper_id", "title",
)  # fmt: skip  # fields that say which document a sample is about, the surest first
SHOWN = 10  # names of scores in a message
MOST_SCORES = 1_000  # by name: each is compared and has an interval
SHORT = 64  # characters of a field that is kept as it is; of longer ones the digest
DIGEST = 16  # hexadecimal digits of a digest


@dataclass(slots=True)
class ScoreLog:
    """The samples of a log in their order. `format` names the harness, `system` what was evaluated.

    Each row is one epoch of a sample. `numbers` has the samples' ids with their numbers from 0, `sample_of` the number
    of each row's sample, `epochs` its epoch, `scores` its scores by name, NaN where it has none. `fields` has the
    labels of fields that may be clusters, `field_names` the names of all fields, `digests` one of each sample's
    question, empty where it is not known. `texts` are those of the samples; empty unless the log `keeps_texts`.
    """

    path: Path
    format: str
    task: str = ""
    system: str = ""
    notes: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    sample_of: "array[int]" = field(default_factory=lambda: array("q"))
    epochs: "array[int]" = field(default_factory=lambda: array("q"))
    scores: "dict[str, array[float]]" = field(default_factory=dict)
    fields: dict[str, list[str]] = field(default_factory=dict)
    field_names: list[str] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    keeps_texts: bool = False
    texts: list[SampleText] = field(default_factory=list)
    _first_epochs: "array[int]" = field(default_factory=lambda: array("q"))
    _further_epochs: set[tuple[int, int]] = field(default_factory=set)

    def add(
        self,
        sample_id: str,
        scores: Mapping[str, float],
        epoch: int = 1,
        fields: Mapping[str, str] | None = None,
        digest: str = "",
        text: Callable[[], SampleText] = SampleText,
    ) -> None:
        """Add a row. `text` returns its texts; it is called only if the log keeps them.

        Raises `UserError` for a sample's epoch that the log already has, and for too many scores.
        """
        number = self.numbers.setdefault(sample_id, len(self.numbers))
        if number == len(self._first_epochs):
            self._add_sample(fields or {}, digest, epoch)
            self.texts += [text()] if self.keeps_texts else []
        else:
            self._check_epoch(sample_id, number, epoch)
            if self.keeps_texts:
                self.texts[number].outputs.extend(text().outputs)
        for name in scores:
            self._column(name)
        self.sample_of.append(number)
        self.epochs.append(epoch)
        for name, values in self.scores.items():
            values.append(scores.get(name, nan))

    def merge(
        self,
        sample_id: str,
        scores: Mapping[str, float],
        fields: Mapping[str, str] | None = None,
        digest: str = "",
        text: Callable[[], SampleText] = SampleText,
    ) -> None:
        """Add scores to a sample that may have others. Raises `UserError` for a score that it already has."""
        number = self.numbers.get(sample_id)
        if number is None:
            self.add(sample_id, scores, fields=fields, digest=digest, text=text)
            return
        for name, value in scores.items():
            values = self._column(name)
            if values[number] == values[number]:
                raise UserError(f"{self.path}: the sample {sample_id[:80]!r} has {name} twice: take one out")
            values[number] = value

    def _column(self, name: str) -> "array[float]":
        """The column of a score, all NaN for a new one. Raises `UserError` for too many scores."""
        if name not in self.scores:
            if len(self.scores) == MOST_SCORES:
                raise UserError(f"{self.path} has more than {MOST_SCORES:,} scores: keep only those to compare")
            self.scores[name] = array("d", [nan]) * len(self.sample_of)
        return self.scores[name]

    def bound(self) -> None:
        """Replace infinite scores by NaN. Raises `UserError` for another score beyond `LARGEST`."""
        for name, column in self.scores.items():
            values = np.asarray(column)
            values[np.isinf(values)] = nan
            if len(beyond := np.flatnonzero(np.abs(values) > LARGEST)):
                sample_id = self.ids[self.sample_of[beyond[0]]]
                raise UserError(
                    f"{self.path}: the score {name} of the sample {sample_id[:80]!r} must be between -{LARGEST:g} and "
                    f"{LARGEST:g}: correct it, or leave it out"
                )

    def _add_sample(self, fields: Mapping[str, str], digest: str, epoch: int) -> None:
        count = len(self._first_epochs)
        for name in fields:
            if name not in self.fields:
                self.fields[name] = [""] * count
        for name, labels in self.fields.items():
            labels.append(fields.get(name, ""))
        self.digests.append(digest)
        self._first_epochs.append(epoch)

    def _check_epoch(self, sample_id: str, number: int, epoch: int) -> None:
        key = (number, epoch)
        if self._first_epochs[number] == epoch or key in self._further_epochs:
            raise UserError(
                f"{self.path}: the sample {sample_id[:80]!r} comes twice (epoch {epoch}): take one out, or "
                "number repeats in a field epoch"
            )
        self._further_epochs.add(key)

    @property
    def ids(self) -> list[str]:
        """The samples' ids in their order."""
        return list(self.numbers)

    @property
    def repeats(self) -> tuple[int, int]:
        """The least and the largest number of epochs of a sample."""
        counts = np.bincount(np.asarray(self.sample_of), minlength=len(self.numbers))
        return (int(counts.min()), int(counts.max())) if len(counts) else (0, 0)

    def rows(self, name: str) -> tuple[Floats, Any, Any]:
        """The values of a score, without rows that have none, with the number of each one's sample and its epoch."""
        values = np.asarray(self.scores[name], float)
        present = ~np.isnan(values)
        return values[present], np.asarray(self.sample_of)[present], np.asarray(self.epochs)[present]

    def sample_scores(self, name: str) -> Floats:
        """The score of each sample: the mean of its epochs, NaN where none has it."""
        values, samples, _ = self.rows(name)
        count = len(self.numbers)
        totals, counts = np.bincount(samples, values, count), np.bincount(samples, minlength=count)
        with np.errstate(invalid="ignore"):
            return np.asarray(totals / counts)


def cluster_fields(fields: Mapping[str, Any], cluster: str | None) -> dict[str, str]:
    """The labels of a sample's fields that may say which document it is about; that of `cluster` alone where given."""
    names = CLUSTER_FIELDS if cluster is None else (cluster,)
    return {name: label(fields[name]) for name in names if fields.get(name) is not None}


def label(value: Any) -> str:
    """A field's value as a short text: itself, or a digest where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return intern(text) if len(text) <= SHORT else digest(text)  # few documents have many samples


def digest(*texts: str) -> str:
    """The digest of texts, as a short hexadecimal number."""
    sha = sha256()
    for text in texts:
        sha.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return sha.hexdigest()[:DIGEST]
