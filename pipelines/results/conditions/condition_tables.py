"""The ways side by side as a table, and as rows for CSV and data frames."""

from collections.abc import Iterable, Sequence
from typing import Any

from longdoc.plurals import counted
from pipelines.display import interval_notes, numbers
from pipelines.display.table import Delta, Entry, Score, Table
from pipelines.results.comparisons import notes
from pipelines.results.conditions.condition import Way, WaysTable

ERROR = 160  # characters of an error in the notes
REASONS = 3  # reasons for missing answers that are named for a way


def table(found: WaysTable) -> Table:
    """A row for each way: score, how many it answered, score on what all cover, difference, tokens, cost."""
    primary = found.primary_metric
    columns: list[tuple[str, list[Entry], bool]] = [(primary, [_score(one, found) for one in found.ways], False)]
    columns.append(("answered", [_answered(one, found) for one in found.ways], not partial(found)))
    if partial(found):
        columns.append(("of all ways", [_common(one, found) for one in found.ways], True))
    if any(one.differences for one in found.ways):
        columns.append((f"Δ {primary}", [_delta(one, found) for one in found.ways], False))
    if any(one.tokens_mean is not None for one in found.ways):
        columns.append(("tokens", [_count(one.tokens_mean) for one in found.ways], False))
        columns.append(("tokens in all", [_count(one.tokens_in) for one in found.ways], True))
    if any(one.words_shown is not None for one in found.ways):
        columns.append(("words", [_count(one.words_shown) for one in found.ways], True))
    if any(one.cut for one in found.ways):
        columns.append(("cut", [_count(one.cut if one.error is None else None) for one in found.ways], True))
    if any(one.cost is not None for one in found.ways):
        columns.append(("cost", [numbers.money(one.cost) for one in found.ways], False))
    names: list[Entry] = [numbers.line(one.name) for one in found.ways]
    rows = tuple(zip(names, *(entries for _, entries, _ in columns), strict=True))
    return Table(
        title(found),
        ("way", *(name for name, _, _ in columns)),
        rows,
        tuple(numbers.line(note) for note in remarks(found)),
        frozenset(range(1, len(columns) + 1)),
        frozenset(number for number, (_, _, spare) in enumerate(columns, 1) if spare),
    )


def title(found: WaysTable) -> str:
    """The task, and how much was asked."""
    of = f"{counted(found.examples, 'example')} over {counted(found.documents, 'document')}"
    return f"{found.task}, {found.split}: {of}"


def partial(found: WaysTable) -> bool:
    """Whether some way left examples out, so that scores are of different examples."""
    return any(one.covered != found.common_examples for one in found.finished)


def remarks(found: WaysTable) -> list[str]:
    """What the columns mean, how intervals and p were made, what is missing and why."""
    return [*_meaning(found), *found.notes, *missing(found), *(f"warning: {line}" for line in found.warnings)]


def _meaning(found: WaysTable) -> Iterable[str]:
    ways, primary = found.finished, found.primary_metric
    yield from interval_notes.method_notes([one.intervals[primary] for one in ways if primary in one.intervals])
    yield from interval_notes.missing_interval_notes([one.no_interval for one in ways], [primary])
    over = f"{counted(found.common_examples, 'example')} of {counted(found.common_documents, 'document')}"
    if partial(found):
        yield f"of all ways: {primary} over the {over} that every way answered; Δ and p are over these, too"
    if any(one.differences for one in ways):
        holm = ", after Holm's correction" if any(_difference(one, found) for one in ways) else ""
        unit = "document" if found.common_documents > 1 else "example"
        yield f"Δ: less {numbers.line(found.baseline)}; p two-sided, by exchanging {unit}s{holm}"
    yield from notes.same_runs(one.same_as for one in ways)
    if any(one.tokens_mean is not None for one in ways):
        yield "tokens: of the prompts of an example, as the reader counts"
    signatures = dict.fromkeys(one.signatures[primary] for one in ways if primary in one.signatures)
    if signatures:
        yield f"{primary}: {' or '.join(signatures)}"


