"""SpaceDigest out of any reviews with ratings: what share of a hotel's is positive (Shaham et al. 2023, section 3.1.3).

An example a hotel, 50 reviews without their ratings: 4 and 5 are positive, 1 and 2 negative, 3 (and what lies between
2 and 4) is left out. Of all hotels the most rated are taken.
"""

import heapq
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from longdoc.errors import UserError
from pipelines.benchmarks.zero_scrolls.builders._prompts import frame, wording_of
from pipelines.plugins.builders._rows import check_minimum
from pipelines.plugins.builders._seeded_random import SeededRandom
from pipelines.plugins.builders.builder import Builder, BuildStats, Row
from pipelines.sources import parsing, reading, tables
from pipelines.sources.pieces import Pieces
from pipelines.sources.reading import file_identity

NEEDS = (
    "reviews with ratings: JSON Lines, JSON or CSV with hotel, text and rating (1 to 5), or hotels with their reviews"
)
HOTEL = ("hotel", "hotel_id", "hotel_name", "entity_id", "business_id")
TEXT = ("text", "review", "review_text", "sentences")
RATING = ("rating", "stars", "overall", "overall_rating", "score")
NEGATIVE, POSITIVE, BEST = 2, 4, 5

# a rating that the text itself carries as a field, as forms of review pages leave it: "Overall rating: 4/5"
_STATED_RATING = re.compile(
    r"(?:\boverall )?\b(?:rating|rated|stars?)\s*[:=]\s*[0-5](?:\.\d)?(?:\s*(?:/|out of|of)\s*5)?\b[ .,;]*", re.I
)


class Review(NamedTuple):
    """A review with a random `share`: of a hotel the reviews with the smallest shares are drawn."""

    share: float
    text: str
    is_positive: bool


