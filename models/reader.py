"""The base class of readers: what the engine needs of a model, and the defaults of everything optional."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from longdoc.descriptions import PickledByFields
from longdoc.errors import UserError
from longdoc.registry import name_of
from models.prompts import Prompt
from models.requests import Classify, Compare, Reply, Request, Score, TrainingExample
from models.truncation import Edges, word_ends

OnReply = Callable[[int, Reply], None]  # called with the index of a request and its reply as soon as the reply arrives


class Reader(PickledByFields, ABC):
    """A model behind requests.

    A subclass has to set `supports` and to define `count` and `reply`. Everything else has a default that it may
    override, by a class attribute, a dataclass field, a property or in `__init__`.

    - `supports`: the types of request that it answers.
    - `labels`: the labels that `Classify` chooses from, as they were given.
    - `max_input_tokens`: the limit on a prompt as it was given. None: the model's own, or no limit.
    - `max_output_tokens`: the longest output, to which a task's own length is lowered. None: no limit.
    - `batch_tokens`: how many padded prompt tokens to read together, as it was given.
    - `batch_requests`: how many requests one call of `reply` takes where `tokens_per_call` is None.
    - `thinking_tokens`: how many tokens it may think for before its answer, on top of the answer's length.
    - `decoder_window`: prompt and output share one window, as in decoder-only models.
    - `is_chat`: prompts are put into a chat template, so they have to say what to do.
    - `template_date`: the date that its chat template writes into each prompt; None where it writes none.
    - `is_random`, `seed`: a run passes its own seed to a random reader whose field `seed` is None.
    - `stops_when_empty`: it generates at a cost, so a run sends no more once most of its first outputs are empty.
    - `reads`: False for none that reads: a run makes no request, and measures what is selected.
    - `needs_whole_document`: it makes sense of whole documents only.
    - `fitted`: False until `fit` was called, for readers that have to be fitted before inference.
    - `streams_training`: `fit` takes an iterator, so that no document is kept in memory. Otherwise it gets a list.
    - `can_save`: it has a `save` that writes what was fitted.
    - `prices`: the cost of a million tokens by kind (`models.accounting`); empty: not known.
    - `sends_to`: the hosts that get the texts it reads; empty: they stay on this machine.
    - `sent_key`: the environment variable whose key these get; None: they get none.
    """

    supports: frozenset[type]
    labels: tuple[str, ...] | None = None
    max_input_tokens: int | None = None
    max_output_tokens: int | None = None
    thinking_tokens: int = 0
    batch_tokens: int | None = None
    batch_requests: int = 16
    decoder_window: bool = False
    is_chat: bool = False
    template_date: str | None = None
    is_random: bool = True
    seed: int | None = 0
    stops_when_empty: bool = False
    reads: bool = True
    needs_whole_document: bool = False
    fitted: bool = True
    streams_training: bool = False
    can_save: bool = False
    prices: Mapping[str, float] = MappingProxyType({})
    sends_to: tuple[str, ...] = ()
    sent_key: str | None = None

    @abstractmethod
    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text as this reader counts them, special tokens left out."""

    @abstractmethod
    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply per request, in order. A prompt over the limit is truncated (`models.truncation`); the reply
        counts the tokens that were removed.
        """

    @property
    def output_labels(self) -> tuple[str, ...] | None:
        """The labels that `Classify` chooses from: the given ones, else the model's own. None: there are none yet."""
        return self.labels

    @property
    def max_prompt_tokens(self) -> int | None:
        """The limit on the text of a prompt as `count` counts: less than `max_input_tokens` where that holds special
        tokens too. None: no limit.
        """
        return self.max_input_tokens

    @property
    def tokens_per_call(self) -> int | None:
        """How many padded prompt tokens one call of `reply` takes. None: `batch_requests` requests."""
        return self.batch_tokens

    def prompt_limit(self, max_new_tokens: int) -> int | None:
        """The most tokens of a prompt that leave room for an answer of `max_new_tokens`, and for the thinking before
        it. None: no limit.
        """
        limit = self.max_prompt_tokens
        output = max_new_tokens + self.thinking_tokens
        return limit - output if limit is not None and self.decoder_window else limit

    def no_room_message(self, max_new_tokens: int) -> str:
        """The error for an output that leaves no room for a prompt."""
        problem, hint = f"an output of {max_new_tokens} tokens fills", "lower max_new_tokens"
        if self.thinking_tokens:
            problem = f"an output of {max_new_tokens} tokens and thinking={self.thinking_tokens} fill"
            hint += " or thinking"
        return f"{problem} the reader's window of {self.max_prompt_tokens}, which holds the prompt too: {hint}"

    def token_ends(self, text: str) -> list[int]:
        """Where the tokens of a text end, as rising code point offsets; tokens that share a character end together.

        A reader that does not know gives the ends of words.
        """
        return word_ends(text)

    @property
    def edges(self) -> Edges | None:
        """The object that finds a text's first and last tokens, for prompts that are cut in the middle.

        None: such prompts are cut at words, so many that `count` has half of the limit on either side.
        """
        return None

    def pair(self, first: str, second: str) -> Prompt | None:
        """The prompt for two texts to compare, truncated; None if the reader reads each text by itself."""
        return None

    def resolve(self) -> Mapping[str, Any]:
        """The fields that `run.json` records about the reader (revision, dtype, device …). Called once before a run."""
        return {}

    def fit(self, examples: Iterable[TrainingExample]) -> None:
        """Learn from the training split."""
        raise UserError(f"the reader {name_of(self)} cannot be trained")

    def save(self, folder: Path) -> None:
        """Write the fitted reader to a folder that `models.get` reads."""
        raise UserError(f"the reader {name_of(self)} cannot be saved")

    def unsupported(self, request: Request) -> UserError:
        """The error for a request of a type that is not in `supports`."""
        *others, last = sorted(kind.__name__ for kind in self.supports)
        supported = f"{', '.join(others)} and {last}" if others else last
        problem = f"the reader {name_of(self)} answers {supported}, not {type(request).__name__}"
        if Score in self.supports and isinstance(request, Classify | Compare):
            problem += "; longdoc.models.likelihood.adapt answers Classify and Compare with it"
        return UserError(problem)


