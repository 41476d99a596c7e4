"""Fit a rule that decides how much to read on predictions that there are, and compare it with fixed rules.

The comparison is cross-validated by document: each document's questions are decided by a rule that was fitted on the
other documents.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from longdoc import checked_json
from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.files import write_whole
from longdoc.folders import expanded
from longdoc.plurals import counted
from longdoc.typed_form import typed_form
from pipelines.display import interval_notes
from pipelines.display.table import Column, Table
from pipelines.display.view import View
from pipelines.evaluation._document_folds import NamedScores, fits_without_each, score_column
from pipelines.evaluation._run_components import readers_of_runs, retrievers_of_runs, second_retrievers_of_runs
from pipelines.evaluation.routing.calibration_rows import (
    CalibrationRow,
    PredictionFiles,
    TokenCounts,
    calibration_rows,
)
from pipelines.evaluation.routing.fit import Criterion, fitted_rule
from pipelines.evaluation.routing.route_scores import (
    COVERAGE,
    MEAN,
    MORE_SHARE,
    REFUSED_SHARE,
    TOKENS,
    UNANSWERABLE_SHARE,
    WHOLE_SHARE,
    decisions,
    route_scores,
)  # fmt: skip
from pipelines.strategies.shared.route_rule import (
    AGREEMENT,
    MORE_RULE,
    RETRIEVED_RULE,
    SELF_ROUTE,
    WHOLE_RULE,
    ReadingOn,
    RouteRule,
)


@dataclass(frozen=True, slots=True)
class RouteComparison(View):
    """A fitted rule, and its cross-validated scores beside those of the whole document, retrieval and Self-Route.

    `notes` say what is counted, and why the rule was not cross-validated where it has no scores.
    """

    rule: RouteRule
    scores: tuple[NamedScores, ...]
    documents: int
    questions: int
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The rule, and the rows of the table."""
        return {"rule": self.rule.to_dict(), "rows": self.flat_rows(), "notes": list(self.notes)}

    def flat_rows(self) -> list[dict[str, Any]]:
        """A mapping for each rule: its values by name, each with the bounds that it has."""
        rows = []
        for scores in self.scores:
            row: dict[str, Any] = {"rule": scores.name}
            for name, value in scores.scores.items():
                bound = scores.intervals.get(name)
                row |= {name: value, f"{name} low": bound and bound.low, f"{name} high": bound and bound.high}
            rows.append(row)
        return rows

    def tables(self) -> list[Table]:
        """One table, a rule in each row."""
        means = [MEAN] if len(self.rule.tasks) > 1 else []
        more_names = [MORE_SHARE] if "more" in self.rule.readings else []
        names = [
            *self.rule.tasks,
            *means,
            REFUSED_SHARE,
            COVERAGE,
            TOKENS,
            *more_names,
            WHOLE_SHARE,
            UNANSWERABLE_SHARE,
        ]
        names = [name for name in names if any(name in scores.scores for scores in self.scores)]
        columns = [Column("rule", lambda scores: scores.name)]
        columns += [score_column(name, name in (COVERAGE, MORE_SHARE, WHOLE_SHARE)) for name in names]
        notes = interval_notes.method_notes(bound for scores in self.scores for bound in scores.intervals.values())
        caption = f"{counted(self.questions, 'question')} about {counted(self.documents, 'document')}"
        return [Table(caption, tuple(columns), self.scores, (*self.notes, *notes))]


@checks_names
def route_rule(
    predictions: Mapping[str, Sequence[str | Path]],
    *,
    budget: float | None = None,
    risk: float | None = None,
    out: str | Path | None = None,
    data: Any = None,
    tokens: Mapping[str, float] | None = None,
    retrieved_tokens: float | None = None,
    more_predictions: Mapping[str, Sequence[str | Path]] | None = None,
    more_tokens: float | None = None,
    metric: Any = "f1",
    seed: int = 0,
) -> RouteComparison:
    """Fit a rule for `strategy="route"` on answers of one system with retrieval and with the whole document.

    - `predictions`: for each task the files of both, whole documents first, as `longdoc.score` takes them:
      `{"lara/location": ("full.jsonl", "rag.jsonl")}`; further pairs of files behind these.
    - `budget`: the share of the documents' tokens that may be read, retrieved passages included, or `risk`: the points
      of 1 that may be lost in expectation by stopping with a retrieved answer (conformal risk control by document).
    - `out`: where the rule is written, as JSON.
    - `data`: the data, where the files lack questions or documents.
    - `tokens`: of each document by its id, `retrieved_tokens`: of the passages of one question, `more_tokens`: of more
      of them. Without these, the prompt tokens that rows have as `tokens_in`, as a run's do; else documents count as
      equally long, each as 1 token, and passages as nothing.
    - `more_predictions`: for each task a file of predictions from more passages for each pair; the rule then decides
      between these and the whole document, too.
    - `metric`: whose first score of an answer counts; of questions without an answer (`records.NO_ANSWER`, or
      "Unanswerable") counts whether they are refused.

    Raises `UserError`, also where there are too few documents for the risk: with the number that is needed.
    """
    criterion = Criterion(budget, risk)
    counts = TokenCounts(tokens or {}, retrieved_tokens, more_tokens)
    for name, value in (("retrieved_tokens", retrieved_tokens), ("more_tokens", more_tokens)):
        if value is not None and not 0 <= value < float("inf"):
            raise UserError(f"{name} must be a number of tokens, got {value}: leave it out, or give one")
    files = {task: list(_files(task, paths, (more_predictions or {}).get(task))) for task, paths in predictions.items()}
    rows = [
        row for task, entries in files.items() for entry in entries
        for row in calibration_rows(task, entry, data, metric, counts)
    ]  # fmt: skip
    rule = _with_components(fitted_rule(rows, criterion, seed), list(chain.from_iterable(files.values())))
    if out is not None:
        file = expanded(out)
        write_whole(file.parent, file.name, checked_json.dumps(rule.to_dict()), is_typed=True)
    scores, notes = _compared(rows, criterion, seed)
    token_notes = _token_notes(rows, counts)
    documents = len({row.document for row in rows})
    return RouteComparison(rule, tuple(scores), documents, len(rows), (*notes, *token_notes))