@dataclass(frozen=True)
class SpaceDigest(Builder):
    """`space_digest.zip` with ZeroSCROLLS' rows, the reviews being the inner documents.

    The source is reviews with hotel, text and rating, or hotels with a list of `reviews`. `test` hotels, the ones with
    most ratings of any kind, are the test split, the `validation` next ones validation; a hotel with fewer than
    `reviews` clear ones is left out. Prompts as in `zero_scrolls`. Which reviews are drawn and their order depend on
    the seed, the hotel and their texts. An id is the hotel's; the published ones are not known here. Raises `UserError`
    for reviews without hotel, text or rating.
    """

    is_random = True
    archive = "space_digest"

    test: int = 500
    validation: int = 20
    reviews: int = 50
    prompts_from: str | None = None

    def __post_init__(self) -> None:
        for name, minimum in (("test", 1), ("validation", 0), ("reviews", 1)):
            check_minimum(getattr(self, name), minimum, f"space_digest: {name}")

    def sources(self, source: Path) -> Mapping[str, Any]:
        """See `Builder`."""
        tables.kind(reading.existing(source))
        return {"files": [file_identity(source, source.parent)], **wording_of(self.archive, self.prompts_from)}

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The hotels of test and then of validation, the most rated first."""
        prompt_frame, splits = frame(self.archive, self.prompts_from), self._splits(source, stats)
        for hotel, reviews in _sampled(source, splits, self.reviews, seed, stats).items():
            pieces, inner = Pieces(), []
            for place, review in enumerate(reviews, 1):
                inner.append(pieces.add(f"Review {place}:\n{review.text}", "\n\n")[0])
            share = f"{round(100 * sum(review.is_positive for review in reviews) / len(reviews))}%"
            yield from ((splits[hotel], row) for row in prompt_frame.rows(hotel, pieces.text, "", (share,), inner))

    def _splits(self, source: Path, stats: BuildStats) -> dict[str, str]:
        """The split of each hotel that is taken, the most rated first."""
        rating_counts, clear_counts = Counter[str](), Counter[str]()
        for hotel, text, rating in _reviews(source):
            rating_counts[hotel] += 1
            clear_counts[hotel] += bool(text) and not NEGATIVE < rating < POSITIVE
            stats.notes["reviews"] += 1
            if not text:
                stats.notes["reviews left out, because they are empty"] += 1
            elif NEGATIVE < rating < POSITIVE:
                stats.notes["reviews left out, because they are neither positive nor negative"] += 1
        stats.read = len(rating_counts)
        eligible = [hotel for hotel in rating_counts if clear_counts[hotel] >= self.reviews]
        eligible.sort(key=lambda hotel: (-rating_counts[hotel], hotel))
        if excluded := len(rating_counts) - len(eligible):
            stats.dropped[f"hotels with fewer than {self.reviews} reviews rated 1, 2, 4 or 5"] = excluded
        if undrawn := len(eligible[self.test + self.validation :]):
            stats.dropped["hotels that others are more rated than"] = undrawn
        selected = eligible[: self.test + self.validation]
        return {hotel: "test" if place < self.test else "validation" for place, hotel in enumerate(selected)}


def _sampled(
    source: Path, hotels: Mapping[str, str], size: int, seed: int, stats: BuildStats
) -> dict[str, list[Review]]:
    """The reviews that are drawn of each hotel, by share, without the ratings in their texts.

    No more than `size` reviews of a hotel are in memory.
    """
    heaps: dict[str, list[tuple[float, str, bool]]] = {hotel: [] for hotel in hotels}
    for hotel, text, rating in _reviews(source):
        if hotel not in heaps or not text or NEGATIVE < rating < POSITIVE:
            continue
        item = (-SeededRandom(seed, hotel, text).random(), text, rating >= POSITIVE)  # the largest share goes first
        heap = heaps[hotel]
        heapq.heappush(heap, item) if len(heap) < size else heapq.heappushpop(heap, item)
    sampled = {
        hotel: sorted(Review(-share, text, positive) for share, text, positive in heap) for hotel, heap in heaps.items()
    }
    for hotel, reviews in sampled.items():
        for place, review in enumerate(reviews):
            text, removals = _STATED_RATING.subn("", review.text)
            if removals and text.strip():
                stats.notes["ratings taken out of the reviews' text"] += removals
                reviews[place] = review._replace(text=text.strip())
        sampled[hotel] = reviews
    return sampled


def _reviews(source: Path) -> Iterator[tuple[str, str, float]]:
    """Hotel, text and rating of each review. Raises `UserError` for a row without them."""
    empty = True
    for row in tables.Files((source,)).rows():
        empty = False
        nested = row.fields.get("reviews")
        if not isinstance(nested, list):
            yield _review(row.fields, row.fields, row.location)
            continue
        for place, fields in enumerate(nested, 1):
            location = f"{row.location}, review {place}"
            if not isinstance(fields, Mapping):
                raise UserError(f"{location}: expected an object with text and rating. space_digest needs {NEEDS}")
            yield _review(row.fields, fields, location)
    if empty:
        raise UserError(f"{source.name} has no reviews; space_digest needs {NEEDS}")


def _review(outer: Mapping[str, Any], fields: Mapping[str, Any], location: str) -> tuple[str, str, float]:
    hotel, rating = _field(outer, HOTEL, "hotel", location), _field(fields, RATING, "rating", location)
    text = parsing.strings(_field(fields, TEXT, "text", location), location, "text")
    try:
        stars = float(rating)
    except (TypeError, ValueError):
        stars = -1.0
    if isinstance(rating, bool) or not 1 <= stars <= BEST:
        raise UserError(f"{location}: the rating must be a number from 1 to {BEST}, got {rating!r}")
    return parsing.string(hotel, location, "hotel"), " ".join(text).strip(), stars


def _field(fields: Mapping[str, Any], names: tuple[str, ...], description: str, location: str) -> Any:
    """The first of the fields that a review has; a text may be empty. Raises `UserError` where it has none."""
    for name in names:
        if fields.get(name) is not None and (fields[name] != "" or description == "text"):
            return fields[name]
    columns = ", ".join(map(str, fields)) or "nothing"
    raise UserError(
        f"{location}: the review has no {description} ({' or '.join(names)}); found {columns}. "
        f"space_digest needs {NEEDS}"
    )
