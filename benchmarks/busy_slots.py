"""How much of a run a server with two slots is busy, and how often it reads a document again.

The server is a stub in llama.cpp's form: a prompt goes to the idle slot that kept the most of its beginning, what the
slot did not keep is read at `SPEED` characters a second, and an answer takes 0.1 to 1 second, by its prompt. Busy
is the share of the time from the first request to the last reply in which a slot worked, over both. "read" are the
characters that slots read, over those of all different beginnings, which is what one slot would read.
Run: python -m benchmarks.busy_slots
"""

import os
import random
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pipelines
from benchmarks.http_stub import answering
from benchmarks.results import publish, table
from models.apis.accounting.prefix_tree import common_length
from models.apis.accounting.served_model import ServedModel
from models.apis.accounting.server_use import SharedLengths
from models.apis.openai import Openai
from pipelines.records import Document, Example

SLOTS, SPEED = 2, 20_000.0
SHORTEST, LONGEST = 0.1, 1.0  # seconds of an answer
CHARACTERS = 4_000  # of a document
CASES = (  # documents, questions about each, further fields of the run
    ("200 documents, a question each", 200, 1, {}),
    ("20 documents, ten questions each", 20, 10, {}),
    ("five documents, 40 questions each", 5, 40, {}),
    ("66 documents read in three steps (refine)", 66, 1, {"strategy": "refine", "chunker": "tokens:size=260"}),
)


@dataclass
class SlotServer:
    """Answers at most `SLOTS` requests at once; `work` has the seconds of each, `times` when it began and ended."""

    work: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    read: int = 0
    _kept: list[str] = field(default_factory=lambda: [""] * SLOTS)
    _idle: set[int] = field(default_factory=lambda: set(range(SLOTS)))
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def respond(self, body: Mapping[str, Any]) -> tuple[int, Any]:
        """The response to a request, once a slot was idle and has worked."""
        prompt = body["messages"][-1]["content"]
        with self._changed:
            self._changed.wait_for(lambda: self._idle)
            slot = max(sorted(self._idle), key=lambda slot: common_length(self._kept[slot], prompt))
            self._idle.remove(slot)
            unread = len(prompt) - common_length(self._kept[slot], prompt)
            self._kept[slot] = prompt
            self.read += unread
            self.prompts.append(prompt)
        start = time.monotonic()
        share = int(sha256(prompt.encode()).hexdigest()[:8], 16) / 16**8
        time.sleep(unread / SPEED + SHORTEST * (LONGEST / SHORTEST) ** share)
        end = time.monotonic()
        with self._changed:
            self._idle.add(slot)
            self.work.append(end - start)
            self.times += [start, end]
            self._changed.notify()
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": prompt[-40:]}}
        return 200, {"model": "stub", "choices": [choice]}

    @property
    def busy(self) -> float:
        """The share of the time in which slots worked."""
        return sum(self.work) / SLOTS / (max(self.times) - min(self.times))

    @property
    def read_share(self) -> float:
        """The characters that were read, over those of all different beginnings."""
        lengths = SharedLengths()
        return self.read / (sum(map(len, self.prompts)) - sum(map(lengths.add, self.prompts)))


def examples(documents: int, questions: int) -> list[Example]:
    """Questions about documents of random words."""
    words = random.Random(0)
    texts = [" ".join(str(words.randrange(10**6)) for _ in range(CHARACTERS // 7)) for _ in range(documents)]
    return [
        Example(f"{place}-{number}", Document(f"d{place}", text), f"What stands at {number}?", ("none",))
        for place, text in enumerate(texts)
        for number in range(questions)
    ]


def measured(rows: Sequence[Example], fields: Mapping[str, Any]) -> list[str]:
    """The cells of a row: requests, busy share, what was read."""
    server = SlotServer()
    with answering(server.respond) as url, TemporaryDirectory() as folder:
        reader = Openai("stub", base_url=f"{url}/v1", concurrency=SLOTS)
        reader._looked.append(ServedModel("stub", 100_000, slots=SLOTS))  # as /props would say
        more = {"chunker": "whole", **fields}
        pipelines.run("narrativeqa", data=list(rows), model=reader, out=Path(folder) / "run", report=False, **more)
    return [str(len(server.work)), f"{100 * server.busy:.1f}%", f"{server.read_share:.2f}"]


def main() -> None:
    """Measure and write the table to RESULTS.md."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    os.environ.setdefault("NO_PROXY", "127.0.0.1")
    rows = [[name, *measured(examples(*sizes), fields)] for name, *sizes, fields in CASES]
    about = (__doc__ or "").partition("\n\n")[2].partition("\nRun:")[0].replace("\n", " ")
    publish("busy_slots", f"{about}\n\n{table(['run', 'requests', 'slots busy', 'read'], rows)}")


if __name__ == "__main__":
    main()
