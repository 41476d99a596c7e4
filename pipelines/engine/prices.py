"""What tokens cost by a reader's prices: asked live, or in the batch files of a provider."""

from models.prices import cost_by
from models.reader import Reader
from models.usage import Usage
from pipelines.results.dry_runs.records import Price

BATCH_SHARE = 0.5  # of the price of a live request: what providers of batch endpoints bill


def price_of(
    reader: Reader, tokens_in: tuple[int, int], tokens_out: tuple[int, int | None], share: float = BATCH_SHARE
) -> Price | None:
    """Both prices of prompts and outputs with so many tokens, (at least, at most); None for a reader without prices.

    An output that nothing bounds has no price at most. `share` is what batch files cost of it.
    """
    least = cost_by(reader.prices, Usage(tokens_in[0], tokens_out[0]))
    most = None if tokens_out[1] is None else cost_by(reader.prices, Usage(tokens_in[1], tokens_out[1]))
    if least is None:
        return None
    return Price(least, most, share * least, None if most is None else share * most, share)
