"""A model's own tokenizer: tokens counted, encoded with their places in the text, and decoded.

`tokenizer.json` is read as it is published; older folders (a SentencePiece model, `vocab.json` with `merges.txt`) go
through `transformers`. Long texts are taken apart before single spaces, which changes no token for tokenizers that
never join a word to what stands before its space (Metaspace and byte-level ones: all of T5, BART, LED). Llama 2's puts
a space of its own before every text, so that its pieces are given without theirs.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.quiet import quiet
from models.thinking import ALL_MARKS, CHANNEL, HARMONY

PIECE = 20_000  # characters encoded at once
LONG = 20_000  # characters from which words are counted once each, and the count is remembered
CACHE_SIZE = 4096
BYTES = 4  # tokens that a character can be, one for each of its bytes in UTF-8
BATCH_SIZE = 1024  # texts given to the tokenizer together
_SURROGATE = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"(?<=\S)(?= \S)")
_SOURCES = ("tokenizer.json", "spiece.model", "sentencepiece.bpe.model", "source.spm", "vocab.json", "tokenizer.model")


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids; `special` marks special tokens. `spans` are (start, end) in the text, (0, 0) for special tokens."""

    ids: list[int]
    spans: list[tuple[int, int]]
    special: list[bool]

    @property
    def text_ids(self) -> list[int]:
        """The ids of the text's own tokens, without special tokens."""
        return [token for token, special in zip(self.ids, self.special, strict=True) if not special]

    @property
    def text_spans(self) -> list[tuple[int, int]]:
        """(start, end) in the text of its own tokens, without special tokens."""
        return [span for span, special in zip(self.spans, self.special, strict=True) if not special]


