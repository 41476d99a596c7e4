"""The base class of builders that make their texts themselves, of a length by any tokenizer's count."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from longdoc.errors import UserError
from pipelines.plugins.builders._rows import lengths, unit_label
from pipelines.plugins.builders.builder import Builder, BuildStats, Row
from pipelines.sources.reading import file_identity

SHORTEST, LENGTH, LONGEST = 50, 4096, 10_000_000  # tokens
MOST_EXAMPLES = 100_000
BYTES = {"words": 6, "characters": 1}  # about, of a unit in English; a tokenizer's token has four
CLOSE = 0.005  # share of the length by which a text may be too short
TOKENIZER = "tokenizer.json"

Count = Callable[[int], int]


@dataclass(frozen=True)
class Generator(Builder):
    """Base class of builders without a source: a subclass defines `generated`.

    `length`: the most tokens that a prompt and the room for its answer have, in `unit` ("words", "characters", or a
    tokenizer: hub name, folder or file). `examples`: how many rows. Raises `UserError` for a length out of bounds.
    """

    is_random = True
    needs_source = False
    texts_of_example: ClassVar[int] = 1  # texts of `length` in the rows of an example

    length: int = LENGTH
    unit: str = "words"
    examples: int = 10

    def __post_init__(self) -> None:
        """Raise `UserError` for a length or a number of examples out of bounds."""
        for name, value, default, minimum, maximum in (
            ("length", self.length, LENGTH, SHORTEST, LONGEST),
            ("examples", self.examples, 1, 1, MOST_EXAMPLES),
        ):
            if not minimum <= value <= maximum:
                suggestion = default if value < minimum else maximum
                raise UserError(
                    f"{name} must be from {minimum:,} to {maximum:,}, got {value:,}: type --set {name}={suggestion}"
                )

    def sources(self, source: Path) -> Mapping[str, Any]:
        """The tokenizer's file, where the unit is a tokenizer on this machine; else no files."""
        path = Path(self.unit).expanduser()
        file = path / TOKENIZER if path.is_dir() else path
        is_local = self.unit not in ("words", "characters") and file.is_file()
        return {"files": [file_identity(file, file.parent)] if is_local else []}

    @property
    def expected_bytes(self) -> int:
        """About how many bytes all texts have."""
        return self.examples * self.texts_of_example * self.length * BYTES.get(self.unit, 4)

    def rows(self, source: Path, seed: int, stats: BuildStats) -> Iterator[tuple[str, Row]]:
        """The generated rows, each with its split."""
        for split, row in self.generated(seed):
            stats.read += 1
            yield split, row

    @abstractmethod
    def generated(self, seed: int) -> Iterator[tuple[str, Row]]:
        """The rows, each with its split."""

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        return lengths([text], self.unit)[0]

    def size(self, count: Count, minimum: int, guess: int) -> int:
        """The largest number of pieces whose text is not too long; `count` returns the tokens of a number of pieces.

        Raises `UserError` where even the minimum is too long.
        """
        if (tokens := count(minimum)) > self.length:
            raise UserError(
                f"this needs {tokens:,} {unit_label(self.unit)} at least, length is {self.length:,}: type "
                f"--set length={tokens}"
            )
        return largest(count, self.length, minimum, guess)


def largest(count: Count, limit: int, minimum: int, guess: int) -> int:
    """The largest size, from `minimum` on, whose count is within the limit, to half a percent.

    `count` rises about in proportion to the size, so that each try is computed from the one before.
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
