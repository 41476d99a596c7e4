"""A reader whose process dies at its N-th request, where the environment has DIES=N; each is noted in asked.txt."""

SOURCE = """
import os
from dataclasses import dataclass
from pathlib import Path
from models import Generate, Prompt, Reply, StreamingReader

ASKED = []

@dataclass(frozen=True)
class Dies(StreamingReader):
    supports = frozenset({Generate})
    max_input_tokens: int | None = None

    def count(self, texts):
        return [len(text.split()) for text in texts]

    def stream(self, requests, arrived):
        for place, request in enumerate(requests):
            reply = self.reply([request])[0]
            arrived(place, reply)
            yield place, reply

    def reply(self, requests):
        if os.environ.get("DIES") and len(ASKED) == int(os.environ["DIES"]):
            os._exit(9)
        ASKED.append(1)
        with Path("asked.txt").open("a") as file:
            file.write("x")
        return [Reply(Prompt.of(one.prompt).text.split()[-1], tokens_in=3, tokens_out=1) for one in requests]
"""
