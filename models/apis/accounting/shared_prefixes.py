"""The order in which requests are sent to servers that keep what they have read of a prompt's beginning.

Requests that begin alike follow each other, and the first of them goes alone until it is back: the others are then read
from the cache, in part. Meanwhile requests that begin otherwise go on. Each of several servers has a cache of its own:
requests go to those that have read their prefix. Where these have no room for all, one goes ahead to the next.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from models.apis.accounting.prefix_tree import Count, SharedPrefix, is_long, shared_prefixes
from models.apis.accounting.slot_order import SlotOrder
from models.prompts import Prompt
from models.requests import Reply

WARM_SECONDS = 300.0  # seconds that a server keeps what it has read (Anthropic's rule; OpenAI's is 5 to 10 minutes)
MAX_KEPT = 64  # prompts that are remembered from one call to the next,
KEPT_CHARACTERS = 20_000_000  # and their characters
FEW = 8  # requests that are left, with which more are to be added
MARKS = 1_024  # shared beginnings that are remembered by their digests


def document_end(prompt: Prompt) -> int:
    """Where in the prompt's text its last document part ends; 0 where nothing follows that tells requests apart."""
    parts = zip(prompt.visible_parts, prompt.places, strict=True)
    ends = [end for part, (_, end) in parts if part.role == "document"]
    return ends[-1] if ends and prompt.text[ends[-1] :].strip() else 0


def beginning_of(prompt: Prompt, count: Count) -> str:
    """The prompt's text up to the end of its document, where that is worth caching; else ""."""
    beginning = prompt.text[: document_end(prompt)]
    return beginning if is_long(beginning, count) else ""


