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
from models.neural.shared.batching import BATCH_TOKENS, batches, halving_on_out_of_memory, raise_out_of_memory
from models.neural.shared.classifier_head import EncoderReader, Network
from models.neural.shared.gold_spans import Gold, gold_span, token_span
from models.neural.shared.text_pairs import Ids
from models.prompts import Prompt
from models.refusals import UNANSWERABLE
from models.requests import Generate, Reply, Request
from models.truncation import TooLong, truncate
from models.word_reader import before, check_limit

SPANS_PER_ANSWER = 4  # spans of a window per requested answer: some are white space, or equal in text

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
    texts_per_input = 2
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
            readable: dict[int, tuple[Generate, Prompt]] = {}
            windows: list[Window] = []
            for i, request in enumerate(requests):
                if not isinstance(request, Generate):
                    raise self.unsupported(request)
                try:
                    prompt = truncate(
                        Prompt.of(request.prompt), self.max_input_tokens, self.count, self.token_ends, self.edges
                    )
                    windows += self._windows(i, prompt)
                    readable[i] = request, prompt
                except TooLong as error:
                    replies[i] = Reply.failed(str(error), error.fixed)
            window_logits: dict[int, list[tuple[Window, Any, Any]]] = {i: [] for i in readable}
            for window, logits in zip(windows, self._read(windows), strict=True):
                window_logits[window.request].append((window, *logits))
            for i, (request, prompt) in readable.items():
                replies[i] = self._reply(request, prompt, window_logits[i])
        return [replies[i] for i in range(len(requests))]

    def training_inputs(self, prompt: Prompt | str, references: Sequence[str]) -> list[tuple["Window", int, int]]:
        """(window, first token, last token) of the right span in each window of a prompt, as training needs them.

        Windows without the whole span are left out; with a `null_threshold` their span is the first token, and so for
        all windows where no reference has a letter. Nothing where no window holds the span. Raises `TooLong`.
        """
        truncated = truncate(Prompt.of(prompt), self.max_input_tokens, self.count, self.token_ends, self.edges)
        has_null = self.null_threshold is not None
        gold_place = gold_span([part.text for part in truncated.titled_passages], references)
        if gold_place is None and not (has_null and references and not any(map(str.strip, references))):
            return []
        windows = list(self._windows(0, truncated))
        spans = [None] * len(windows) if gold_place is None else self._positions(windows, truncated, gold_place)
        if gold_place is not None and not any(spans):
            return []
        return [(window, *(span or (0, 0))) for window, span in zip(windows, spans, strict=True) if span or has_null]

    def inputs(self, network: Network, windows: Sequence["Window"]) -> dict[str, Any]:
        """The padded inputs of the network for a batch of windows."""
        ids, types = zip(*(self.joining.joined(window.question, window.ids) for window in windows), strict=True)
        inputs = network.inputs(ids, types)
        if "global_attention_mask" in inputs:  # Longformer: the question attends to all
            for row, window in enumerate(windows):
                inputs["global_attention_mask"][row, : len(self.joining.before) + len(window.question)] = 1
        return inputs

    def _positions(self, windows: Sequence["Window"], prompt: Prompt, gold_place: Gold) -> list[tuple[int, int] | None]:
        """(first, last) token of the gold span in each window's input; None if the window does not hold all of it."""
        passage, start, end = gold_place
        span = token_span(self._encoded(prompt.titled_passages[passage].text)[1], start, end)
        spans: list[tuple[int, int] | None] = []
        for window in windows:
            contains_span = (
                span
                and window.passage == passage
                and window.first_token <= span[0]
                and span[1] < window.first_token + len(window.ids)
            )
            shift = self._passage_start(window) - window.first_token
            spans.append((span[0] + shift, span[1] + shift) if span and contains_span else None)
        return spans

    def _passage_start(self, window: "Window") -> int:
        """The position in the input at which the passage begins."""
        return len(self.joining.before) + len(window.question) + len(self.joining.between)

    def _windows(self, request_index: int, prompt: Prompt) -> Iterator["Window"]:
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
                    request_index, position, start, question, ids[start : start + budget], spans[start : start + budget]
                )
                start = len(ids) if start + budget >= len(ids) else start + stride

    def _read(self, windows: Sequence["Window"]) -> list[tuple[Any, Any]]:
        """The start and end logits [tokens of the input] of each window, in fp32."""
        logits: list[tuple[Any, Any]] = [(None, None)] * len(windows)
        lengths = [self.joining.added_tokens + len(window.question) + len(window.ids) for window in windows]
        budget = self.tokens_per_call or BATCH_TOKENS
        row_by_row = self.tokens_per_call is None
        for batch in batches(range(len(windows)), lengths.__getitem__, budget, row_by_row):
            batch_logits = halving_on_out_of_memory(
                batch,
                lambda positions: self._logits([windows[position] for position in positions]),
                raise_out_of_memory,
            )
            for position, window_logits in zip(batch, batch_logits, strict=True):
                logits[position] = window_logits
        return logits

    def _logits(self, windows: Sequence["Window"]) -> list[tuple[Any, Any]]:
        import torch

        network = self.network()
        with torch.inference_mode():
            output = network.model(**self.inputs(network, windows))
        starts, ends = (logits.float().cpu().numpy() for logits in (output.start_logits, output.end_logits))
        return list(zip(starts, ends, strict=True))

    def _reply(self, request: Generate, prompt: Prompt, window_logits: Sequence[tuple["Window", Any, Any]]) -> Reply:
        """The reply: the best spans of all windows, "Unanswerable" if the null span wins, "" without a passage."""
        max_tokens = min(self.max_answer_tokens, request.max_new_tokens)
        spans: list[ScoredSpan] = []
        for window, starts, ends in window_logits:
            passage_start = self._passage_start(window)
            passage_slice = slice(passage_start, passage_start + len(window.ids))
            spans += _spans(window, starts[passage_slice], ends[passage_slice], max_tokens, request.n)
        spans.sort(key=lambda span: (-span[0], *span[1:]))
        passages = prompt.titled_passages
        span_texts = (passages[position].text[start:end].strip() for _, position, start, end in spans)
        texts = list(dict.fromkeys(filter(None, span_texts))) or [""]
        if self.null_threshold is not None and spans:
            null_score = min(float(starts[0] + ends[0]) for _, starts, ends in window_logits)
            if null_score - spans[0][0] > self.null_threshold:
                texts = [UNANSWERABLE, *texts]
        answers = [before(text, request.stop) for text in islice(cycle(texts), max(request.n, 1))]
        return Reply(
            value=answers[0] if request.n == 1 else tuple(answers),
            tokens_in=self.count([prompt.text])[0],
            tokens_out=sum(self.count(answers)),
            truncated_tokens=prompt.truncated_tokens,
        )

    def _encoded(self, text: str) -> tuple[Ids, list[tuple[int, int]]]:
        encoded = self.subwords.encode(text)
        return encoded.text_ids, encoded.text_spans


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens of a passage that are read at once after the question's, and where each stands in the passage's text."""

    request: int
    passage: int
    first_token: int  # index in the passage of the window's first token
    question: Ids
    ids: Ids
    spans: Sequence[tuple[int, int]]


def _spans(window: Window, starts: Any, ends: Any, max_tokens: int, n: int) -> list[ScoredSpan]:
    """The best spans of a window, of at most `max_tokens` tokens, best first: more than n, as texts may be equal."""
    size = len(starts)
    widths = range(min(max_tokens, size))
    scores = np.full((len(widths), size), -np.inf)
    for width in widths:
        scores[width, : size - width] = starts[: size - width] + ends[width:]
    order = np.argsort(-scores.T, axis=None, kind="stable")  # equal ones: the first, the shortest
    rows = []
    for index in order[: min(SPANS_PER_ANSWER * n, int(np.isfinite(scores).sum()))]:
        start, width = divmod(int(index), len(widths))
        characters = window.spans[start][0], window.spans[start + width][1]
        rows.append((float(scores[width, start]), window.passage, *characters))
    return rows
