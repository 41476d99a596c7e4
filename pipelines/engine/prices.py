"""What tokens cost by a reader's prices: asked live, or in the batch files of a provider."""

from collections.abc import Mapping

from models.reader import Reader
from pipelines.results.dry_runs.records import Price

A_MILLION = 1_000_000
BATCH_SHARE = 0.5  # of the price of a live request: what providers of batch endpoints bill


def cost_of(reader: Reader, tokens_in: int, tokens_out: int) -> float | None:
    """The cost of tokens by the reader's prices; None where it has none."""
    return cost_at(reader.prices, tokens_in, tokens_out)


def cost_at(prices: Mapping[str, float], tokens_in: int, tokens_out: int) -> float | None:
    """The cost of tokens by prices per million; None where there are none."""
    return (tokens_in * prices["input"] + tokens_out * prices["output"]) / A_MILLION if prices else None


def price_of(
    reader: Reader, tokens_in: tuple[int, int], tokens_out: tuple[int, int | None], share: float = BATCH_SHARE
) -> Price | None:
    """Both prices of prompts and outputs with so many tokens, (at least, at most); None for a reader without prices.

    An output that nothing bounds has no price at most. `share` is what batch files cost of it.
    """
    least = cost_of(reader, tokens_in[0], tokens_out[0])
    most = None if tokens_out[1] is None else cost_of(reader, tokens_in[1], tokens_out[1])
    if least is None:
        return None
    return Price(least, most, share * least, None if most is None else share * most, share)
