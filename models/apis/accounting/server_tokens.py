"""Tokens as a server counts them, so that a prompt fills its window: no tokenizer has to be on this machine.

- llama.cpp: `POST /tokenize` of a text, and `POST /apply-template` of messages, whose prompt is tokenized in turn
  (github.com/ggml-org/llama.cpp, tools/server/README.md);
- vLLM, SGLang: `POST /tokenize` of a text (`prompt`), of vLLM also of `messages`
  (docs.vllm.ai, "Online serving", tokenizer API).

Counting must take little beside the model. Counts are remembered by the text's digest, since chunks and prompts are
counted many times. llama.cpp gets many texts in one call, joined by the token that ends an answer: it takes a prompt
apart at such tokens before it looks for others, so that the tokens between two of them are those of the text alone.
"""

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

from longdoc.errors import UserError
from longdoc.messages import note
from models.apis.accounting.served_model import ServedModel
from models.apis.accounting.token_estimate import estimates, fewest_tokens
from models.apis.sending.response import plain_text, whole_number

MAX_COUNTS = 65_536  # counts that are remembered
CALL = 200_000  # characters of texts that are counted in one call
THREADS = 8  # calls under way at once, of servers that count one text each
_MARK = re.compile(r"<\|[^|<>]*\|>")
PROBES = ("The quick brown fox jumps over the lazy dog.", " 1871,\n\nЖ漢字 and so on ", "x")

Messages = Sequence[Mapping[str, Any]]
Post = Callable[[str, Mapping[str, Any]], Any]  # a path and a body: the JSON of the answer. Raises `CountError`


class CountError(UserError):
    """The server did not count: it does not answer, or has no such path."""


class Nonsense(Exception):
    """The server's answer cannot be the tokens of what it was sent."""


