"""The queue of requests: when enough of them wait, and which of them go into one call of the reader.

The queue is bounded by the number of examples, by prompt tokens and by the characters of their documents.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from models.reader import Reader, StreamingReader
from models.requests import Request
from pipelines.engine.inference.active_job import ActiveJob
from pipelines.engine.inference.batches import by_length
from pipelines.engine.inference.session import Session
from pipelines.records import Example

EXAMPLES_IN_FLIGHT = 256
PROMPT_TOKENS_IN_FLIGHT = 1_000_000
CHARACTERS_IN_FLIGHT = 50_000_000
QUEUED_PER_STREAM = 8  # examples in flight for each request under way, for a reader that streams
# Least examples in flight for a reader that streams. With more, a slow retriever delays the first request to a reader
# that takes no more meanwhile; with fewer, fewer questions on one document are sent together.
FEWEST_STREAMED = 64


@dataclass(slots=True)
class PendingRequest:
    """A request with its prompt's tokens, and the jobs that wait for its reply."""

    request: Request
    tokens: int
    jobs: list[ActiveJob] = field(default_factory=list)

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The sessions of these jobs, each once."""
        return tuple(dict.fromkeys(active.session for active in self.jobs))


class RequestQueue:
    """The requests that jobs wait for, by key (`pending`), and the number of examples and documents in flight."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.pending: dict[str, PendingRequest] = {}
        self._examples = 0
        self._characters: dict[str, int] = {}  # of the documents in flight

    def add(self, key: str, request: Request, tokens: int, active: ActiveJob) -> None:
        """Queue a request for a job; an equal one is in the queue once."""
        jobs = self.pending.setdefault(key, PendingRequest(request, tokens)).jobs
        if active not in jobs:
            jobs.append(active)

    def waits(self, active: ActiveJob) -> bool:
        """Whether a job still waits for a reply."""
        return any(key in self.pending for key in active.keys)

    def remove(self, keys: Sequence[str]) -> list[ActiveJob]:
        """Take requests out of the queue; returns the jobs that waited for them."""
        jobs = (active for key in keys for active in self.pending.pop(key).jobs)
        return list(dict.fromkeys(jobs))

    def is_full_with(self, example: Example) -> bool:
        """Count one more example in flight; True when it is time to answer what waits."""
        self._examples += 1
        self._characters[example.document.id] = len(example.document.text)
        return (
            self._examples >= self._most_examples()
            or sum(self._characters.values()) > CHARACTERS_IN_FLIGHT
            or sum(pending_request.tokens for pending_request in self.pending.values()) > PROMPT_TOKENS_IN_FLIGHT
        )

    @property
    def fullness(self) -> float:
        """The share of the queue that is taken: 0 where nothing waits; from 1 on no more examples are taken in."""
        jobs = dict.fromkeys(active for pending_request in self.pending.values() for active in pending_request.jobs)
        documents = {active.job.example.document.id: active.job.example.document.text for active in jobs}
        return max(
            len(jobs) / self._most_examples(),
            sum(map(len, documents.values())) / CHARACTERS_IN_FLIGHT,
            sum(pending_request.tokens for pending_request in self.pending.values()) / PROMPT_TOKENS_IN_FLIGHT,
        )

    def clear(self) -> None:
        """Start counting what is in flight anew: everything was answered."""
        self._examples = 0
        self._characters.clear()

    def batches(self) -> Iterator[list[str]]:
        """The keys of the requests that wait now, longest prompts first, in batches of similar length.

        A batch has at most `tokens_per_call` tokens with its padding, else `batch_requests` requests.
        A reader that streams takes all at once.
        """
        keys = self.longest_first()
        if isinstance(self.reader, StreamingReader):
            yield keys
            return
        budget, maximum = self.reader.tokens_per_call, self.reader.batch_requests
        yield from by_length(keys, lambda key: self.pending[key].tokens, budget, maximum)

    def longest_first(self) -> list[str]:
        """The keys of the requests that wait, longest prompts first, those of one length in the order of the data."""
        return sorted(self.pending, key=lambda key: -self.pending[key].tokens)

    def _most_examples(self) -> int:
        """The most examples in flight: many where batches are packed by length, else as many as a call takes."""
        if isinstance(self.reader, StreamingReader):
            return max(QUEUED_PER_STREAM * self.reader.in_flight, FEWEST_STREAMED)
        return EXAMPLES_IN_FLIGHT if self.reader.tokens_per_call else self.reader.batch_requests
