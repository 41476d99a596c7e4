"""The requests under way at a reader that takes more meanwhile, by the keys that they are logged under."""

from collections.abc import Callable, Mapping, Sequence

from models.reader import RequestStream, StreamingReader
from models.requests import Reply, Request


class SentRequests:
    """Requests that were sent to a reader and whose replies are not taken yet.

    `on_reply` is called with each key and reply as soon as it arrives, in any thread.
    """

    def __init__(self, reader: StreamingReader, on_reply: Callable[[str, Reply], None]) -> None:
        self._keys: dict[int, str] = {}
        self._places: dict[str, int] = {}
        self._added = 0
        self._stream: RequestStream = reader.open(lambda place, reply: on_reply(self._keys[place], reply))

    def __contains__(self, key: str) -> bool:
        return key in self._places

    @property
    def under_way(self) -> bool:
        """Whether there is a request whose reply has not arrived or is not taken yet."""
        return bool(self._keys)

    @property
    def is_short(self) -> bool:
        """Whether the reader has, or will soon have, fewer requests than it needs to be busy."""
        return self._stream.is_short

    def send(self, requests: Mapping[str, Request]) -> None:
        """Send requests, by their keys."""
        for key in requests:
            self._keys[self._added], self._places[key] = key, self._added
            self._added += 1
        self._stream.add(list(requests.values()))

    def next(self, wait: bool) -> str | None:
        """The key of the next request whose reply is in; None where none is under way, or, without `wait`, none yet."""
        if (arrived := self._stream.next(wait)) is None:
            return None
        return self._forget(arrived[0])

    def close(self) -> list[str]:
        """Send nothing more, and wait a while for requests under way; the keys of those that are not answered then."""
        return self.keys(self._stream.close())

    def keys(self, places: Sequence[int]) -> list[str]:
        """The keys of requests, by their places."""
        return [self._keys[place] for place in places]

    def _forget(self, place: int) -> str:
        """Forget a request whose reply is taken; returns its key."""
        key = self._keys.pop(place)
        del self._places[key]
        return key
