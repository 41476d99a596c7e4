"""The counts of a dry run as a table: of one run with a row for each count, of several with a row for each run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from longdoc.plurals import counted
from pipelines.display import numbers
from pipelines.display.numbers import between, duration
from pipelines.display.table import Entry, Table

if TYPE_CHECKING:
    from pipelines.results.dry_runs.dry_run import DryRun

FAILURES = 5  # examples that cannot be asked whose reasons are shown
CUTS = 3  # of the prompts over the limit, those that are named
HALF = 0.5  # of the price, for batch files

Row = tuple[str, str, str]


def single_run_table(dry_run: "DryRun") -> Table:
    """What is counted, how much, and what to know of it."""
    rows: list[Row] = [
        ("documents", numbers.count(dry_run.documents), ""),
        ("examples", numbers.count(dry_run.examples), ""),
        *(_pairs(dry_run) if dry_run.pairs else _requests(dry_run)),
        *_over_limit(dry_run),
        *_price(dry_run),
        *_time(dry_run),
    ]
    notes = [dry_run.pairs.fewer] if dry_run.pairs and dry_run.pairs.fewer else []
    notes += _pilot_lines(dry_run)
    notes += [f"warning: {warning}" for warning in dry_run.warnings]
    notes += [f"cannot be asked: {name}: {reason}" for name, reason in list(dry_run.failures.items())[:FAILURES]]
    if (unlisted_count := len(dry_run.failures) - FAILURES) > 0:
        notes.append(f"… and {counted(unlisted_count, 'more example')} that cannot be asked")
    return Table(
        numbers.line(f"{dry_run.task}: {dry_run.recipe} (dry run)"), ("", "", ""), tuple(rows),
        tuple(map(numbers.line, notes)), frozenset({1}),
    )  # fmt: skip


def several_runs_table(caption: str, column: str, counts: Mapping[str, "DryRun"], notes: Sequence[str]) -> Table:
    """A row for each run, and their sum; prices where readers have them."""
    has_prices = any(count.price is not None for count in counts.values())
    cell_rows = [_cells(count) for count in counts.values()]
    sums: list[float | None] = [_sum(column) for column in zip(*cell_rows, strict=True)]
    has_warm_prices = any(count.price is not None and count.price.warm_least is not None for count in counts.values())
    shown_columns = [0, 1, 2, 3, 4, *([5, *([6] if has_warm_prices else []), 7] if has_prices else [])]
    formats = [*[numbers.count] * 5, *[numbers.price] * 3]

    def row(name: str, cells: Sequence[float | None]) -> tuple[Entry, ...]:
        return name, *(
            numbers.MISSING if (value := cells[position]) is None else formats[position](value)
            for position in shown_columns
        )

    heads = ("requests", "prompt tokens", "output tokens at most", "cut", "cannot be asked", "price at most",
             "from warm caches", "in batch files")  # fmt: skip
    rows = [row(name, cells) for name, cells in zip(counts, cell_rows, strict=True)]
    if len(rows) > 1:
        rows.append(row("in all", sums))
    return Table(
        caption, (column, *(heads[position] for position in shown_columns)), tuple(rows),
        tuple(numbers.line(note) for note in (*_round_notes(counts), *notes, *_warnings(counts))),
        frozenset(range(1, len(shown_columns) + 1)), frozenset({3, 4, 5}),
    )  # fmt: skip


def _round_notes(counts: Mapping[str, "DryRun"]) -> list[str]:
    """Which runs have several rounds of requests."""
    names = [name for name, dry_run in counts.items() if dry_run.all_rounds is not None]
    return [f"{', '.join(names)}: asked in several rounds, estimated with stand-in replies"] if names else []


def _warnings(counts: Mapping[str, "DryRun"]) -> dict[str, None]:
    """The warnings of all runs, each once."""
    return dict.fromkeys(f"warning: {line}" for dry_run in counts.values() for line in dry_run.warnings)


def _cells(dry_run: "DryRun") -> list[float | None]:
    """The numbers of a run's row, at most: with the longest replies where they decide what is asked again."""
    requests, prompts, outputs = dry_run.requests, dry_run.prompt_tokens, dry_run.output_tokens
    if dry_run.pairs is not None:
        requests = dry_run.pairs.requests[1]
    if dry_run.all_rounds is not None:
        requests, prompts = dry_run.all_rounds.requests[1], dry_run.all_rounds.prompt_tokens[1]
        outputs = None if dry_run.all_rounds.output_tokens is None else dry_run.all_rounds.output_tokens[1]
    maximum, batch = (dry_run.price.most, dry_run.price.batch_most) if dry_run.price else (None, None)
    warm_maximum = dry_run.price.warm_most if dry_run.price and dry_run.price.warm_least is not None else maximum
    return [
        requests,
        prompts,
        outputs,
        dry_run.truncated["examples"],
        len(dry_run.failures),
        maximum,
        warm_maximum,
        batch,
    ]