def digest(text: str) -> str:
    """Equal for equal texts: 64 hexadecimal digits."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass
class SharedPrefixes:
    """The prompts that a reader's servers have read lately. Thread-safe.

    `marked_only`: they keep only what is marked, which a document is that several requests show.
    """

    marked_only: bool = False
    clock: Callable[[], float] = time.monotonic
    _read: dict[str, dict[str, float]] = field(default_factory=dict)  # prompts, by server when it read them
    _marks: dict[str, None] = field(default_factory=dict)
    _last: str = ""  # the prompt that was sent last to a server with slots
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def order(
        self, prompts: Sequence[Prompt], count: Count, servers: Sequence[str], server_concurrency: int
    ) -> "PrefixOrder":
        """The order for these prompts, and more, at servers that take so many requests each at once."""

        def read(text: str, readers: Sequence[str], shared: bool) -> None:
            if shared or not self.marked_only:
                self._add(text, readers, count)

        order = PrefixOrder(lambda prompts: self._prefixes(prompts, count), tuple(servers), server_concurrency, read)
        order.add(prompts)
        return order

    def _prefixes(self, prompts: Sequence[Prompt], count: Count) -> list[list[SharedPrefix]]:
        """For each prompt the prefixes that it shares with others, or with what servers have read lately."""
        texts = [prompt.text for prompt in prompts]
        with self._lock:
            warm_texts = {text: warm_servers for text in self._read if (warm_servers := self._still_warm(text))}
            self._read = {text: self._read[text] for text in warm_texts}
        paths = shared_prefixes([*texts, *warm_texts], count)
        for index, (text, warm_servers) in enumerate(warm_texts.items(), len(texts)):
            for prefix in paths[index]:
                prefix.text = text
                prefix.warm |= warm_servers
        for prompt, path in zip(prompts, paths, strict=False):
            if path and 0 < (end := document_end(prompt)) <= path[-1].length:
                self._mark(prompt.text[:end])
        return paths[: len(texts)]

    def slot_order(
        self, prompts: Sequence[Prompt], servers: Sequence[str], slots: int, server_concurrency: int
    ) -> SlotOrder:
        """The order for these prompts, at servers with so many slots each.

        At a single slot one more request waits, so that it is never idle.
        """

        def read(text: str) -> None:
            self._last = text

        slot_urls = [server for _ in range(min(slots, server_concurrency)) for server in servers]
        slot_concurrency = min(server_concurrency, 2) if slots == 1 else 1
        return SlotOrder([prompt.text for prompt in prompts], slot_urls, slot_concurrency, self._last, read)

    def is_shared(self, beginning: str) -> bool:
        """Whether several requests began so, up to the end of their document."""
        return digest(beginning) in self._marks

    def _mark(self, beginning: str) -> None:
        with self._lock:
            self._marks[digest(beginning)] = None
            while len(self._marks) > MARKS:
                del self._marks[next(iter(self._marks))]

    def _still_warm(self, text: str) -> set[str]:
        now = self.clock()
        return {server for server, read_time in self._read[text].items() if now - read_time < WARM_SECONDS}

    def _add(self, text: str, servers: Sequence[str], count: Count) -> None:
        """Record that these servers have read a prompt now."""
        if text not in self._read and not is_long(text, count):
            return
        with self._lock:
            self._read[text] = self._read.pop(text, {}) | dict.fromkeys(servers, self.clock())
            while len(self._read) > MAX_KEPT or sum(map(len, self._read)) > KEPT_CHARACTERS:
                del self._read[next(iter(self._read))]


class PrefixOrder:
    """Hands out requests, those first that may be sent now; more are added meanwhile. Thread-safe.

    Those about one document follow each other, however short it is, but do not wait for each other.
    `prefixes` says what prompts share. `read` is called with each prompt, or another one of the same prefix, the
    servers that have read it, and whether it shares a prefix.
    """

    def __init__(
        self,
        prefixes: Callable[[Sequence[Prompt]], list[list[SharedPrefix]]],
        servers: tuple[str, ...],
        server_concurrency: int,
        read: Callable[[str, Sequence[str], bool], None],
    ) -> None:
        self._prefixes, self._read = prefixes, read
        self._servers, self._server_concurrency = servers, server_concurrency
        self._prompts: dict[int, Prompt] = {}  # of requests that are not back
        self._beginnings: dict[int, str] = {}  # equal where documents are
        self._paths: dict[int, list[SharedPrefix]] = {}
        self._waiting: dict[int, None] = {}
        self._under_way = dict.fromkeys(servers, 0)
        self._servers_by_index: dict[int, str] = {}  # the server of each request under way
        self._added, self._is_complete, self._is_over = 0, False, False
        self._changed = threading.Condition()

    def add(self, prompts: Sequence[Prompt]) -> None:
        """Take in more requests, with the next indices."""
        with self._changed:
            for index, prompt in enumerate(prompts, self._added):
                self._prompts[index] = prompt
                self._beginnings[index] = digest(prompt.text[: document_end(prompt)] or prompt.text)
            self._added += len(prompts)
            self._arrange()
            self._changed.notify_all()

    @property
    def is_short(self) -> bool:
        """Whether few requests are left to send."""
        return len(self._waiting) < min(self._server_concurrency * len(self._servers), FEW)

    def take(self) -> int | None:
        """The index of the next request; waits until one may be sent. None where none is left."""
        with self._changed:
            while not self._is_over and (self._waiting or not self._is_complete):
                for ahead in (False, True):  # another document rather than the same one at one more server
                    for index in self._waiting:
                        if (server := self._server(index, ahead)) is not None:
                            self._send(index, server)
                            return index
                self._changed.wait()
            return None

    def server(self, index: int) -> str | None:
        """The server that a request under way should go to; None where it shares nothing, so that any will do."""
        return self._servers_by_index[index] if self._paths[index] else None

    def done(self, index: int, reply: Reply | None) -> None:
        """Record that a request was answered, by any server; None: an error that ends the run."""
        with self._changed:
            server = self._servers_by_index.pop(index)
            self._under_way[server] -= 1
            path, text = self._paths.pop(index), self._prompts.pop(index).text
            del self._beginnings[index]
            replied = reply.served.get("servers", ()) if reply else ()
            warm_servers = [url for url in replied if url in self._servers]
            for prefix in path:
                prefix.warming.discard(server)
                prefix.warm.update(warm_servers or [server])
            self._changed.notify_all()
        if reply is not None and reply.error is None:
            self._read(path[-1].text if path else text, warm_servers or [server], bool(path))

    def complete(self) -> None:
        """No more requests will be added: threads that wait for one get None."""
        with self._changed:
            self._is_complete = True
            self._changed.notify_all()

    def end(self) -> None:
        """No more requests will be sent: threads that wait for one get None."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _arrange(self) -> None:
        """Find the prefixes that open requests share, and sort waiting requests by prefix and document."""
        indices = list(self._prompts)
        self._paths = dict(zip(indices, self._prefixes(list(self._prompts.values())), strict=True))
        for prefix in dict.fromkeys(prefix for path in self._paths.values() for prefix in path):
            prefix.members = tuple(indices[member] for member in prefix.members if member < len(indices))
        for index, server in self._servers_by_index.items():
            self._warm(index, server)
        firsts: dict[str, int] = {}
        ranks = {
            index: (
                *(prefix.members[0] for prefix in self._paths[index]),
                firsts.setdefault(self._beginnings[index], index),
                index,
            )
            for index in indices
        }
        self._waiting = dict.fromkeys(sorted(ranks.keys() - self._servers_by_index.keys(), key=ranks.__getitem__))

    def _server(self, index: int, ahead: bool) -> str | None:
        """The server for a request; None while it has to wait.

        `ahead`: it may be the first of its prefix at one more server, where those that read it have no room for all.
        """
        servers = [server for server in self._servers if self._under_way[server] < self._server_concurrency]
        for prefix in self._paths[index]:
            if prefix.warm or prefix.warming:
                servers = list(_narrowed(servers, prefix, ahead and self._needs_another(prefix)))
        return min(servers, key=self._under_way.__getitem__, default=None)

    def _needs_another(self, prefix: SharedPrefix) -> bool:
        """Whether a prefix has more requests than the servers that have it, or are reading it, can take."""
        if prefix.warm:
            return True
        return (
            sum(member in self._waiting for member in prefix.members) > len(prefix.warming) * self._server_concurrency
        )

    def _send(self, index: int, server: str) -> None:
        del self._waiting[index]
        self._servers_by_index[index] = server
        self._under_way[server] += 1
        self._warm(index, server)

    def _warm(self, index: int, server: str) -> None:
        """Record that a server is reading a request's prefixes now."""
        for prefix in self._paths[index]:
            if server not in prefix.warm:
                prefix.warming.add(server)


def _narrowed(servers: Sequence[str], prefix: SharedPrefix, ahead: bool) -> Iterator[str]:
    """The servers with room that have read a prefix; else, if `ahead`, those that are not reading it yet."""
    if warm := [server for server in servers if server in prefix.warm]:
        yield from warm
    elif ahead:
        yield from (server for server in servers if server not in prefix.warming)
