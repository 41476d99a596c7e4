"""A reader without weights that takes its time, and writes down what it has answered, as a paid service bills it."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.reader import Reader
from models.requests import Generate, Reply, Request


@dataclass(eq=False)
class SlowReader(Reader):
    """Answers each batch after `seconds` with the last word of each prompt; `bill` gets a line for each request."""

    bill: str
    seconds: float = 0.05
    supports = frozenset({Generate})
    batch_requests = 2
    is_random = False

    def count(self, texts: Sequence[str]) -> list[int]:
        """Words."""
        return [len(text.split()) for text in texts]

    def reply(self, requests: Sequence[Request]) -> list[Reply]:
        """One reply per request."""
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            time.sleep(0.005)
        prompts: list[Any] = [request.prompt for request in requests]  # type: ignore[union-attr]
        texts = [getattr(prompt, "text", prompt) for prompt in prompts]
        with Path(self.bill).open("ab") as file:
            for text in texts:
                os.write(file.fileno(), (repr(text) + "\n").encode())
        return [Reply(text.split()[-1], len(text.split()), 1) for text in texts]
