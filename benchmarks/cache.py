"""How much of the prompts comes from a server's cache, and how many requests a second: in what order they are sent.

The bundled sample's 68 questions about its long document (116,770 tokens, the whole of it in each prompt), and 64 about
eight parts of it, all of one length. The server is a stub (benchmarks/caching_server.py): it keeps prompts in steps of
128 tokens, reads 50,000 tokens a second where it has not kept them, and writes an answer in 0.05 seconds, however many
it is asked at once. "longest first" is the order without regard to what prompts share, "prefixes" the one that readers
behind an API send in, "question first" the first of these with the question before the document. Requests a second are
the better of two runs, the other columns those of the first.
Run: python -m benchmarks.cache
"""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pipelines
from benchmarks.caching_server import CachingServer, serving
from benchmarks.results import publish, table
from models.apis.openai import Openai
from models.apis.sending.concurrent import replies_in_order_of_arrival
from models.reader import OnReply
from models.requests import Reply, Request
from pipelines.records import Document, Example
from pipelines.sources import bundled

SPEED, SECONDS = 50_000.0, 0.05
PARTS, QUESTIONS = 8, 8
PRICES = {"input": 1.0, "output": 0.0, "cached": 0.1, "cache_write": 1.0}


@dataclass(frozen=True, eq=False)
class LongestFirst(Openai):
    """Sends requests in the order in which they are queued, each as soon as there is room."""

    takes_more = False

    def stream(
        self, requests: Sequence[Request], arrived: OnReply = lambda place, reply: None
    ) -> Iterator[tuple[int, Reply]]:
        """Replies as they arrive."""
        return replies_in_order_of_arrival(self.reply_to, requests, self.in_flight, arrived)


ORDERS = (("question first", LongestFirst, "{query}\n\n{document}"), ("longest first", LongestFirst, None),
          ("prefixes", Openai, None))  # fmt: skip


def whole() -> list[Example]:
    """The questions about the long document."""
    return list(bundled.examples("narrativeqa"))


def parts() -> list[Example]:
    """Questions about the document's parts, which have one length, so that the longest prompts show different parts."""
    text, questions = bundled.document().text, whole()
    size = len(text) // PARTS
    documents = [Document(f"part {part}", text[part * size : (part + 1) * size]) for part in range(PARTS)]
    return [
        Example(f"{document.id}, question {number}", document, questions[number].query, ("none",))
        for document in documents
        for number in range(QUESTIONS)
    ]


def row(examples: Sequence[Example], order: int, at_once: int, servers: int) -> list[str]:
    """The cells of a row: share from the cache, requests a second, price of prompts against all of them uncached."""
    first, again = (timed_run(examples, order, at_once, servers) for _ in range(2))
    lines, seconds = first[0], min(first[1], again[1])
    bill = CachingServer("openai", ledger=lines)
    uncached = sum(line["input"] + line["cached"] for line in lines) * PRICES["input"] / 1e6
    return [
        str(at_once), str(servers), ORDERS[order][0], f"{100 * bill.cached_share:.1f}%",
        f"{len(lines) / seconds:.2f}", f"{100 * bill.bill(PRICES) / uncached:.1f}%",
    ]  # fmt: skip


def timed_run(
    examples: Sequence[Example], order: int, at_once: int, servers: int
) -> tuple[list[dict[str, int]], float]:
    """The ledger lines of a run's servers, and its seconds."""
    _, reader_type, prompt = ORDERS[order]
    stubs = [CachingServer("openai", SECONDS, SPEED) for _ in range(servers)]
    with ExitStack() as stack, TemporaryDirectory() as folder:
        urls = tuple(f"{stack.enter_context(serving(stub))}/v1" for stub in stubs)
        reader = reader_type("stub", base_url=urls if servers > 1 else urls[0], concurrency=at_once // servers or 1)
        begun = time.perf_counter()
        pipelines.run(
            "narrativeqa", data=examples, model=reader, chunker="whole", prompt=prompt, out=Path(folder) / "run",
            report=False,
        )  # fmt: skip
        seconds = time.perf_counter() - begun
    return [line for stub in stubs for line in stub.ledger], seconds


def main() -> None:
    """Measure and write the tables to RESULTS.md."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    os.environ.setdefault("NO_PROXY", "127.0.0.1")
    head = ["at once", "servers", "order", "from the cache", "requests a second", "price of prompts"]
    sections = []
    for title, examples in (("68 questions, one document", whole()), ("64 questions, eight documents", parts())):
        rows = [
            row(examples, order, at_once, servers)
            for at_once, servers in ((1, 1), (8, 1), (8, 2))
            for order in range((at_once, servers) != (8, 1), len(ORDERS))
        ]
        sections.append(f"{title}:\n\n{table(head, rows)}")
    about = (__doc__ or "").partition("\n\n")[2].partition("\nRun:")[0].replace("\n", " ")
    publish("cache", "\n\n".join([about, *sections]))


if __name__ == "__main__":
    main()
