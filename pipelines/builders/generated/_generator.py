"""What builders share that make their texts themselves: as long as is asked for, by any tokenizer's count."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from longdoc.errors import UserError
from pipelines.builders import Builder, BuildStats, Row
from pipelines.builders._rows import lengths, unit_label
from pipelines.sources.reading import file_identity

SHORTEST, LENGTH, LONGEST = 50, 4096, 10_000_000  # tokens
MOST_EXAMPLES = 100_000
BYTES = {"words": 6, "characters": 1}  # of a token in English, about; of a tokenizer's four
CLOSE = 0.005  # of its size: a text that is so close to the length asked for is long enough
TOKENIZER = "tokenizer.json"

Count = Callable[[int], int]


@dataclass(frozen=True)
class Generator(Builder):
    """Base class of builders without a source: a subclass defines `generated`.

    `length`: the tokens that a prompt and the room for its answer have at most, in `unit` ("words", "characters", or a
    tokenizer: hub name, folder or file). `examples`: how many rows. Raises `UserError` for a length out of bounds.
    """

    is_random = True
    needs_source = False
    texts_of_example: ClassVar[int] = 1  # of the length asked for, in the rows of an example

    length: int = LENGTH
    unit: str = "words"
    examples: int = 10

    def __post_init__(self) -> None:
        """Refuse what nothing can be made of."""
        for name, value, default, minimum, maximum in (
            ("length", self.length, LENGTH, SHORTEST, LONGEST),
            ("examples", self.examples, 1, 1, MOST_EXAMPLES),
        ):
            if not minimum <= value <= maximum:
                allowed_value = default if value < minimum else maximum
                raise UserError(
                    f"{name} must be from {minimum:,} to {maximum:,}, got {value:,}: type --set {name}={allowed_value}"
                )

    def sources(self, source: Path) -> Mapping[str, Any]:
        """No files but the tokenizer's, where that is one on this machine."""
        place = Path(self.unit).expanduser()
        file = place / TOKENIZER if place.is_dir() else place
        is_local = self.unit not in ("words", "characters") and file.is_file()
        return {"files": [file_identity(file, file.parent)] if is_local else []}

    @property
    def expected_bytes(self) -> int:
        """The bytes of all texts."""
        return self.examples * self.texts_of_example * self.length * BYTES.get(self.unit, 4)

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The rows of the one split."""
        for split, row in self.generated(seed):
            stats.read += 1
            yield split, row

    @abstractmethod
    def generated(self, seed: int) -> Iterator[tuple[str, Row]]:
        """Splits with their rows."""

    def count(self, text: str) -> int:
        """The tokens of a text."""
        return lengths([text], self.unit)[0]

    def size(self, count: Count, minimum: int, guess: int) -> int:
        """How many pieces make a text as long as it may be: `count` says its tokens for a number of pieces.

        Raises `UserError` where even the minimum is too long.
        """
        if (tokens_needed := count(minimum)) > self.length:
            raise UserError(
                f"this needs {tokens_needed:,} {unit_label(self.unit)} at least, length is {self.length:,}: type "
                f"--set length={tokens_needed}"
            )
        return largest(count, self.length, minimum, guess)


def largest(count: Count, limit: int, minimum: int, guess: int) -> int:
    """The largest size, from `minimum` on, whose count is within the limit, to half a percent.

    `count` rises with the size, about in proportion, so that each try follows from the one before.
    """
    low, high, size = minimum, 0, max(minimum + 1, guess)  # high: the smallest size that was too long, 0 for none
    while not high or high - low > max(1, low * CLOSE):
        tokens = count(size)
        if tokens > limit:
            high = size
        else:
            low = size
            if tokens >= limit * (1 - CLOSE):
                break
        size = max(size * limit // tokens, low + 1)
        size = min(size, high - 1) if high else size
    return low
