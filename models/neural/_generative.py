"""What readers that generate share: the fields of decoding, and batches of requests on one device or several."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from longdoc.errors import UserError
from models.neural._batching import halved, spread
from models.neural._decoding import Decoding, DecodingFields, Ended, before_stop
from models.neural._reader import NeuralReader
from models.neural._reading import Reading
from models.requests import Fuse, Generate, Reply, Request, Score
from models.tokenizer import Subwords
from models.truncation import TooLong

R = TypeVar("R", bound=Reading)


@dataclass(frozen=True, eq=False)
class GenerativeReader(DecodingFields, NeuralReader, Generic[R]):
    """A reader that generates and scores. `R` is what it makes of a request."""

    several_devices = True

    _loaded: list[Any] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse fields that cannot work, before any weights are loaded."""
        self.decoding  # noqa: B018
        super().__post_init__()

    @cached_property
    def decoding(self) -> Decoding:
        """How outputs are decoded."""
        return Decoding.of(self)

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
            answered = spread(self.networks() if batches else (), self._answered, batches)
            for batch, some in zip(batches, answered, strict=True):
                replies |= {reading.index: reply for reading, reply in zip(batch, some, strict=True)}
        return [replies[index] for index in range(len(requests))]

    def networks(self) -> list[Any]:
        """The network on each device, loaded at the first call. Raises `UserError` where there are no weights."""
        with self._lock:
            if not self._loaded:
                self._loaded.extend(map(self._load, self.devices))
            return self._loaded

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
    def _write(self, network: Any, batch: Sequence[R], ended: Ended | None) -> list[list[list[int]]]:
        """The token ids of the outputs of each reading; `ended` tells whether an output so far is complete."""

    @abstractmethod
    def _score(self, network: Any, batch: Sequence[R]) -> list[Reply]:
        """The scores of each reading."""

    def _visible(self, output: str, reading: R) -> str:
        """The part of an output that is an answer."""
        return output

    def _raw(self, outputs: Sequence[str], reading: R) -> str | tuple[str, ...] | None:
        """The outputs with what is not an answer, None where everything is."""
        return None

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

    def _answered(self, network: Any, batch: Sequence[R]) -> list[Reply]:
        answer = self._score if isinstance(batch[0].request, Score) else self._generate
        return halved(batch, lambda some: answer(network, some), lambda one, why: Reply.failed(why, one.tokens))

    def _generate(self, network: Any, batch: Sequence[R]) -> list[Reply]:
        request = batch[0].request
        assert isinstance(request, Generate | Fuse)
        stop = tuple(filter(None, request.stop))

        def ended(tokens: list[int]) -> bool:
            return before_stop(self._visible(self.output_subwords.decode(tokens), batch[0]), stop) is not None

        rows = self._write(network, batch, ended if stop else None)
        return [
            self._generated(network.ends, reading, outputs, stop) for reading, outputs in zip(batch, rows, strict=True)
        ]

    def _generated(self, ends: frozenset[int], reading: R, rows: list[list[int]], stop: tuple[str, ...]) -> Reply:
        special = self.output_subwords.special
        values, outputs, length, tokens = [], [], False, 0
        for row in rows:
            outputs.append(self.output_subwords.decode(row))
            text = self._visible(outputs[-1], reading)
            ended = before_stop(text, stop)
            values.append(text if ended is None else ended)
            length |= ended is None and not (row and row[-1] in ends)
            tokens += sum(token not in special for token in row)
        return Reply(
            value=values[0] if len(values) == 1 else tuple(values),
            tokens_in=reading.tokens,
            tokens_out=tokens,
            truncated_tokens=reading.prompt.truncated_tokens,
            finish_reason="length" if length else "stop",
            raw=self._raw(outputs, reading),
        )
