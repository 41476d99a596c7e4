"""Decoder-only models of `transformers` (Llama, Qwen, Mistral, Phi …) by hub id or folder, with their chat template.

A score is the sum of the log-probabilities of the continuation's tokens after the prompt's, the end token not counted.
The continuation is encoded by itself; its first token follows the last of the rendered prompt.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

from longdoc.errors import UserError
from models import chat, hub
from models.chat import Chat
from models.neural import _fields, _limits
from models.neural._batching import BATCH_TOKENS, batches, halved, spread
from models.neural._decoder import Decoder
from models.neural._decoding import Decoding, before_stop
from models.prompts import Prompt
from models.reader import Reader
from models.requests import Generate, Reply, Request, Score
from models.tokenizer import Subwords
from models.truncation import TooLong, truncate

TASK = "CausalLM"


ON_CPU = 4_096  # batch tokens: writing token by token is bound by reading the weights, which a batch shares


@dataclass(frozen=True, eq=False)
class Causal(Reader):
    """A reader that generates and scores with a decoder-only model.

    - `max_input_tokens`: the window that prompt and output share, in tokens with the special ones and the template's.
      None: the model's positions. After construction the attribute is what is left of it for the text and the output,
      as `count` counts; `resolve` records the whole.
    - `chat`: whether the prompt is put into the folder's chat template. None: if there is one. `system`: the system
      prompt; `chat_template_kwargs`: what the template takes beside (`enable_thinking`; `date_string` for the
      templates that would write today's date into the prompt).
    - `device`: None is the GPU if there is one; "cuda:0,cuda:1" has the network on each and gives every one batches of
      its own. `dtype`: "auto" is bf16 where the hardware computes in it, else fp32.
    - `deterministic`: fp32, one request at a time.
    - `batch_tokens`: padded prompt tokens that are read together on one device. None: 32,768 on a GPU, 4,096
      elsewhere. A batch that does not fit into the memory is halved; a request that does not fit on its own fails
      alone.
    - `num_beams` … `min_new_tokens`: as in `transformers`; None is the model's own, but no `temperature`, `top_p` and
      `top_k`. Greedy unless `do_sample`; what is drawn follows from `seed` and the request alone.
    - `options`: further arguments of `from_pretrained` (`attn_implementation`, quantization); `device_map` among them
      spreads one network over several devices.

    Blocks of thinking (`<think>…</think>`) are left out of the value and kept in the reply's `raw`; stop strings are
    looked for behind them. Construction reads configuration and tokenizer; the first request or `resolve` needs the
    weights. Thread-safe.
    """

    model: str
    revision: str | None = None
    max_input_tokens: int | None = None
    system: str | None = None
    chat: bool | None = None
    chat_template_kwargs: Mapping[str, Any] = field(default_factory=dict)
    device: str | None = None
    dtype: Literal["auto", "bf16", "fp32", "fp16"] = "auto"
    deterministic: bool = False
    batch_tokens: int | None = None
    num_beams: int = 1
    do_sample: bool = False
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    repetition_penalty: float | None = None
    no_repeat_ngram_size: int | None = None
    length_penalty: float | None = None
    min_new_tokens: int | None = None
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    supports = frozenset({Generate, Score})
    batch_requests = 1
    decoder_window = True

    _subwords: Subwords = field(init=False, repr=False)
    _chat: Chat | None = field(init=False, repr=False)
    _added: int = field(init=False, repr=False)
    _decoding: Decoding = field(init=False, repr=False)
    _devices: tuple[str, ...] = field(init=False, repr=False)
    _facts: dict[str, Any] = field(init=False, repr=False)
    _network: list[Decoder] = field(default_factory=list, init=False, repr=False)
    _lock: Any = field(default_factory=threading.RLock, init=False, repr=False)

    def __post_init__(self) -> None:
        """Read configuration and tokenizer, fill in what follows from them, and refuse what cannot work."""
        _fields.check(self, spreads=True)
        decoding = Decoding.of(self)
        fetched = hub.folder(self.model, self.revision, weights=False)
        settings = hub.config(fetched.path)
        limit = _limits.window_limit(settings, self.max_input_tokens)
        subwords = Subwords.load(fetched.path)
        chat = Chat.load(fetched.path, self)
        added = subwords.added if chat is None else len(_own(subwords, chat.rendered("x"))) - len(_own(subwords, "x"))
        if limit <= added + 1:
            what = "special tokens" if chat is None else "tokens of the chat template"
            raise UserError(f"max_input_tokens={limit} leaves no room beside {added} {what}: raise it")
        spread_over = _fields.spread_over(self.options)
        devices = _limits.devices(self.device, spread_over is not None)
        on_gpu = devices[0] != "cpu" and not self.deterministic
        facts = {
            "revision": fetched.revision,
            "max_input_tokens_with_special": limit,
            "chat_template": None if chat is None else chat.fingerprint,
            "device": spread_over or ",".join(devices),
            "dtype": _limits.dtype(self.dtype, self.deterministic, settings, devices[0]),
            "deterministic": self.deterministic,
            "batch_tokens": self.batch_tokens or (None if self.deterministic else BATCH_TOKENS if on_gpu else ON_CPU),
        }
        for name, value in {
            "max_input_tokens": limit - added,
            "batch_tokens": facts["batch_tokens"] and facts["batch_tokens"] * len(devices),
            "_subwords": subwords,
            "_chat": chat,
            "_added": added,
            "_decoding": decoding,
            "_devices": devices,
            "_facts": facts,
        }.items():
            object.__setattr__(self, name, value)

    @property
    def recorded(self) -> dict[str, Any]:
        """The window as it is given, special tokens included, and a device's batch: a record makes the same reader."""
        window, tokens = self._facts["max_input_tokens_with_special"], self._facts["batch_tokens"]
        return {"max_input_tokens": window, "batch_tokens": tokens}

    @property
    def is_chat(self) -> bool:  # type: ignore[override]
        """Whether prompts are put into a chat template."""
        return self._chat is not None

    @property
    def max_output_tokens(self) -> int:  # type: ignore[override]
        """The longest output: the window, but for one token of the prompt."""
        assert self.max_input_tokens is not None
        return self.max_input_tokens - 1

    def resolve(self) -> dict[str, Any]:
        """What a run records: commit (a local folder: fingerprint of its weights), dtype, device, window, versions.

        Raises `UserError` where there are no weights.
        """
        return _fields.identity(self.model, self._facts, TASK)

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens and the template's left out."""
        return self._subwords.count(texts)

    def token_ends(self, text: str) -> list[int]:
        """See `fitting.Tokenizing`."""
        return self._subwords.ends(text)

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply a request, in order. Requests alike in kind and decoding are read together, padded.

        `tokens_in` leaves special tokens, the template's and padding out; `tokens_out` has the thinking in it; of a
        score they are those scored.
        """
        for request in requests:
            self._check_request(request)
        with self._lock:
            replies: dict[int, Reply] = {}
            readable = []
            for i, request in enumerate(requests):
                assert isinstance(request, Generate | Score)
                try:
                    readable.append(self._reading(i, request))
                except TooLong as error:
                    replies[i] = Reply.failed(str(error), error.fixed)
            together = list(self._batches(readable))
            networks = self._networks() if together else []
            for batch, answered in zip(together, spread(networks, self._answered, together), strict=True):
                replies |= {reading.index: reply for reading, reply in zip(batch, answered, strict=True)}
        return [replies[i] for i in range(len(requests))]

    def _reading(self, index: int, request: Generate | Score) -> "_Reading":
        """The request with its prompt cut so that the output has room behind it. Raises `TooLong`."""
        assert self.max_input_tokens is not None
        target = _own(self._subwords, request.continuation) if isinstance(request, Score) else []
        room = self.max_input_tokens - (request.max_new_tokens if isinstance(request, Generate) else len(target))
        limit = room
        while True:
            prompt = truncate(Prompt.of(request.prompt), limit, self.count, self.token_ends)
            shown = prompt.text if self._chat is None else self._chat.rendered(*prompt.turns)
            ids = self._subwords.encode(shown).ids if self._chat is None else _own(self._subwords, shown)
            over = len(ids) - self._added - room
            if over <= 0:
                return _Reading(index, request, prompt, ids, target, max(len(ids) - self._added, 0), chat.opens(shown))
            limit -= over  # the text and the template make other tokens together than apart

    def _batches(self, readable: Sequence["_Reading"]) -> Iterator[list["_Reading"]]:
        """Neighbours of like kind and length together."""
        budget = self._facts["batch_tokens"] or BATCH_TOKENS
        ordered = sorted(readable, key=lambda one: (one.kind, one.prompt.text, one.index))
        for _, alike in groupby(ordered, key=lambda one: one.kind):
            yield from batches(list(alike), lambda one: len(one.ids) + len(one.target), budget, self.deterministic)

    def _answered(self, network: Decoder, batch: Sequence["_Reading"]) -> list[Reply]:
        answer = self._score if isinstance(batch[0].request, Score) else self._generate
        return halved(batch, lambda some: answer(network, some), lambda one, why: Reply.failed(why, one.tokens))

    def _generate(self, network: Decoder, batch: Sequence["_Reading"]) -> list[Reply]:
        first = batch[0]
        assert isinstance(first.request, Generate)
        stop = tuple(filter(None, first.request.stop))

        def ended(tokens: list[int]) -> bool:
            return before_stop(chat.said(self._subwords.decode(tokens), first.thinking), stop) is not None

        rows = network.generate(
            [reading.ids for reading in batch],
            first.request.max_new_tokens,
            self._decoding,
            first.request.n,
            [reading.key for reading in batch],
            ended if stop else None,
        )
        return [self._generated(network.ends, *pair, stop) for pair in zip(batch, rows, strict=True)]

    def _generated(
        self, ends: frozenset[int], reading: "_Reading", rows: list[list[int]], stop: tuple[str, ...]
    ) -> Reply:
        special = self._subwords.special
        values, raw, length, out = [], [], False, 0
        for row in rows:
            raw.append(self._subwords.decode(row))
            text = chat.said(raw[-1], reading.thinking)
            cut = before_stop(text, stop)
            values.append(text if cut is None else cut)
            length |= cut is None and not (row and row[-1] in ends)
            out += sum(token not in special for token in row)
        thought = any(reading.thinking or chat.OPEN in text for text in raw)
        return Reply(
            value=values[0] if len(values) == 1 else tuple(values),
            tokens_in=reading.tokens,
            tokens_out=out,
            truncated_tokens=reading.prompt.truncated_tokens,
            finish_reason="length" if length else "stop",
            raw=None if not thought else raw[0] if len(raw) == 1 else tuple(raw),
        )

    def _score(self, network: Decoder, batch: Sequence["_Reading"]) -> list[Reply]:
        scores = network.score([(reading.ids, reading.target) for reading in batch])
        return [
            Reply(score, reading.tokens, len(reading.target), reading.prompt.truncated_tokens)
            for reading, score in zip(batch, scores, strict=True)
        ]

    def _networks(self) -> list[Decoder]:
        """The network on each device, loaded at the first call."""
        with self._lock:
            if not self._network:
                path = hub.weights(self.model, self._facts["revision"], TASK)
                for device in self._devices:
                    self._network.append(Decoder.load(path, self._facts["dtype"], device, self.options))
            return self._network

    def _check_request(self, request: Request) -> None:
        if not isinstance(request, Generate | Score):
            raise UserError(
                f"{self.model} answers Generate and Score, not {type(request).__name__}; "
                f"longdoc.models.likelihood.adapt answers Classify and Compare with it"
            )
        if isinstance(request, Generate):
            self._decoding.check(request.max_new_tokens, request.n)
            if request.max_new_tokens > self.max_output_tokens:
                raise UserError(
                    f"max_new_tokens={request.max_new_tokens} leaves no room for a prompt: the window is "
                    f"{self.max_input_tokens} tokens; lower it"
                )


@dataclass(frozen=True, slots=True)
class _Reading:
    """A request whose prompt fits; `tokens` without special ones and the template's.

    `thinking`: the template opened a block of thinking.
    """

    index: int
    request: Generate | Score
    prompt: Prompt
    ids: list[int]
    target: list[int]
    tokens: int
    thinking: bool

    @property
    def kind(self) -> tuple[str, int, int, tuple[str, ...], bool]:
        """What must agree within a batch."""
        if isinstance(self.request, Score):
            return ("score", 0, 0, (), False)
        return ("generate", self.request.max_new_tokens, self.request.n, self.request.stop, self.thinking)

    @property
    def key(self) -> str:
        """What tells this request from others when its output is drawn."""
        return f"{self.kind[:4]}\n{self.prompt.text}"


def _own(subwords: Subwords, text: str) -> list[int]:
    """The text's tokens without those that the tokenizer adds."""
    encoded = subwords.encode(text)
    return [token for token, special in zip(encoded.ids, encoded.special, strict=True) if not special]
