"""What a token is: words (`chunkers.shared.words`), a tokenizer's tokens, or whatever a callable counts.

Offsets are code points of the text itself; nothing is decoded from tokens.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from chunkers.shared.words import Offsets, count_words, long_words, word_count, word_spans
from longdoc.errors import UserError
from longdoc.folders import is_file, is_folder
from longdoc.links import check_tree
from longdoc.optional import need


class Pieces(NamedTuple):
    """The spans that a text may be cut into: together they cover every character that is not white space.

    `spans` [n, 2]: where each starts and ends, without outer white space. `before` [n + 1]: how many tokens of the
    whole text come before each, and at the end all of them; None where a unit counts but has no positions.
    """

    spans: Offsets
    before: Offsets | None


class Unit(Protocol):
    """A way to count. `exact`: every piece is one token, whatever text surrounds it."""

    exact: bool

    def count(self, text: str) -> int:
        """How many tokens `text` is, on its own and without special tokens."""
        ...

    def counts(self, texts: Sequence[str]) -> list[int]:
        """`count` of many texts, fast; one of more than `tokenizer_unit.PIECE` characters may be a few tokens off."""
        ...

    def exact_counts(self, texts: Sequence[str]) -> list[int]:
        """`count` of many texts, encoded together."""
        ...

    def pieces(self, text: str) -> Pieces:
        """Where `text` may be cut."""
        ...

    def remark(self, text: str) -> str | None:
        """What to know of how `text` is counted; None if there is nothing to say."""
        ...


def unit_of(unit: Any) -> Unit:
    """The unit for the value of a chunker's field `unit`.

    "words"; a tokenizer's hub name, folder or `tokenizer.json`; a tokenizer of `transformers` or `tokenizers`; or a
    callable from a text to its number of tokens, or to its tokens. Raises `UserError` for anything else, and for a
    tokenizer that is not on this machine and cannot be downloaded.
    """
    if isinstance(unit, str):
        return Words() if unit == "words" else _tokenizer_unit(_load(unit))
    if hasattr(unit, "encode_batch") or hasattr(unit, "tokenize"):
        return _tokenizer_unit(unit)
    if callable(unit):
        return Counter(unit)
    raise UserError(
        f'unit={unit!r} is no unit: give "words", a tokenizer (hub name, folder or object) or a function that counts'
    )


class Words:
    """Words, in scripts without spaces letters."""

    exact = True

    def count(self, text: str) -> int:
        """The number of words."""
        return word_count(text)

    def counts(self, texts: Sequence[str]) -> list[int]:
        """The number of words in each text."""
        return count_words(texts)

    exact_counts = counts

    def pieces(self, text: str) -> Pieces:
        """The words."""
        spans = word_spans(text)
        return Pieces(spans, np.arange(len(spans) + 1))

    def remark(self, text: str) -> str | None:
        """Whether the text has words too long to be words."""
        return long_words(text)


class Counter:
    """A function that counts: chunks are made of whole words, and the function gives their sizes."""

    exact = False

    def __init__(self, function: Callable[[str], Any]) -> None:
        self.function = function

    def count(self, text: str) -> int:
        """What the function says, or the length of what it returns. Raises `UserError` if that is neither."""
        value = self.function(text)
        if not isinstance(value, (str, Mapping)):
            try:
                return len(value) if hasattr(value, "__len__") else operator.index(value)
            except TypeError:
                pass
        raise UserError(
            f"unit={self.function!r} returned {type(value).__name__}: it must return a number of tokens, or the tokens"
        )

    def counts(self, texts: Sequence[str]) -> list[int]:
        """The count of each text."""
        return [self.count(text) for text in texts]

    exact_counts = counts

    def pieces(self, text: str) -> Pieces:
        """The words; how many tokens each is worth is not known."""
        return Pieces(word_spans(text), None)

    def remark(self, text: str) -> None:
        """Nothing."""


def _tokenizer_unit(tokenizer: Any) -> Unit:
    from chunkers.shared.tokenizer_unit import Tokenizer

    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    return Tokenizer(backend) if hasattr(backend, "encode_batch_fast") else Counter(tokenizer.tokenize)


def _load(name: str) -> Any:
    if is_folder(name):
        check_tree(Path(name))
    file = Path(name) / "tokenizer.json" if is_folder(name) else Path(name)
    if is_file(file):
        return _from_file(file)
    transformers: Any = need("transformers", "neural", f'unit={name!r} is not "words", and a tokenizer')
    try:
        return transformers.AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError, ImportError, RecursionError) as error:  # the last: files that are nested too deep
        raise UserError(
            f'unit={name!r} is neither "words" nor a tokenizer that can be loaded here: pass a folder with its files, '
            f"or run `longdoc data fetch {name}` where there is network"
        ) from error


def _from_file(file: Path) -> Any:
    tokenizers: Any = need("tokenizers", "neural", f"the tokenizer {file}")
    try:
        return tokenizers.Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises nothing narrower
        raise UserError(f"{file} is no tokenizer file ({error}): pass the folder of a model, or its name") from error
