"""What readers that generate share: the fields of decoding, and batches of requests on one device or several."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeVar

from longdoc.errors import UserError
from longdoc.optional import check, installed_version
from longdoc.registry import LATER_VALUES
from models import hub
from models.neural._ctranslate2 import conversion, converted_models, networks
from models.neural.shared import limits
from models.neural.shared.batching import halved, spread
from models.neural.shared.decoding import Decoding, DecodingFields, IsComplete, before_stop
from models.neural.shared.encoded_request import Reading
from models.neural.shared.reader import NeuralReader
from models.requests import Fuse, Generate, Reply, Request, Score
from models.tokenizer import Subwords
from models.truncation import TooLong

R = TypeVar("R", bound=Reading)
UNCONVERTED = ("do_sample", "repetition_penalty", "no_repeat_ngram_size", "min_new_tokens")  # other in CTranslate2


@dataclass(frozen=True, eq=False)
class GenerativeReader(DecodingFields, NeuralReader, Generic[R]):
    """A reader that generates and scores. `R` is what it makes of a request."""

    backend: Literal["torch", "ctranslate2"] = field(default="torch", metadata=LATER_VALUES)

    several_devices = True
    stops_when_empty = True
    converts: ClassVar[frozenset[str]]  # the kinds of model that CTranslate2 computes as torch does

    _loaded: list[Any] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse fields that cannot work, before any weights are loaded."""
        self.decoding  # noqa: B018
        if self.backend == "ctranslate2":
            check(("ctranslate2",), "ctranslate2", "backend=ctranslate2")
            self._check_converted()
            object.__setattr__(self, "supports", self.supports - {Fuse})
        super().__post_init__()

    @cached_property
    def decoding(self) -> Decoding:
        """How outputs are decoded."""
        return Decoding.of(self)

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """Where the network is, once on each; in CTranslate2 always the CPU."""
        return ("cpu",) if self.backend == "ctranslate2" else super().devices

    @property
    def computed_dtype(self) -> str:
        """fp32 in CTranslate2, unless int8 is given."""
        if self.backend == "torch":
            return super().computed_dtype
        return "int8" if self.dtype == "int8" else limits.dtype("fp32", self.deterministic, self.settings, "cpu")

    @property
    def weights_dtype(self) -> str:
        """What the weights are loaded in: fp32 where they are to be converted."""
        return str(self.facts["dtype"]) if self.backend == "torch" else "fp32"

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What follows from the fields and this machine, and decides how the network computes."""
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
                    readable.append(self._read(index, request))
                except TooLong as error:
                    replies[index] = Reply.failed(str(error), error.fixed)
            batches = list(self._batches(readable))
            answered_entries = spread(self.networks() if batches else (), self._answered_rows, batches)
            for batch, some_replies in zip(batches, answered_entries, strict=True):
                replies |= {reading.index: reply for reading, reply in zip(batch, some_replies, strict=True)}
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
        """The folder that CTranslate2 reads, and what is known of it; converted where none is kept."""
        path = hub.weights(self.model, self.fetched.revision, self.task)
        version = str(installed_version("ctranslate2"))
        return converted_models.converted(
            path, version, lambda folder: conversion.convert(self._load("cpu"), path, folder)
        )

    def _check_converted(self) -> None:
        """Raise `UserError` for a model and for fields that CTranslate2 computes otherwise, or not at all."""
        kind = self.settings.get("model_type")
        if kind not in self.converts:
            raise UserError(
                f"backend=ctranslate2 computes {', '.join(sorted(self.converts))} models, not {kind}: leave it out"
            )
        window = self.settings.get("sliding_window")
        if window and self.settings.get("use_sliding_window", True) and window < self.limit:
            raise UserError(f"backend=ctranslate2 has no sliding window: max_input_tokens={window}, or leave it out")
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
        for name in UNCONVERTED:
            if getattr(self, name):
                raise UserError(f"backend=ctranslate2 decodes greedily or with beams: drop {name}")

    @abstractmethod
    def _load(self, device: str) -> Any:
        """The network on a device."""

    @abstractmethod
    def _read(self, index: int, request: Generate | Fuse | Score) -> R:
        """A request as the network reads it. Raises `TooLong`."""

    @abstractmethod
    def _batches(self, readable: Sequence[R]) -> Iterable[list[R]]:
        """Readings of one kind together."""

    @abstractmethod
    def _write(self, network: Any, batch: Sequence[R], is_complete: IsComplete | None) -> list[list[list[int]]]:
        """The token ids of the outputs of each reading; `is_complete` tells whether an output so far is complete."""

    @abstractmethod
    def _score(self, network: Any, batch: Sequence[R]) -> list[Reply]:
        """The scores of each reading."""

    def _split(self, output: str, reading: R) -> tuple[str, str]:
        """What was thought in an output, and the part that is an answer."""
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

    def _answered_rows(self, network: Any, batch: Sequence[R]) -> list[Reply]:
        answer = self._score if isinstance(batch[0].request, Score) else self._generate
        return halved(
            batch,
            lambda some_entries: answer(network, some_entries),
            lambda value, reason: Reply.failed(reason, value.tokens),
        )

    def _generate(self, network: Any, batch: Sequence[R]) -> list[Reply]:
        request = batch[0].request
        assert isinstance(request, Generate | Fuse)
        stop = tuple(filter(None, request.stop))

        def ended(tokens: list[int]) -> bool:
            if len(tokens) <= request.max_new_tokens and not stop:
                return False
            thinking, answer = self._split(self.output_subwords.decode(tokens), batch[0])
            # before there is any, the output may be thinking whose mark is still to come
            over = bool(thinking) and self._cut(answer, request) is not None
            return over or before_stop(answer, stop) is not None

        rows = self._write(network, batch, ended if stop or self.thinking_tokens else None)
        return [
            self._generated(network.ends, reading, outputs, stop) for reading, outputs in zip(batch, rows, strict=True)
        ]

    def _cut(self, answer: str, request: Generate | Fuse) -> str | None:
        """The answer cut at its length, where thinking had room of its own before it; None for one that is not over."""
        end = self.output_subwords.end_of_first(answer, request.max_new_tokens) if self.thinking_tokens else len(answer)
        return answer[:end] if end < len(answer) else None

    def _generated(self, ends: frozenset[int], reading: R, rows: list[list[int]], stop: tuple[str, ...]) -> Reply:
        special = self.output_subwords.special
        values, thoughts, length, tokens = [], [], False, 0
        for row in rows:
            thinking, text = self._split(self.output_subwords.decode(row), reading)
            thoughts.append(thinking)
            ended_text = before_stop(text, stop)
            answer = text if ended_text is None else ended_text
            cut = self._cut(answer, reading.request) if isinstance(reading.request, Generate | Fuse) else None
            values.append(answer if cut is None else cut)
            length |= cut is not None or (ended_text is None and not (row and row[-1] in ends))
            tokens += sum(token not in special for token in row)
        return Reply(
            value=values[0] if len(values) == 1 else tuple(values),
            tokens_in=reading.tokens,
            tokens_out=tokens,
            truncated_tokens=reading.prompt.truncated_tokens,
            finish_reason="length" if length else "stop",
            thinking="\n\n".join(filter(None, thoughts)),
        )
