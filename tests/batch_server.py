"""A provider's batch API as files: reads a file of requests and writes the replies and errors.

A rule gives the answers, as in `ApiServer`, so that a live server can give the same ones.
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
    """Answers by `rule`. Drops, doubles and reorders lines at random. `vllm` writes errors as vLLM does."""

    rule: Rule
    drop: float = 0.0
    double: float = 0.0
    reorder: bool = True
    vllm: bool = False
    seed: int = 0

    def answer(self, requests: Path, replies: Path | None = None, errors: Path | None = None) -> list[dict[str, Any]]:
        """Write the replies to a file of requests, errors to `errors` if given; return the requests' records."""
        generator = random.Random(f"{self.seed} {requests.name}")
        records = read_requests(requests)
        replies = replies or requests.with_name(requests.name.replace("requests", "replies")).with_suffix(".jsonl")
        reply_lines, error_lines = [], []
        for record in records:
            if generator.random() < self.drop:
                continue
            line = self._line(record, requests.stem)
            succeeded = line.get("result", {}).get("type", "succeeded") == "succeeded"
            succeeded &= (line.get("response") or {"status_code": 200})["status_code"] == 200
            for _ in range(1 + (generator.random() < self.double)):
                (reply_lines if succeeded or errors is None else error_lines).append(line)
        if self.reorder:
            generator.shuffle(reply_lines)
        for path, lines in ((replies, reply_lines), (errors, error_lines)):  # without lines, no file
            if path is not None and lines:
                write_lines(path, lines)
        return records

    def _line(self, record: dict[str, Any], batch: str) -> dict[str, Any]:
        body, id = record.get("body") or record["params"], record["custom_id"]
        answer = self.rule(ReceivedRequest(record.get("url", "/v1/messages"), {}, body, 0.0), 0)
        content = json.loads(answer.body)
        if "params" in record:
            succeeded = answer.status == 200
            return {
                "custom_id": id,
                "result": {"type": "succeeded", "message": content}
                if succeeded
                else {"type": "errored", "error": content},
            }
        response: dict[str, Any] = {"status_code": answer.status, "request_id": f"r-{id[:8]}", "body": content}
        if self.vllm and answer.status != 200:
            return {
                "id": f"vllm-{batch}-{id}", "custom_id": id, "response": response | {"body": None}, "error": content,
            }  # fmt: skip
        return {"id": f"{batch}-{id}", "custom_id": id, "response": response, "error": None}


def read_requests(path: Path) -> list[dict[str, Any]]:
    """The records of a file of requests, of OpenAI's form or Anthropic's."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        records: list[dict[str, Any]] = json.loads(text)["requests"]
        return records
    return [json.loads(line) for line in text.splitlines()]


def write_lines(path: Path, records: list[Any]) -> None:
    """Write records as JSON Lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
