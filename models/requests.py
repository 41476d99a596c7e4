"""Requests in, replies out: all that the rest of the house knows of a model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from models.prompts import Prompt


@dataclass(frozen=True, slots=True)
class Generate:
    """Continue `prompt` by at most `max_new_tokens` tokens, ending before any of `stop`.

    Value: str (tuple of str if n > 1).
    """

    prompt: Prompt | str
    max_new_tokens: int
    stop: tuple[str, ...] = ()
    n: int = 1


@dataclass(frozen=True, slots=True)
class Fuse:
    """Continue several prompts at once: each is encoded alone, and the decoder attends to all (Fusion-in-Decoder).

    With `overlap` > 0 a prompt over the reader's limit is not cut: its document is encoded in windows, `overlap`
    tokens on both sides of each being context whose states are dropped (SLED). Value: as for `Generate`.
    """

    prompts: tuple[Prompt | str, ...]
    max_new_tokens: int
    stop: tuple[str, ...] = ()
    n: int = 1
    overlap: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """The summed log-probability (natural log) of `continuation` after `prompt`. Value: float."""

    prompt: Prompt | str
    continuation: str


@dataclass(frozen=True, slots=True)
class Classify:
    """Which of the reader's labels fits `text`. Value: dict of label to probability, summing to one."""

    text: Prompt | str


@dataclass(frozen=True, slots=True)
class Compare:
    """For each pair (i, j) of `texts`, how alike they are. Value: tuple of probabilities, one a pair.

    A reader may tell (i, j) from (j, i): give i before j as they stand in the document.
    """

    texts: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]


Request = Generate | Fuse | Score | Classify | Compare


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `truncated_tokens` counts the prompt tokens that had to go; where it failed, `error` is set,
    `value` None.

    `raw` is the output as it came, where `value` leaves something of it out (`<think>` blocks). `served` are the names
    that a server gave itself, by kind ("models", "fingerprints"): a hosted model may change under one name.
    """

    value: Any
    tokens_in: int = 0
    tokens_out: int = 0
    truncated_tokens: int = 0
    finish_reason: str = "stop"  # stop | length | refusal | error | unasked (an error before the model was asked)
    error: str | None = None
    raw: str | tuple[str, ...] | None = None
    served: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def failed(cls, reason: str, tokens_in: int = 0) -> "Reply":
        """The reply to a request that could not be answered."""
        return cls(None, tokens_in=tokens_in, finish_reason="error", error=reason)


Arrived = Callable[[int, Reply], None]  # told of a reply, with the place of its request, the moment it is there


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A training example as the reader meets it: the first request that the strategy makes, and the right output."""

    request: Request
    references: tuple[str, ...]


@runtime_checkable
class Reader(Protocol):
    """A model behind requests.

    Readers may further have: `fit(examples)`, called with `TrainingExample`s of the task's training split before
    inference (a list, or an iterator where `streams_training` is true, so that no book is kept), and `fitted`, true
    where that has happened (a trained folder); `whole`, true where it makes sense of whole documents only;
    `batch_tokens` (how many prompt tokens one call of `reply` takes together; None: one request a call; absent: 16
    requests a call); `resolve()` -> mapping of what `run.json` keeps about it (revision, dtype, device), called once
    before the run; `max_output_tokens` (the longest output; None or absent: no end), to which a task's own length is
    lowered; `stream(requests, arrived)` -> pairs (place of the request, its reply) as they arrive, used instead of
    `reply`, `concurrency` being how many are under way: `arrived(place, reply)`, by which the engine logs each, is to
    be called first, in the thread that got it (it may be called in several at once); `begin(tokens_in, tokens_out)`,
    called before a run with what its log holds, and `spent` (the run's cost so far, None: unknown); `decoder_window`,
    true where prompt and output share `max_input_tokens` (decoders): room is then left for the output;
    `token_ends(text)` (`fitting.Tokenizing`): where its tokens end, for prompts that are cut at the token; `chats`,
    true where a prompt is what a user says in a conversation, so that it has to say what is wanted;
    `prompt_limit(max_new_tokens)`, the bound on a prompt with such an output behind it, where it is no such difference.
    """

    supports: frozenset[type]
    labels: tuple[str, ...] | None
    max_input_tokens: int | None

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text as this reader counts them, special tokens left out."""
        ...

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply per request, in order. A prompt over the limit is cut (`models.truncation`); the reply says so."""
        ...


@runtime_checkable
class JoinsPairs(Protocol):
    """A reader that reads the two texts of a comparison as one; others read each by itself."""

    def pair(self, first: str, second: str) -> Prompt:
        """What it reads of two texts, cut to its limit; a document part knows its place in its own text."""
        ...


def prompt_limit(reader: Reader, max_new_tokens: int) -> int | None:
    """The most tokens of a prompt that a reader reads with an output of so many behind it, None for no bound."""
    own: Callable[[int], int | None] | None = getattr(reader, "prompt_limit", None)
    if own is not None:
        return own(max_new_tokens)
    limit = reader.max_input_tokens
    return limit - max_new_tokens if limit is not None and getattr(reader, "decoder_window", False) else limit
