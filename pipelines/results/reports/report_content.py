"""The content of a report of runs or of an ablation, for pages, tables and plots alike."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from longdoc.errors import unknown
from longdoc.plain_json import plain_fields
from pipelines.display import numbers
from pipelines.display.table import Table
from pipelines.display.view import RowsView
from pipelines.results.comparisons.cell import Cell
from pipelines.results.comparisons.summary import flat_rows, split_settings, summary
from pipelines.results.leaderboards.published import Published
from pipelines.results.lost_evidence.stages import STAGES, RunStages
from pipelines.results.run_folders.run import Run

FEW_LIMIT = 6  # runs
MAX_NAMED = 3  # runs that are named; further ones are counted


@dataclass(frozen=True, slots=True)
class RunContent(Cell):
    """One run, or one cell of an ablation; `settings` are empty outside an ablation. Scores are 0–100.

    `stages` say where gold evidence is lost; None if the run did not record it. `is_readable`: the run's folder is
    there, with its predictions.
    """

    warnings: tuple[str, ...] = ()
    stages: RunStages | None = None
    is_readable: bool = False

    KEYS: ClassVar[Sequence[str]] = (*Cell.KEYS, "scored", "truncated", "selection", "versions", "warnings", "stages")

    @property
    def readable_run(self) -> Run | None:
        """The run, if its predictions can be read; else None."""
        return self.run if self.is_readable else None

    @property
    def scored(self) -> int:
        """The number of examples with references."""
        return self.run.scored if self.run is not None and self.is_readable else self.counts.examples

    @property
    def truncated(self) -> Mapping[str, int]:
        """The numbers of "examples" with cut prompts, and of the "tokens" cut from them."""
        return {"examples": 0, "tokens": 0} if self.readable_run is None else self.readable_run.truncated

    @property
    def selection(self) -> Mapping[str, float]:
        """Mean numbers of passages and words (`selection_counts`)."""
        return {} if self.readable_run is None else self.readable_run.selection

    @property
    def versions(self) -> dict[str, str]:
        """The versions that made the examples, by name."""
        run = self.readable_run
        return {} if run is None else {name: ", ".join(versions) for name, versions in run.versions.items()}

    @property
    def label(self) -> str:
        """The settings in short, or without any the name."""
        return numbers.settings(self.settings) or self.name


@dataclass(frozen=True, slots=True)
class Content(RowsView):
    """A whole report. `primary_metric` names the score that it leads with.

    `baseline` names the run that the others are compared with: the first of several, None for a single one. `part` is
    the part of the split that was run, empty for all of it. `published` is None for a task without published scores.
    `has_passages`: the runs record which passages were shown; logs of other harnesses do not.
    """

    task: str
    split: str
    runs: tuple[RunContent, ...]
    primary_metric: str
    axes: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    baseline: str | None = None
    part: str = ""
    published: Published | None = None
    warnings: tuple[str, ...] = ()
    has_passages: bool = True

    PAGE: ClassVar[str] = "pipelines.results.reports.html:page_of"
    PLOT: ClassVar[str] = "pipelines.results.reports.plots:write"

    @property
    def finished(self) -> tuple[RunContent, ...]:
        """The runs that have scores."""
        return tuple(run for run in self.runs if run.error is None)

    @property
    def score_names(self) -> tuple[str, ...]:
        """The names of all scores, the primary metric first."""
        names = dict.fromkeys(name for run in self.runs for name in run.scores)
        return tuple(sorted(names, key=lambda name: name != self.primary_metric))

    KEYS: ClassVar[Sequence[str]] = (
        "task", "split", "runs", "primary_metric", "axes", "baseline", "part", "published", "warnings",
    )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON, without folders of runs inside the stages, which are in the cells."""
        return plain_fields(self, ("run",))

    def tables(self, scores: Sequence[str] | None = None) -> list[Table]:
        """One row per run. `scores` names those to show, by default the first. Raises `UserError` for unknown names."""
        for name in scores or ():
            if name not in self.score_names:
                raise unknown("score", name, self.score_names)
        title = ", ".join(part for part in (self.task, self.split, self.part) if part)
        warnings = self.all_warnings()
        table = summary(title, self.runs, self.primary_metric, self.baseline, self.axes, scores, warnings)
        return [replace(table, notes=(*table.notes, *self._evidence_lines()))]

    def _evidence_lines(self) -> list[str]:
        """A line for each run on the gold evidence left at each stage; none for many runs."""
        contents = [(run, run.stages.stages) for run in self.finished if run.stages is not None and run.stages.stages]
        if len(contents) > FEW_LIMIT:
            return []
        lines = []
        for run, stages in contents:
            shares = ", ".join(f"{stage.share:.1f} {STAGES[stage.name]}" for stage in stages)
            lines.append(f"gold evidence{f' of {run.label}' if len(self.runs) > 1 else ''}, 0–100: {shares}")
        return lines

    def flat_rows(self) -> list[dict[str, Any]]:
        """One mapping per run: every score with interval, difference and p value; and warnings, if any run has some."""
        rows = flat_rows(self.runs, self.primary_metric, self.axes)
        if any(run.warnings for run in self.runs):
            rows = [row | {"warnings": "; ".join(run.warnings)} for row, run in zip(rows, self.runs, strict=True)]
        return rows

    def latex_caption(self, table: Table) -> str:
        """The caption in words: `Scores on hotpotqa (test, the first 20 examples), with k = 5.`"""
        part = " or ".join(_in_words(text) for text in self.part.split(", ") if text)
        location = ", ".join(text for text in (self.split, part) if text)
        _, fixed = split_settings(self.runs, self.axes)
        shared = " and ".join(
            text.replace("=", " = ", 1) for text in fixed if not text.startswith(("limit=", "sample="))
        )
        return f"Scores on {self.task}{f' ({location})' if location else ''}{f', with {shared}' if shared else ''}."

    def all_warnings(self) -> list[str]:
        """The warnings of the report and of its runs."""
        remarks = ((run.label, warning) for run in self.runs for warning in run.warnings)
        return list(dict.fromkeys([*self.warnings, *_distinct_remarks(remarks, len(self.finished))]))

    def failed(self) -> list[str]:
        """The errors of the runs that failed."""
        remarks = ((run.label, f"failed: {run.error}") for run in self.runs if run.error is not None)
        return _distinct_remarks(remarks, len(self.runs))

    def not_computed(self) -> list[str]:
        """The scores that could not be computed, grouped by reason."""
        groups: dict[tuple[str, str], list[str]] = {}
        for run in self.runs:
            for name, reason in run.scores.not_computed.items():
                groups.setdefault((run.label, reason), []).append(name)
        remarks = ((label, f"{', '.join(names)}: {reason}") for (label, reason), names in groups.items())
        return _distinct_remarks(remarks, len(self.finished))


def _in_words(part: str) -> str:
    """The part of a split in words: "the first 20 examples, shard 1/3" for `limit=20 shard=1/3`."""
    words = {"limit": "the first {} examples", "sample": "{} sampled examples", "shard": "shard {}"}
    pairs = [text.partition("=") for text in part.split()]
    return ", ".join(words[name].format(value) for name, _, value in pairs if name in words) or "all examples"


def _distinct_remarks(remarks: Iterable[tuple[str, str]], runs: int) -> list[str]:
    """The texts of (label, text), each once, with its labels unless all `runs` have it."""
    labels_by_text: dict[str, list[str]] = {}
    for label, text in remarks:
        labels_by_text.setdefault(text, []).append(label)
    return [text if len(labels) == runs else f"{_names(labels)}: {text}" for text, labels in labels_by_text.items()]


def _names(labels: list[str]) -> str:
    more = f" and {len(labels) - MAX_NAMED} more" if len(labels) > MAX_NAMED else ""
    return "; ".join(labels[:MAX_NAMED]) + more
