"""What networks that generate read: requests with encoded prompts, and several encodings as one.

Fusion-in-Decoder (Izacard and Grave 2021, section 3): every prompt is encoded alone; the decoder attends to the states
of all, one after the other.

SLED (Ivgi et al. 2023): the document of one prompt is encoded in windows, each between the prompt's own words. Of a
window the states of `overlap` tokens at either edge are dropped, save at the document's ends, so that each token of the
document has one state, with at least so many tokens of context on both sides. The states of the words before the
document are those of the first window, of what follows it those of the last: one window is the plain model.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from longdoc.errors import UserError
from models.prompts import Prompt
from models.requests import Fuse, Generate, Score


@dataclass(frozen=True, slots=True)
class Source:
    """A prompt's token ids, and for each whether it attends to all others (models with global attention; else None)."""

    ids: list[int]
    attends_to_all: list[bool] | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A target: its token ids, and the special tokens before them in the decoder's input."""

    prefix: list[int]
    ids: list[int]


@dataclass(frozen=True, slots=True)
class Window:
    """An encoder input, and the span (start, end) of its tokens whose states are used."""

    source: Source
    used: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Fused:
    """Windows whose states the decoder sees as one; `budget`: padded tokens encoded together (None: one window).

    `tokens` is how many tokens of text the decoder sees, special ones left out.
    """

    windows: tuple[Window, ...]
    budget: int | None
    tokens: int

    @property
    def ids(self) -> list[int]:
        """The token ids whose states are used."""
        return [token for window in self.windows for token in window.source.ids[slice(*window.used)]]


@dataclass(frozen=True, slots=True)
class EncodedRequest:
    """A request whose prompt fits; `tokens` are the prompt's, special ones left out.

    For a decoder-only network they are all that it reads, as a server counts them: chat template and special ones too.
    """

    index: int
    request: Generate | Fuse | Score
    prompt: Prompt
    tokens: int

    @property
    def variant(self) -> int:
        """A further number that must be equal within a batch."""
        return 0

    @property
    def kind(self) -> tuple[str, int, int, tuple[str, ...], int]:
        """The properties that must be equal within a batch."""
        if isinstance(self.request, Score):
            return ("score", 0, 0, (), self.variant)
        name = "fuse" if isinstance(self.request, Fuse) else "generate"
        return (name, self.request.max_new_tokens, self.request.n, self.request.stop, self.variant)

    @property
    def key(self) -> str:
        """The text that seeds the sampling of this request's outputs."""
        return f"{self.kind[:4]}\n{self.prompt.text}"


@dataclass(frozen=True, slots=True)
class EncoderDecoderRequest(EncodedRequest):
    """A request for an encoder-decoder network. `padded`: the padded length if outputs depend on it, else 0."""

    source: Source | Fused
    padded: int = 0

    @property
    def variant(self) -> int:
        """The padded length."""
        return self.padded

    @property
    def source_key(self) -> str | int:
        """Requests with equal keys share one encoder input: scores of equal prompts do."""
        return self.prompt.text if isinstance(self.request, Score) else self.index


@dataclass(frozen=True, slots=True)
class DecoderRequest(EncodedRequest):
    """A request for a decoder-only network: token ids of the prompt and, of a score, of the continuation.

    `thinking`: the mark of a block of thinking that the chat template opened, "" for none.
    """

    ids: list[int]
    continuation_ids: list[int]
    thinking: str

    @property
    def variant(self) -> int:
        """1 if outputs begin inside a block of thinking, else 0."""
        return int(bool(self.thinking) and not isinstance(self.request, Score))


def sliding(source: Source, document: tuple[int, int], limit: int, overlap: int) -> Iterator[Window]:
    """Windows of at most `limit` tokens over the prompt's `document` (start, end). Raises `UserError`: no room."""
    first, last = document
    n, budget = last - first, limit - first - (len(source.ids) - last)
    if n > budget and budget <= 2 * overlap:
        problem = f"a window of {limit} tokens has room for {budget} tokens of the document beside the question"
        raise UserError(f"{problem}, and overlap={overlap} on both sides takes all of them: lower overlap")
    for start, end, used_start, used_end in _stretches(n, budget, overlap):
        positions = (*range(first), *range(first + start, first + end), *range(last, len(source.ids)))
        ids = [source.ids[i] for i in positions]
        attends = None if source.attends_to_all is None else [source.attends_to_all[i] for i in positions]
        used = first + used_start - start, first + used_end - start
        used_to_edges = 0 if used_start == 0 else used[0], len(positions) if used_end == n else used[1]
        yield Window(replace(source, ids=ids, attends_to_all=attends), used_to_edges)


def _stretches(n: int, budget: int, overlap: int) -> Iterator[tuple[int, int, int, int]]:
    """(start, end, used start, used end) of each window over n tokens; the last window is full too."""
    start = used_start = 0
    while True:
        end = min(start + budget, n)
        used_end = n if end == n else end - overlap
        yield start, end, used_start, used_end
        if end == n:
            return
        used_start, start = used_end, min(used_end - overlap, n - budget)
