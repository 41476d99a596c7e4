"""The conditions side by side as a table, and as rows for CSV and data frames."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from longdoc.plurals import counted
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Delta, Entry, Score, Table
from pipelines.results.comparisons import notes
from pipelines.results.conditions.condition import Condition, ConditionTable

ERROR = 160  # characters of an error in the notes
REASONS = 3  # reasons for missing answers that are named for a condition


def table(table: ConditionTable) -> Table:
    """A row for each condition: score, how many it answered, score on what all cover, difference, tokens, cost."""
    columns = list(_columns(table))
    names: list[Entry] = [numbers.line(condition.name) for condition in table.ways]
    return Table(
        title(table),
        ("way", *(name for name, _, _ in columns)),
        tuple(zip(names, *(entries for _, entries, _ in columns), strict=True)),
        tuple(numbers.line(note) for note in remarks(table)),
        frozenset(range(1, len(columns) + 1)),
        frozenset(number for number, (_, _, is_optional) in enumerate(columns, 1) if is_optional),
    )


def _columns(table: ConditionTable) -> Iterator[tuple[str, list[Entry], bool]]:
    """The columns after the names: heading, entries, and whether a narrow screen may do without it."""
    primary, conditions = table.primary_metric, table.ways
    yield primary, [_score(condition, table) for condition in conditions], False
    yield "answered", [_answered_entry(condition, table) for condition in conditions], not is_partial(table)
    if is_partial(table):
        yield "of all ways", [_common(condition, table) for condition in conditions], True
    if any(condition.differences for condition in conditions):
        yield f"Δ {primary}", [_delta(condition, table) for condition in conditions], False
    if any(condition.tokens_mean is not None for condition in conditions):
        yield "tokens", [_count(condition.tokens_mean) for condition in conditions], False
        yield "tokens in all", [_count(condition.tokens_in) for condition in conditions], True
    if any(condition.words_shown is not None for condition in conditions):
        yield "words", [_count(condition.words_shown) for condition in conditions], True
    if any(condition.cut for condition in conditions):
        cuts = [condition.cut if condition.error is None else None for condition in conditions]
        yield "cut", [_count(cut) for cut in cuts], True
    if any(condition.cost is not None for condition in conditions):
        yield "cost", [numbers.money(condition.cost) for condition in conditions], False


def title(table: ConditionTable) -> str:
    """The task, and how much was asked."""
    size = f"{counted(table.examples, 'example')} over {counted(table.documents, 'document')}"
    return f"{table.task}, {table.split}: {size}"


def is_partial(table: ConditionTable) -> bool:
    """Whether some condition left examples out, so that scores are of different examples."""
    return any(condition.covered != table.common_examples for condition in table.finished)


def remarks(table: ConditionTable) -> list[str]:
    """What the columns mean, how intervals and p were made, what is missing and why."""
    return [*_meaning(table), *table.notes, *missing_notes(table), *(f"warning: {line}" for line in table.warnings)]


def _meaning(table: ConditionTable) -> Iterable[str]:
    conditions, primary = table.finished, table.primary_metric
    yield from interval_notes.method_notes(
        [condition.scores.intervals[primary] for condition in conditions if primary in condition.scores.intervals]
    )
    yield from interval_notes.missing_interval_notes(
        [condition.scores.no_interval for condition in conditions], [primary]
    )
    size = f"{counted(table.common_examples, 'example')} of {counted(table.common_documents, 'document')}"
    if is_partial(table):
        yield f"of all ways: {primary} over the {size} that every way answered; Δ and p are over these, too"
    if any(condition.differences for condition in conditions):
        holm = ", after Holm's correction" if any(_difference(condition, table) for condition in conditions) else ""
        unit = "document" if table.common_documents > 1 else "example"
        yield f"Δ: less {numbers.line(table.baseline)}; p two-sided, by exchanging {unit}s{holm}"
    yield from notes.same_runs(condition.same_as for condition in conditions)
    if any(condition.tokens_mean is not None for condition in conditions):
        yield "tokens: of the prompts of an example, as the reader counts"
    signatures = dict.fromkeys(
        condition.scores.signatures[primary] for condition in conditions if primary in condition.scores.signatures
    )
    if signatures:
        yield f"{primary}: {' or '.join(signatures)}"


def missing_notes(table: ConditionTable) -> list[str]:
    """A line for each condition that failed or that left examples out, with the reasons."""
    lines = []
    for condition in table.ways:
        if condition.error is not None:
            lines.append(f"failed: {condition.name}: {numbers.shortened(numbers.line(condition.error), ERROR)}")
        elif condition.missing:
            frequent_reasons = sorted(condition.missing.items(), key=lambda item: -item[1])[:REASONS]
            reasons = [
                f"{count:,}: {numbers.shortened(numbers.line(reason), ERROR)}" for reason, count in frequent_reasons
            ]
            rest = f"; and {len(condition.missing) - REASONS} more reasons" if len(condition.missing) > REASONS else ""
            lines.append(f"{condition.name}: no answer to {'; '.join(reasons)}{rest}")
    return lines


def rows(table: ConditionTable) -> list[dict[str, Any]]:
    """One mapping for each condition, all with the same keys."""
    scores = list(dict.fromkeys(name for condition in table.ways for name in condition.scores))
    scores.sort(key=lambda name: name != table.primary_metric)
    return [_flat(condition, table, scores) for condition in table.ways]


def _flat(condition: Condition, table: ConditionTable, scores: Sequence[str]) -> dict[str, Any]:
    primary = table.primary_metric
    difference = condition.differences.get(primary)
    row: dict[str, Any] = {
        "way": condition.name,
        "kind": condition.kind,
        "retriever": condition.line,
        "amount": condition.amount,
    }
    for name in scores:
        bounds = condition.scores.intervals.get(name)
        low, high = (bounds.low, bounds.high) if bounds else (None, None)
        row |= {name: condition.scores.get(name), f"{name}_low": low, f"{name}_high": high}
    row |= {
        "answered": condition.covered,
        "examples": table.examples,
        "common_examples": table.common_examples,
        f"{primary}_common": condition.common.get(primary),
        f"{primary}_difference": difference and difference.value,
        f"{primary}_p": difference and difference.p,
        f"{primary}_p_holm": difference and difference.p_holm,
    }
    expenses = ("requests", "tokens_in", "tokens_out", "tokens_mean", "words_shown", "cut", "cost", "same_as", "error")
    return (
        row
        | {name: getattr(condition, name) for name in expenses}
        | {"folder": condition.folder and str(condition.folder)}
    )


def _score(condition: Condition, table: ConditionTable) -> Entry:
    name = table.primary_metric
    if name not in condition.scores:
        return "failed" if condition.error is not None else numbers.MISSING
    bounds = condition.scores.intervals.get(name)
    rank = int(not is_partial(table) and condition.name in best_names(table))
    if bounds is None:
        return Score(condition.scores[name], rank=rank)
    return Score(condition.scores[name], bounds.low, bounds.high, rank, bounds.few)


def best_names(table: ConditionTable) -> list[str]:
    """The conditions with the best score over what all cover, as printed; none where all have the same.

    Conditions that know the gold are left aside.
    """
    scored = {
        condition.name: round(_shared(condition, table), 2)
        for condition in table.finished
        if condition.kind != "oracle" and condition.common
    }
    top = max(scored.values(), default=0.0)
    return [name for name, value in scored.items() if value == top] if len({*scored.values()}) > 1 else []


def _shared(condition: Condition, table: ConditionTable) -> float:
    return condition.common.get(table.primary_metric, float("-inf"))


def _answered_entry(condition: Condition, table: ConditionTable) -> Entry:
    if condition.error is not None:
        return numbers.MISSING
    is_complete = all(condition.covered == table.examples for condition in table.ways if condition.error is None)
    return f"{condition.covered:,}" if is_complete else f"{condition.covered:,} of {table.examples:,}"


def _common(condition: Condition, table: ConditionTable) -> Entry:
    value = condition.common.get(table.primary_metric)
    return numbers.MISSING if value is None else Score(value, rank=int(condition.name in best_names(table)))


def _difference(condition: Condition, table: ConditionTable) -> float | None:
    difference = condition.differences.get(table.primary_metric)
    return None if difference is None else difference.p_holm


def _delta(condition: Condition, table: ConditionTable) -> Entry:
    difference = condition.differences.get(table.primary_metric)
    if difference is not None:
        return Delta(difference.value, difference.p if difference.p_holm is None else difference.p_holm)
    if condition.same_as is not None:
        return numbers.line(f"{notes.SAME_MARK}{condition.same_as}")
    return "baseline" if condition.name == table.baseline else numbers.MISSING


def _count(number: float | None) -> Entry:
    return numbers.MISSING if number is None else numbers.count(number)
