"""Several encodings as one: Fusion-in-Decoder (Izacard and Grave 2021, section 3) and SLED (Ivgi et al. 2023).

Fusion-in-Decoder: every prompt is encoded alone; the decoder attends to the states of all, one after the other.

SLED: the document of one prompt is encoded in windows, each between the prompt's own words. Of a window the states of
`overlap` tokens at either edge are dropped, save at the document's ends, so that each token of the document has one
state, with at least so many tokens of context on both sides. The states of the words before the document are those of
the first window, of what follows it those of the last: one window is the plain model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from longdoc.errors import UserError
from models.prompts import Prompt
from models.requests import Fuse
from models.truncation import TooLong, fit

if TYPE_CHECKING:  # which read and encode what is fused here
    from models.neural._encoder_decoder import EncoderDecoder, Source
    from models.neural.seq2seq import Seq2seq


@dataclass(frozen=True, slots=True)
class Window:
    """What is encoded at once, and the stretch (start, end) of its tokens whose states are kept."""

    source: "Source"
    kept: tuple[int, int]


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
        """The tokens whose states are kept."""
        return [token for one in self.windows for token in one.source.ids[slice(*one.kept)]]


def read(reader: "Seq2seq", request: Fuse) -> tuple[Prompt, Fused]:
    """A request's prompts as one, each cut to the reader's limit or, with overlap, in windows. Raises `TooLong`."""
    prompts = [reader._pair.prompt(Prompt.of(prompt)) for prompt in request.prompts]
    if not request.overlap:
        prompts = [fit(prompt, reader.max_input_tokens, reader.count, reader.token_ends) for prompt in prompts]
    windows: list[Window] = []
    for prompt in prompts:
        source = reader._source(prompt)
        if request.overlap:
            limit = reader._facts["max_input_tokens_with_special"]
            windows += sliding(source, _document(reader, prompt, limit), limit, request.overlap)
        else:
            windows.append(Window(source, (0, len(source.ids))))
    whole = Prompt(tuple(part for prompt in prompts for part in prompt.parts), cut=sum(one.cut for one in prompts))
    kept = sum(end - start for start, end in (window.kept for window in windows))
    return whole, Fused(tuple(windows), reader.batch_tokens, kept - len(prompts) * reader._pair.source.added)


def sliding(source: "Source", document: tuple[int, int], limit: int, overlap: int) -> Iterator[Window]:
    """A prompt in windows of at most `limit` tokens over the tokens `document` of it. Raises `UserError`: no room."""
    first, last = document
    n, room = last - first, limit - first - (len(source.ids) - last)
    if n > room and room <= 2 * overlap:
        told = f"a window of {limit} tokens has room for {room} of the document beside the question"
        raise UserError(f"{told}, which overlap={overlap} on both sides fills: lower overlap")
    for start, end, since, until in _stretches(n, room, overlap):
        at = (*range(first), *range(first + start, first + end), *range(last, len(source.ids)))
        marks = source.attends_to_all
        ids, marked = [source.ids[i] for i in at], None if marks is None else [marks[i] for i in at]
        own = first + since - start, first + until - start
        kept = 0 if since == 0 else own[0], len(at) if until == n else own[1]
        yield Window(replace(source, ids=ids, attends_to_all=marked), kept)


def joined(network: "EncoderDecoder", fused: Sequence[Fused]) -> dict[str, Any]:
    """What `generate` takes for fused sources: encoder states [sources, tokens, width], padded, and their mask."""
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    rows = [torch.cat(list(_states(network, one))) for one in fused]
    width = max(map(len, rows))
    mask = torch.zeros((len(rows), width), dtype=torch.long, device=network.model.device)
    states = rows[0].new_zeros((len(rows), width, rows[0].shape[-1]))
    for i, row in enumerate(rows):
        states[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return {"encoder_outputs": BaseModelOutput(last_hidden_state=states), "attention_mask": mask}


def _document(reader: "Seq2seq", prompt: Prompt, limit: int) -> tuple[int, int]:
    """Which tokens of a prompt are its document's. Raises `TooLong` where the others fill the limit."""
    roles = [part.role for part in prompt.shown]
    encoded = reader._pair.source.encode(prompt.text)
    inside: list[int] = []
    if "document" in roles:
        first, last = roles.index("document"), len(roles) - roles[::-1].index("document")
        start = len(Prompt(prompt.shown[:first], prompt.separator, prompt.cut).text)
        end = len(prompt.text) - len(Prompt(prompt.shown[last:], prompt.separator, prompt.cut).text)
        own = (i for i, special in enumerate(encoded.special) if not special)
        inside = [i for i in own if encoded.places[i][0] < end and start < encoded.places[i][1]]
    found = (inside[0], inside[-1] + 1) if inside else (len(encoded.ids),) * 2
    fixed, added = len(encoded.ids) - (found[1] - found[0]), reader._pair.source.added
    if fixed >= limit:
        raise TooLong(fixed - added, limit - added)
    return found


def _stretches(n: int, room: int, overlap: int) -> Iterator[tuple[int, int, int, int]]:
    """(start, end) of each window over n tokens, and (since, until) of what is kept of it; the last one is full too."""
    start = since = 0
    while True:
        end = min(start + room, n)
        until = n if end == n else end - overlap
        yield start, end, since, until
        if end == n:
            return
        since, start = until, min(until - overlap, n - room)


def _states(network: "EncoderDecoder", fused: Fused) -> Iterator[Any]:
    """The kept states of each window [tokens, width], neighbours encoded together within the budget."""
    import torch

    for batch in _batches(fused.windows, fused.budget):
        with torch.inference_mode():
            inputs = network.inputs([one.source for one in batch])
            states = network.model.get_encoder()(**inputs, return_dict=True).last_hidden_state
        yield from (row[slice(*one.kept)] for row, one in zip(states, batch, strict=True))


def _batches(windows: Sequence[Window], budget: int | None) -> Iterator[list[Window]]:
    batch: list[Window] = []
    for window in windows:
        widest = max(len(one.source.ids) for one in (*batch, window))
        if batch and (budget is None or (len(batch) + 1) * widest > budget):
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch
