"""Requests a second through a reader behind an API, beside OpenAI's own asynchronous client.

A stub in a process of its own answers each chat completion after `DELAY` seconds, however many are under way. The
reader asks at its default and at fixed settings of `concurrency`; the asynchronous client asks behind a semaphore.
CPU is that of the asking process. Arms are run in turn, `REPEATS` times, each in a process of its own; medians are
shown.
"""

import asyncio
import json
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.results import publish, table

REQUESTS, WARM_UP = 2_000, 64
DELAY = 0.05  # seconds until a reply
FIXED_LEVELS = (8, 64)  # of the reader's `concurrency`
CLIENT_LEVELS = (32, 64, 128, 256)  # of the semaphore
REPEATS = 3
GOAL_SPEED, GOAL_CPU = 0.9, 1.4  # of the asynchronous client's at its best
REPLY = json.dumps(
    {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Amherst"}}],
        "usage": {"prompt_tokens": 60, "completion_tokens": 2, "total_tokens": 62},
    }
).encode()
FOUND = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(REPLY), REPLY)
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

Measured = tuple[float, float]  # requests a second, milliseconds of CPU a request


class Stub(asyncio.Protocol):
    """One connection: a POST is answered after `DELAY` seconds, a GET (of models, of health) is not found."""

    def __init__(self) -> None:
        self._received = b""
        self._transport: Any = None

    def connection_made(self, transport: Any) -> None:
        """Keep where the replies go."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each request that is complete."""
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = self._received[:end].lower()
            length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
            if len(self._received) < end + 4 + length:
                return
            self._received = self._received[end + 4 + length :]
            if head.startswith(b"post"):
                asyncio.get_running_loop().call_later(DELAY, self._transport.write, FOUND)
            else:
                self._transport.write(NOT_FOUND)


def serve(pipe: Connection) -> None:
    """Serve until the process is ended; the port goes through the pipe."""

    async def listen() -> None:
        server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0, backlog=1024)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(listen())


@contextmanager
def served() -> Iterator[str]:
    """Serve while the block runs; the value is the address."""
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=serve, args=(sender,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{receiver.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def reader_arm(url: str, concurrency: int | None) -> Measured:
    """The reader; None is its default."""
    import models
    from models.requests import Generate

    fields = {} if concurrency is None else {"concurrency": concurrency}
    reader = models.get("openai:stub", base_url=url, window=8_000, **fields)

    def ask(count: int) -> None:
        replies = reader.reply([Generate(prompt(number), 16) for number in range(count)])
        assert all(reply.value == "Amherst" for reply in replies), replies[0]

    ask(WARM_UP if concurrency else 7)  # imports; fewer than a window of replies, so that the default has not grown
    start, cpu = time.perf_counter(), cpu_seconds()
    ask(REQUESTS)
    return REQUESTS / (time.perf_counter() - start), 1e3 * (cpu_seconds() - cpu) / REQUESTS


def client_arm(url: str, concurrency: int) -> Measured:
    """The asynchronous client behind a semaphore."""
    import openai

    async def ask_all() -> Measured:
        client, room = openai.AsyncOpenAI(base_url=url, api_key="none"), asyncio.Semaphore(concurrency)

        async def ask(number: int) -> None:
            async with room:
                messages: Any = [{"role": "user", "content": prompt(number)}]
                reply = await client.chat.completions.create(
                    model="stub", messages=messages, max_tokens=16, temperature=0.0
                )
                assert reply.choices[0].message.content == "Amherst"

        await asyncio.gather(*map(ask, range(WARM_UP)))
        start, cpu = time.perf_counter(), cpu_seconds()
        await asyncio.gather(*map(ask, range(REQUESTS)))
        return REQUESTS / (time.perf_counter() - start), 1e3 * (cpu_seconds() - cpu) / REQUESTS

    return asyncio.run(ask_all())


def prompt(number: int) -> str:
    """A prompt of about sixty tokens, unlike the others."""
    return f"{number}. Emily was born in Amherst, went to school there, and left it once. " * 3 + "Where was she born?"


def cpu_seconds() -> float:
    """The CPU time of this process so far, of all its threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(repeats: int = REPEATS) -> dict[tuple[str, int | None], Measured]:
    """The medians of each arm."""
    arms: list[tuple[Any, str, int | None]] = [
        *((client_arm, "AsyncOpenAI", level) for level in CLIENT_LEVELS),
        *((reader_arm, "reader", level) for level in (None, *FIXED_LEVELS)),
    ]
    results: dict[tuple[str, int | None], list[Measured]] = {}
    with served() as url:
        for _ in range(repeats):
            for arm, name, level in arms:
                with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
                    results.setdefault((name, level), []).append(process.submit(arm, url, level).result())
    return {
        arm: (statistics.median(speed for speed, _ in rows), statistics.median(cpu for _, cpu in rows))
        for arm, rows in results.items()
    }


def report(results: dict[tuple[str, int | None], Measured]) -> str:
    """The table, and whether the goals are met."""
    best_speed, best_cpu = max(value for (name, _), value in results.items() if name == "AsyncOpenAI")
    rows = [
        [
            name,
            "default" if level is None else str(level),
            f"{speed:.0f}",
            f"{speed / best_speed:.2f}",
            f"{cpu:.2f}",
            f"{cpu / best_cpu:.2f}",
        ]
        for (name, level), (speed, cpu) in results.items()
    ]
    head = ["", "concurrency", "requests a second", "of the best", "CPU a request, ms", "of the best's"]
    speed, cpu = results["reader", None]
    is_met = speed >= GOAL_SPEED * best_speed and cpu <= GOAL_CPU * best_cpu
    goal = f"at least {GOAL_SPEED} × the speed and at most {GOAL_CPU} × the CPU of AsyncOpenAI at its best"
    return (
        f"{REQUESTS} requests, each answered after {DELAY * 1e3:g} ms; medians of {REPEATS} runs.\n\n"
        f"{table(head, rows)}\n\nThe reader's default is to reach {goal}: {'met' if is_met else 'not met'}."
    )


if __name__ == "__main__":
    text = report(measure())
    print(text) if "--print" in sys.argv[1:] else publish("api_concurrency", text)
