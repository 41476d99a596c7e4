"""OpenAI's Responses API through the official client, also at other servers that have it (vLLM, Azure, LM Studio).

`POST {base_url}/responses`, one user message per prompt, `system` as the instructions. Nothing is kept at the server
(`store: false`), and no prompt is cut there (`truncation: disabled`). Source: platform.openai.com/docs/api-reference/
responses, as of November 2026.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from models.apis._schemas import label_schema
from models.apis._thinking import at_openai, responses_body
from models.apis.openai import OpenaiAccount
from models.apis.sending import finish_reasons
from models.apis.sending.accepted_fields import Replacements
from models.apis.sending.response import ApiResponse, Unanswered, error_in, field_of, name, not_json, whole_number
from models.requests import Generate

MINIMUM = 16  # tokens: OpenAI refuses a smaller `max_output_tokens`
INCOMPLETE = "incomplete"  # the status of an output that was cut
FINISHED = ("completed", INCOMPLETE, None)  # statuses that come with an output; some servers send no status
CALLS = ("_call", "tool_call")  # the types of tool calls end with these


@dataclass(frozen=True, eq=False)
class Responses(OpenaiAccount):
    """A reader behind OpenAI's Responses API; it generates.

    The fields are those of `openai`, with the same key and addresses. The API has no stop strings and no `n`: stop
    strings are applied here, and n > 1 asks n times. OpenAI's own takes no fewer than 16 tokens for the longest output.
    `thinking=off` and `effort` are sent as `reasoning: {effort}`; summaries of the thinking come with
    `extra={"reasoning": {"summary": "auto"}}`. Thread-safe.
    """

    temperature: float | None = 0.0

    replacements: ClassVar[Replacements] = dict.fromkeys(("temperature", "truncation", "store"))

    def _ask(self, client: Any, messages: list[dict[str, Any]], request: Generate, n: int, wait: Any) -> Any:
        longest = self._longest(request)
        fields: dict[str, Any] = {"model": self.model, "input": messages, "truncation": "disabled", "store": False}
        fields["max_output_tokens"] = max(longest, MINIMUM) if at_openai(self.urls[0]) else longest
        if self.system:
            fields["instructions"] = self.system
        if self.temperature is not None:
            fields["temperature"] = self.temperature
        if request.choices:
            schema = label_schema(request.choices)
            fields["text"] = {"format": {"type": "json_schema", "name": "label", "strict": True, "schema": schema}}
        body = self._accepted_fields.applied(fields) | self._cache_key(request) | self._body
        return self._post(client, "/responses", body, wait)

    def _thinking_fields(self) -> dict[str, Any]:
        return responses_body(self.urls[0], self.model, self.thinking, self.effort)

    def _parse(self, response: Any, url: str) -> ApiResponse:
        items, status = field_of(response, "output"), field_of(response, "status")
        if not isinstance(items, list) or (not items and error_in(response)):
            raise not_json(response, url)
        word = field_of(field_of(response, "incomplete_details"), "reason") if status == INCOMPLETE else None
        parts = [
            part for item in items if field_of(item, "type") == "message" for part in _list(field_of(item, "content"))
        ]
        texts = [text for part in parts if isinstance(text := field_of(part, "text"), str)]
        refusals = [text for part in parts if isinstance(text := field_of(part, "refusal"), str)]
        end = finish_reasons.LENGTH if status == INCOMPLETE and word is None else finish_reasons.end_of(word)
        reasoning_items = [item for item in items if field_of(item, "type") == "reasoning"]
        usage = field_of(response, "usage")
        tokens_out = whole_number(field_of(usage, "output_tokens"))
        tokens_in = whole_number(field_of(usage, "input_tokens"))
        reply = ApiResponse(
            ("".join(texts or refusals),),
            finish_reasons.REFUSAL if refusals else end,
            tokens_in,
            tokens_out,
            _thinking(reasoning_items),
            cached_tokens=_part(field_of(usage, "input_tokens_details"), "cached_tokens", tokens_in),
            reasoning_tokens=_part(field_of(usage, "output_tokens_details"), "reasoning_tokens", tokens_out),
            ends=finish_reasons.unknown_words([word]),
            model=name(field_of(response, "model")),
        )
        if problem := _problem(response, items, status):
            raise Unanswered(problem, reply)
        if not (parts or reasoning_items) and end == finish_reasons.STOP:
            raise Unanswered("the reply holds no text", reply)
        return reply


def _problem(response: Any, items: Sequence[Any], status: Any) -> str:
    """The reason why a response is not an answer; empty where it is one."""
    if error := error_in(response):
        return f"the reply is not an answer, since the server failed: {error}"
    if status not in FINISHED:
        return f"the reply is not an answer: its status is {str(status)[:100]!r}"
    calls = [item for item in items if str(field_of(item, "type")).endswith(CALLS)]
    names = [field_of(item, "name") or field_of(item, "type") for item in calls]
    return finish_reasons.tool_call(names) if calls else ""


def _thinking(items: Sequence[Any]) -> str:
    """The texts of reasoning items, or their summaries, with blank lines between."""
    parts = [part for item in items for part in (*_list(field_of(item, "summary")), *_list(field_of(item, "content")))]
    texts = (field_of(part, "text") for part in parts)
    return "\n\n".join(text.strip() for text in texts if isinstance(text, str) and text.strip())


def _part(details: Any, field_name: str, total: int | None) -> int:
    """A part of a total, such as cached tokens; 0 where it is not known."""
    tokens = whole_number(field_of(details, field_name)) or 0
    return tokens if total is None else min(tokens, total)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
