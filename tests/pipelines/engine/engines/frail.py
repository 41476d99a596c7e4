"""A reader and a chunker that end their process once, and note what they were asked."""

import os
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunkers import Chunk, Chunker
from longdoc.errors import UserError
from models import Generate, Reader, Reply


def end_once(flag: str) -> None:
    """Kill this process, unless the file `flag` says that one was killed before."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class FrailReader(Reader):
    """Answers with the first word of the best passage; `notes` is a file of the questions that it was asked.

    The process ends before the question that contains `dies_at`; one that contains `refuses` raises a `UserError`.
    """

    notes: str
    dies_at: str = ""
    refuses: str = ""
    supports = frozenset({Generate})
    max_input_tokens: int | None = None
    batch_requests = 2

    def count(self, texts: Any) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Any) -> list[Reply]:
        replies = []
        for request in requests:
            query = request.prompt.query
            if self.dies_at and self.dies_at in query:
                end_once(f"{self.notes}.dead")
            if self.refuses and self.refuses in query:
                raise UserError(f"not this one: {query}")
            with Path(self.notes).open("a", encoding="utf-8") as file:
                file.write(query + "\n")
            time.sleep(float(os.environ.get("FRAIL_SECONDS", "0")))
            replies.append(Reply(request.prompt.passages[0].text.split()[0], tokens_in=3, tokens_out=1))
        return replies


@dataclass(frozen=True)
class FrailChunker(Chunker):
    """Sentences; the process ends at the first document that contains `dies_at`."""

    dies_at: str
    flag: str
    size: int | None = 1

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        if self.dies_at in text:
            end_once(self.flag)
        return [Chunk(match.group(), match.start(), match.end()) for match in re.finditer(r"[^.]+\.", text)]
