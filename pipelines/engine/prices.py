"""What tokens cost by a reader's prices: in live requests, or in the batch files of a provider."""

from models.accounting import Usage, cost_by
from models.reader import Reader
from pipelines.results.dry_runs.dry_run import Price

BATCH_SHARE = 0.5  # of the price of a live request: what providers of batch endpoints bill


def price_of(
    reader: Reader,
    tokens_in: tuple[int, int],
    tokens_out: tuple[int, int | None],
    share: float = BATCH_SHARE,
    cache_tokens: tuple[int, int] = (0, 0),
) -> Price | None:
    """The least and the highest price of prompts and outputs with so many tokens; None for a reader without prices.

    Tokens are (at least, at most). Without a limit on outputs there is no highest price. `share` is the cost of a
    request in a batch file as a share of a live one's. `cache_tokens` are the prompt tokens that servers can read from
    their caches, and those that they write there first.
    """
    has_cache_prices = cache_tokens[0] and reader.prices.keys() & {"cached", "cache_write"}
    warm = cache_tokens if has_cache_prices else None
    minimum, warm_minimum = _cold_and_warm(reader, tokens_in[0], tokens_out[0], warm)
    maximum, warm_maximum = _cold_and_warm(reader, tokens_in[1], tokens_out[1], warm)
    if minimum is None:
        return None
    batch_maximum = None if maximum is None else share * maximum
    return Price(minimum, maximum, share * minimum, batch_maximum, share, warm_minimum, warm_maximum)


def _cold_and_warm(
    reader: Reader, tokens_in: int, tokens_out: int | None, cache_tokens: tuple[int, int] | None
) -> tuple[float | None, float | None]:
    """The price with empty caches, and with warm ones (None without `cache_tokens`)."""
    if tokens_out is None:
        return None, None
    cold = cost_by(reader.prices, Usage(tokens_in, tokens_out))
    return cold, None if cache_tokens is None else cost_by(reader.prices, Usage(tokens_in, tokens_out, *cache_tokens))
