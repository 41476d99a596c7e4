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


def of_one(found: "DryRun") -> Table:
    """What is counted, how much, and what to know of it."""
    rows: list[Row] = [
        ("documents", numbers.count(found.documents), ""),
        ("examples", numbers.count(found.examples), ""),
        *(_pairs(found) if found.pairs else _requests(found)),
        *_over_limit(found),
        *_price(found),
        *_time(found),
    ]
    notes = [found.pairs.fewer] if found.pairs and found.pairs.fewer else []
    notes += _of_pilot(found)
    notes += [f"warning: {warning}" for warning in found.warnings]
    notes += [f"cannot be asked: {name}: {why}" for name, why in list(found.failures.items())[:FAILURES]]
    if (more := len(found.failures) - FAILURES) > 0:
        notes.append(f"… and {counted(more, 'more example')} that cannot be asked")
    return Table(
        numbers.line(f"{found.task}: {found.recipe} (dry run)"), ("", "", ""), tuple(rows),
        tuple(map(numbers.line, notes)), frozenset({1}),
    )  # fmt: skip


def of_several(caption: str, column: str, counts: Mapping[str, "DryRun"], notes: Sequence[str]) -> Table:
    """A row for each run, and their sum; prices where readers have them."""
    priced = any(one.price is not None for one in counts.values())
    each = [_cells(one) for one in counts.values()]
    sums: list[float | None] = [_sum(column) for column in zip(*each, strict=True)]
    warm = any(one.price is not None and one.price.warm_least is not None for one in counts.values())
    shown = [0, 1, 2, 3, 4, *([5, *([6] if warm else []), 7] if priced else [])]
    formats = [*[numbers.count] * 5, *[numbers.price] * 3]

    def row(name: str, cells: Sequence[float | None]) -> tuple[Entry, ...]:
        return name, *(numbers.MISSING if (one := cells[at]) is None else formats[at](one) for at in shown)

    heads = ("requests", "prompt tokens", "output tokens at most", "cut", "cannot be asked", "price at most",
             "from warm caches", "in batch files")  # fmt: skip
    rows = [row(name, cells) for name, cells in zip(counts, each, strict=True)]
    if len(rows) > 1:
        rows.append(row("in all", sums))
    warnings = dict.fromkeys(f"warning: {line}" for one in counts.values() for line in one.warnings)
    several = [name for name, one in counts.items() if one.all_rounds is not None]
    again = [f"{', '.join(several)}: asked in several rounds, estimated with stand-in replies"] if several else []
    return Table(
        caption, (column, *(heads[at] for at in shown)), tuple(rows),
        tuple(numbers.line(note) for note in (*again, *notes, *warnings)),
        frozenset(range(1, len(shown) + 1)), frozenset({3, 4, 5}),
    )  # fmt: skip


def _cells(one: "DryRun") -> list[float | None]:
    """The numbers of a run's row, at most: with the longest replies where they decide what is asked again."""
    requests, prompts, outputs = one.requests, one.prompt_tokens, one.output_tokens
    if one.pairs is not None:
        requests = one.pairs.requests[1]
    if one.all_rounds is not None:
        requests, prompts = one.all_rounds.requests[1], one.all_rounds.prompt_tokens[1]
        outputs = None if one.all_rounds.output_tokens is None else one.all_rounds.output_tokens[1]
    most, batch = (one.price.most, one.price.batch_most) if one.price else (None, None)
    warm = one.price.warm_most if one.price and one.price.warm_least is not None else most
    return [requests, prompts, outputs, one.truncated["examples"], len(one.failures), most, warm, batch]


def _sum(column: Iterable[float | None]) -> float | None:
    known = [one for one in column if one is not None]
    return sum(known) if known else None


def _pairs(found: "DryRun") -> list[Row]:
    assert found.pairs is not None
    pairs = found.pairs
    time = f"in about {between(*map(duration, pairs.seconds))}" if pairs.seconds else ""
    return [("requests", _range(pairs.requests), ""), ("pairs of paragraphs", _range(pairs.pairs), time)]


def _requests(found: "DryRun") -> list[Row]:
    rounds = found.all_rounds
    limit = "" if found.limit is None else f" of {numbers.count(found.limit)} at most"
    longest = f"the longest prompt has {numbers.count(found.longest_prompt)}{limit}" if found.requests else ""
    rows: list[Row] = [
        ("requests", numbers.count(found.requests), "in the first round" if rounds else ""),
        ("prompt tokens", numbers.count(found.prompt_tokens), longest),
        ("output tokens", *_outputs(found.output_tokens)),
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


def _over_limit(found: "DryRun") -> list[Row]:
    cut = found.truncated
    if not cut["examples"]:
        return []
    median, largest = numbers.count(cut["median"]), numbers.count(cut["largest"])
    rows: list[Row] = [
        ("prompts over the limit", numbers.count(cut["examples"]), ""),
        ("  tokens cut off", numbers.count(cut["tokens"]), f"median {median}, largest {largest} of a prompt"),
    ]
    for one in found.longest_cuts[:CUTS]:
        where = one.id if one.document in ("", one.id) else f"{one.id} of {one.document}"
        rows.append(("", numbers.count(one.tokens), numbers.line(where)))
    return rows


def _price(found: "DryRun") -> list[Row]:
    price = found.price
    if price is None:
        return []
    share = price.batch_share
    bills = "where the provider bills half for them" if share == HALF else f"at {share:g} of the price"
    warm: list[Row] = []
    if price.warm_least is not None:
        shared = "what prompts of a document begin with, from 1,024 tokens on, is read again"
        warm.append(("  from warm caches", _prices(price.warm_least, price.warm_most), shared))
    return [
        ("price", _prices(price.least, price.most), "from the prompts alone to outputs as long as may be"),
        *warm,
        ("  in batch files", _prices(price.batch_least, price.batch_most), bills),
    ]


def _prices(least: float, most: float | None) -> str:
    if most is None:
        return f"at least {numbers.price(least)}"
    return between(numbers.price(least), numbers.price(most))


def _time(found: "DryRun") -> list[Row]:
    pilot = found.pilot
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


def _of_pilot(found: "DryRun") -> list[str]:
    """What the time rests on, and where the pilot's replies are."""
    pilot = found.pilot
    if pilot is None:
        return []
    left = f"{counted(pilot.asked, 'example')} still to be asked"
    lines = [f"reader's time: of {left}, from {counted(pilot.examples, 'example')} of different lengths, answered here"]
    lines += [pilot.note] if pilot.note else []
    return [*lines, f"their replies are kept: the run goes on from them with out={pilot.folder}"]