def _sum(column: Iterable[float | None]) -> float | None:
    values = [value for value in column if value is not None]
    return sum(values) if values else None


def _pairs(dry_run: "DryRun") -> list[Row]:
    assert dry_run.pairs is not None
    pairs = dry_run.pairs
    time = f"in about {between(*map(duration, pairs.seconds))}" if pairs.seconds else ""
    return [("requests", _range(pairs.requests), ""), ("pairs of paragraphs", _range(pairs.pairs), time)]


def _requests(dry_run: "DryRun") -> list[Row]:
    rounds = dry_run.all_rounds
    limit = "" if dry_run.limit is None else f" of {numbers.count(dry_run.limit)} at most"
    longest = f"the longest prompt has {numbers.count(dry_run.longest_prompt)}{limit}" if dry_run.requests else ""
    rows: list[Row] = [
        ("requests", numbers.count(dry_run.requests), "in the first round" if rounds else ""),
        ("prompt tokens", numbers.count(dry_run.prompt_tokens), longest),
        ("output tokens", *_outputs(dry_run.output_tokens)),
    ]
    if rounds is None:
        return rows
    outputs = ("not bounded", "") if rounds.output_tokens is None else (_range(rounds.output_tokens), "at most")
    return [
        *rows,
        ("in all rounds", "", "estimated with blank replies, and with the longest ones:"),
        ("  requests", _range(rounds.requests), ""),
        ("  prompt tokens", _range(rounds.prompt_tokens), ""),
        ("  output tokens", *outputs),
    ]


def _outputs(tokens: int | None) -> tuple[str, str]:
    return ("not bounded", "") if tokens is None else (numbers.count(tokens), "at most" if tokens else "")


def _range(bounds: tuple[int, int]) -> str:
    return between(*map(numbers.count, bounds))


def _over_limit(dry_run: "DryRun") -> list[Row]:
    truncated = dry_run.truncated
    if not truncated["examples"]:
        return []
    median, largest = numbers.count(truncated["median"]), numbers.count(truncated["largest"])
    rows: list[Row] = [
        ("prompts over the limit", numbers.count(truncated["examples"]), ""),
        ("  tokens cut off", numbers.count(truncated["tokens"]), f"median {median}, largest {largest} of a prompt"),
    ]
    for cut in dry_run.longest_cuts[:CUTS]:
        location = cut.id if cut.document in ("", cut.id) else f"{cut.id} of {cut.document}"
        rows.append(("", numbers.count(cut.tokens), numbers.line(location)))
    return rows


def _price(dry_run: "DryRun") -> list[Row]:
    price = dry_run.price
    if price is None:
        return []
    share = price.batch_share
    bills = "where the provider bills half for them" if share == HALF else f"at {share:g} of the price"
    rows: list[Row] = []
    if price.warm_least is not None:
        shared = "what prompts of a document begin with, from 1,024 tokens on, is read again"
        rows.append(("  from warm caches", _prices(price.warm_least, price.warm_most), shared))
    return [
        ("price", _prices(price.least, price.most), "from the prompts alone to outputs as long as may be"),
        *rows,
        ("  in batch files", _prices(price.batch_least, price.batch_most), bills),
    ]


def _prices(minimum: float, maximum: float | None) -> str:
    if maximum is None:
        return f"at least {numbers.price(minimum)}"
    return between(numbers.price(minimum), numbers.price(maximum))


def _time(dry_run: "DryRun") -> list[Row]:
    pilot = dry_run.pilot
    if pilot is None:
        return []
    return [
        (
            "reader's time",
            duration(pilot.seconds),
            f"{between(duration(pilot.low), duration(pilot.high))} by the pilot",
        ),
        ("  preparing", duration(pilot.preparing), "reading, splitting, ranking: beside the reader"),
    ]


def _pilot_lines(dry_run: "DryRun") -> list[str]:
    """What the time rests on, and where the pilot's replies are."""
    pilot = dry_run.pilot
    if pilot is None:
        return []
    remaining = f"{counted(pilot.asked, 'example')} still to be asked"
    lines = [
        f"reader's time: of {remaining}, from {counted(pilot.examples, 'example')} of different lengths, answered here"
    ]
    lines += [pilot.note] if pilot.note else []
    return [*lines, f"their replies are kept: the run goes on from them with out={pilot.folder}"]