class RequestStream(ABC):
    """Requests in flight at a reader, to which more can be added."""

    @abstractmethod
    def add(self, requests: Sequence[Request]) -> None:
        """Send more requests, which have the next indices, as soon as there is room."""

    @property
    @abstractmethod
    def is_short(self) -> bool:
        """Whether the reader has fewer requests than it needs to be busy, or soon will have."""

    @abstractmethod
    def next(self, wait: bool = True) -> tuple[int, Reply] | None:
        """The next (index, reply) to arrive; None where all are in, or, without `wait`, none is there yet.

        After an interrupt, and before an error is raised, those under way are handed on, and no further one is sent.
        """

    @abstractmethod
    def close(self) -> list[int]:
        """Send nothing more, and wait for what is under way: the requests that are not in after `interrupts.WAIT`."""


class StreamingReader(Reader):
    """A reader behind an API: it answers many requests at once and hands over each reply as it arrives."""

    concurrency: int | None = 1  # requests in flight at once, at each server; None: as many as it answers well
    takes_more: bool = False  # whether requests can be added while others are under way (`open`)

    @abstractmethod
    def stream(self, requests: Sequence[Request], on_reply: OnReply) -> Iterator[tuple[int, Reply]]:
        """(index of the request, its reply) as the replies arrive.

        `on_reply` is called with each first, in the thread that received it (several may call it at once): the engine
        logs replies there.
        """

    def open(self, on_reply: OnReply) -> RequestStream:
        """A stream without requests, where it `takes_more`; `on_reply` is called as `stream` does."""
        raise NotImplementedError(f"{name_of(self)} is sent all requests at once")

    @property
    def in_flight(self) -> int:
        """The most requests in flight at once, at all servers together."""
        return self.concurrency or 1

    def stream_counted(
        self, requests: Sequence[Request], tokens: Sequence[int], on_reply: OnReply
    ) -> Iterator[tuple[int, Reply]]:
        """The same where the tokens of each prompt are known and longer ones come first.

        For readers that put requests of similar length together.
        """
        return self.stream(requests, on_reply)

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply per request, in order; `in_flight` of them are in flight at once."""
        replies = dict(self.stream(requests, lambda index, reply: None))
        return [replies[i] for i in range(len(requests))]

    def begin(  # noqa: B027  (optional)
        self, tokens_in: int, tokens_out: int, cached_tokens: int = 0, cache_write_tokens: int = 0
    ) -> None:
        """A run begins whose log already holds replies with that many tokens. Caches' are given where there are any."""

    @property
    def server_use(self) -> str:
        """A line on the use of its servers since the run began; "" if that is not known."""
        return ""

    @property
    def spent(self) -> float | None:
        """The cost of the run so far; None: not known."""
        return None