class Wire(Protocol):
    """The requests by which one kind of server counts tokens. All raise `CountError` and `Nonsense`."""

    def sizes(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text by itself."""
        ...

    def conversation(self, messages: Messages, fields: Mapping[str, Any]) -> int:
        """The tokens of messages in the chat template, up to where the model's turn begins."""
        ...

    def pieces(self, text: str) -> list[bytes]:
        """The bytes of each token of a text; empty if the server does not report them."""
        ...

    def foreign_mark(self, messages: Messages, fields: Mapping[str, Any]) -> str:
        """A mark of the chat template that the model does not know as a token; "" where there is none."""
        ...


class ServerTokens:
    """Counts texts and conversations by a server's tokenizer. Thread-safe.

    `says` is printed once where the server begins to answer nonsense; the texts in question are estimated then.
    """

    def __init__(self, wire: Wire, url: str) -> None:
        self._wire, self._url = wire, url
        self._counts: dict[bytes, int] = {}
        self._lock = threading.Lock()
        self._is_doubted = False

    def problem(self) -> str:
        """Why this server's counts cannot be used; "" if they can."""
        try:
            self._checked(PROBES, self._wire.sizes(PROBES))
        except CountError:
            return f"The server at {self._url} does not count tokens (/tokenize)"
        except Nonsense:
            return f"The token counts of the server at {self._url} (/tokenize) make no sense"
        return ""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special ones of its own. Raises `CountError`."""
        keys = [_digest(text) for text in texts]
        with self._lock:
            counts = {key: self._counts[key] for key in keys if key in self._counts}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in counts}
        if missing:
            counts |= zip(missing, self._sizes([plain_text(text) for text in missing.values()]), strict=True)
            self._keep({key: counts[key] for key in missing})
        return [counts[key] for key in keys]

    def conversation(self, messages: Messages, fields: Mapping[str, Any]) -> int | None:
        """Tokens of messages in the chat template; None where the server does not say. `fields` go into the body."""
        key = _digest(repr(([dict(message) for message in messages], sorted(fields.items()))))
        with self._lock:
            if key in self._counts:
                return self._counts[key]
        try:
            size = self._wire.conversation(messages, fields)
        except (CountError, Nonsense):
            return None
        self._keep({key: size})
        return size

    def foreign_mark(self) -> str:
        """A mark that the server puts around messages though the model does not know it; "" where there is none."""
        try:
            return self._wire.foreign_mark([{"role": "user", "content": "x"}], {})
        except (CountError, Nonsense):
            return ""

    def ends(self, text: str) -> list[int] | None:
        """Where the tokens of a text end in it, rising; None where the server does not say."""
        sent = plain_text(text)
        try:
            pieces = self._wire.pieces(sent)
        except (CountError, Nonsense):
            return None
        content = sent.encode()
        if b"".join(pieces) != content:
            return None
        position, ends = 0, []
        for piece in pieces:
            position += len(piece)
            if position == len(content) or content[position] & 0xC0 != 0x80:  # else half a character
                ends.append(position)
        return _characters(content, ends)

    def _sizes(self, texts: Sequence[str]) -> list[int]:
        try:
            return self._checked(texts, self._wire.sizes(texts))
        except Nonsense:
            with self._lock:
                is_first, self._is_doubted = not self._is_doubted, True
            if is_first:
                note(f"Some token counts of the server at {self._url} make no sense; longdoc estimates these.")
            return estimates(texts)

    def _checked(self, texts: Sequence[str], sizes: Sequence[int]) -> list[int]:
        """The sizes if they are plausible. Raises `Nonsense`: a token has at least a byte and at most a word or two."""
        for text, size in zip(texts, sizes, strict=True):
            if not fewest_tokens(text) <= size <= len(text.encode("utf-8", "surrogatepass")) + 1:  # a space before it
                raise Nonsense
        return list(sizes)

    def _keep(self, sizes: Mapping[bytes, int]) -> None:
        with self._lock:
            self._counts |= sizes
            while len(self._counts) > MAX_COUNTS:
                del self._counts[next(iter(self._counts))]


@dataclass(frozen=True, slots=True)
class LlamaCpp:
    """llama.cpp's server. `end` is the text of its token for the end of an answer, "" where it is not known."""

    post: Post
    end: str = ""

    def sizes(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, many of them in one call."""
        return [size for batch in _batches(texts) for size in self._batch(batch)]

    def conversation(self, messages: Messages, fields: Mapping[str, Any]) -> int:
        """The tokens of messages: their prompt, with the tokens that the server adds at its beginning."""
        return len(self._tokens(self._prompt(messages, fields), add_special=True))

    def pieces(self, text: str) -> list[bytes]:
        """The bytes of each token; one that is part of a character comes as numbers."""
        tokens = self._tokens(text, with_pieces=True)
        pieces = [token.get("piece") if isinstance(token, Mapping) else None for token in tokens]
        try:
            return [piece.encode() if isinstance(piece, str) else bytes(piece or ()) for piece in pieces]
        except (TypeError, ValueError):
            raise Nonsense from None

    def foreign_mark(self, messages: Messages, fields: Mapping[str, Any]) -> str:
        """The first mark of the template that several tokens make up, as where the model has no template of its own."""
        marks = _MARK.findall(self._prompt(messages, fields))
        return next((mark for mark in marks if len(self._tokens(mark)) > 1), "")

    def _prompt(self, messages: Messages, fields: Mapping[str, Any]) -> str:
        answer = self.post("/apply-template", {"messages": list(messages), **fields})
        prompt = answer.get("prompt") if isinstance(answer, Mapping) else None
        if not isinstance(prompt, str):
            raise Nonsense
        return prompt

    def _batch(self, texts: Sequence[str]) -> list[int]:
        if len(texts) == 1 or not self.end or any(self.end in text for text in texts):
            return [len(self._tokens(text)) if text else 0 for text in texts]
        tokens = self._tokens(self.end.join(["", *texts]))
        sizes: list[int] = []
        for token in tokens:
            if token == tokens[0]:
                sizes.append(0)
            elif sizes:
                sizes[-1] += 1
        return sizes if len(sizes) == len(texts) else [len(self._tokens(text)) for text in texts]

    def _tokens(self, text: str, **fields: bool) -> list[Any]:
        answer = self.post("/tokenize", {"content": text, **fields})
        tokens = answer.get("tokens") if isinstance(answer, Mapping) else None
        if not isinstance(tokens, list):
            raise Nonsense
        return tokens


@dataclass(frozen=True, slots=True)
class Vllm:
    """vLLM's server, or SGLang's; `model` is the name that it serves."""

    post: Post
    model: str

    def sizes(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, one call for each."""
        with ThreadPoolExecutor(THREADS) as threads:
            return list(threads.map(self._size, texts))

    def conversation(self, messages: Messages, fields: Mapping[str, Any]) -> int:
        """The tokens of messages in the chat template."""
        return self._count({"messages": list(messages), "add_generation_prompt": True, **fields})

    def pieces(self, text: str) -> list[bytes]:
        """None: vLLM names tokens by the signs of its vocabulary."""
        return []

    def foreign_mark(self, messages: Messages, fields: Mapping[str, Any]) -> str:
        """Nothing: vLLM refuses messages where the model has no template."""
        return ""

    def _size(self, text: str) -> int:
        return self._count({"prompt": text, "add_special_tokens": False}) if text else 0

    def _count(self, body: Mapping[str, Any]) -> int:
        answer = self.post("/tokenize", {"model": self.model, **body})
        size = whole_number(answer.get("count")) if isinstance(answer, Mapping) else None
        if size is None:
            raise Nonsense
        return size


def wire_of(served: ServedModel, model: str, post: Post) -> Wire | None:
    """The requests for the kind of server; None if it does not count tokens."""
    if served.counting == "llama.cpp":
        return LlamaCpp(post, served.end)
    return Vllm(post, model) if served.counting == "vllm" else None


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in groups of about `CALL` characters."""
    batch: list[str] = []
    length = 0
    for text in texts:
        if batch and length + len(text) > CALL:
            yield batch
            batch, length = [], 0
        batch.append(text)
        length += len(text)
    if batch:
        yield batch


def _characters(content: bytes, places: Sequence[int]) -> list[int]:
    """Byte offsets in UTF-8, rising, as character offsets."""
    characters, last, ends = 0, 0, []
    for place in places:
        characters += len(content[last:place].decode())
        last = place
        ends.append(characters)
    return ends


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
