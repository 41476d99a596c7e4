"""Several servers of one model: each request goes to the one with the fewest under way, in turn among equals.

One that another server would answer faster, which has read the beginning of its prompt, goes there while it has room.

A server is set aside when a connection to it fails, when it gives no answer in time, or when it answers three requests
in a row with HTTP 5xx. It gets no requests until a check of its health succeeds: the first check is made at once, the
next ones after 1, 2, 4 … 60 seconds. The threads that ask make the checks, so that nothing goes on when they end.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from longdoc.errors import UserError
from longdoc.messages import note
from models.apis.sending.addresses import problem_of
from models.apis.sending.response import ApiResponse, Unanswered

FAILURES = 3  # HTTP 5xx in a row, after which a server is set aside
LONGEST = 60.0  # seconds between two checks
PATIENCE = 60.0  # seconds without any server, after which the run ends
MAX_SHOWN = 3  # servers in a message


class Unavailable(Unanswered):
    """A server did not serve a request, which another one may.

    - `counted`: it counts towards the request's `max_retries`; a connection that broke does not.
    - `gone`: the server is set aside at once.
    - `wait`: the seconds that the server asks to be left alone for.
    """

    def __init__(self, problem: str, *, is_counted: bool, is_gone: bool, wait: float | None = None) -> None:
        super().__init__(problem)
        self.counted, self.gone, self.wait = is_counted, is_gone, wait


@dataclass(eq=False)
class Server:
    """A server's address and client, and how it does."""

    url: str
    client: Any
    version: str | None = None
    under_way: int = 0
    last_turn: int = 0
    failures: int = 0  # in a row
    strikes: int = 0  # how often it was set aside, and checks that failed, since its last reply
    aside: bool = False
    checking: bool = False
    until: float = 0.0  # when it may be checked, or asked, again
    problem: str = ""


