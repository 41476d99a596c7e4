"""OpenAI-compatible chat completions through the official client: hosted models, vLLM, llama.cpp, `transformers serve`.

`POST {base_url}/chat/completions`, one user message per prompt, after a system message where one is given. Where a
prompt says how the answer begins (ZeroSCROLLS' tags), that ends the user's message, or with `prefill` begins the
assistant's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from longdoc.errors import UserError, unknown
from longdoc.registry import ADDED_LATER
from models.apis._completion import failure_in, message_of, seconds_of, usage_of
from models.apis._endpoint import Endpoint
from models.apis._schemas import label_schema
from models.apis._thinking import at_openai, openai_body, takes_the_newer_length
from models.apis.accounting.shared_prefixes import beginning_of, digest
from models.apis.sending import finish_reasons
from models.apis.sending.accepted_fields import Replacements
from models.apis.sending.response import ApiResponse, Unanswered, error_in, field_of, name, not_json
from models.prompts import Prompt
from models.requests import Generate

PREFILLS = ("message", "prefix", "continue")
CONTINUE_FIELDS = {"add_generation_prompt": False, "continue_final_message": True}  # fields of the body
KEY_DIGITS = 32  # of a prompt_cache_key, which has 64 at most


class OpenaiAccount(Endpoint):
    """The base of the readers of OpenAI's two APIs: the official client, its account, and the prompt cache key."""

    library: ClassVar[str] = "openai"
    client_class: ClassVar[str] = "OpenAI"
    default_url: ClassVar[str] = "https://api.openai.com/v1"
    url_variable: ClassVar[str] = "OPENAI_BASE_URL"
    default_key_variable: ClassVar[str] = "OPENAI_API_KEY"
    request_options: ClassVar[Mapping[str, Any]] = {"security": {"bearer_auth": True}}  # never the administrator's key
    of_account: ClassVar[tuple[str, ...]] = ("organization", "project", "admin_api_key")

    def _cache_key(self, request: Generate) -> dict[str, str]:
        """At OpenAI a `prompt_cache_key` of the document, so that its requests reach the server that has it cached."""
        if not at_openai(self.urls[0]) or not (beginning := beginning_of(Prompt.of(request.prompt), self.count)):
            return {}
        return {"prompt_cache_key": digest(beginning)[:KEY_DIGITS]}


