"""The fields of a request's body about thinking, for each kind of server: off, effort, number of tokens.

Sources, as of November 2026: platform.openai.com/docs/guides/reasoning, docs.vllm.ai (reasoning outputs),
docs.ollama.com/api/openai-compatibility, openrouter.ai/docs (reasoning tokens), api-docs.deepseek.com (thinking mode),
docs.mistral.ai (reasoning), ai.google.dev/gemini-api/docs/openai, and platform.claude.com/docs (extended thinking,
adaptive thinking, effort).
"""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from longdoc.errors import UserError
from models.api_models import OLLAMA_PORT
from models.thinking import OFF, Thinking, tokens_of

Body = dict[str, Any]

OPENAI = "openai.com"
AZURE = "azure.com"  # hosts OpenAI's models under names of one's own
OPENROUTER = "openrouter.ai"
EFFORT_OFF: Body = {"reasoning_effort": "none"}
SWITCH_OFF: Body = {"thinking": {"type": "disabled"}}
TEMPLATE_OFF: Body = {"chat_template_kwargs": {"enable_thinking": False}}  # vLLM, SGLang, llama.cpp

OFF_BODIES: tuple[tuple[Body, tuple[str, ...]], ...] = (  # by the end of the host's name
    (EFFORT_OFF, ("googleapis.com", "mistral.ai", "x.ai", "groq.com", AZURE, "ollama.com")),
    (SWITCH_OFF, ("deepseek.com", "moonshot.ai", "moonshot.cn", "z.ai")),
    ({"reasoning": {"effort": "none"}}, (OPENROUTER,)),
    ({"enable_thinking": False}, ("aliyuncs.com",)),
)

# OpenAI's own models, of which all others know "none"
_WITHOUT_THINKING = re.compile(r"(?:ft:)?(?:gpt-3|gpt-4|chatgpt-)|.*-chat-latest$")
_ALWAYS_THINKING = re.compile(r"o\d|gpt-5(?:\.\d)?-pro|.*codex")
_LEAST_MINIMAL = re.compile(r"gpt-5(?:-mini|-nano)?(?:-20\d\d-\d\d-\d\d)?$")

# Claude models with a budget; later ones think as they see fit
_WITH_BUDGET = re.compile(
    r"claude-3-7|claude-(?:opus|sonnet|haiku)-4(?:[-.][0-6](?!\d))?(?:$|[-@:](?:20\d{6}|v\d|latest))"
)
LEAST_BUDGET = 1024


def at_openai(url: str) -> bool:
    """Whether an address is OpenAI's own."""
    return _is_at(url, OPENAI)


def takes_the_newer_length(url: str) -> bool:
    """Whether models at an address take `max_completion_tokens` (judged by the host's name)."""
    return at_openai(url) or _is_at(url, AZURE)


def openai_body(url: str, model: str, thinking: Thinking, effort: str | None) -> Body:
    """The fields of a body in OpenAI's form. Raises `UserError` for a model whose thinking cannot be switched off.

    A number of thinking tokens is never sent: it is part of the longest output.
    """
    if effort is not None:
        return {"reasoning": {"effort": effort}} if _is_at(url, OPENROUTER) else {"reasoning_effort": effort}
    if thinking != OFF:
        return {}
    if at_openai(url):
        return _openai_off(model)
    if urlsplit(url).port == OLLAMA_PORT:
        return EFFORT_OFF
    return next((body for body, hosts in OFF_BODIES if any(_is_at(url, host) for host in hosts)), TEMPLATE_OFF)


def responses_body(url: str, model: str, thinking: Thinking, effort: str | None) -> Body:
    """The same for OpenAI's Responses API."""
    if effort is not None:
        return {"reasoning": {"effort": effort}}
    if thinking != OFF:
        return {}
    off_body = _openai_off(model) if at_openai(url) else EFFORT_OFF
    return {"reasoning": {"effort": off_body["reasoning_effort"]}} if off_body else {}


def anthropic_body(model: str, thinking: Thinking, effort: str | None) -> Body:
    """The fields of a body in Anthropic's form. Raises `UserError` for fewer tokens than the model's minimum."""
    body: Body = {} if effort is None else {"output_config": {"effort": effort}}
    if thinking == OFF:
        return SWITCH_OFF
    if not (tokens := tokens_of(thinking)):
        return body
    if "claude" in model.lower() and not _WITH_BUDGET.search(model.lower()):
        return body | {"thinking": {"type": "adaptive", "display": "summarized"}}  # else its text is left out
    if tokens < LEAST_BUDGET:
        raise UserError(f"{model} needs thinking={LEAST_BUDGET} or more, got {tokens}; or give thinking=off")
    return body | {"thinking": {"type": "enabled", "budget_tokens": tokens}}


def with_extra(body: Body, extra: Mapping[str, Any], cause: str) -> Body:
    """A body merged with `extra`. Raises `UserError` for a field in both; `cause` is the setting that sends it."""
    merged = dict(body)
    for name, value in extra.items():
        own = body.get(name)
        if isinstance(own, dict) and isinstance(value, Mapping) and not own.keys() & value.keys():
            merged[name] = {**value, **own}
        elif name in body:
            raise UserError(f"extra has {name!r}, which {cause} sends too: drop one of them")
        else:
            merged[name] = value
    return merged


def _openai_off(model: str) -> Body:
    if _WITHOUT_THINKING.match(model):
        return {}
    if _ALWAYS_THINKING.match(model):
        raise UserError(f"{model} always thinks: drop thinking=off; effort=low is the least")
    return {"reasoning_effort": "minimal" if _LEAST_MINIMAL.match(model) else "none"}


def _is_at(url: str, host: str) -> bool:
    name = urlsplit(url).hostname or ""
    return name == host or name.endswith(f".{host}")
