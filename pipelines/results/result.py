"""What `run` returns: it prints itself in a readable form, in a notebook as tables."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from html import escape
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from longdoc.plain_values import Record
from longdoc.plurals import counted
from pipelines.display import interval_notes, numbers, terminal
from pipelines.display.table import Column, Table, cut, html, numbered_columns
from pipelines.display.view import frame
from pipelines.results import judge_record, selection_counts
from pipelines.results.excerpts import LEGEND, Excerpt
from pipelines.results.run_folders.run import Run

WIDTH = 110  # columns of the text of an example where nothing says how wide the screen is
COLUMNS = (
    "id", "document", "query", "references", "prediction", "requests", "tokens_in", "tokens_out", "truncated_tokens",
)  # fmt: skip
LISTED = 5  # failures that are listed


@dataclass(frozen=True)
class Result(Run, Record):
    """A run just finished. `scores` are 0–100, each with its signature; `folder` holds all files, predictions included.

    `excerpts` are three examples from the whole of the data, in short, and `primary_metric` names the score by which
    they are right or wrong: the first that single examples have; empty where they have none.

    `failures` maps example ids to error messages; starting the same run again retries these examples.

    `new_requests` counts the requests of this start only; `tokens_in` and `tokens_out` cover all replies to this run,
    earlier starts included, and `cost` is their price by the reader's `prices`; of `tokens_in`, `cached_tokens` were
    read from a server's cache and `cache_write_tokens` written to it.

    `seconds` is the time from the call to its end, the report included. `report` is the page, None where none was
    written.
    """

    documents: int = 0
    seconds: float = 0.0
    resumed: int = 0
    new_requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float | None = None
    warnings: Sequence[str] = ()
    primary_metric: str = ""
    excerpts: Sequence[Excerpt] = ()
    report: Path | None = None

    KEYS: ClassVar[Sequence[str]] = (
        "task", "recipe", "scores", "scores.signatures", "scores.not_computed", "examples", "scored", "documents",
        "truncated", "folder", "seconds", "resumed", "new_requests", "tokens_in",
        "tokens_out", "cached_tokens", "cache_write_tokens", "cost", "failures", "warnings", "outputs", "selection",
        "scores.intervals", "scores.no_interval", "primary_metric", "excerpts", "report", "judging", "reference_notes",
    )  # fmt: skip

    @classmethod
    def of(cls, run: Run, **values: Any) -> "Result":
        """A run with the values of the fields that its folder does not hold."""
        return cls(**{field.name: getattr(run, field.name) for field in fields(run)}, **values)

    def to_frame(self) -> Any:
        """A pandas data frame with one row per example: output, tokens, and the scores that it has by itself."""
        return frame(example_rows(self))

    def __str__(self) -> str:
        """The scores with their intervals, three examples, what was not computed, and where the report is."""
        return self.plain()

    def plain(self, signatures: bool = False) -> str:
        """The same text; with `signatures` each score has what decides it: the metric's settings and versions."""
        lines = [self.size(), *self._score_lines(signatures), *self.score_notes()]
        if self.excerpts:
            lines += ["", self.excerpts_title(), *self._excerpt_lines(), ""]
        lines += [*self.remarks(), self.location()]
        text = "\n".join([f"{self.task}: {self.recipe}", *(f"  {line}".rstrip() for line in lines)])
        return terminal.visible(text)

    def _repr_html_(self) -> str:
        """The scores and the examples as tables, for notebooks."""
        columns = (
            Column("metric", lambda name: name),
            Column("score", lambda name: numbers.score(self.scores[name]), "right"),
            Column("interval", self.scores.interval, "right"),
        )
        notes = (self.size(), *self.score_notes())
        parts = [Table(f"{self.task}: {self.recipe}", columns, list(self.scores), notes)]
        if self.excerpts:
            names = list(dict.fromkeys(name for excerpt in self.excerpts for name, _ in excerpt.texts()))
            cells = tuple(
                (excerpt.mark, *(dict(excerpt.texts()).get(name, "") for name in names)) for excerpt in self.excerpts
            )
            parts.append(Table(self.excerpts_title(), tuple(numbered_columns(("", *names))), cells))
        location = escape(self.location())
        if self.report is not None:
            location = f'<a href="{escape(quote(self.report.as_posix()))}">{location}</a>'
        remarks = "".join(f"<small>{escape(numbers.line(line))}</small><br>" for line in self.remarks())
        return "\n".join([*map(html, parts), f"<div>{remarks}<small>{location}</small></div>"])

    def _score_lines(self, signatures: bool) -> list[str]:
        name_width = max(map(len, self.scores), default=0)
        interval_width = max((len(self.scores.interval(name)) for name in self.scores), default=0)
        return [
            f"{name:<{name_width}} {value:7.2f}  {self.scores.interval(name):<{interval_width}}"
            + (f"  {self.scores.signatures[name]}" if signatures else "")
            for name, value in self.scores.items()
        ]

    def _excerpt_lines(self) -> list[str]:
        lines = []
        for excerpt in self.excerpts:
            for number, (name, text) in enumerate(excerpt.texts()):
                label = f"{'' if number else excerpt.mark:<4} {name:<10} "
                lines.append(label + cut(terminal.visible(text), WIDTH - len(label)))
        return lines

    def size(self) -> str:
        """How many examples and documents, in which time; of a run that lost some, how many of them are answered."""
        asked = self.examples + len(self.failures)
        examples = f"{self.examples:,} of {asked:,} answered" if self.failures else counted(self.examples, "example")
        text = f"{examples} over {counted(self.documents, 'document')} in {self.seconds:.1f} s"
        return text + (f" ({self.resumed:,} of them finished earlier)" if self.resumed else "")

    def score_notes(self) -> list[str]:
        """What was not scored, not computed, and why; how the intervals were made, and which are missing."""
        lines = [*self.reference_notes]
        lines += [f"not computed: {line}" for line in interval_notes.grouped_reasons(self.scores.not_computed.items())]
        return lines + self.scores.interval_notes()

    def excerpts_title(self) -> str:
        """The heading of the examples, with what their marks mean."""
        count = len(self.excerpts)
        title = counted(count, "example") if count == self.examples else f"{count} of {self.examples:,} examples"
        return f"{title}, by {self.primary_metric}: {LEGEND}" if self.primary_metric else title

    def remarks(self) -> list[str]:
        """What else the user should know: what is truncated or failed, and the cost."""
        lines = []
        if passages := selection_counts.describe(self.selection):
            lines.append(f"passages: {passages}")
        if self.truncated["examples"]:
            tokens = counted(self.truncated["tokens"], "prompt token")
            lines.append(f"cut: {tokens} in {counted(self.truncated['examples'], 'example')} (over the limit)")
        if self.cost is not None:
            cached = f", {self.cached_tokens:,} of them cached" if self.cached_tokens else ""
            lines.append(f"cost: {self.cost:.6g} ({self.tokens_in:,} tokens in{cached}, {self.tokens_out:,} out)")
        lines += [*judge_record.lines(self.judging), *judge_record.agreement_lines(self.judging)]
        lines += [f"warning: {warning}" for warning in self.warnings]
        lines += [f"failed: {name}: {reason}" for name, reason in list(self.failures.items())[:LISTED]]
        if (unlisted_count := len(self.failures) - LISTED) > 0:
            lines.append(f"… and {counted(unlisted_count, 'more failure')}")
        return lines

    def location(self) -> str:
        """The report, or the folder where there is none."""
        return f"in {self.folder}" if self.report is None else f"report: {self.report}"


def example_rows(run: Run) -> list[dict[str, Any]]:
    """One mapping per example: query, prediction, counts, and the scores that it has by itself."""
    single = run.example_scores
    return [
        {name: getattr(prediction, name) for name in COLUMNS} | {name: values[row] for name, values in single.items()}
        for row, prediction in enumerate(run.predictions)
    ]
