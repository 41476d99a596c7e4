"""The batch files of OpenAI's API, which `vllm run-batch` reads and writes too, and of Anthropic's.

Limits and forms: https://platform.openai.com/docs/api-reference/batch (50,000 requests and 200 MB a file, one model),
https://platform.claude.com/docs/en/build-with-claude/batch-processing (100,000 requests, 256 MB), and
`vllm/entrypoints/openai/run_batch.py`, whose replies to failed requests have the error beside an empty body.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longdoc.checked_json import Malformed

RETRY_STATUSES = (408, 409, 429)  # and 5xx, as in the official clients
ERROR_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}  # by type of Anthropic's errors, whose batches have no status; any other type is 500


@dataclass(frozen=True, slots=True)
class Outcome:
    """The reply to a request: the HTTP status, and the body that a server would have sent."""

    status: int
    body: Any

    @property
    def answered(self) -> bool:
        """Whether the request was answered."""
        return self.status < 300

    @property
    def passing(self) -> bool:
        """Whether the error may pass, so that the request is worth a retry."""
        return self.status in RETRY_STATUSES or self.status >= 500

    @property
    def problem(self) -> str:
        """The error in words."""
        error = self.body.get("error", self.body) if isinstance(self.body, Mapping) else self.body
        message = error.get("message") if isinstance(error, Mapping) else error
        return f"HTTP {self.status}: {' '.join(str(message).split())[:200]}"


class Format:
    """The format of a provider's batch files; `library` is its client's, `half_price_at` the host that bills half."""

    library: str
    suffix: str
    head: bytes = b""
    between: bytes = b"\n"
    tail: bytes = b"\n"
    most_requests: int
    most_bytes: int
    half_price_at: str
    one_output: bool = False  # an API without `n`: each output is a request of its own

    def request(self, id: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The record of a request."""
        raise NotImplementedError


class OpenaiFormat(Format):
    """The format of OpenAI, of vLLM and of providers with the same API."""

    library = "openai"
    suffix = ".jsonl"
    most_requests = 50_000
    most_bytes = 200_000_000
    half_price_at = "api.openai.com"

    def request(self, id: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The record of a request."""
        return {"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": body}


class AnthropicFormat(Format):
    """The format of Anthropic: the file is the body of the one request that makes the batch."""

    library = "anthropic"
    suffix = ".json"
    head, between, tail = b'{"requests":[\n', b",\n", b"\n]}\n"
    most_requests = 100_000
    most_bytes = 256_000_000
    half_price_at = "api.anthropic.com"
    one_output = True

    def request(self, id: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The record of a request."""
        return {"custom_id": id, "params": body}


FORMATS: Mapping[str, Format] = {form.library: form for form in (OpenaiFormat(), AnthropicFormat())}


def outcome_of(record: Any) -> tuple[str, Outcome]:
    """The id of the request that a line of replies is for, and its outcome. Raises `Malformed`."""
    id = record.get("custom_id") if isinstance(record, Mapping) else None
    if not isinstance(id, str):
        raise Malformed("it has no custom_id")
    if isinstance(result := record.get("result"), Mapping):
        return id, _anthropic(result)
    if isinstance(response := record.get("response"), Mapping):
        return id, _openai(response, record.get("error"))
    if record.get("error") is not None:  # the request did not reach a model: the batch expired, or was cancelled
        return id, Outcome(500, {"error": _error(record["error"])})
    raise Malformed("it has neither a response nor an error")


def _openai(response: Mapping[str, Any], error: Any) -> Outcome:
    status, body = response.get("status_code", 200), response.get("body")
    if not isinstance(status, int):
        raise Malformed("its status_code is not a number")
    if body is None and status < 300:
        if error is None:
            raise Malformed("its response has no body")
        status = 500
    if body is None:  # as vLLM writes errors
        body = error if isinstance(error, Mapping) and "error" in error else {"error": _error(error)}
    return Outcome(status, body)


def _anthropic(result: Mapping[str, Any]) -> Outcome:
    kind = result.get("type")
    if kind == "succeeded":
        return Outcome(200, result.get("message"))
    if kind == "errored":
        body = result.get("error")
        error = body.get("error", body) if isinstance(body, Mapping) else {}
        return Outcome(ERROR_STATUSES.get(str(error.get("type")), 500) if isinstance(error, Mapping) else 500, body)
    return Outcome(500, {"error": {"message": f"the request was {kind}"}})


def _error(error: Any) -> dict[str, Any]:
    """An error as a mapping with a message, its code first."""
    if not isinstance(error, Mapping):
        return {"message": str(error)}
    parts = [str(error[name]) for name in ("code", "message") if error.get(name)]
    return {**error, "message": ": ".join(parts) or str(error)}
