"""The counts of a dry run: requests, tokens, prompts over the limit, pairs, time and price."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from longdoc.messages import counted
from pipelines.display import numbers
from pipelines.display.numbers import between, duration
from pipelines.display.table import Table, numbered_columns
from pipelines.display.view import View

FAILURES = 5  # of the examples that cannot be asked, so many are listed
CUTS = 3  # of the prompts over the limit, so many are listed
HALF = 0.5  # of the price, for batch files

Row = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The pairs of paragraphs that a run compares, as (minimum, maximum): the replies decide which are compared.

    `requests` is their number of requests; `seconds` leaves out fitting, and is None for few pairs or if the reader's
    speed is unknown; `fewer` names the option that reduces them if there are many.
    """

    requests: tuple[int, int]
    pairs: tuple[int, int]
    seconds: tuple[float, float] | None = None
    fewer: str = ""

    def __str__(self) -> str:
        """One line, and a second with the option that reduces the pairs."""
        low, high = self.pairs
        time = f", in about {between(*map(duration, self.seconds))}" if self.seconds else ""
        line = f"{between(f'{low:,}', f'{high:,}')} pairs of paragraphs are compared{time}"
        return f"{line}\n  {self.fewer}" if self.fewer else line


@dataclass(frozen=True, slots=True)
class Cut:
    """A prompt over the limit: its example and document, and the tokens that are cut off."""

    id: str
    document: str
    tokens: int


@dataclass(frozen=True, slots=True)
class AllRounds:
    """Requests and tokens of all rounds of a strategy that asks again: (with blank replies, with the longest ones).

    The replies decide what is asked again, so these are estimates. `output_tokens` is the maximum for the replies; None
    without a limit.
    """

    requests: tuple[int, int]
    prompt_tokens: tuple[int, int]
    output_tokens: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a run by the reader's prices: at `least` its prompts alone, at `most` with the longest outputs.

    This is without a server's cache. `warm_least` and `warm_most` are the price if beginnings of 1,024 tokens or more
    that a document's prompts share are read from the cache after the first prompt; None if that changes nothing.
    `batch_least` and `batch_most` are `batch_share` of the price; providers bill half for batch files. `most` is None
    if outputs have no limit.
    """

    least: float
    most: float | None
    batch_least: float
    batch_most: float | None
    batch_share: float = 0.5
    warm_least: float | None = None
    warm_most: float | None = None


@dataclass(frozen=True, slots=True)
class Pilot:
    """The reader's time for the whole run, from `examples` that it answered, spread over the lengths of prompts.

    `seconds` is the estimate; `low` and `high` are by the highest and lowest speed of the pilot. `asked` is the number
    of examples that the run still has to ask. `preparing` is the time in seconds that reading, splitting and ranking
    all documents took here. The replies are saved in `folder`, from which the run continues.
    """

    examples: int
    asked: int
    seconds: float
    low: float
    high: float
    preparing: float
    folder: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class DryRun(View):
    """What a run would do: counts over its first round of requests, none of which is sent.

    - `output_tokens`: the maximum for the replies; None without a limit.
    - `truncated`: the prompts over the limit ("examples"), the tokens cut off them ("tokens"), the "median" and the
      "largest" of a prompt; `longest_cuts` lists some. `limit` is the limit of a prompt's tokens, if there is one.
    - `all_rounds`: None for a strategy that asks once.
    - `price`: of all rounds; None for a reader without prices.
    - `pilot`: the reader's time, if a pilot was asked for.

    A run that compares pairs of paragraphs has no prompts: `pairs` counts them, and `requests` is their minimum.
    """

    task: str
    recipe: str
    documents: int
    examples: int
    requests: int
    prompt_tokens: int
    longest_prompt: int
    truncated: Mapping[str, int]
    failures: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    pairs: PairCounts | None = None
    output_tokens: int | None = 0
    limit: int | None = None
    longest_cuts: Sequence[Cut] = ()
    all_rounds: AllRounds | None = None
    price: Price | None = None
    pilot: Pilot | None = None

    def tables(self) -> list[Table]:
        """The table of counts, each with a remark."""
        rows: list[Row] = [
            ("documents", numbers.count(self.documents), ""),
            ("examples", numbers.count(self.examples), ""),
            *(_pairs(self.pairs) if self.pairs else _requests(self)),
            *_over_limit(self),
            *(_price(self.price) if self.price else []),
            *(_time(self.pilot) if self.pilot else []),
        ]
        notes = [self.pairs.fewer] if self.pairs and self.pairs.fewer else []
        notes += _pilot_lines(self.pilot) if self.pilot else []
        notes += [f"warning: {warning}" for warning in self.warnings]
        notes += [f"cannot be asked: {name}: {reason}" for name, reason in list(self.failures.items())[:FAILURES]]
        if (unlisted_count := len(self.failures) - FAILURES) > 0:
            notes.append(f"… and {counted(unlisted_count, 'more example')} that cannot be asked")
        caption = numbers.line(f"{self.task}: {self.recipe} (dry run)")
        return [Table(caption, tuple(numbered_columns(("", "", ""), right={1})), rows, tuple(map(numbers.line, notes)))]


def _pairs(pairs: PairCounts) -> list[Row]:
    time = f"in about {between(*map(duration, pairs.seconds))}" if pairs.seconds else ""
    return [("requests", _range(pairs.requests), ""), ("pairs of paragraphs", _range(pairs.pairs), time)]


def _requests(dry_run: DryRun) -> list[Row]:
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


def _over_limit(dry_run: DryRun) -> list[Row]:
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


def _price(price: Price) -> list[Row]:
    share = price.batch_share
    batch_note = "if the provider bills half for them" if share == HALF else f"at {share:g} of the price"
    rows: list[Row] = []
    if price.warm_least is not None:
        cache_note = "if beginnings that prompts share (1,024 tokens or more) are cached"
        rows.append(("  from warm caches", _prices(price.warm_least, price.warm_most), cache_note))
    return [
        ("price", _prices(price.least, price.most), "from the prompts alone to the longest outputs"),
        *rows,
        ("  in batch files", _prices(price.batch_least, price.batch_most), batch_note),
    ]


def _prices(minimum: float, maximum: float | None) -> str:
    if maximum is None:
        return f"at least {numbers.price(minimum)}"
    return between(numbers.price(minimum), numbers.price(maximum))


def _time(pilot: Pilot) -> list[Row]:
    bounds = between(duration(pilot.low), duration(pilot.high))
    return [
        ("reader's time", duration(pilot.seconds), f"{bounds} by the pilot"),
        ("  preparing", duration(pilot.preparing), "reading, splitting and ranking, besides the reader"),
    ]


def _pilot_lines(pilot: Pilot) -> list[str]:
    """Lines on how the time was estimated, and where the pilot's replies are."""
    examples = counted(pilot.asked, "example")
    pilot_examples = counted(pilot.examples, "example")
    lines = [
        f"reader's time: of {examples} still to be asked, from {pilot_examples} of different lengths, answered here"
    ]
    lines += [pilot.note] if pilot.note else []
    return [*lines, f"their replies are saved: the run continues from them with out={pilot.folder}"]
