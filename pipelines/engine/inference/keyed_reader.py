"""The base class of readers that are told the keys of requests, under which their replies are logged."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from models.reader import OnReply, StreamingReader
from models.requests import Reply, Request


class KeyedReader(StreamingReader):
    """A reader that answers requests by their keys (`Session.key`)."""

    @abstractmethod
    def stream_by_key(
        self, keys: Sequence[str], requests: Sequence[Request], on_reply: OnReply
    ) -> Iterator[tuple[int, Reply]]:
        """As `stream`, with the key of each request."""

    def stream(self, requests: Sequence[Request], on_reply: OnReply) -> Iterator[tuple[int, Reply]]:
        """Not supported: this reader needs the keys."""
        raise NotImplementedError("requests are answered by their keys")
