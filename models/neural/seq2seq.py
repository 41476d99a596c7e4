"""Sequence-to-sequence models of `transformers` by hub id or folder: T5, BART, LED, LongT5, Pegasus-X …

Decoding is the model's own generation config without its lengths, its sampling and the end token that it may force at
the maximum length (that would hide that an output was cut); what the fields of `_decoding` say goes over it. A score is
the sum of the log-probabilities of the continuation's tokens, the end token not counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Literal

from longdoc.errors import UserError
from models import hub
from models.neural._ctranslate2.conversion import SEQ2SEQ
from models.neural.shared import limits, translation
from models.neural.shared.batching import BATCH_TOKENS
from models.neural.shared.decoding import IsComplete
from models.neural.shared.encoded_request import SourceReading
from models.neural.shared.encoder_decoder import EncoderDecoder, reach
from models.neural.shared.generative import GenerativeReader
from models.neural.shared.inputs import Fused, Source, Target, Window
from models.neural.shared.windows import sliding
from models.prompts import Prompt
from models.requests import Fuse, Generate, Reply, Score
from models.tokenizer import Subwords
from models.truncation import TooLong, truncate


@dataclass(frozen=True, eq=False)
class Seq2seq(GenerativeReader[SourceReading]):
    """A reader that generates and scores with a sequence-to-sequence model.

    - `max_input_tokens`: the prompt's tokens with the special ones. None: what the model was made for (T5 and Flan-T5
      512, LongT5 4,096, else its positions); more is possible where positions are relative.
    - `device`: None is the GPU if there is one; "cuda:0,cuda:1" has the network on each and gives every one batches of
      its own. `dtype`: "auto" is bf16 where the hardware computes in it, else fp32.
    - `backend`: "ctranslate2" computes on the CPU in CTranslate2 (extra `ctranslate2`), with `dtype` "fp32" or "int8",
      greedily or with beams. The network is converted once, checked to compute the same, and kept under LONGDOC_CACHE.
    - `deterministic`: fp32, one request at a time.
    - `batch_tokens`: padded prompt tokens that are read together on one device. None: 32,768 on a GPU; elsewhere, where
      padding costs and batching does not pay, the engine hands over one request per call. A batch that does not fit
      into the memory is halved; a request that does not fit on its own fails alone.
    - `global_attention` (LED): which tokens attend to all: the first, or the first and those of the query.
    - `attention_window` (LED): instead of the configuration's.
    - `source_language`, `target_language` (NLLB, mBART, multilingual Marian): the model's own codes; without them
      English, and what its configuration says. These models get no instruction parts: they could not follow them.
    - `num_beams` … `min_new_tokens`: as in `transformers`; None is the model's own, but no `temperature`, `top_p` and
      `top_k`. Greedy unless `do_sample`; what is sampled follows from `seed` and the request alone.
    - `options`: further arguments of `from_pretrained` (`attn_implementation`, quantization); `device_map` among them
      spreads one network over several devices.

    Construction reads configuration and tokenizer; the first request or `resolve` needs the weights. Thread-safe.
    """

    global_attention: Literal["first", "query"] = "first"
    attention_window: int | None = None
    source_language: str | None = None
    target_language: str | None = None

    supports = frozenset({Generate, Fuse, Score})
    task = "Seq2SeqLM"
    converts = SEQ2SEQ

    def __post_init__(self) -> None:
        """Refuse fields that cannot work, before any weights are loaded."""
        if self._window is None and self.global_attention != "first":
            kind = self.settings.get("model_type")
            raise UserError(f"global_attention is for LED; {kind} models have none: leave it out")
        super().__post_init__()

    @cached_property
    def limit(self) -> int:
        """The longest prompt in tokens, special ones included."""
        return limits.input_limit(self.settings, self.max_input_tokens, self._multiple)

    @cached_property
    def added(self) -> int:
        """How many special tokens a prompt has."""
        return self.subwords.added

    @cached_property
    def languages(self) -> translation.Languages:
        """The tokenizers of both sides, and which languages the model reads and writes."""
        return translation.load(self.fetched.path, self.settings, self.source_language, self.target_language)

    @property
    def subwords(self) -> Subwords:
        """The tokenizer of prompts."""
        return self.languages.source

    @property
    def output_subwords(self) -> Subwords:
        """The tokenizer of outputs."""
        return self.languages.target

    @cached_property
    def _window(self) -> int | None:
        return limits.attention_window(self.settings, self.attention_window)

    @cached_property
    def _multiple(self) -> int:
        return limits.padded_to(self.settings, self._window)

    @cached_property
    def max_output_tokens(self) -> int | None:  # type: ignore[override]
        """The longest output, None where positions are relative; a prefix that the model forces counts."""
        return limits.output_limit(self.settings)

    def recorded_limits(self) -> dict[str, Any]:
        """The limit on a prompt, special tokens included."""
        return {"max_input_tokens_with_special": self.limit}

    def _too_long_message(self, max_new_tokens: int) -> str:
        return f"max_new_tokens={max_new_tokens} is over the model's {self.max_output_tokens} positions"

    def network(self) -> EncoderDecoder:
        """The network, for training: the reader gives it away and loads it anew for its next request.

        Raises `UserError` where there are no weights.
        """
        if self.backend != "torch":
            raise UserError("backend=ctranslate2 cannot be trained: leave it out")
        with self._lock:
            network: EncoderDecoder = self.networks()[0]
            self._loaded.clear()
            return network

    def training_inputs(self, prompt: Prompt | str, output: str, maximum: int | None = None) -> tuple[Source, Target]:
        """A prompt as the network reads it, and an output as it is to write it, the end token last.

        Prompts over the limit are truncated; so are outputs of more than `maximum` tokens, or of more than the
        decoder has positions for, without an end then.
        """
        fitting = self._truncated(prompt)
        encoded = self.languages.target.encode(output)
        whole_entries = [*encoded.own_ids, min(self.networks()[0].ends)]
        prefix = self.languages.before(encoded)
        positions = None if self.max_output_tokens is None else self.max_output_tokens - len(prefix)
        longest = min((n for n in (maximum, positions) if n is not None), default=len(whole_entries))
        return self._source(fitting), Target(prefix, whole_entries[:longest])

    def _truncated(self, prompt: Prompt | str) -> Prompt:
        """What of a prompt the model can follow, cut to its limit. Raises `TooLong`."""
        followed_prompt = self.languages.prompt(Prompt.of(prompt))
        return truncate(followed_prompt, self.max_prompt_tokens, self.count, self.token_ends, self.edges)

    def _read(self, index: int, request: Generate | Fuse | Score) -> SourceReading:
        if isinstance(request, Fuse):
            prompt, fused = self._read_fused(request)
            return SourceReading(index, request, prompt, fused.tokens, fused)
        prompt = self._truncated(request.prompt)
        source = self._source(prompt)
        return SourceReading(index, request, prompt, len(source.ids) - self.added, source, self._padded(source))

    def _write(self, network: EncoderDecoder, batch: Sequence[SourceReading], ended_value: IsComplete | None) -> Any:
        request = batch[0].request
        assert isinstance(request, Generate | Fuse)
        return network.generate(
            [reading.source for reading in batch],
            request.max_new_tokens,
            self.decoding,
            request.n,
            [reading.key for reading in batch],
            ended_value,
        )

    def _score(self, network: EncoderDecoder, batch: Sequence[SourceReading]) -> list[Reply]:
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
            Reply(score, reading.tokens, len(target.ids), reading.prompt.truncated_tokens, greedy=greedy)
            for reading, (score, greedy), (_, target) in zip(batch, scores, pairs, strict=True)
        ]

    def _source(self, prompt: Prompt) -> Source:
        encoded = self.subwords.encode(prompt.text)
        if self._window is None:
            return Source(encoded.ids)
        asked_spans = prompt.query_spans if self.global_attention == "query" else []
        marks = [any(start < number and since < end for since, number in asked_spans) for start, end in encoded.spans]
        return Source(encoded.ids, [True, *marks[1:]])

    def _read_fused(self, request: Fuse) -> tuple[Prompt, Fused]:
        """A request's prompts as one, each cut to the reader's limit or, with overlap, in windows. Raises `TooLong`."""
        if request.overlap:
            prompts = [self.languages.prompt(Prompt.of(prompt)) for prompt in request.prompts]
        else:
            prompts = [self._truncated(prompt) for prompt in request.prompts]
        windows: list[Window] = []
        for prompt in prompts:
            source = self._source(prompt)
            if request.overlap:
                windows += sliding(source, self._document_tokens(prompt), self.limit, request.overlap)
            else:
                windows.append(Window(source, (0, len(source.ids))))
        whole_prompt = Prompt(
            tuple(part for prompt in prompts for part in prompt.parts),
            truncated_tokens=sum(prompt.truncated_tokens for prompt in prompts),
        )
        used = sum(end - start for start, end in (window.used for window in windows))
        return whole_prompt, Fused(tuple(windows), self.tokens_per_call, used - len(prompts) * self.added)

    def _document_tokens(self, prompt: Prompt) -> tuple[int, int]:
        """Which tokens of a prompt are its document's. Raises `TooLong` where the others fill the limit."""
        visible = prompt.visible_parts
        roles = [part.role for part in visible]
        encoded = self.subwords.encode(prompt.text)
        inside: list[int] = []
        if "document" in roles:
            first, last = roles.index("document"), len(roles) - roles[::-1].index("document")
            before, after = (replace(prompt, parts=parts) for parts in (visible[:first], visible[last:]))
            start, end = len(before.text), len(prompt.text) - len(after.text)
            own_numbers = (i for i, special in enumerate(encoded.special) if not special)
            inside = [i for i in own_numbers if encoded.spans[i][0] < end and start < encoded.spans[i][1]]
        span = (inside[0], inside[-1] + 1) if inside else (len(encoded.ids),) * 2
        fixed = len(encoded.ids) - (span[1] - span[0])
        if fixed >= self.limit:
            raise TooLong(fixed - self.added, self.limit - self.added)
        return span

    def _target(self, continuation: str) -> Target:
        encoded = self.languages.target.encode(continuation)
        own_numbers = encoded.own_ids
        before = self.languages.before(encoded)
        if self.max_output_tokens is not None and len(before) + len(own_numbers) > self.max_output_tokens:
            raise UserError(
                f"a continuation of {len(own_numbers)} tokens is over the model's {self.max_output_tokens} positions"
            )
        return Target(before, own_numbers)

    def _batches(self, readable: Sequence[SourceReading]) -> Iterator[list[SourceReading]]:
        """Requests of the same kind and similar length together, at most `batch_tokens` padded tokens; one by one if
        set so.
        """
        budget = self.facts["batch_tokens"] or BATCH_TOKENS
        ordered = sorted(
            readable, key=lambda reading: (reading.kind, -reading.tokens, reading.prompt.text, reading.index)
        )
        for _, alike_entries in groupby(ordered, key=lambda reading: reading.kind):
            batch: list[SourceReading] = []
            for reading in alike_entries:
                width = len(batch[0].source.ids) if batch else 0
                if batch and (
                    self.deterministic or len({reading.source_key for reading in (*batch, reading)}) * width > budget
                ):
                    yield batch
                    batch = []
                batch.append(reading)
            yield batch

    def _padded(self, source: Source) -> int:
        """The padded length where outputs depend on it (BigBird's last block attends to all), 0 where they do not."""
        width = -(-len(source.ids) // self._multiple) * self._multiple
        full = self.settings.get("model_type") != "bigbird_pegasus" or width <= reach(self.settings)
        return 0 if full else width

    def _load(self, device: str) -> EncoderDecoder:
        options = dict(self.options)
        if self.attention_window is not None:
            options["attention_window"] = self.attention_window
        path = hub.weights(self.model, self.fetched.revision, self.task)
        return self.languages.settled(EncoderDecoder.load(path, self.weights_dtype, device, self._multiple, options))
