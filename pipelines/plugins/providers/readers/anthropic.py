"""Anthropic's messages API through the official client: `POST {base_url}/v1/messages`, one user message per prompt.

Where a prompt says how the answer begins (ZeroSCROLLS' tags), the assistant's turn begins with that (a prefill), as in
the benchmark's code for Claude.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from longdoc.errors import UserError
from models.apis._endpoint import Endpoint
from models.apis._schemas import label_schema
from models.apis._thinking import anthropic_body
from models.apis.accounting.shared_prefixes import SharedPrefixes, beginning_of
from models.apis.sending import finish_reasons
from models.apis.sending.response import ApiResponse, Unanswered, error_in, field_of, name, not_json, whole_number
from models.prompts import Prompt
from models.requests import Generate

THINKING = ("thinking", "redacted_thinking")  # types of blocks


@dataclass(frozen=True, eq=False)
class Anthropic(Endpoint):
    """A reader behind Anthropic's API, or a compatible one; it generates.

    The fields are those of `openai`, with ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL. `temperature` is sent only where it
    is given: the newer models refuse it. n > 1 asks n times. Thinking blocks are the reply's `thinking`, not part of
    its value. Stop strings of white space alone, which the API refuses, are applied here. `prefill=False` is for models
    that refuse to go on with an answer (Claude 4.6 and later, and any while it thinks): the beginning is then at the
    end of the user's message. So it is with `thinking=N`, the tokens that the model may think for on top of the
    answer's: a budget of at least 1,024 up to Claude 4.6, an upper bound in later models. A document of at least 1,024
    tokens that several requests show is marked with `cache_control`. `structured` sends the schema as the `format` of
    `output_config`. Thread-safe.
    """

    prefill: bool = True

    _prefixes: SharedPrefixes = field(default_factory=lambda: SharedPrefixes(marked_only=True), init=False, repr=False)

    library: ClassVar[str] = "anthropic"
    client_class: ClassVar[str] = "Anthropic"
    default_url: ClassVar[str] = "https://api.anthropic.com"
    url_variable: ClassVar[str] = "ANTHROPIC_BASE_URL"
    default_key_variable: ClassVar[str] = "ANTHROPIC_API_KEY"
    of_account: ClassVar[tuple[str, ...]] = ("auth_token",)

    @property
    def _begins(self) -> bool:
        """Whether the assistant's turn begins with the prefill."""
        return self.prefill and not self.thinking_tokens  # a model that thinks goes on with nothing

    def _messages(self, prompt: Prompt) -> list[dict[str, Any]]:
        """The messages, a document that several requests show being marked for the cache.

        A document that one request shows is not marked: writing to the cache costs a quarter more.
        """
        messages = super()._messages(prompt)
        beginning, text = beginning_of(prompt, self.count), messages[0]["content"]
        rest = text[len(beginning) :]
        if not beginning or not rest.strip() or not self._prefixes.is_shared(beginning):
            return messages
        blocks = [{"type": "text", "text": text[: len(beginning)], "cache_control": {"type": "ephemeral"}}]
        return [messages[0] | {"content": [*blocks, {"type": "text", "text": rest}]}, *messages[1:]]

    def _ask(self, client: Any, messages: list[dict[str, Any]], request: Generate, n: int, wait: Any) -> Any:
        fields: dict[str, Any] = {"model": self.model, "max_tokens": self._longest(request), "messages": messages}
        if self.system:
            fields["system"] = self.system
        if self.temperature is not None:
            fields["temperature"] = self.temperature
        if stop := [text for text in request.stop if text.strip() and not self.thinking_tokens]:
            fields["stop_sequences"] = stop
        body = fields | self._body
        if request.choices:
            form = {"type": "json_schema", "schema": label_schema(request.choices)}
            body["output_config"] = body.get("output_config", {}) | {"format": form}
        return self._post(client, "/v1/messages", body, wait)

    def _thinking_fields(self) -> dict[str, Any]:
        if self.thinking_tokens and self.temperature is not None:
            raise UserError(f"no temperature goes with thinking={self.thinking}: drop temperature={self.temperature:g}")
        return anthropic_body(self.model, self.thinking, self.effort)

    def _parse(self, response: Any, url: str) -> ApiResponse:
        word = field_of(response, "stop_reason")
        reason = finish_reasons.end_of(word)
        blocks = field_of(response, "content")
        if blocks is None and reason != "stop" and not error_in(response):
            blocks = []
        if not isinstance(blocks, list) or (not blocks and error_in(response)):
            raise not_json(response, url)
        usage = field_of(response, "usage")
        tokens_out = whole_number(field_of(usage, "output_tokens"))
        texts = [text for block in blocks if isinstance(text := field_of(block, "text"), str)]
        tool_names = [field_of(block, "name") for block in blocks if field_of(block, "type") == "tool_use"]
        has_thinking = any(field_of(block, "type") in THINKING for block in blocks)
        reply = ApiResponse(
            ("".join(texts),),
            reason,
            _tokens_in(usage),
            tokens_out,
            _thinking(blocks),
            _count(usage, "cache_read_input_tokens"),
            _count(usage, "cache_creation_input_tokens"),
            min(_count(field_of(usage, "output_tokens_details"), "thinking_tokens"), tokens_out or 0),
            ends=finish_reasons.unknown_words([word]),
            model=name(field_of(response, "model")),
        )
        if problem := finish_reasons.tool_call(tool_names) if tool_names else finish_reasons.problem_of(word):
            raise Unanswered(problem, reply)
        if not (texts or has_thinking) and reason == "stop":
            raise Unanswered("the reply holds no text", reply)
        return reply


def _thinking(blocks: list[Any]) -> str:
    """The thinking blocks' texts with blank lines between; redacted blocks have no text."""
    texts = (field_of(block, "thinking") for block in blocks)
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)


def _count(usage: Any, field_name: str) -> int:
    """A count in the usage, 0 where there is none."""
    return whole_number(field_of(usage, field_name)) or 0


def _tokens_in(usage: Any) -> int | None:
    """The number of prompt tokens, with those written to or read from the cache; None where it is not known."""
    tokens = whole_number(field_of(usage, "input_tokens"))
    cached = _count(usage, "cache_creation_input_tokens") + _count(usage, "cache_read_input_tokens")
    return None if tokens is None else tokens + cached
