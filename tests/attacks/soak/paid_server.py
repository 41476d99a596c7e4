"""A paid chat-completions server on this machine that fails often, and keeps a ledger of every response.

    python -m tests.attacks.soak.paid_server LEDGER [--port 0]

It runs as a process of its own and prints its port. What it answers to a prompt follows from the prompt and from how
often it was asked before: `fault_of`. A line of the ledger is `PLACE KIND TOKENS_IN TOKENS_OUT`, where the place is the
prompt's own number (`question 17?`).
"""

import argparse
import asyncio
import json
import re
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

FAULTS = {"429": 20, "500": 20, "cut": 10, "json": 10, "form": 5, "reset": 10, "slow": 1}  # of 1000 first tries each
FAILING_TRIES = 2  # tries of a prompt that may fail; a later one succeeds
SLOW_SECONDS = 4.0  # seconds, more than the client waits
NUMBER = re.compile(r"question (\d+)\?")


def fault_of(place: int, times: int) -> str:
    """`ok`, or the kind of fault with which the `times`-th try (from 0) for a question is answered."""
    if times >= FAILING_TRIES:
        return "ok"
    chance = zlib.crc32(f"{place} {times}".encode()) % 1000
    for kind, share in FAULTS.items():
        if chance < share:
            return kind
        chance -= share
    return "ok"


def tokens_of(place: int) -> tuple[int, int]:
    """What an answer to a question costs: tokens in and out."""
    return 50 + zlib.crc32(f"in {place}".encode()) % 100, 1 + zlib.crc32(f"out {place}".encode()) % 20


def response(place: int, kind: str) -> bytes:
    """The bytes of a whole HTTP response."""
    if kind == "429":
        return _http(429, {"error": {"message": "too many requests"}}, {"Retry-After": "0.05"})
    if kind == "500":
        return _http(500, {"error": {"message": "the model has no memory"}}, {})
    tokens_in, tokens_out = tokens_of(place)
    body = {
        "id": f"c{place}",
        "object": "chat.completion",
        "model": "soak-1",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": f"answer {place}"}}
        ],
        "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out},
    }
    if kind == "form":
        return _http(200, {"detail": "come back later"}, {})
    content = _http(200, body, {})
    return content.replace(b'{"id"', b'{id"', 1) if kind == "json" else content


def _http(status: int, body: Any, headers: dict[str, str]) -> bytes:
    data = json.dumps(body).encode()
    head = {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return f"HTTP/1.1 {status} x\r\n{lines}\r\n".encode() + data


class PaidServer:
    """Answers all connections at once, and writes each response to its `ledger` before it is sent."""

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger.open("a", encoding="ascii", buffering=1)
        self._times: Counter[int] = Counter()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection until it ends."""
        try:
            while await self._answer(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client has gone
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request. Returns whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.split("content-length:")[1].split("\r\n")[0])
        prompt = json.loads(await reader.readexactly(length))["messages"][-1]["content"]
        place = int(NUMBER.findall(prompt)[-1])
        kind = fault_of(place, self._times[place])
        self._times[place] += 1
        self._ledger.write(f"{place} {kind} {tokens_of(place)[0]} {tokens_of(place)[1]}\n")
        if kind == "slow":
            await asyncio.sleep(SLOW_SECONDS)
        content = response(place, kind)
        if kind == "reset":
            writer.transport.abort()
            return False
        writer.write(content[:-20] if kind == "cut" else content)
        await writer.drain()
        return kind != "cut"


async def _main(ledger: Path, port: int) -> None:
    server = await asyncio.start_server(PaidServer(ledger).serve, "127.0.0.1", port)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ledger", type=Path)
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    asyncio.run(_main(arguments.ledger, arguments.port))
