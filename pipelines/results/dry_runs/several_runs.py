"""The counts of several dry runs as a table: a row for each run, and their sum."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from pipelines.display import numbers
from pipelines.display.table import Column, Table
from pipelines.results.dry_runs.dry_run import DryRun

Row = tuple[str, Sequence[float | None]]


def several_runs_table(caption: str, column: str, dry_runs: Mapping[str, DryRun], notes: Sequence[str]) -> Table:
    """A table with a row for each run and one for their sum; with prices if some reader has them."""
    rows: list[Row] = [(name, _cells(dry_run)) for name, dry_run in dry_runs.items()]
    if len(rows) > 1:
        rows.append(("in all", [_sum(values) for values in zip(*(cells for _, cells in rows), strict=True)]))
    lines = tuple(numbers.line(note) for note in (*_round_notes(dry_runs), *notes, *_warnings(dry_runs)))
    return Table(caption, (Column(column, lambda row: row[0]), *_columns(dry_runs.values())), rows, lines)


def _columns(dry_runs: Iterable[DryRun]) -> list[Column]:
    """The columns of numbers, by their places in `_cells`."""
    prices = [dry_run.price for dry_run in dry_runs if dry_run.price is not None]
    has_warm_prices = any(price.warm_least is not None for price in prices)
    columns = [
        _column("requests", 0, numbers.count),
        _column("prompt tokens", 1, numbers.count),
        _column("output tokens at most", 2, numbers.count, optional=True),
        _column("cut", 3, numbers.count, optional=True),
        _column("cannot be asked", 4, numbers.count, optional=True),
    ]
    columns += [_column("price at most", 5, numbers.price)] if prices else []
    columns += [_column("from warm caches", 6, numbers.price)] if has_warm_prices else []
    return columns + ([_column("in batch files", 7, numbers.price)] if prices else [])


def _column(name: str, place: int, text: Callable[[float], str], optional: bool = False) -> Column:
    def cell(row: Row) -> str:
        value = row[1][place]
        return numbers.MISSING if value is None else text(value)

    return Column(name, cell, "right", optional)


def _round_notes(dry_runs: Mapping[str, DryRun]) -> list[str]:
    """The note on runs with several rounds of requests; none without such runs."""
    names = [name for name, dry_run in dry_runs.items() if dry_run.all_rounds is not None]
    return [f"{', '.join(names)}: asked in several rounds, estimated with stand-in replies"] if names else []


def _warnings(dry_runs: Mapping[str, DryRun]) -> dict[str, None]:
    """The warnings of all runs, each once."""
    return dict.fromkeys(f"warning: {line}" for dry_run in dry_runs.values() for line in dry_run.warnings)


def _cells(dry_run: DryRun) -> list[float | None]:
    """The numbers of a run's row: maxima, with the longest replies if these decide what is asked again."""
    requests, prompts, outputs = dry_run.requests, dry_run.prompt_tokens, dry_run.output_tokens
    if dry_run.pairs is not None:
        requests = dry_run.pairs.requests[1]
    if dry_run.all_rounds is not None:
        requests, prompts = dry_run.all_rounds.requests[1], dry_run.all_rounds.prompt_tokens[1]
        outputs = None if dry_run.all_rounds.output_tokens is None else dry_run.all_rounds.output_tokens[1]
    maximum, batch = (dry_run.price.most, dry_run.price.batch_most) if dry_run.price else (None, None)
    warm_maximum = dry_run.price.warm_most if dry_run.price and dry_run.price.warm_least is not None else maximum
    cut, failed = dry_run.truncated["examples"], len(dry_run.failures)
    return [requests, prompts, outputs, cut, failed, maximum, warm_maximum, batch]


def _sum(column: Iterable[float | None]) -> float | None:
    values = [value for value in column if value is not None]
    return sum(values) if values else None
