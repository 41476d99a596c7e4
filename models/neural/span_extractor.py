"""Extractive question answering with encoders of `transformers` (BERT, RoBERTa, Longformer …, fine-tuned on SQuAD).

A span of tokens (i, j), i <= j, is worth start logit i + end logit j (Devlin et al. 2019, section 4.2). A passage that
is longer than what the model reads is read in windows that overlap; the best span over all windows of all passages is
the answer. For models that may answer nothing (SQuAD 2.0, section 4.3 there) the null span is the first token's, its
value the least over the windows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

import numpy as np

from longdoc.errors import UserError
from models.neural.shared.batching import BATCH_TOKENS, batches, halved, no_memory
from models.neural.shared.classifier_head import EncoderReader, Network
from models.neural.shared.gold_spans import Gold, gold, tokens
from models.neural.shared.text_pairs import Ids
from models.prompts import Prompt
from models.refusals import UNANSWERABLE
from models.requests import Generate, Reply, Request
from models.truncation import TooLong, truncate
from models.word_reader import before, check_limit

SPARE_LIMIT = 4  # spans of a window per requested answer: some are white space, or equal in text

ScoredSpan = tuple[float, int, int, int]  # value, passage, where in it the span starts and ends (characters)


@dataclass(frozen=True, eq=False)
class SpanExtractor(EncoderReader):
    """Answers with a span of the passages: the prompt's query is the question, its other words are not read.

    - `max_answer_tokens`: the longest span; a request's `max_new_tokens` lowers it.
    - `null_threshold`: for models trained with unanswerable questions: the answer is "Unanswerable" where the null
      span is worth more than the best one by over so much. None: there is always an answer.
    - `window`: tokens of question and passage that are read at once, with the special ones. None: the model's
      positions.
    - `stride`: each window starts so many tokens of the passage after the one before (at most what a window holds).
      None: half of what it holds.
    - `max_input_tokens`: the bound on a prompt. None: no end, since the window slides.
    - `device`: None is the GPU if there is one. `dtype`: "auto" is bf16 where the hardware computes in it, else fp32.
    - `deterministic`: fp32, one window at a time.
    - `batch_tokens`: padded tokens of windows that are read together. None: 32,768 on a GPU, elsewhere one window.
    - `options`: further arguments of `from_pretrained`.

    Text is given as it stands in the passage; n > 1 gives the n best different texts. Construction reads configuration
    and tokenizer, the first request or `resolve` looks for the weights. Thread-safe. Raises `UserError`.
    """

    max_answer_tokens: int = 30
    null_threshold: float | None = None
    window: int | None = None
    stride: int | None = None

    supports = frozenset({Generate})
    task = "QuestionAnswering"
    texts = 2
    least_tokens = 2
    limit_field = "window"

    def __post_init__(self) -> None:
        """Refuse fields that cannot work."""
        check_limit(self.max_input_tokens)
        for name, value in (("max_answer_tokens", self.max_answer_tokens), ("stride", self.stride)):
            if value is not None and value < 1:
                raise UserError(f"{name} must be at least 1, got {value}")
        super().__post_init__()

    @property
    def _given_limit(self) -> int | None:
        return self.window

    @property
    def max_prompt_tokens(self) -> int | None:
        """The given bound on a prompt, None for none: the window slides over it."""
        return self.max_input_tokens

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply per request, in order; windows of similar length are read together, across requests."""
        with self._lock:
            replies: dict[int, Reply] = {}
            asked_values: dict[int, tuple[Generate, Prompt]] = {}
            windows: list[Window] = []
            for i, request in enumerate(requests):
                if not isinstance(request, Generate):
                    raise self.unsupported(request)
                try:
                    prompt = truncate(
                        Prompt.of(request.prompt), self.max_input_tokens, self.count, self.token_ends, self.edges
                    )
                    windows += self._windows(i, prompt)
                    asked_values[i] = request, prompt
                except TooLong as error:
                    replies[i] = Reply.failed(str(error), error.fixed)
            read: dict[int, list[tuple[Window, Any, Any]]] = {i: [] for i in asked_values}
            for window, logits in zip(windows, self._read(windows), strict=True):
                read[window.request].append((window, *logits))
            for i, (request, prompt) in asked_values.items():
                replies[i] = self._reply(request, prompt, read[i])
        return [replies[i] for i in range(len(requests))]

    def training_inputs(self, prompt: Prompt | str, references: Sequence[str]) -> list[tuple["Window", int, int]]:
        """A prompt's windows with the first and the last token of the right span in each: what training works on.

        Windows without the whole span are left out; with a `null_threshold` their span is the first token, and so for
        all windows where no reference has a letter. Nothing where no window holds the span. Raises `TooLong`.
        """
        fitted = truncate(Prompt.of(prompt), self.max_input_tokens, self.count, self.token_ends, self.edges)
        is_nothing = self.null_threshold is not None
        right = gold([part.text for part in fitted.titled_passages], references)
        if right is None and not (is_nothing and references and not any(map(str.strip, references))):
            return []
        windows = list(self._windows(0, fitted))
        spans = [None] * len(windows) if right is None else self._positions(windows, fitted, right)
        if right is not None and not any(spans):
            return []
        return [(window, *(span or (0, 0))) for window, span in zip(windows, spans, strict=True) if span or is_nothing]

    def inputs(self, network: Network, windows: Sequence["Window"]) -> dict[str, Any]:
        """What the network is called with for windows, padded."""
        ids, types = zip(*(self.joining.joined(window.question, window.ids) for window in windows), strict=True)
        inputs = network.inputs(ids, types)
        if "global_attention_mask" in inputs:  # Longformer: the question attends to all
            for row, window in enumerate(windows):
                inputs["global_attention_mask"][row, : len(self.joining.before) + len(window.question)] = 1
        return inputs

    def _positions(self, windows: Sequence["Window"], prompt: Prompt, right: Gold) -> list[tuple[int, int] | None]:
        """Where in each input the span starts and ends (tokens), None where the window lacks any of it."""
        position, start, end = right
        span = tokens(self._encoded(prompt.titled_passages[position].text)[1], start, end)
        spans: list[tuple[int, int] | None] = []
        for window in windows:
            whole_value = (
                span
                and window.passage == position
                and window.begins <= span[0]
                and span[1] < window.begins + len(window.ids)
            )
            shift = self._first(window) - window.begins
            spans.append((span[0] + shift, span[1] + shift) if span and whole_value else None)
        return spans

    def _first(self, window: "Window") -> int:
        """Where in the input the passage begins."""
        return len(self.joining.before) + len(window.question) + len(self.joining.between)

    def _windows(self, number: int, prompt: Prompt) -> Iterator["Window"]:
        """The windows over each passage of a prompt. Raises `TooLong` for a question that leaves no room."""
        question, _ = self._encoded(prompt.query)
        budget = self.text_limit - len(question)
        if budget < 1:
            raise TooLong(len(question), self.text_limit - 1)
        stride = min(self.stride or -(-budget // 2), budget)
        for position, part in enumerate(prompt.titled_passages):
            ids, spans = self._encoded(part.text)
            start = 0
            while start < len(ids):
                yield Window(
                    number, position, start, question, ids[start : start + budget], spans[start : start + budget]
                )
                start = len(ids) if start + budget >= len(ids) else start + stride

    def _read(self, windows: Sequence["Window"]) -> list[tuple[Any, Any]]:
        """The start and end logits [tokens of the input] of each window, in fp32."""
        pairs: list[tuple[Any, Any]] = [(None, None)] * len(windows)
        lengths = [self.joining.added + len(window.question) + len(window.ids) for window in windows]
        budget = self.tokens_per_call or BATCH_TOKENS
        row_by_row = self.tokens_per_call is None
        for batch in batches(range(len(windows)), lengths.__getitem__, budget, row_by_row):
            results = halved(
                batch, lambda some_numbers: self._logits([windows[position] for position in some_numbers]), no_memory
            )
            for position, result in zip(batch, results, strict=True):
                pairs[position] = result
        return pairs

    def _logits(self, windows: Sequence["Window"]) -> list[tuple[Any, Any]]:
        import torch

        network = self.network()
        with torch.inference_mode():
            output = network.model(**self.inputs(network, windows))
        starts, ends = (logits.float().cpu().numpy() for logits in (output.start_logits, output.end_logits))
        return list(zip(starts, ends, strict=True))

    def _reply(self, request: Generate, prompt: Prompt, read: Sequence[tuple["Window", Any, Any]]) -> Reply:
        """The best texts of all windows: "Unanswerable" where the null span wins, empty without a passage."""
        longest = min(self.max_answer_tokens, request.max_new_tokens)
        rows: list[ScoredSpan] = []
        for window, starts, ends in read:
            first = self._first(window)
            own_value = slice(first, first + len(window.ids))
            rows += _spans(window, starts[own_value], ends[own_value], longest, request.n)
        rows.sort(key=lambda values: (-values[0], *values[1:]))
        passages = prompt.titled_passages
        stretches = (passages[position].text[start:end].strip() for _, position, start, end in rows)
        texts = list(dict.fromkeys(filter(None, stretches))) or [""]
        if self.null_threshold is not None and rows:
            null = min(float(starts[0] + ends[0]) for _, starts, ends in read)
            if null - rows[0][0] > self.null_threshold:
                texts = [UNANSWERABLE, *texts]
        values = [before(text, request.stop) for text in islice(cycle(texts), max(request.n, 1))]
        return Reply(
            value=values[0] if request.n == 1 else tuple(values),
            tokens_in=self.count([prompt.text])[0],
            tokens_out=sum(self.count(values)),
            truncated_tokens=prompt.truncated_tokens,
        )

    def _encoded(self, text: str) -> tuple[Ids, list[tuple[int, int]]]:
        encoded = self.subwords.encode(text)
        return encoded.own_ids, encoded.own_spans


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens of a passage that are read at once after the question's, and where each stands in the passage's text."""

    request: int
    passage: int
    begins: int  # with which token of the passage
    question: Ids
    ids: Ids
    spans: Sequence[tuple[int, int]]


def _spans(window: Window, starts: Any, ends: Any, longest: int, n: int) -> list[ScoredSpan]:
    """The best spans of a window, of at most `longest` tokens, best first: more than n, as texts may be equal."""
    size = len(starts)
    widths = range(min(longest, size))
    values = np.full((len(widths), size), -np.inf)
    for width in widths:
        values[width, : size - width] = starts[: size - width] + ends[width:]
    order = np.argsort(-values.T, axis=None, kind="stable")  # equal ones: the first, the shortest
    rows = []
    for location in order[: min(SPARE_LIMIT * n, int(np.isfinite(values).sum()))]:
        start, width = divmod(int(location), len(widths))
        place = window.spans[start][0], window.spans[start + width][1]
        rows.append((float(values[width, start]), window.passage, *place))
    return rows
