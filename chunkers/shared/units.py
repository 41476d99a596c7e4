"""Token counters: by words (`chunkers.shared.words`), by a tokenizer, or by a function.

Offsets are code points of the text itself; nothing is decoded from tokens.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chunkers.shared.unit import Pieces as Pieces
from chunkers.shared.unit import Unit as Unit
from chunkers.shared.words import count_words, long_words, word_count, word_spans
from longdoc.errors import UserError
from longdoc.files import is_file, is_folder
from longdoc.links import check_tree
from longdoc.optional import need
from longdoc.quiet import quiet


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
        f'unit must be "words", a tokenizer (hub name, folder or object) or a function that counts tokens; got {unit!r}'
    )


class Words:
    """Counts words; in scripts without spaces, letters."""

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
        """The remark on words that are too long to be words; None if there are none."""
        return long_words(text)


class Counter:
    """A function that counts: chunks are made of whole words, and the function gives their sizes."""

    exact = False

    def __init__(self, function: Callable[[str], Any]) -> None:
        self.function = function

    def count(self, text: str) -> int:
        """The number that the function returns, or the length of its result. Raises `UserError` for others."""
        result = self.function(text)
        if not isinstance(result, (str, Mapping)):
            try:
                return len(result) if hasattr(result, "__len__") else operator.index(result)
            except TypeError:
                pass
        raise UserError(
            f"unit={self.function!r} must return a number of tokens, or the tokens; it returned {type(result).__name__}"
        )

    def counts(self, texts: Sequence[str]) -> list[int]:
        """The count of each text."""
        return [self.count(text) for text in texts]

    exact_counts = counts

    def pieces(self, text: str) -> Pieces:
        """The words, without token positions."""
        return Pieces(word_spans(text), None)

    def remark(self, text: str) -> None:
        """None: functions have no remark."""


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
        with quiet():  # its warnings print what a folder's files say
            return transformers.AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError, ImportError, RecursionError) as error:  # the last: files that are nested too deep
        raise UserError(
            f'unit={name!r} is not "words", and no tokenizer of that name can be loaded. Give a folder with its files, '
            f"or run `longdoc data fetch {name}` where there is network"
        ) from error


def _from_file(file: Path) -> Any:
    tokenizers: Any = need("tokenizers", "neural", f"the tokenizer {file}")
    try:
        return tokenizers.Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises nothing narrower
        raise UserError(f"{file} is not a tokenizer file ({error}). Give the folder or the name of a model") from error
