"""Decoder-only models of `transformers` (Llama, Qwen, Mistral, Phi …) by hub id or folder, with their chat template.

A score is the sum of the log-probabilities of the continuation's tokens after the prompt's, the end token not counted.
The continuation is encoded by itself unless the request is `joined`; it follows the last token of the rendered prompt.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import groupby
from typing import Any, Literal

from longdoc.errors import UserError
from longdoc.registry import ADDED_LATER
from models import hub
from models.chat import Chat, without_thinking
from models.neural._ctranslate2.conversion import CAUSAL
from models.neural.shared import limits
from models.neural.shared.batching import BATCH_TOKENS, batches
from models.neural.shared.decoder import Decoder
from models.neural.shared.decoding import IsComplete
from models.neural.shared.generative import GenerativeReader
from models.neural.shared.inputs import DecoderRequest
from models.prompts import Prompt
from models.requests import Fuse, Generate, Reply, Score
from models.thinking import MARKS, OFF, checked, opening, split, tokens_of
from models.truncation import truncate

CPU_BATCH_TOKENS = 4_096  # writing token by token is bound by reading the weights, which a batch shares


@dataclass(frozen=True, eq=False)
class Causal(GenerativeReader[DecoderRequest]):
    """A reader that generates and scores with a decoder-only model.

    - `max_input_tokens`: the window that prompt and output share, in tokens with the special ones and the template's.
      None: the model's positions.
    - `chat`: whether the prompt is put into the folder's chat template. None: if there is one. `system`: the system
      prompt; `chat_template_kwargs`: what the template takes beside (`enable_thinking`). `template_date`: what a
      template that writes the date takes for today, as in "2026-05-31" or "2026-05-31T09:30". None: when the reader is
      made; a run that goes on keeps its date.
    - `device`: None is the GPU if there is one; "cuda:0,cuda:1" has the network on each and gives every one batches of
      its own. `dtype`: "auto" is bf16 where the hardware computes in it, else fp32.
    - `backend`: "ctranslate2" computes on the CPU in CTranslate2 (extra `ctranslate2`), with `dtype` "fp32" or "int8",
      greedily or with beams. The network is converted once, checked to compute the same, and kept under LONGDOC_CACHE.
    - `deterministic`: fp32, one request at a time.
    - `batch_tokens`: padded prompt tokens that are read together on one device. None: 32,768 on a GPU, 4,096
      elsewhere. A batch that does not fit into the memory is halved; a request that does not fit on its own fails
      alone.
    - `num_beams` … `min_new_tokens`: as in `transformers`; None is the model's own, but no `temperature`, `top_p` and
      `top_k`. Greedy unless `do_sample`; what is sampled follows from `seed` and the request alone.
    - `options`: further arguments of `from_pretrained` (`attn_implementation`, quantization); `device_map` among them
      spreads one network over several devices.

    - `thinking`: the tokens that the model may think for, on top of `max_new_tokens`, which is the answer's length; the
      window holds both. "off" (false): the chat template is given `enable_thinking` false. None: what is thought takes
      from the answer's length.

    Blocks of thinking (`<think>…</think>`, and those of other families: `models.thinking`) are left out of the value
    and kept in the reply's `thinking`; stop strings are looked for behind them. Construction reads configuration and
    tokenizer; the first request or `resolve` needs the weights. Thread-safe.
    """

    system: str | None = None
    chat: bool | None = None
    chat_template_kwargs: Mapping[str, Any] = field(default_factory=dict)
    thinking: int | Literal["off"] | None = field(default=None, metadata=ADDED_LATER)
    template_date: str | None = field(default=None, metadata=ADDED_LATER)

    supports = frozenset({Generate, Score})
    decoder_window = True
    task = "CausalLM"
    converts = CAUSAL
    least_tokens = 2  # one of the prompt, one of the output

    def __post_init__(self) -> None:
        """Refuse fields that cannot work, before any weights are loaded."""
        object.__setattr__(self, "thinking", checked(self.thinking))
        super().__post_init__()
        if self.template_date is not None:
            _check_date(self.template_date)
        elif self._chat is not None:
            object.__setattr__(self, "template_date", self._chat.today())
        if self.max_output_tokens < 1:
            raise UserError(
                f"thinking={self.thinking} fills the context window of {self.limit - self.added_tokens} tokens: give a "
                "smaller number"
            )

    @property
    def thinking_tokens(self) -> int:  # type: ignore[override]
        """The tokens that `thinking` adds to the longest output."""
        return tokens_of(self.thinking)

    @cached_property
    def limit(self) -> int:
        """The window that prompt and output share, in tokens with the special ones and the template's."""
        return limits.window_limit(self.settings, self.max_input_tokens)

    @cached_property
    def added_tokens(self) -> int:
        """Number of tokens around a prompt: the special tokens, or those of the chat template."""
        if self._chat is None:
            return self.subwords.added_tokens
        return len(self._text_ids(self._chat.rendered("x"))) - len(self._text_ids("x"))  # on the same day in all runs

    @property
    def _added_tokens_name(self) -> str:
        return "special tokens" if self._chat is None else "tokens of the chat template"

    @cached_property
    def _chat(self) -> Chat | None:
        chat = Chat.load(self.fetched.path, self)
        return chat if self.thinking != OFF else without_thinking(chat, self.model)

    def _with_date(self, chat: Chat) -> Chat:
        return chat if self.template_date is None else replace(chat, date=self.template_date)

    def recorded_limits(self) -> dict[str, Any]:
        """The window, and the chat template's fingerprint."""
        template = None if self._chat is None else self._chat.fingerprint
        return {"max_input_tokens_with_special": self.limit, "chat_template": template}

    @property
    def default_batch_tokens(self) -> int | None:
        """Padded tokens of a batch by default; batches pay on a CPU too, as they share the reading of the weights."""
        if self.deterministic or self.backend == "ctranslate2":
            return None
        return CPU_BATCH_TOKENS if self.devices[0] == "cpu" else BATCH_TOKENS

    @property
    def is_chat(self) -> bool:  # type: ignore[override]
        """Whether prompts are put into a chat template."""
        return self._chat is not None

    @property
    def max_output_tokens(self) -> int:  # type: ignore[override]
        """The longest answer: the window, but for thinking and one token of the prompt."""
        return self.limit - self.added_tokens - self.thinking_tokens - 1

    def _too_long_message(self, max_new_tokens: int) -> str:
        thinking_note = f" with thinking={self.thinking}" if self.thinking_tokens else ""
        return (
            f"max_new_tokens={max_new_tokens}{thinking_note} leaves no room for a prompt in the context window of "
            f"{self.limit - self.added_tokens} tokens: lower it"
        )

    def _encode(self, index: int, request: Generate | Fuse | Score) -> DecoderRequest:
        """The encoded request, its prompt cut to leave room for the output. Raises `TooLong`."""
        assert isinstance(request, Generate | Score)
        continuation_ids = self._text_ids(request.continuation) if isinstance(request, Score) else []
        max_output = self._max_output(request) if isinstance(request, Generate) else len(continuation_ids)
        limit = budget = self.limit - self.added_tokens - max_output
        while True:
            prompt = truncate(Prompt.of(request.prompt), limit, self.count, self.token_ends, self.edges)
            turns = (prompt.text, "") if self.thinking_tokens else prompt.turns  # it thinks before it begins an answer
            text = prompt.text if self._chat is None else self._with_date(self._chat).rendered(*turns)
            if isinstance(request, Score) and self._chat is not None and (mark := opening(text)):
                text += f"\n{MARKS[mark]}\n\n"  # else what is scored would be a thought
            ids = self.subwords.encode(text).ids if self._chat is None else self._text_ids(text)
            tokens = len(ids) - self.added_tokens
            if isinstance(request, Score) and request.joined and text:
                continuation_ids = self._text_ids(text + request.continuation)[len(self._text_ids(text)) :]
            excess = tokens - budget + max(len(continuation_ids) - max_output, 0)
            if excess <= 0:
                return DecoderRequest(index, request, prompt, len(ids), ids, continuation_ids, opening(text))
            limit -= excess  # texts make other tokens together than apart

    def _max_output(self, request: Generate) -> int:
        return request.max_new_tokens + self.thinking_tokens

    def _text_ids(self, text: str) -> list[int]:
        return self.subwords.encode(text).text_ids

    def _batches(self, readable: Sequence[DecoderRequest]) -> Iterator[list[DecoderRequest]]:
        """Batches of requests of one kind and similar length."""
        budget = self.facts["batch_tokens"] or BATCH_TOKENS
        ordered = sorted(readable, key=lambda encoded: (encoded.kind, encoded.prompt.text, encoded.index))
        for _, group in groupby(ordered, key=lambda encoded: encoded.kind):
            yield from batches(
                list(group),
                lambda encoded: len(encoded.ids) + len(encoded.continuation_ids),
                budget,
                self.deterministic,
            )

    def _load(self, device: str) -> Decoder:
        path = hub.weights(self.model, self.fetched.revision, self.task)
        return Decoder.load(path, self.weights_dtype, device, self.options)

    def _write(
        self, network: Decoder, batch: Sequence[DecoderRequest], is_complete: IsComplete | None
    ) -> list[list[list[int]]]:
        request = batch[0].request
        assert isinstance(request, Generate)
        return network.generate(
            [encoded.ids for encoded in batch],
            self._max_output(request),
            self.decoding,
            request.n,
            [encoded.key for encoded in batch],
            is_complete,
        )

    def _split(self, output: str, encoded: DecoderRequest) -> tuple[str, str]:
        return split(output, encoded.thinking)

    def _score(self, network: Decoder, batch: Sequence[DecoderRequest]) -> list[Reply]:
        scores = network.score([(encoded.ids, encoded.continuation_ids) for encoded in batch])
        return [
            Reply(score, encoded.tokens, len(encoded.continuation_ids), encoded.prompt.truncated_tokens, greedy=greedy)
            for encoded, (score, greedy) in zip(batch, scores, strict=True)
        ]


def _check_date(date: str) -> None:
    """Raise `UserError` unless `date` is a date, with or without a time."""
    try:
        datetime.fromisoformat(date)
    except (ValueError, TypeError):
        raise UserError(f"template_date must be a day such as 2026-05-31, perhaps with a time, got {date!r}") from None
