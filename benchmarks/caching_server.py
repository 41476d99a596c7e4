"""A stub of servers that keep what they have read of prompts, by three rules, with a ledger of what they bill.

A token is four characters. What a prompt begins with is kept once it has been read: `openai` keeps it in steps of 128
tokens, from 1,024 on; `deepseek` in steps of 64, and says how many tokens it found and missed; `anthropic` keeps what
ends with a block that is marked, from 1,024 tokens on, and bills for writing it. An answer takes `seconds`, and the
time to read what was not kept, at `speed` tokens a second.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from benchmarks.http_stub import answering

CHARACTERS = 4  # of a token
LEAST = 1_024  # tokens of the shortest beginning that is kept
STEPS = {"openai": 128, "deepseek": 64}
ANSWER = "I do not know."
KINDS = ("input", "output", "cached", "cache_write")


def tokens_of(text: str) -> int:
    """The tokens of a text, rounded up."""
    return -(-len(text) // CHARACTERS)


@dataclass
class CachingServer:
    """A server that remembers prompts; `ledger` has the tokens of each response by kind of price."""

    rule: str
    seconds: float = 0.0
    speed: float = float("inf")
    ledger: list[dict[str, int]] = field(default_factory=list)
    _kept: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def bill(self, prices: Mapping[str, float]) -> float:
        """What all responses cost, by prices of a million tokens of every kind."""
        return sum(count * prices[kind] for line in self.ledger for kind, count in line.items()) / 1e6

    @property
    def cached_share(self) -> float:
        """The share of all prompt tokens that were read from the cache."""
        read = sum(count for line in self.ledger for kind, count in line.items() if kind != "output")
        return sum(line["cached"] for line in self.ledger) / max(read, 1)

    def respond(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The response to a request, after `seconds` and the time that reading what is not cached takes."""
        beginnings, total = (_up_to_marked_blocks if self.rule == "anthropic" else self._steps)(body)
        with self._lock:
            cached = max((length for digest, length in beginnings.items() if digest in self._kept), default=0)
        longest = max(beginnings.values(), default=0)
        written = longest - cached if self.rule == "anthropic" else 0
        time.sleep(self.seconds + (total - cached) / self.speed)
        line = {
            "input": total - cached - written,
            "output": tokens_of(ANSWER),
            "cached": cached,
            "cache_write": written,
        }
        with self._lock:
            self._kept.update(beginnings)
            self.ledger.append(line)
        return RESPONSES[self.rule](line)

    def _steps(self, body: Mapping[str, Any]) -> tuple[dict[str, int], int]:
        """The tokens of a prompt's beginnings, one for each step, by their digests; and the tokens of the prompt."""
        text, step = "".join(one["content"] for one in body["messages"]), STEPS[self.rule]
        least = LEAST if self.rule == "openai" else step
        running, lengths = sha256(), {}
        for end in range(step, len(text) // CHARACTERS + 1, step):
            running.update(text[CHARACTERS * (end - step) : CHARACTERS * end].encode())
            if end >= least:
                lengths[running.hexdigest()] = end
        return lengths, tokens_of(text)


def _up_to_marked_blocks(body: Mapping[str, Any]) -> tuple[dict[str, int], int]:
    """The tokens of a prompt's beginnings, up to each marked block, by their digests; and the tokens of the prompt."""
    text, lengths = str(body.get("system", "")), {}
    for message in body["messages"]:
        content = message["content"]
        for block in [{"text": content}] if isinstance(content, str) else content:
            text += block["text"]
            if "cache_control" in block and tokens_of(text) >= LEAST:
                lengths[sha256(text.encode()).hexdigest()] = tokens_of(text)
    return lengths, tokens_of(text)


def _completion(line: Mapping[str, int], usage: Mapping[str, Any]) -> dict[str, Any]:
    read = line["input"] + line["cached"]
    counts = {"prompt_tokens": read, "completion_tokens": line["output"], "total_tokens": read + line["output"]}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}
    return {"model": "stub", "choices": [choice], "usage": counts | dict(usage)}


def _message(line: Mapping[str, int]) -> dict[str, Any]:
    usage = {
        "input_tokens": line["input"],
        "output_tokens": line["output"],
        "cache_read_input_tokens": line["cached"],
        "cache_creation_input_tokens": line["cache_write"],
    }
    content = [{"type": "text", "text": ANSWER}]
    return {"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn", "usage": usage}


RESPONSES: dict[str, Callable[[Mapping[str, int]], dict[str, Any]]] = {
    "openai": lambda line: _completion(line, {"prompt_tokens_details": {"cached_tokens": line["cached"]}}),
    "deepseek": lambda line: _completion(
        line, {"prompt_cache_hit_tokens": line["cached"], "prompt_cache_miss_tokens": line["input"]}
    ),
    "anthropic": _message,
}


@contextmanager
def serving(server: CachingServer) -> Iterator[str]:
    """Serve while the block runs; the value is the address, `http://127.0.0.1:PORT`."""
    with answering(lambda body: (200, server.respond(body))) as url:
        yield url
