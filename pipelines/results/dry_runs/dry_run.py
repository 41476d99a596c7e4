"""What a dry run counts: requests, tokens, prompts over the limit, pairs, time and price."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longdoc.plain_values import plain_fields
from pipelines.display.numbers import between, duration
from pipelines.display.table import Table, html, plain_text
from pipelines.results.dry_runs import dry_run_table


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The pairs of paragraphs that a run compares, as (minimum, maximum): the replies decide which are compared.

    `requests` is how many requests they take; `seconds` leaves out fitting, and is None for few pairs and where the
    reader's speed is unknown; `fewer` names the option that reduces them where there are many.
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

    The replies decide what is asked again, so these are estimates. `output_tokens` are the most that replies may have;
    None where nothing bounds them.
    """

    requests: tuple[int, int]
    prompt_tokens: tuple[int, int]
    output_tokens: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a run by the reader's prices: at `least` its prompts, at `most` with outputs as long as may be.

    That is with nothing in a server's cache. `warm_least` and `warm_most` are where what prompts of a document begin
    with, from 1,024 tokens on, is read from the cache after the first; None where nothing is, or costs less.
    `batch_least` and `batch_most` are `batch_share` of it: half is what providers bill for batch files. `most` is None
    where nothing bounds the outputs.
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

    `seconds` is the estimate; `low` and `high` are at the highest and lowest speed of the pilot. `asked` is how many
    examples the time is of: those that were not finished before. `preparing` are the seconds that reading, splitting
    and ranking all documents took here. The replies are kept in `folder`: the run goes on from there.
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
class DryRun:
    """What a run would do: counts over its first round of requests, none of which is sent.

    - `output_tokens`: the most that the replies may have; None where nothing bounds them.
    - `truncated`: the prompts over the limit ("examples"), the tokens cut off them ("tokens"), the "median" and the
      "largest" of a prompt; `longest_cuts` names some. `limit` bounds a prompt; None: nothing does.
    - `all_rounds`: None for a strategy that asks once.
    - `price`: of all rounds; None for a reader without prices.
    - `pilot`: the reader's time, where it was asked for.

    Where pairs are compared there are no prompts: `pairs` counts them, and `requests` is their minimum.
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def table(self) -> Table:
        """A row for each count."""
        return dry_run_table.single_run_table(self)

    def __str__(self) -> str:
        """The table as plain text."""
        return plain_text(self.table())

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        return html(self.table())