def _with_components(rule: RouteRule, files: Sequence[PredictionFiles]) -> RouteRule:
    """The rule with the readers and retrievers of the runs that it was fitted on. Raises `UserError`."""
    readers = readers_of_runs(path for entry in files for path in entry.paths)
    retrieved_paths = [entry.retrieved_path for entry in files]
    rule = replace(rule, readers=readers, retrievers=retrievers_of_runs(retrieved_paths))
    return replace(rule, second=_second(retrieved_paths)) if rule.weighs([AGREEMENT]) else rule


def _second(paths: Sequence[str | Path]) -> Mapping[str, Any] | None:
    """The retriever that selections were compared with, None where no run says it. Raises `UserError` for several."""
    records = second_retrievers_of_runs(paths)
    if len(records) > 1:
        names = " and ".join(str(typed_form(record)) for record in records)
        raise UserError(f"selections were compared with those of {names}: give runs of one route:second=RETRIEVER")
    return next(iter(records), None)


def _files(
    task: str, paths: Sequence[str | Path], more_paths: Sequence[str | Path] | None
) -> Iterator[PredictionFiles]:
    """The files of a task, put together by system. Raises `UserError` for too few."""
    if isinstance(paths, str) or not paths or len(paths) % 2:
        raise UserError(f"{task} needs two files of predictions: of whole documents, and of retrieval")
    pairs = list(zip(paths[::2], paths[1::2], strict=True))
    if more_paths is not None and (isinstance(more_paths, str) or len(more_paths) != len(pairs)):
        raise UserError(
            f"more_predictions needs as many files for {task} as there are pairs, {len(pairs)}: one each, or none"
        )
    for (whole_path, retrieved_path), more_path in zip(pairs, more_paths or repeat(None, len(pairs)), strict=True):
        yield PredictionFiles(whole_path, retrieved_path, more_path)


def _compared(rows: Sequence[CalibrationRow], criterion: Criterion, seed: int) -> tuple[list[NamedScores], list[str]]:
    """The scores of the fixed rules, and those of the fitted one where it can be cross-validated."""
    scores = [
        route_scores(WHOLE_RULE.name, rows, decisions(WHOLE_RULE, rows), has_retrieved=False),
        *(route_scores(rule.name, rows, decisions(rule, rows)) for rule in _fixed_rules(rows)),
    ]
    try:
        scores.append(route_scores(criterion.name, rows, held_out_decisions(rows, criterion, seed)))
    except UserError as error:
        return scores, [f"{criterion.name} is not cross-validated: without one of the documents, {error}"]
    return scores, [f"{criterion.name}: cross-validated, each document by a rule fitted on the others"]


def _fixed_rules(rows: Sequence[CalibrationRow]) -> list[RouteRule]:
    """Those that begin with retrieval."""
    return [RETRIEVED_RULE, *([] if rows[0].more_reading is None else [MORE_RULE]), SELF_ROUTE]


def held_out_decisions(rows: Sequence[CalibrationRow], criterion: Criterion, seed: int) -> list[ReadingOn | None]:
    """For each row, what the rule reads further that is fitted on the other documents. Raises `UserError`."""
    by_document = fits_without_each(rows, partial(fitted_rule, criterion=criterion, seed=seed))
    return [decisions(by_document[row.document], [row])[0] for row in rows]


def _token_notes(rows: Sequence[CalibrationRow], counts: TokenCounts) -> list[str]:
    notes = [f"{TOKENS}: read, per cent of those of the documents that the questions are about"]
    if all(row.whole_reading.tokens == 1 for row in rows):
        notes.append("the tokens of documents are not known: they count as equally long")
    if not any(row.retrieved_reading.tokens for row in rows):
        notes.append("the tokens of retrieved passages are not known: they count as nothing")
    return notes