class Servers:
    """The servers, `each` with so many requests under way. Thread-safe.

    While all are set aside, requests wait for `timeout` seconds, at most a minute.
    """

    def __init__(self, servers: Sequence[Server], server_concurrency: int, timeout: float) -> None:
        self.all, self.timeout = list(servers), timeout
        self.server_concurrency, self._patience = server_concurrency, min(timeout, PATIENCE)
        self._changed = threading.Condition()
        self._turn = 0
        self._all_aside_since: float | None = None
        self.checked = False  # whether it was asked at the start what they are
        self._preferred = threading.local()

    @contextmanager
    def preferring(self, url: str | None) -> Iterator[None]:
        """While the block runs, requests of this thread go to the server at an address, where it can take them."""
        self._preferred.url = url
        try:
            yield
        finally:
            self._preferred.url = None

    def ask(self, ask: Callable[[Server], ApiResponse], retries: int) -> ApiResponse:
        """The response of the first server that serves the request; `ask` raises `Unavailable` for one that does not.

        Raises the last of these after `retries` that count, and `UserError` where no server is left.
        """
        tried_servers: set[Server] = set()
        count = lost_connections = 0
        while True:
            with self._reserved(tried_servers) as server:
                try:
                    response = ask(server)
                except Unavailable as error:
                    problem = error
                except BaseException:
                    self._works(server)  # it answered: what is wrong is the request, or the set-up
                    raise
                else:
                    self._works(server)
                    return replace(response, server=server.url, version=server.version)
                self._fails(server, problem)
            tried_servers.add(server)
            count, lost_connections = count + problem.counted, lost_connections + (not problem.counted)
            if count > retries or lost_connections > retries + len(self.all):
                raise problem
            if problem.counted and tried_servers.issuperset(self.all):
                time.sleep(min(0.5 * 2 ** (count - 1), 8.0))  # as the official clients do

    def set_aside(self, server: Server, problem: str) -> None:
        """Set aside a server that does not answer; it is checked again in a second."""
        with self._changed:
            server.aside, server.problem, server.strikes = True, problem, 2
            server.until = time.monotonic() + 1.0

    def begin(self) -> None:
        """Prepare for further requests: if all servers are set aside, check them now and wait for them again."""
        with self._changed:
            if all(server.aside for server in self.all):
                self._all_aside_since = None
                for server in self.all:
                    server.until = 0.0

    @contextmanager
    def _reserved(self, tried_servers: set[Server]) -> Iterator[Server]:
        server = self._take(tried_servers)
        try:
            yield server
        finally:
            with self._changed:
                server.under_way -= 1
                self._changed.notify_all()

    def _take(self, tried_servers: set[Server]) -> Server:
        """The server for a request, preferably one that was not tried; waits until one has room."""
        preferred_url = getattr(self._preferred, "url", None)  # none was set in another thread
        with self._changed:
            while True:
                now = time.monotonic()
                if (due := self._due(now)) is not None:
                    self._check(due)
                    continue
                self._check_any_left(now)
                ready = [server for server in self.all if not server.aside and server.until <= now]
                ready = [server for server in ready if server not in tried_servers] or ready
                if free := [server for server in ready if server.under_way < self.server_concurrency]:
                    server = min(
                        free, key=lambda server: (server.url != preferred_url, server.under_way, server.last_turn)
                    )
                    server.under_way += 1
                    server.last_turn = self._turn = self._turn + 1
                    return server
                self._changed.wait(self._seconds_to_next(now))

    def _due(self, now: float) -> Server | None:
        return next(
            (server for server in self.all if server.aside and not server.checking and server.until <= now), None
        )

    def _check(self, server: Server) -> None:
        """Check a server's health; the lock is released meanwhile."""
        server.checking = True
        self._changed.release()
        try:
            problem = problem_of(server.url, self.timeout)
        finally:
            self._changed.acquire()
            server.checking = False
            self._changed.notify_all()
        if problem:
            self._set_aside(server, problem)
            return
        server.aside, server.failures = False, 0
        if server.strikes > 1:
            note(f"{server.url} answers again")

    def _check_any_left(self, now: float) -> None:
        if not all(server.aside for server in self.all):
            self._all_aside_since = None
            return
        since = self._all_aside_since = now if self._all_aside_since is None else self._all_aside_since
        if now - since >= self._patience and not any(server.checking for server in self.all):
            raise UserError(no_server_error(self.all))

    def _seconds_to_next(self, now: float) -> float | None:
        """Seconds until a server may be checked or asked again. None: until something changes."""
        times = [server.until for server in self.all if server.until > now and not server.checking]
        if self._all_aside_since is not None:
            times.append(max(self._all_aside_since + self._patience, now + 0.01))
        return min(times) - now if times else None

    def _works(self, server: Server) -> None:
        with self._changed:
            server.failures = 0
            if not server.aside:
                server.strikes = 0

    def _fails(self, server: Server, error: Unavailable) -> None:
        with self._changed:
            if error.wait is not None:
                server.until = max(server.until, time.monotonic() + error.wait)
                return
            server.failures += 1
            if not server.aside and (error.gone or server.failures >= FAILURES):  # else an earlier one has done it
                self._set_aside(server, str(error))

    def _set_aside(self, server: Server, problem: str) -> None:
        server.strikes += 1
        server.aside, server.problem = True, problem
        server.until = time.monotonic() + (0.0 if server.strikes == 1 else min(2.0 ** (server.strikes - 2), LONGEST))
        if server.strikes == 2:
            note(f"{server.url} is set aside, its requests go to the others: {problem}")


def no_server_error(servers: Sequence[Server]) -> str:
    """The error message if no server answers."""
    problems = "; ".join(f"{server.url}: {server.problem}" for server in servers[:MAX_SHOWN])
    more = f"; {len(servers) - MAX_SHOWN} more" if len(servers) > MAX_SHOWN else ""
    return (
        f"none of the {len(servers)} servers answers ({problems}{more}): start them, or give others with "
        "base_url=[…], and type the same command again"
    )
