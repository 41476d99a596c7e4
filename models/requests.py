"""Requests to a model, its replies, and training examples."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from models.prompts import Prompt


@dataclass(frozen=True, slots=True)
class Generate:
    """Continue `prompt` by at most `max_new_tokens` tokens, ending before any of `stop`.

    `choices` are the outputs of which the prompt asks for one. A reader that can hold a model to them does so
    (`Openai.structured`); others leave it to the prompt, so that the value may be any text.
    Value: str (tuple of str if n > 1).
    """

    prompt: Prompt | str
    max_new_tokens: int
    stop: tuple[str, ...] = ()
    n: int = 1
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fuse:
    """Continue several prompts at once: each is encoded by itself, the decoder attends to all (Fusion-in-Decoder).

    With `overlap` > 0 a prompt over the reader's limit is not truncated: its document is encoded in windows, and the
    states of `overlap` tokens on both sides of each are dropped, as they are only context (SLED). Value: as for
    `Generate`.
    """

    prompts: tuple[Prompt | str, ...]
    max_new_tokens: int
    stop: tuple[str, ...] = ()
    n: int = 1
    overlap: int = 0


@dataclass(frozen=True, slots=True)
class Score:
    """The summed log-probability (natural log) of `continuation` after `prompt`. Value: float.

    The continuation is encoded by itself, or, where it is `joined`, with the prompt as one text: its tokens are then
    those behind the prompt's, as lm-evaluation-harness has them. Encoder-decoder readers always encode it by itself.
    """

    prompt: Prompt | str
    continuation: str
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Classify:
    """Which of the reader's labels fits `text`. Value: dict of label to probability, summing to one."""

    text: Prompt | str


@dataclass(frozen=True, slots=True)
class Compare:
    """For each pair (i, j) of `texts`, how alike they are. Value: tuple of probabilities, one per pair.

    A reader need not be symmetric: give i before j, in document order.
    """

    texts: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]


Request = Generate | Fuse | Score | Classify | Compare


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """A prompt whose tokens a server counts: its `tokens` as counted here, and the fewest that it can have (`least`).

    Prompts of the same `prefix` begin alike, so that a server may have kept what it read of an earlier one.
    """

    tokens: int
    least: int
    prefix: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request. A failed request has `error` set and `value` None.

    - `value`: the answer, by the kind of request; of a text what is left of it without thinking, up to the first stop
      string.
    - `thinking`: what the model thought before its answer, where it or its server says that (of several outputs in one
      text, blank lines between); never scored.
    - `finish_reason`: "stop", "length", "refusal" (of the model or its server: `value` has the words), "unknown" (the
      server's word is among `served`), "error", "unasked" (before the model was asked) or "awaited" (an error for now:
      it comes at a later start).
    - `tokens_in`: prompt tokens; `cached_tokens` of them were read from the server's cache, `cache_write_tokens` were
      written to it. `tokens_out`: tokens that the model wrote; `reasoning_tokens` of them were thinking.
    - `truncated_tokens`: the prompt tokens that were cut off before it was sent.
    - `sent`: what was sent, where a server says how many tokens it read of it (`tokens_in`).
    - `served`: the names that a server reports, by kind ("models", "fingerprints"): a hosted model may change under one
      name. "finish_reasons" has its words for ends that are not known here, and "choices" how it was asked for one
      ("schema", or in "words" alone as it took none).
    - `greedy` says of a score whether greedy decoding would write the continuation; None where that is not known, and
      for a reply from a log.
    """

    value: Any
    tokens_in: int = 0
    tokens_out: int = 0
    truncated_tokens: int = 0
    finish_reason: str = "stop"
    error: str | None = None
    thinking: str = ""
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    sent: SentPrompt | None = None
    served: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    greedy: bool | None = None

    @property
    def refused(self) -> bool:
        """Whether the model or its server refused to answer."""
        return self.finish_reason == "refusal"

    @classmethod
    def failed(cls, reason: str, tokens_in: int = 0) -> "Reply":
        """The reply to a request that could not be answered."""
        return cls(None, tokens_in=tokens_in, finish_reason="error", error=reason)


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A request of the strategy with its reference outputs."""

    request: Request
    references: tuple[str, ...]
