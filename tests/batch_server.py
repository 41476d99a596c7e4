"""A provider's batch API as files: reads a file of requests, writes the replies and errors that a rule gives.

The rule is that of `ApiServer`, so that the same answers can be given live.
"""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.api_server import Answer, ReceivedRequest

Rule = Callable[[ReceivedRequest, int], Answer]


@dataclass(frozen=True)
class BatchServer:
    """Answers by `rule`; drops, doubles and reorders lines as `seed` has it. `vllm` writes errors as vLLM does."""

    rule: Rule
    drop: float = 0.0
    double: float = 0.0
    reorder: bool = True
    vllm: bool = False
    seed: int = 0

    def answer(self, requests: Path, replies: Path | None = None, errors: Path | None = None) -> list[dict[str, Any]]:
        """Write the replies (and errors, where they have a file of their own) to a file of requests; its records."""
        random_of = random.Random(f"{self.seed} {requests.name}")
        asked = read_requests(requests)
        replies = replies or requests.with_name(requests.name.replace("requests", "replies")).with_suffix(".jsonl")
        good, bad = [], []
        for record in asked:
            if random_of.random() < self.drop:
                continue
            line = self._line(record, requests.stem)
            answered = line.get("result", {}).get("type", "succeeded") == "succeeded"
            answered &= (line.get("response") or {"status_code": 200})["status_code"] == 200
            for _ in range(1 + (random_of.random() < self.double)):
                (good if answered or errors is None else bad).append(line)
        if self.reorder:
            random_of.shuffle(good)
        for path, lines in ((replies, good), (errors, bad)):  # no file for nothing
            if path is not None and lines:
                write_lines(path, lines)
        return asked

    def _line(self, record: dict[str, Any], batch: str) -> dict[str, Any]:
        body, id = record.get("body") or record["params"], record["custom_id"]
        answer = self.rule(ReceivedRequest(record.get("url", "/v1/messages"), {}, body, 0.0), 0)
        found = json.loads(answer.body)
        if "params" in record:
            done = answer.status == 200
            return {
                "custom_id": id,
                "result": {"type": "succeeded", "message": found} if done else {"type": "errored", "error": found},
            }
        response: dict[str, Any] = {"status_code": answer.status, "request_id": f"r-{id[:8]}", "body": found}
        if self.vllm and answer.status != 200:
            return {
                "id": f"vllm-{batch}-{id}", "custom_id": id, "response": response | {"body": None}, "error": found,
            }  # fmt: skip
        return {"id": f"{batch}-{id}", "custom_id": id, "response": response, "error": None}


def read_requests(path: Path) -> list[dict[str, Any]]:
    """The records of a file of requests, of OpenAI's form or Anthropic's."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        found: list[dict[str, Any]] = json.loads(text)["requests"]
        return found
    return [json.loads(line) for line in text.splitlines()]


def write_lines(path: Path, records: list[Any]) -> None:
    """Write records as JSON Lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