@dataclass(frozen=True, eq=False)
class Openai(OpenaiAccount):
    """A reader behind an OpenAI-compatible API; it generates.

    - `base_url`: None is OPENAI_BASE_URL, else OpenAI. A server on this machine: `http://127.0.0.1:8000/v1`. A list
      holds servers of the same model, `[http://a:8000/v1,http://b:8000/v1]`: each request goes to the one with the
      fewest under way. One that fails is set aside until it is healthy again, and its requests go to the others.
      Addresses in a list do not tell runs apart: a run that is started again with other addresses goes on.
    - `system`: a system message before each prompt.
    - `temperature`: None sends none, for models that refuse it.
    - `window`: the model's context window, which holds prompt, chat template and output. None: the window that a server
      of one's own says it has, which also lowers a larger one; a provider's says nothing, and refuses what is too long.
      What is left for the prompt: less `max_new_tokens`, less the template's tokens (measured by `tokenizer` or the
      server, else 128 and the system message's), less a fifth of the rest where tokens are estimated. A prompt that the
      server still refuses is cut by as much as it says, and asked again, twice at most.
    - `max_input_tokens`: a bound on the prompt alone, as `count` counts: nothing is left for output and template. With
      `window`, the lower of the two counts.
    - `concurrency`: requests under way at once, at each server. None: as many as the server has slots (llama.cpp),
      else 8, and at a single server as many more, up to 64, as it answers without delay; fewer where it answers HTTP
      429 (`sending/adaptive_limit.py`).
    - `timeout`: seconds until a reply of up to 4,096 tokens is complete; longer ones may take longer in proportion.
    - `max_retries`: how often a request is made again that met HTTP 408, 409, 429, 5xx or no answer in time, as
      Retry-After says; at another server where there are several. A connection that breaks counts at one server only.
    - `prices`: for a million tokens, `{"input": 0.5, "output": 1.5}`, and where the provider has them `cached` and
      `cache_write`, of prompt tokens that it reads from its cache or writes to it; else these cost what `input` does.
    - `max_cost`: no more requests are sent once a run has spent it; those in flight are completed. A run that is
      started again with more goes on.
    - `prefill`: how the server goes on with an answer that is begun for it. None: it cannot (OpenAI's). `message`: with
      a last message of the assistant's (llama.cpp, OpenRouter); `prefix`: with one marked `prefix` (Mistral, DeepSeek);
      `continue`: with `continue_final_message` in the body (vLLM, SGLang).
    - `structured`: whether the server holds an output to one of the prompt's labels or letters by a JSON schema. None:
      it does unless it refuses the schema, which is then left out, said once and recorded. True: the run ends where it
      does. False: labels are asked for in words alone.
    - `extra`: further fields of the request's body.
    - `key_variable`: the environment variable with the key, OPENAI_API_KEY by default. Keys are never written down.
      What a settings file may say of `base_url` and `key_variable` is in `docs/howto/apis.md`.
    - `tokenizer`: a folder or hub id to count tokens with before asking; without it the server counts them where it
      can, else they are estimated by script.

    - `thinking`: the tokens that the model may think for, on top of `max_new_tokens`, which is the answer's length.
      Window, timeout and price count both, and stop strings are applied here. "off" (false): it shall not think. None:
      nothing is said of it, and what it thinks takes from the answer's length. `effort`: how hard it is to think, in
      the API's words ("low", "high"). What each server is sent is in `docs/howto/apis.md`.

    - `file`: a digest of the GGUF file that longdoc has llama-server read (`model="PATH.gguf"`), which tells runs with
      files of one name apart. It is not sent.

    Token counts of replies are the server's, counted here only where it sends none. Thread-safe.
    """

    temperature: float | None = 0.0
    prefill: Literal["message", "prefix", "continue"] | None = None
    file: str | None = field(default=None, metadata=ADDED_LATER)

    replacements: ClassVar[Replacements] = {
        "max_tokens": "max_completion_tokens",
        "max_completion_tokens": "max_tokens",
        "temperature": None,
        "stop": None,
    }

    def __post_init__(self) -> None:
        """Refuse what cannot work; the key is looked for when a run begins."""
        super().__post_init__()
        if self.prefill not in (None, *PREFILLS):
            raise unknown("way to begin an answer (prefill)", str(self.prefill), PREFILLS)
        if self.prefill is not None and self.thinking_tokens:
            raise UserError(
                f"prefill begins the answer, and thinking={self.thinking} comes before the answer: drop one of them"
            )

    @property
    def _begins(self) -> bool:
        return self.prefill is not None

    def _ask(self, client: Any, messages: list[dict[str, Any]], request: Generate, n: int, wait: Any) -> Any:
        system = [{"role": "system", "content": self.system}] if self.system else []
        prefill = messages[-1]["role"] == "assistant" and self.prefill
        if prefill == "prefix":
            messages = [*messages[:-1], messages[-1] | {"prefix": True}]
        fields: dict[str, Any] = {"model": self.model, "messages": [*system, *messages]}
        fields[self._length] = self._longest(request)
        if self.temperature is not None:
            fields["temperature"] = self.temperature
        if stop := [text for text in request.stop if text and not self.thinking_tokens]:  # they would end the thinking
            fields["stop"] = stop
        if n > 1:
            fields["n"] = n
        if request.choices:
            schema = {"name": "label", "strict": True, "schema": label_schema(request.choices)}
            fields["response_format"] = {"type": "json_schema", "json_schema": schema}
        body = self._accepted_fields.applied(fields) | self._cache_key(request) | self._body
        return self._post(client, "/chat/completions", body | (CONTINUE_FIELDS if prefill == "continue" else {}), wait)

    @property
    def _length(self) -> str:
        """The name that is tried first: OpenAI's newer models refuse `max_tokens`, which most servers know alone."""
        return "max_completion_tokens" if takes_the_newer_length(self.urls[0]) else "max_tokens"

    def _thinking_fields(self) -> dict[str, Any]:
        return openai_body(self.urls[0], self.model, self.thinking, self.effort)

    def _parse(self, response: Any, url: str) -> ApiResponse:
        choices = field_of(response, "choices")
        if not isinstance(choices, list) or (not choices and error_in(response)):
            raise not_json(response, url)
        messages = [message_of(choice) for choice in choices]
        reasons = [field_of(choice, "finish_reason") for choice in choices]
        ends = [finish_reasons.end_of(reason) for reason in reasons]
        is_refused = any(field_of(field_of(choice, "message"), "refusal") for choice in choices)
        usage = usage_of(field_of(response, "usage"))
        # a model that was cut, filtered or that only thought, in secret perhaps, has written an empty answer
        may_be_empty = [
            message.there and (end != "stop" or usage.reasoning > 0)
            for message, end in zip(messages, ends, strict=True)
        ]
        texts = [
            "" if is_empty and message.text is None else message.text
            for message, is_empty in zip(messages, may_be_empty, strict=True)
        ]
        parsed = ApiResponse(
            tuple(text for text in texts if text is not None),
            finish_reasons.common_reason([*ends, *(["refusal"] if is_refused else [])]),
            usage.prompt,
            usage.written,
            "\n\n".join(message.thinking for message in messages if message.thinking),
            cached_tokens=usage.cached,
            cache_write_tokens=usage.cache_write,
            reasoning_tokens=usage.reasoning,
            ends=finish_reasons.unknown_words(reasons),
            model=name(field_of(response, "model")),
            fingerprint=name(field_of(response, "system_fingerprint")),
            seconds=seconds_of(field_of(response, "timings")),
        )
        if problem := next(filter(None, (failure_in(choice) for choice in choices)), ""):
            raise Unanswered(problem, parsed)
        if not choices:
            raise Unanswered("the reply holds no choice", parsed)
        if None in texts:
            raise Unanswered("a choice of the reply holds no text", parsed)
        return parsed
