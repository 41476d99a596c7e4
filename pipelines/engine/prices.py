"""What tokens cost by a reader's prices: asked live, or in the batch files of a provider."""

from models.accounting.prices import cost_by
from models.accounting.usage import Usage
from models.reader import Reader
from pipelines.results.dry_runs.dry_run import Price

BATCH_SHARE = 0.5  # of the price of a live request: what providers of batch endpoints bill


def price_of(
    reader: Reader,
    tokens_in: tuple[int, int],
    tokens_out: tuple[int, int | None],
    share: float = BATCH_SHARE,
    caches: tuple[int, int] = (0, 0),
) -> Price | None:
    """Both prices of prompts and outputs with so many tokens, (at least, at most); None for a reader without prices.

    An output that nothing bounds has no price at most. `share` is what batch files cost of it. `caches` are the prompt
    tokens that servers can read from their caches, and those that they write to them for that.
    """
    warm_span = caches if caches[0] and reader.prices.keys() & {"cached", "cache_write"} else None
    minimum, warm_minimum = _cold_and_warm(reader, tokens_in[0], tokens_out[0], warm_span)
    maximum, warm_maximum = _cold_and_warm(reader, tokens_in[1], tokens_out[1], warm_span)
    if minimum is None:
        return None
    batch_most = None if maximum is None else share * maximum
    return Price(minimum, maximum, share * minimum, batch_most, share, warm_minimum, warm_maximum)


def _cold_and_warm(
    reader: Reader, tokens_in: int, tokens_out: int | None, warm_span: tuple[int, int] | None
) -> tuple[float | None, float | None]:
    """The price with nothing in a cache, and the one with warm caches."""
    if tokens_out is None:
        return None, None
    cold = cost_by(reader.prices, Usage(tokens_in, tokens_out))
    return cold, None if warm_span is None else cost_by(reader.prices, Usage(tokens_in, tokens_out, *warm_span))
