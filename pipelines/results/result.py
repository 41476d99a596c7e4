"""What `run` returns: a finished run that prints its scores, in a notebook as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from html import escape
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from longdoc.messages import counted
from pipelines.display import interval_notes, numbers, terminal
from pipelines.display.table import NO_FORMULAS, Column, Table, cut, html, numbered_columns, one_line, plain_text
from pipelines.display.view import View, frame
from pipelines.results import judge_record, selection_counts
from pipelines.results.excerpts import LEGEND, MAX_EXCERPTS, Excerpt
from pipelines.results.run_folders.run import Run
from pipelines.results.scores import Scores

WIDTH = 93  # terminal columns of an example's text
COLUMNS = (  # of a data frame of predictions
    "id", "document", "query", "references", "prediction", "requests", "tokens_in", "tokens_out", "truncated_tokens",
)  # fmt: skip
LISTED = 5  # failures that are listed
SHOWN_SCORES = 4  # scores that are printed without `details`
RETRIEVAL_SCORES = ("evidence_recall", "answer_recall")  # the first that a run has is always printed


@dataclass(frozen=True)
class Result(Run, View):
    """A run just finished. `scores` are 0–100, each with its signature; `folder` holds all files, predictions included.

    `excerpts` are the best, a middle and the worst example, in short, and `primary_metric` names the score by which
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

    def scored_again(self, record: Mapping[str, Any] | None) -> "Result":
        """The result with the scores of a new `scores.json`; itself for None."""
        return self if record is None else replace(self, scores=Scores.of(record), judging=record.get("judging", {}))

    @classmethod
    def of(cls, run: Run, **values: Any) -> "Result":
        """The result of a run; `values` are the fields that its folder does not hold."""
        return cls(**{field.name: getattr(run, field.name) for field in fields(run)}, **values)

    def to_frame(self) -> Any:
        """A pandas data frame with one row per example: output, tokens, and the scores that it has by itself."""
        return frame(example_rows(self))

    def __str__(self) -> str:
        """The leading scores with their intervals, warnings, three examples, and where the report is."""
        return self.plain()

    def plain(self, details: bool = False) -> str:
        """The result as plain text; `details` adds all scores with their signatures, and all notes."""
        text = "\n\n".join(map(plain_text, self.tables(details)))
        return terminal.visible(f"{text}\n  {self.location()}")

    def _repr_html_(self) -> str:
        """The scores and the examples as tables, for notebooks, with a link to the report."""
        location = escape(one_line(self.location()))
        if self.report is not None:
            location = f'<a href="{escape(quote(self.report.as_posix()))}">{location}</a>'
        return "\n".join([*map(html, self.tables()), f'<div class="{NO_FORMULAS}"><small>{location}</small></div>'])

    def tables(self, details: bool = False) -> list[Table]:
        """The scores, and a few examples."""
        columns = [
            Column("score", lambda name: name),
            Column("value", lambda name: numbers.score(self.scores[name]), "right"),
        ]
        if self.scores.intervals:
            columns.append(Column("interval", self.scores.interval, "right"))
        if details:
            columns.append(Column("how it was computed", lambda name: self.scores.signatures.get(name, "")))
        notes = (self.size(), *self.score_notes(details), *self.remarks(details))
        score_table = Table(f"{self.task}: {self.recipe}", tuple(columns), self.shown_scores(details), notes)
        return [score_table, *([self._examples()] if self.excerpts else [])]

    def _examples(self) -> Table:
        rows = [
            ("" if number else excerpt.mark, name, cut(numbers.line(text), WIDTH))
            for excerpt in self.excerpts
            for number, (name, text) in enumerate(excerpt.texts())
        ]
        return Table(self.excerpts_title(), tuple(numbered_columns(("", "", ""))), rows)

    def shown_scores(self, details: bool = False) -> list[str]:
        """The names of the printed scores: the task's first ones and one of retrieval, or all."""
        names = list(self.scores)
        if details or len(names) <= SHOWN_SCORES:
            return names
        leading = names[:SHOWN_SCORES]
        retrieval = next((name for name in RETRIEVAL_SCORES if name in names), None)
        return leading if retrieval is None or retrieval in leading else [*leading[:-1], retrieval]

    def size(self) -> str:
        """One line on examples, documents, time, passages read, and cost."""
        total = self.examples + len(self.failures)
        examples = (
            f"{self.examples:,} of {total:,} examples answered," if self.failures else counted(self.examples, "example")
        )
        text = f"{examples} over {counted(self.documents, 'document')} in {self.seconds:.1f} s"
        text += f" ({self.resumed:,} of them finished earlier)" if self.resumed else ""
        if passages := selection_counts.sentence(self.selection):
            text += f"; {passages}"
        if self.cost is not None:
            cached = f", {self.cached_tokens:,} of them cached" if self.cached_tokens else ""
            text += f"; cost: {self.cost:.6g} ({self.tokens_in:,} tokens in{cached}, {self.tokens_out:,} out)"
        return text

    def score_notes(self, details: bool = False) -> list[str]:
        """Lines on intervals, examples without references, and scores not computed; in full with `details`."""
        not_computed = [
            f"not computed: {line}" for line in interval_notes.grouped_reasons(self.scores.not_computed.items())
        ]
        if details:
            return [*self.reference_notes, *not_computed, *self.scores.interval_notes()]
        shown_scores = self.shown_scores()
        intervals = [self.scores.intervals[name] for name in shown_scores if name in self.scores.intervals]
        return [*interval_notes.brief_note(intervals), *self.reference_notes, *not_computed]

    def excerpts_title(self) -> str:
        """The heading of the examples, with what their marks mean."""
        count = len(self.excerpts)
        if self.primary_metric and count == MAX_EXCERPTS < self.examples:
            return f"Best, middle and worst of {self.examples:,} examples, by {self.primary_metric}:"
        title = counted(count, "example") if count == self.examples else f"{count} of {self.examples:,} examples"
        return f"{title}, by {self.primary_metric}: {LEGEND}" if self.primary_metric else title

    def remarks(self, details: bool = False) -> list[str]:
        """Lines on cut prompts, the judge, warnings, failed examples and scores that are not shown.

        `details` adds the judge's cost and its agreement with other scores.
        """
        lines = []
        if self.truncated["examples"]:
            tokens = counted(self.truncated["tokens"], "prompt token")
            lines.append(f"cut: {tokens} in {counted(self.truncated['examples'], 'example')} (over the limit)")
        judging = judge_record.lines(self.judging)
        lines += [*judging, *judge_record.agreement_lines(self.judging)] if details else judging[:1]
        lines += [f"warning: {warning}" for warning in self.warnings]
        lines += [f"failed: {name}: {reason}" for name, reason in list(self.failures.items())[:LISTED]]
        if (unlisted_count := len(self.failures) - LISTED) > 0:
            lines.append(f"… and {counted(unlisted_count, 'more failure')}")
        if hidden_count := len(self.scores) - len(self.shown_scores(details)):
            lines.append(f"{counted(hidden_count, 'more score')}: in the report, or with --details")
        return lines

    def location(self) -> str:
        """Where the report is, or the folder of a run without one."""
        return f"in {self.folder}" if self.report is None else f"report: {self.report}"


def example_rows(run: Run) -> list[dict[str, Any]]:
    """One mapping per example: `COLUMNS` of its prediction, and the example's own scores."""
    example_scores = run.example_scores
    return [
        {name: getattr(prediction, name) for name in COLUMNS}
        | {name: values[row] for name, values in example_scores.items()}
        for row, prediction in enumerate(run.predictions)
    ]
