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
from models.neural.shared.encoder_decoder import EncoderDecoder, full_attention_limit
from models.neural.shared.generative import GenerativeReader
from models.neural.shared.inputs import EncoderDecoderRequest, Fused, Source, Target, Window, sliding
from models.prompts import Prompt
from models.requests import Fuse, Generate, Reply, Score
from models.tokenizer import Subwords
from models.truncation import TooLong, truncate


@dataclass(frozen=True, eq=False)
class Seq2seq(GenerativeReader[EncoderDecoderRequest]):
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
    def added_tokens(self) -> int:
        """How many special tokens a prompt has."""
        return self.subwords.added_tokens

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
        return f"max_new_tokens={max_new_tokens} is over the model's {self.max_output_tokens} positions: lower it"

    def network(self) -> EncoderDecoder:
        """The network, for training: the caller owns it, and the reader loads another for its next request.

        Raises `UserError` where there are no weights.
        """
        if self.backend != "torch":
            raise UserError("backend=ctranslate2 cannot be trained: leave it out")
        with self._lock:
            network: EncoderDecoder = self.networks()[0]
            self._loaded.clear()
            return network

    def training_inputs(self, prompt: Prompt | str, output: str, maximum: int | None = None) -> tuple[Source, Target]:
        """The encoded prompt, and the token ids of an output that the network is to learn, the end token last.

        Prompts over the limit are truncated; so are outputs of more than `maximum` tokens, or of more than the
        decoder has positions for, without an end then.
        """
        fitted = self._truncated(prompt)
        encoded = self.languages.target.encode(output)
        target_ids = [*encoded.text_ids, min(self.networks()[0].ends)]
        prefix = self.languages.before(encoded)
        positions = None if self.max_output_tokens is None else self.max_output_tokens - len(prefix)
        longest = min((n for n in (maximum, positions) if n is not None), default=len(target_ids))
        return self._source(fitted), Target(prefix, target_ids[:longest])

    def _truncated(self, prompt: Prompt | str) -> Prompt:
        """The prompt without parts that the model cannot follow, cut to its limit. Raises `TooLong`."""
        followable = self.languages.prompt(Prompt.of(prompt))
        return truncate(followable, self.max_prompt_tokens, self.count, self.token_ends, self.edges)

    def _encode(self, index: int, request: Generate | Fuse | Score) -> EncoderDecoderRequest:
        if isinstance(request, Fuse):
            prompt, fused = self._read_fused(request)
            return EncoderDecoderRequest(index, request, prompt, fused.tokens, fused)
        prompt = self._truncated(request.prompt)
        source = self._source(prompt)
        return EncoderDecoderRequest(
            index, request, prompt, len(source.ids) - self.added_tokens, source, self._padded_length(source)
        )

    def _write(
        self, network: EncoderDecoder, batch: Sequence[EncoderDecoderRequest], is_complete: IsComplete | None
    ) -> Any:
        request = batch[0].request
        assert isinstance(request, Generate | Fuse)
        return network.generate(
            [encoded.source for encoded in batch],
            request.max_new_tokens,
            self.decoding,
            request.n,
            [encoded.key for encoded in batch],
            is_complete,
        )

    def _score(self, network: EncoderDecoder, batch: Sequence[EncoderDecoderRequest]) -> list[Reply]:
        """The scores of a batch; equal prompts are encoded once."""
        source_numbers: dict[str, int] = {}
        sources: list[Source] = []
        pairs: list[tuple[int, Target]] = []
        for encoded in batch:
            assert isinstance(encoded.request, Score)
            if encoded.prompt.text not in source_numbers:
                source_numbers[encoded.prompt.text] = len(sources)
                assert isinstance(encoded.source, Source)
                sources.append(encoded.source)
            pairs.append((source_numbers[encoded.prompt.text], self._target(encoded.request.continuation)))
        scores = network.score(sources, pairs)
        return [
            Reply(score, encoded.tokens, len(target.ids), encoded.prompt.truncated_tokens, greedy=greedy)
            for encoded, (score, greedy), (_, target) in zip(batch, scores, pairs, strict=True)
        ]

    def _source(self, prompt: Prompt) -> Source:
        encoded = self.subwords.encode(prompt.text)
        if self._window is None:
            return Source(encoded.ids)
        query_spans = prompt.query_spans if self.global_attention == "query" else []
        attends_to_all = [
            any(start < query_end and query_start < end for query_start, query_end in query_spans)
            for start, end in encoded.spans
        ]
        return Source(encoded.ids, [True, *attends_to_all[1:]])

    def _read_fused(self, request: Fuse) -> tuple[Prompt, Fused]:
        """A request's prompts joined, and their encoder inputs: each prompt cut, or with overlap in windows.

        Raises `TooLong`.
        """
        if request.overlap:
            prompts = [self.languages.prompt(Prompt.of(prompt)) for prompt in request.prompts]
        else:
            prompts = [self._truncated(prompt) for prompt in request.prompts]
        windows: list[Window] = []
        for prompt in prompts:
            source = self._source(prompt)
            if request.overlap:
                windows += sliding(source, self._document_span(prompt), self.limit, request.overlap)
            else:
                windows.append(Window(source, (0, len(source.ids))))
        joined_prompt = Prompt(
            tuple(part for prompt in prompts for part in prompt.parts),
            truncated_tokens=sum(prompt.truncated_tokens for prompt in prompts),
        )
        used_tokens = sum(end - start for start, end in (window.used for window in windows))
        return joined_prompt, Fused(
            tuple(windows), self.tokens_per_call, used_tokens - len(prompts) * self.added_tokens
        )

    def _document_span(self, prompt: Prompt) -> tuple[int, int]:
        """(start, end) of the document's tokens in a prompt. Raises `TooLong` where the other tokens fill the limit."""
        visible = prompt.visible_parts
        roles = [part.role for part in visible]
        encoded = self.subwords.encode(prompt.text)
        inside: list[int] = []
        if "document" in roles:
            first, last = roles.index("document"), len(roles) - roles[::-1].index("document")
            before, after = (replace(prompt, parts=parts) for parts in (visible[:first], visible[last:]))
            start, end = len(before.text), len(prompt.text) - len(after.text)
            text_positions = (i for i, special in enumerate(encoded.special) if not special)
            inside = [i for i in text_positions if encoded.spans[i][0] < end and start < encoded.spans[i][1]]
        span = (inside[0], inside[-1] + 1) if inside else (len(encoded.ids),) * 2
        other_tokens = len(encoded.ids) - (span[1] - span[0])
        if other_tokens >= self.limit:
            raise TooLong(other_tokens - self.added_tokens, self.limit - self.added_tokens)
        return span

    def _target(self, continuation: str) -> Target:
        encoded = self.languages.target.encode(continuation)
        ids = encoded.text_ids
        prefix = self.languages.before(encoded)
        if self.max_output_tokens is not None and len(prefix) + len(ids) > self.max_output_tokens:
            raise UserError(
                f"a continuation of {len(ids)} tokens is over the model's {self.max_output_tokens} positions: "
                "shorten it"
            )
        return Target(prefix, ids)

    def _batches(self, readable: Sequence[EncoderDecoderRequest]) -> Iterator[list[EncoderDecoderRequest]]:
        """Requests of the same kind and similar length together, at most `batch_tokens` padded tokens; one by one if
        set so.
        """
        budget = self.facts["batch_tokens"] or BATCH_TOKENS
        ordered = sorted(
            readable, key=lambda encoded: (encoded.kind, -encoded.tokens, encoded.prompt.text, encoded.index)
        )
        for _, group in groupby(ordered, key=lambda encoded: encoded.kind):
            batch: list[EncoderDecoderRequest] = []
            for encoded in group:
                width = len(batch[0].source.ids) if batch else 0
                if batch and (
                    self.deterministic or len({encoded.source_key for encoded in (*batch, encoded)}) * width > budget
                ):
                    yield batch
                    batch = []
                batch.append(encoded)
            yield batch

    def _padded_length(self, source: Source) -> int:
        """The padded length if outputs depend on it (BigBird's last block attends to all), else 0."""
        width = -(-len(source.ids) // self._multiple) * self._multiple
        is_independent = self.settings.get("model_type") != "bigbird_pegasus" or width <= full_attention_limit(
            self.settings
        )
        return 0 if is_independent else width

    def _load(self, device: str) -> EncoderDecoder:
        options = dict(self.options)
        if self.attention_window is not None:
            options["attention_window"] = self.attention_window
        path = hub.weights(self.model, self.fetched.revision, self.task)
        return self.languages.settled(EncoderDecoder.load(path, self.weights_dtype, device, self._multiple, options))
