"""Sequence-to-sequence models of `transformers` by hub id or folder: T5, BART, LED, LongT5, Pegasus-X …

Decoding is the model's own generation config without its lengths, its sampling and the end token that it may force at
the maximum length (that would hide that an output was cut); what the fields of `_decoding` say goes over it. A score is
the sum of the log-probabilities of the continuation's tokens, the end token not counted.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal

from longdoc.errors import UserError
from models import hub
from models.neural import _fields, _limits, _translation
from models.neural._batching import BATCH_TOKENS, halved, spread
from models.neural._decoding import Decoding, before_stop
from models.neural._encoder_decoder import EncoderDecoder, reach
from models.neural._inputs import Fused, Source, Target, Window
from models.neural._reading import Reading, places_of_query
from models.neural._windows import sliding
from models.prompts import Prompt
from models.reader import Reader
from models.requests import Fuse, Generate, Reply, Request, Score
from models.truncation import TooLong, truncate


@dataclass(frozen=True, eq=False)
class Seq2seq(Reader):
    """A reader that generates and scores with a sequence-to-sequence model.

    - `max_input_tokens`: the prompt's tokens with the special ones. None: what the model was made for (T5 and Flan-T5
      512, LongT5 4,096, else its positions); more is possible where positions are relative. After construction the
      attribute is the limit on the text alone, as `count` counts; `resolve` records the whole.
    - `device`: None is the GPU if there is one; "cuda:0,cuda:1" has the network on each and gives every one batches of
      its own. `dtype`: "auto" is bf16 where the hardware computes in it, else fp32.
    - `deterministic`: fp32, one request at a time.
    - `batch_tokens`: padded prompt tokens that are read together on one device. None: 32,768 on a GPU; elsewhere, where
      padding costs and batching does not pay, the engine hands over one request a call. A batch that does not fit into
      the memory is halved; a request that does not fit on its own fails alone.
    - `global_attention` (LED): which tokens attend to all: the first, or the first and those of the query.
    - `attention_window` (LED): instead of the configuration's.
    - `source_language`, `target_language` (NLLB, mBART, multilingual Marian): the model's own codes; without them
      English, and what its configuration says. These models get no instruction parts: they could not follow them.
    - `num_beams` … `min_new_tokens`: as in `transformers`; None is the model's own, but no `temperature`, `top_p` and
      `top_k`. Greedy unless `do_sample`; what is drawn follows from `seed` and the request alone.
    - `options`: further arguments of `from_pretrained` (`attn_implementation`, quantization); `device_map` among them
      spreads one network over several devices.

    Construction reads configuration and tokenizer; the first request or `resolve` needs the weights. Thread-safe.
    """

    model: str
    revision: str | None = None
    max_input_tokens: int | None = None
    device: str | None = None
    dtype: Literal["auto", "bf16", "fp32", "fp16"] = "auto"
    deterministic: bool = False
    batch_tokens: int | None = None
    global_attention: Literal["first", "query"] = "first"
    attention_window: int | None = None
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
    source_language: str | None = None
    target_language: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    supports = frozenset({Generate, Fuse, Score})
    batch_requests = 1

    _pair: _translation.Languages = field(init=False, repr=False)
    _facts: dict[str, Any] = field(init=False, repr=False)
    _decoding: Decoding = field(init=False, repr=False)
    _devices: tuple[str, ...] = field(init=False, repr=False)
    _window: int | None = field(init=False, repr=False)
    _multiple: int = field(init=False, repr=False)
    _reach: int | None = field(init=False, repr=False)
    _longest: int | None = field(init=False, repr=False)
    _network: list[EncoderDecoder] = field(default_factory=list, init=False, repr=False)
    _lock: Any = field(default_factory=threading.RLock, init=False, repr=False)

    def __post_init__(self) -> None:
        """Read configuration and tokenizer, fill in what follows from them, and refuse what cannot work."""
        _fields.check(self, spreads=True)
        decoding = Decoding.of(self)
        fetched = hub.folder(self.model, self.revision, weights=False)
        settings = hub.config(fetched.path)
        window = _limits.attention_window(settings, self.attention_window)
        if window is None and self.global_attention != "first":
            raise UserError(f"global_attention is for LED; {settings.get('model_type')} models have none: leave it out")
        multiple = _limits.padded_to(settings, window)
        limit = _limits.input_limit(settings, self.max_input_tokens, multiple)
        pair = _translation.load(fetched.path, settings, self.source_language, self.target_language)
        if limit <= (added := pair.source.added):
            raise UserError(f"max_input_tokens={limit} leaves no room beside {added} special tokens: raise it")
        spread_over = _fields.spread_over(self.options)
        devices = _limits.devices(self.device, spread_over is not None)
        on_gpu = devices[0] != "cpu" and not self.deterministic
        facts = {
            "revision": fetched.revision,
            "max_input_tokens_with_special": limit,
            "device": spread_over or ",".join(devices),
            "dtype": _limits.dtype(self.dtype, self.deterministic, settings, devices[0]),
            "deterministic": self.deterministic,
            "batch_tokens": self.batch_tokens or (BATCH_TOKENS if on_gpu else None),
        }
        for name, value in {
            "max_input_tokens": limit - added,
            "batch_tokens": facts["batch_tokens"] and facts["batch_tokens"] * len(devices),
            "_pair": pair,
            "_facts": facts,
            "_decoding": decoding,
            "_devices": devices,
            "_window": window,
            "_multiple": multiple,
            "_reach": reach(settings) if settings.get("model_type") == "bigbird_pegasus" else None,
            "_longest": _limits.output_limit(settings),
        }.items():
            object.__setattr__(self, name, value)

    @property
    def recorded(self) -> dict[str, Any]:
        """The limit as it is given, special tokens included, and a device's batch: a record makes the same reader."""
        limit, tokens = self._facts["max_input_tokens_with_special"], self._facts["batch_tokens"]
        return {"max_input_tokens": limit, "batch_tokens": tokens}

    @property
    def max_output_tokens(self) -> int | None:  # type: ignore[override]
        """The longest output, None where positions are relative; a prefix that the model forces counts."""
        return self._longest

    def resolve(self) -> dict[str, Any]:
        """What a run records: commit (a local folder: fingerprint of its weights), dtype, device, limit, versions.

        Raises `UserError` where there are no weights.
        """
        return _fields.identity(self.model, self._facts, "Seq2SeqLM")

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens left out."""
        return self._pair.source.count(texts)

    def token_ends(self, text: str) -> list[int]:
        """See `fitting.Tokenizing`."""
        return self._pair.source.ends(text)

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply a request, in order. Requests alike in kind and decoding are read together, padded.

        `tokens_in` and `tokens_out` leave special tokens and padding out; of a score, `tokens_out` are those scored.
        """
        for request in requests:
            self._check_request(request)
        with self._lock:
            replies: dict[int, Reply] = {}
            readable = []
            for i, request in enumerate(requests):
                assert isinstance(request, Generate | Fuse | Score)
                try:
                    if isinstance(request, Fuse):
                        prompt, fused = self._read_fused(request)
                        readable.append(Reading(i, request, prompt, fused, fused.tokens))
                        continue
                    prompt = self._fitted(request.prompt)
                    source = self._source(prompt)
                    tokens = len(source.ids) - self._pair.source.added
                    readable.append(Reading(i, request, prompt, source, tokens, self._shape(source)))
                except TooLong as error:
                    replies[i] = Reply.failed(str(error), error.fixed)
            together = list(self._batches(readable))
            for batch, answered in zip(
                together, spread(self._networks() if together else (), self._answered, together), strict=True
            ):
                replies |= {reading.index: reply for reading, reply in zip(batch, answered, strict=True)}
        return [replies[i] for i in range(len(requests))]

    def network(self) -> EncoderDecoder:
        """The network, for training: it is given away, and loaded anew when the reader is asked something.

        Raises `UserError` where there are no weights.
        """
        with self._lock:
            loaded = self._loaded()
            self._network.clear()
            return loaded

    def training_inputs(self, prompt: Prompt | str, output: str, most: int | None = None) -> tuple[Source, Target]:
        """A prompt as the network reads it, and an output as it is to write it, the end token last.

        Prompts over the limit are cut; so are outputs of more than `most` tokens, or of more than the decoder has
        positions for, without an end then.
        """
        shown = self._fitted(prompt)
        encoded = self._pair.target.encode(output)
        own = [token for token, special in zip(encoded.ids, encoded.special, strict=True) if not special]
        whole = [*own, min(self._loaded().ends)]
        before = self._pair.before(encoded)
        positions = None if self._longest is None else self._longest - len(before)
        room = min((n for n in (most, positions) if n is not None), default=len(whole))
        return self._source(shown), Target(before, whole[:room])

    def _fitted(self, prompt: Prompt | str) -> Prompt:
        """What of a prompt the model can follow, cut to its limit. Raises `TooLong`."""
        return truncate(self._pair.prompt(Prompt.of(prompt)), self.max_input_tokens, self.count, self.token_ends)

    def _answered(self, network: EncoderDecoder, batch: Sequence["Reading"]) -> list[Reply]:
        answer = self._score if isinstance(batch[0].request, Score) else self._generate
        return halved(batch, lambda some: answer(network, some), lambda one, why: Reply.failed(why, one.tokens))

    def _generate(self, network: EncoderDecoder, batch: Sequence["Reading"]) -> list[Reply]:
        first = batch[0].request
        assert isinstance(first, Generate | Fuse)
        stop = tuple(filter(None, first.stop))

        def ended(tokens: list[int]) -> bool:
            return before_stop(self._pair.target.decode(tokens), stop) is not None

        rows = network.generate(
            [reading.source for reading in batch],
            first.max_new_tokens,
            self._decoding,
            first.n,
            [reading.key for reading in batch],
            ended if stop else None,
        )
        return [
            self._generated(network.ends, reading, sequences, stop)
            for reading, sequences in zip(batch, rows, strict=True)
        ]

    def _generated(
        self, ends: frozenset[int], reading: "Reading", rows: list[list[int]], stop: tuple[str, ...]
    ) -> Reply:
        special = self._pair.target.special
        values, length, out = [], False, 0
        for row in rows:
            text = self._pair.target.decode(row)
            cut = before_stop(text, stop)
            values.append(text if cut is None else cut)
            length |= cut is None and not (row and row[-1] in ends)
            out += sum(token not in special for token in row)
        return Reply(
            value=values[0] if len(values) == 1 else tuple(values),
            tokens_in=reading.tokens,
            tokens_out=out,
            truncated_tokens=reading.prompt.truncated_tokens,
            finish_reason="length" if length else "stop",
        )

    def _score(self, network: EncoderDecoder, batch: Sequence["Reading"]) -> list[Reply]:
        """Equal prompts are encoded once."""
        distinct: dict[str, int] = {}
        sources: list[Source] = []
        pairs: list[tuple[int, Target]] = []
        for reading in batch:
            assert isinstance(reading.request, Score)
            if reading.prompt.text not in distinct:
                distinct[reading.prompt.text] = len(sources)
                assert isinstance(reading.source, Source)
                sources.append(reading.source)
            pairs.append((distinct[reading.prompt.text], self._target(reading.request.continuation)))
        scores = network.score(sources, pairs)
        return [
            Reply(score, reading.tokens, len(target.ids), reading.prompt.truncated_tokens)
            for reading, score, (_, target) in zip(batch, scores, pairs, strict=True)
        ]

    def _source(self, prompt: Prompt) -> Source:
        encoded = self._pair.source.encode(prompt.text)
        if self._window is None:
            return Source(encoded.ids)
        asked = places_of_query(prompt) if self.global_attention == "query" else []
        marks = [any(start < to and since < end for since, to in asked) for start, end in encoded.places]
        return Source(encoded.ids, [True, *marks[1:]])

    def _read_fused(self, request: Fuse) -> tuple[Prompt, Fused]:
        """A request's prompts as one, each cut to the reader's limit or, with overlap, in windows. Raises `TooLong`."""
        prompts = [self._pair.prompt(Prompt.of(prompt)) for prompt in request.prompts]
        if not request.overlap:
            prompts = [truncate(prompt, self.max_input_tokens, self.count, self.token_ends) for prompt in prompts]
        windows: list[Window] = []
        for prompt in prompts:
            source = self._source(prompt)
            if request.overlap:
                limit = self._facts["max_input_tokens_with_special"]
                windows += sliding(source, self._document_tokens(prompt, limit), limit, request.overlap)
            else:
                windows.append(Window(source, (0, len(source.ids))))
        whole = Prompt(
            tuple(part for prompt in prompts for part in prompt.parts),
            truncated_tokens=sum(one.truncated_tokens for one in prompts),
        )
        kept = sum(end - start for start, end in (window.kept for window in windows))
        return whole, Fused(tuple(windows), self.batch_tokens, kept - len(prompts) * self._pair.source.added)

    def _document_tokens(self, prompt: Prompt, limit: int) -> tuple[int, int]:
        """Which tokens of a prompt are its document's. Raises `TooLong` where the others fill the limit."""
        roles = [part.role for part in prompt.shown]
        encoded = self._pair.source.encode(prompt.text)
        inside: list[int] = []
        if "document" in roles:
            first, last = roles.index("document"), len(roles) - roles[::-1].index("document")
            start = len(Prompt(prompt.shown[:first], prompt.separator, prompt.truncated_tokens).text)
            end = len(prompt.text) - len(Prompt(prompt.shown[last:], prompt.separator, prompt.truncated_tokens).text)
            own = (i for i, special in enumerate(encoded.special) if not special)
            inside = [i for i in own if encoded.places[i][0] < end and start < encoded.places[i][1]]
        found = (inside[0], inside[-1] + 1) if inside else (len(encoded.ids),) * 2
        fixed, added = len(encoded.ids) - (found[1] - found[0]), self._pair.source.added
        if fixed >= limit:
            raise TooLong(fixed - added, limit - added)
        return found

    def _target(self, continuation: str) -> Target:
        encoded = self._pair.target.encode(continuation)
        own = [token for token, special in zip(encoded.ids, encoded.special, strict=True) if not special]
        before = self._pair.before(encoded)
        if self._longest is not None and len(before) + len(own) > self._longest:
            raise UserError(f"a continuation of {len(own)} tokens is over the model's {self._longest} positions")
        return Target(before, own)

    def _batches(self, readable: Sequence["Reading"]) -> Iterator[list["Reading"]]:
        """Neighbours of like kind and length together, at most `batch_tokens` padded tokens; one by one if set so."""
        budget = self._facts["batch_tokens"] or BATCH_TOKENS
        ordered = sorted(readable, key=lambda one: (one.kind, -one.tokens, one.prompt.text, one.index))
        for _, alike in groupby(ordered, key=lambda one: one.kind):
            batch: list[Reading] = []
            for reading in alike:
                width = len(batch[0].source.ids) if batch else 0
                if batch and (self.deterministic or len({one.source_of for one in (*batch, reading)}) * width > budget):
                    yield batch
                    batch = []
                batch.append(reading)
            yield batch

    def _shape(self, source: Source) -> int:
        """The padded length where outputs depend on it (BigBird's last block attends to all), 0 where they do not."""
        width = -(-len(source.ids) // self._multiple) * self._multiple
        return 0 if self._reach is None or width <= self._reach else width

    def _loaded(self) -> EncoderDecoder:
        return self._networks()[0]

    def _networks(self) -> list[EncoderDecoder]:
        """The network on each device, loaded at the first call."""
        with self._lock:
            if not self._network:
                options = dict(self.options)
                if self.attention_window is not None:
                    options["attention_window"] = self.attention_window
                path, dtype = hub.weights(self.model, self._facts["revision"]), self._facts["dtype"]
                for device in self._devices:
                    loaded = EncoderDecoder.load(path, dtype, device, self._multiple, options)
                    self._network.append(self._pair.settled(loaded))
            return self._network

    def _check_request(self, request: Request) -> None:
        if not isinstance(request, Generate | Fuse | Score):
            raise UserError(
                f"{self.model} answers Generate, Fuse and Score, not {type(request).__name__}; "
                f"longdoc.models.likelihood.adapt answers Classify and Compare with it"
            )
        if isinstance(request, Generate | Fuse):
            self._decoding.check(request.max_new_tokens, request.n)
            if self._longest is not None and request.max_new_tokens > self._longest:
                raise UserError(
                    f"max_new_tokens={request.max_new_tokens} is over the model's {self._longest} positions"
                )