def missing(found: WaysTable) -> list[str]:
    """A line for each way that failed or that left examples out, with the reasons."""
    lines = []
    for one in found.ways:
        if one.error is not None:
            lines.append(f"failed: {one.name}: {numbers.shortened(numbers.line(one.error), ERROR)}")
        elif one.missing:
            most = sorted(one.missing.items(), key=lambda item: -item[1])[:REASONS]
            reasons = [f"{count:,}: {numbers.shortened(numbers.line(reason), ERROR)}" for reason, count in most]
            more = f"; and {len(one.missing) - REASONS} more reasons" if len(one.missing) > REASONS else ""
            lines.append(f"{one.name}: no answer to {'; '.join(reasons)}{more}")
    return lines


def rows(found: WaysTable) -> list[dict[str, Any]]:
    """One mapping for each way, all with the same keys."""
    scores = list(dict.fromkeys(name for one in found.ways for name in one.scores))
    scores.sort(key=lambda name: name != found.primary_metric)
    return [_flat(one, found, scores) for one in found.ways]


def _flat(one: Way, found: WaysTable, scores: Sequence[str]) -> dict[str, Any]:
    primary = found.primary_metric
    difference = one.differences.get(primary)
    row: dict[str, Any] = {"way": one.name, "kind": one.kind, "retriever": one.line, "amount": one.amount}
    for name in scores:
        bounds = one.intervals.get(name)
        low, high = (bounds.low, bounds.high) if bounds else (None, None)
        row |= {name: one.scores.get(name), f"{name}_low": low, f"{name}_high": high}
    row |= {
        "answered": one.covered,
        "examples": found.examples,
        "common_examples": found.common_examples,
        f"{primary}_common": one.common.get(primary),
        f"{primary}_difference": difference and difference.value,
        f"{primary}_p": difference and difference.p,
        f"{primary}_p_holm": difference and difference.p_holm,
    }
    expenses = ("requests", "tokens_in", "tokens_out", "tokens_mean", "words_shown", "cut", "cost", "same_as", "error")
    return row | {name: getattr(one, name) for name in expenses} | {"folder": one.folder and str(one.folder)}


def _score(one: Way, found: WaysTable) -> Entry:
    name = found.primary_metric
    if name not in one.scores:
        return "failed" if one.error is not None else numbers.MISSING
    bounds = one.intervals.get(name)
    rank = int(not partial(found) and one.name in best(found))
    if bounds is None:
        return Score(one.scores[name], rank=rank)
    return Score(one.scores[name], bounds.low, bounds.high, rank, bounds.few)


def best(found: WaysTable) -> list[str]:
    """The ways with the best score over what all cover, as printed; none where all have the same.

    Ways that know the gold are left aside.
    """
    scored = {one.name: round(_shared(one, found), 2) for one in found.finished if one.kind != "oracle" and one.common}
    top = max(scored.values(), default=0.0)
    return [name for name, value in scored.items() if value == top] if len({*scored.values()}) > 1 else []


def _shared(one: Way, found: WaysTable) -> float:
    return one.common.get(found.primary_metric, float("-inf"))


def _answered(one: Way, found: WaysTable) -> Entry:
    if one.error is not None:
        return numbers.MISSING
    whole = all(way.covered == found.examples for way in found.ways if way.error is None)
    return f"{one.covered:,}" if whole else f"{one.covered:,} of {found.examples:,}"


def _common(one: Way, found: WaysTable) -> Entry:
    value = one.common.get(found.primary_metric)
    return numbers.MISSING if value is None else Score(value, rank=int(one.name in best(found)))


def _difference(one: Way, found: WaysTable) -> float | None:
    difference = one.differences.get(found.primary_metric)
    return None if difference is None else difference.p_holm


def _delta(one: Way, found: WaysTable) -> Entry:
    difference = one.differences.get(found.primary_metric)
    if difference is not None:
        return Delta(difference.value, difference.p if difference.p_holm is None else difference.p_holm)
    if one.same_as is not None:
        return numbers.line(f"{notes.SAME}{one.same_as}")
    return "baseline" if one.name == found.baseline else numbers.MISSING


def _count(number: float | None) -> Entry:
    return numbers.MISSING if number is None else numbers.count(number)