@dataclass(frozen=True, slots=True)
class Subwords:
    """A `tokenizers.Tokenizer` that neither pads nor truncates; safe to use from several threads."""

    tokenizer: Any
    _long_counts: dict[tuple[int, int], int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _thinking_marks: frozenset[int] = field(default=frozenset(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Look up the marks of thinking (`models.thinking`): special tokens in some vocabularies."""
        ids = map(self.tokenizer.token_to_id, ALL_MARKS)
        harmony = self.tokenizer.token_to_id(CHANNEL) is not None  # other families have <|end|> too
        marks = [*ids, *(map(self.tokenizer.token_to_id, HARMONY) if harmony else ())]
        object.__setattr__(self, "_thinking_marks", frozenset(token for token in marks if token is not None))

    @classmethod
    def load(cls, path: Path) -> "Subwords":
        """The tokenizer of a model folder. Raises `UserError` where there is none, or a broken one."""
        from tokenizers import Tokenizer

        names = [name for name in _SOURCES if (path / name).is_file()]
        if not names:
            raise UserError(
                f"{path} has no tokenizer (none of {', '.join(_SOURCES)}); save it there: "
                f"AutoTokenizer.from_pretrained(NAME).save_pretrained({str(path)!r})"
            )
        try:
            tokenizer = Tokenizer.from_file(str(path / names[0])) if names[0] == "tokenizer.json" else _converted(path)
        except UserError:
            raise
        except Exception as error:  # the Rust library raises bare exceptions
            raise UserError(f"cannot read the tokenizer in {path}: {error}") from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return cls(tokenizer)

    @property
    def added_tokens(self) -> int:
        """Number of special tokens that encoding adds to a text."""
        return int(self.tokenizer.num_special_tokens_to_add(False))

    @property
    def special(self) -> frozenset[int]:
        """The ids of special tokens, which `decode` leaves out."""
        added = self.tokenizer.get_added_tokens_decoder()
        return frozenset(token for token, kind in added.items() if kind.special)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special ones. The counts of long texts are remembered."""
        short = iter(self._sizes([text for text in texts if len(text) < LONG]))
        return [next(short) if len(text) < LONG else self._long(text) for text in texts]

    def encode(self, text: str) -> Encoded:
        """The text as the model reads it, special tokens added: `count` + `added` ids."""
        from tokenizers import Encoding

        texts = _pieces(text)
        prepared = self._without_added_space(texts)
        dropped = len(texts[-1]) - len(prepared[-1])
        pieces = self.tokenizer.encode_batch(prepared, add_special_tokens=False)
        merged = pieces[0] if len(pieces) == 1 else Encoding.merge(pieces, growing_offsets=False)
        starts = _starts([len(piece) + dropped for piece in prepared], [len(piece.ids) for piece in pieces])
        spans = [
            (start + position, end + position) for (start, end), position in zip(merged.offsets, starts, strict=True)
        ]
        final = self.tokenizer.post_process(merged, None, True)
        special = [bool(flag) for flag in final.special_tokens_mask]
        inner = iter(spans)
        return Encoded(list(final.ids), [(0, 0) if mark else next(inner) for mark in special], special)

    def ends(self, text: str) -> list[int]:
        """The rising end offsets of a text's tokens; tokens that share a character have one end."""
        return sorted({end for _, end in self.encode(text).text_spans if end})

    @property
    def special_around(self) -> tuple[int, int]:
        """(before, after): number of special tokens around the tokens of a text."""
        special = self.encode("x").special
        before = special.index(False) if False in special else 0
        return before, sum(special) - before

    def end_of_first(self, text: str, n: int) -> int:
        """Where the first n tokens of a text end; before a character of which only a part is in them."""
        if n < 1:
            return 0
        spans = self.encode(text).text_spans
        return len(text) if n >= len(spans) else min(spans[n - 1][1], spans[n][0])

    def start_of_last(self, text: str, n: int) -> int:
        """Where the last n tokens of a text begin, as their decoded text does.

        That is behind the space of a first word for tokenizers that decode it without (SentencePiece, WordPiece), and
        behind a character of which only a part is in them.
        """
        if n < 1:
            return len(text)
        encoded = self.encode(text)
        ids, spans = encoded.text_ids, encoded.text_spans
        first = len(ids) - n
        if first < 1:
            return 0
        beginning = slice(first, first + BYTES)  # so that its first character is whole
        start, end = spans[first - 1][1], spans[beginning][-1][1]
        decoded = self.decode(ids[beginning]).lstrip("\ufffd")  # which stands for part of a character
        return start + max(_indent(text[start:end]) - _indent(decoded), 0)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids, special tokens left out but for the marks of thinking, white space as it was made."""
        if self._thinking_marks.isdisjoint(ids):
            return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))
        kept = [token for token in ids if token not in self.special or token in self._thinking_marks]
        return str(self.tokenizer.decode(kept, skip_special_tokens=False))

    def _without_added_space(self, texts: list[str]) -> list[str]:
        """Pieces of one text, without the leading space that this tokenizer adds to each by itself."""
        if "Prepend(" not in repr(self.tokenizer.normalizer):
            return texts
        return [*texts[:1], *(text[1:] for text in texts[1:])]

    def _sizes(self, texts: Sequence[str]) -> Iterator[int]:
        for position in range(0, len(texts), BATCH_SIZE):
            batch = [_SURROGATE.sub("\ufffd", text) for text in texts[position : position + BATCH_SIZE]]
            for encoding in self.tokenizer.encode_batch_fast(batch, add_special_tokens=False):
                yield len(encoding.ids)

    def _long(self, text: str) -> int:
        """Number of tokens of a long text; each distinct word is encoded once."""
        key = (len(text), hash(text))
        size = self._long_counts.get(key)
        if size is None:
            words: Counter[str] = Counter()
            for piece in self._without_added_space(_pieces(text, 50 * PIECE)):
                words.update(self._without_added_space(_SPACE.split(piece)))
            sizes = self._sizes(list(words))
            size = sum(tokens * count for tokens, count in zip(sizes, words.values(), strict=True))
            if len(self._long_counts) >= CACHE_SIZE:
                self._long_counts.clear()
            self._long_counts[key] = size
        return size


def _pieces(text: str, size: int = PIECE) -> list[str]:
    """The text in pieces of about `size` characters, cut before single spaces; lone surrogates become U+FFFD."""
    clean = _SURROGATE.sub("\ufffd", text)
    pieces = []
    start = 0
    while len(clean) - start > size:
        space = _SPACE.search(clean, start + size)
        if space is None:
            break
        pieces.append(clean[start : space.start()])
        start = space.start()
    return [*pieces, clean[start:]]


def _indent(text: str) -> int:
    """How many characters of white space a text begins with."""
    return len(text) - len(text.lstrip())


def _starts(lengths: Sequence[int], tokens: Sequence[int]) -> list[int]:
    """For each token the offset in the text at which its piece begins."""
    starts, position = [], 0
    for length, n in zip(lengths, tokens, strict=True):
        starts.extend([position] * n)
        position += length
    return starts


def _converted(path: Path) -> Any:
    from tokenizers import Tokenizer
    from transformers import AutoTokenizer

    folder = str(path)  # which has no revision to name
    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)  # nosec B615
    if not hasattr(tokenizer, "backend_tokenizer"):
        raise UserError(f"{path} needs a tokenizer.json: {type(tokenizer).__name__} has no fast version")
    return Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
