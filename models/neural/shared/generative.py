"""What readers that generate share: the fields of decoding, and batches of requests on one device or several."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from longdoc.errors import UserError
from longdoc.optional import check, installed_version
from longdoc.registry import ADDED_LATER
from models import hub
from models.neural._ctranslate2 import conversion, converted_models, networks
from models.neural.shared import limits
from models.neural.shared.batching import halving_on_out_of_memory, spread
from models.neural.shared.decoding import Decoding, DecodingFields, IsComplete, before_stop
from models.neural.shared.inputs import EncodedRequest
from models.neural.shared.reader import NeuralReader
from models.requests import Fuse, Generate, Reply, Request, Score
from models.tokenizer import Subwords
from models.truncation import TooLong

R = TypeVar("R", bound=EncodedRequest)
NOT_IN_CTRANSLATE2 = ("do_sample", "repetition_penalty", "no_repeat_ngram_size", "min_new_tokens")


@dataclass(frozen=True, eq=False)
class GenerativeReader(DecodingFields, NeuralReader, Generic[R]):
    """A reader that generates and scores. `R` is the type of its encoded requests."""

    backend: Literal["torch", "ctranslate2"] = field(default="torch", metadata=ADDED_LATER)

    several_devices = True
    stops_when_empty = True
    converts: ClassVar[frozenset[str]]  # the kinds of model that CTranslate2 computes as torch does

    _loaded: list[Any] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse fields that cannot work, before any weights are loaded."""
        self.decoding  # noqa: B018
        if self.backend == "ctranslate2":
            check(("ctranslate2",), "ctranslate2", "backend=ctranslate2")
            self._check_ctranslate2()
            object.__setattr__(self, "supports", self.supports - {Fuse})
        super().__post_init__()

    @cached_property
    def decoding(self) -> Decoding:
        """How outputs are decoded."""
        return Decoding.of(self)

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """The devices that hold the network; with CTranslate2 always the CPU."""
        return ("cpu",) if self.backend == "ctranslate2" else super().devices

    @property
    def computed_dtype(self) -> str:
        """The dtype of the computation; with CTranslate2 fp32 unless int8 is given."""
        if self.backend == "torch":
            return super().computed_dtype
        return "int8" if self.dtype == "int8" else limits.dtype("fp32", self.deterministic, self.settings, "cpu")

    @property
    def weights_dtype(self) -> str:
        """The dtype in which weights are loaded: fp32 if they are to be converted."""
        return str(self.facts["dtype"]) if self.backend == "torch" else "fp32"

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The resolved settings: revision, limits, device, dtype, batch size, backend."""
        if self.backend == "torch":
            return super().facts
        return {**super().facts, "backend": self.backend, "threads": networks.threads()}

    def resolve(self) -> dict[str, Any]:
        """What a run records; with CTranslate2 the network is converted now, where none is kept.

        Raises `UserError` where there are no weights, or where they cannot be converted.
        """
        fields = super().resolve()
        if self.backend == "torch":
            return fields
        self._converted()
        return {**fields, "versions": {**fields["versions"], "ctranslate2": installed_version("ctranslate2")}}

    @property
    def output_subwords(self) -> Subwords:
        """The tokenizer of outputs."""
        return self.subwords

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply per request, in order. Requests of the same kind and decoding are batched, padded.

        `tokens_in` leaves special tokens, a chat template's and padding out. `tokens_out` includes thinking; of a score
        it counts the continuation's tokens.
        """
        for request in requests:
            self._check_request(request)
        with self._lock:
            replies: dict[int, Reply] = {}
            readable: list[R] = []
            for index, request in enumerate(requests):
                assert isinstance(request, Generate | Fuse | Score)
                try:
                    readable.append(self._encode(index, request))
                except TooLong as error:
                    replies[index] = Reply.failed(str(error), error.fixed)
            batches = list(self._batches(readable))
            replies_of_batches = spread(self.networks() if batches else (), self._batch_replies, batches)
            for batch, batch_replies in zip(batches, replies_of_batches, strict=True):
                replies |= {encoded.index: reply for encoded, reply in zip(batch, batch_replies, strict=True)}
        return [replies[index] for index in range(len(requests))]

    def networks(self) -> list[Any]:
        """The network on each device, loaded at the first call. Raises `UserError` where there are no weights."""
        with self._lock:
            if not self._loaded:
                load = self._load if self.backend == "torch" else self._load_converted
                self._loaded.extend(map(load, self.devices))
            return self._loaded

    def _load_converted(self, _: str) -> Any:
        return networks.load(*self._converted(), self.facts["dtype"])

    def _converted(self) -> tuple[Path, dict[str, Any]]:
        """The converted network's folder and description; converted now if none is kept."""
        path = hub.weights(self.model, self.fetched.revision, self.task)
        version = str(installed_version("ctranslate2"))
        return converted_models.converted(
            path, version, lambda folder: conversion.convert(self._load("cpu"), path, folder)
        )

    def _check_ctranslate2(self) -> None:
        """Raise `UserError` for a model or fields that CTranslate2 does not support."""
        kind = self.settings.get("model_type")
        if kind not in self.converts:
            raise UserError(
                f"backend=ctranslate2 cannot compute {kind} models (only {', '.join(sorted(self.converts))}): leave it "
                "out"
            )
        window = self.settings.get("sliding_window")
        if window and self.settings.get("use_sliding_window", True) and window < self.limit:
            raise UserError(
                f"backend=ctranslate2 has no sliding window: set max_input_tokens={window}, or leave the backend out"
            )
        if self.device not in (None, "cpu"):
            raise UserError(f"backend=ctranslate2 computes on the CPU: drop device={self.device!r}")
        if self.dtype not in ("auto", "fp32", "int8"):
            raise UserError(f"backend=ctranslate2 computes in fp32 or int8: drop dtype={self.dtype!r}")
        if self.dtype == "int8" and self.deterministic:
            raise UserError('deterministic=True computes in fp32; drop dtype="int8"')
        if self.batch_tokens is not None and self.decoder_window:
            raise UserError("backend=ctranslate2 reads prompts of decoders one at a time: drop batch_tokens")
        if self.options:
            raise UserError(f"options are for the backend torch: drop {', '.join(self.options)}")
        for name in NOT_IN_CTRANSLATE2:
            if getattr(self, name):
                raise UserError(f"backend=ctranslate2 decodes greedily or with beams: drop {name}")

    @abstractmethod
    def _load(self, device: str) -> Any:
        """The network on a device."""

    @abstractmethod
    def _encode(self, index: int, request: Generate | Fuse | Score) -> R:
        """The encoded request. Raises `TooLong`."""

    @abstractmethod
    def _batches(self, readable: Sequence[R]) -> Iterable[list[R]]:
        """Batches of encoded requests of one kind."""

    @abstractmethod
    def _write(self, network: Any, batch: Sequence[R], is_complete: IsComplete | None) -> list[list[list[int]]]:
        """The outputs of each request, as token ids; `is_complete` says whether an output so far needs no more."""

    @abstractmethod
    def _score(self, network: Any, batch: Sequence[R]) -> list[Reply]:
        """The replies to Score requests."""

    def _split(self, output: str, encoded: R) -> tuple[str, str]:
        """The thinking in an output, and the answer."""
        return "", output

    def _check_request(self, request: Request) -> None:
        if type(request) not in self.supports:
            raise self.unsupported(request)
        if isinstance(request, Generate | Fuse):
            self.decoding.check(request.max_new_tokens, request.n)
            if self.max_output_tokens is not None and request.max_new_tokens > self.max_output_tokens:
                raise UserError(self._too_long_message(request.max_new_tokens))

    @abstractmethod
    def _too_long_message(self, max_new_tokens: int) -> str:
        """The error for an output over `max_output_tokens`."""

    def _batch_replies(self, network: Any, batch: Sequence[R]) -> list[Reply]:
        answer = self._score if isinstance(batch[0].request, Score) else self._generate
        return halving_on_out_of_memory(
            batch,
            lambda part: answer(network, part),
            lambda encoded, reason: Reply.failed(reason, encoded.tokens),
        )

    def _generate(self, network: Any, batch: Sequence[R]) -> list[Reply]:
        request = batch[0].request
        assert isinstance(request, Generate | Fuse)
        stop = tuple(filter(None, request.stop))

        def is_complete(tokens: list[int]) -> bool:
            if len(tokens) <= request.max_new_tokens and not stop:
                return False
            thinking, answer = self._split(self.output_subwords.decode(tokens), batch[0])
            # while there is no thinking yet, its opening mark may still come
            is_cut = bool(thinking) and self._cut(answer, request) is not None
            return is_cut or before_stop(answer, stop) is not None

        rows = self._write(network, batch, is_complete if stop or self.thinking_tokens else None)
        return [
            self._generated(network.ends, encoded, outputs, stop) for encoded, outputs in zip(batch, rows, strict=True)
        ]

    def _cut(self, answer: str, request: Generate | Fuse) -> str | None:
        """The answer cut to `max_new_tokens` where thinking has its own budget; None if it is not longer."""
        end = self.output_subwords.end_of_first(answer, request.max_new_tokens) if self.thinking_tokens else len(answer)
        return answer[:end] if end < len(answer) else None

    def _generated(self, ends: frozenset[int], encoded: R, outputs: list[list[int]], stop: tuple[str, ...]) -> Reply:
        special = self.output_subwords.special
        answers, thoughts, is_cut, tokens = [], [], False, 0
        for ids in outputs:
            thinking, text = self._split(self.output_subwords.decode(ids), encoded)
            thoughts.append(thinking)
            stopped_text = before_stop(text, stop)
            answer = text if stopped_text is None else stopped_text
            cut = self._cut(answer, encoded.request) if isinstance(encoded.request, Generate | Fuse) else None
            answers.append(answer if cut is None else cut)
            is_cut |= cut is not None or (stopped_text is None and not (ids and ids[-1] in ends))
            tokens += sum(token not in special for token in ids)
        return Reply(
            value=answers[0] if len(answers) == 1 else tuple(answers),
            tokens_in=encoded.tokens,
            tokens_out=tokens,
            truncated_tokens=encoded.prompt.truncated_tokens,
            finish_reason="length" if is_cut else "stop",
            thinking="\n\n".join(filter(None, thoughts)),
        )
