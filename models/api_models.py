"""Models of well-known APIs: the spec of the reader for each, and its context window.

Windows as known in November 2026. Providers change them, and their pages have the last word: OpenAI's at
platform.openai.com/docs/models/NAME, Anthropic's at platform.claude.com/docs/en/build-with-claude/context-windows,
Google's (the limit on the input) at ai.google.dev/gemini-api/docs/models. The windows of o3, Claude 4.6 and Gemini 2.0
were compared with pages that quote these. So no window is applied unasked: errors and the documentation name it.
"""

import re
from typing import NamedTuple

LOCAL = "http://127.0.0.1:8000/v1"  # where vLLM listens
OLLAMA_PORT = 11434


class Provider(NamedTuple):
    """An API provider: a pattern of its models' names, and the reader's spec with `{}` for the name."""

    name: str
    names: str
    spec: str


PROVIDERS = (
    Provider("OpenAI's API", r"gpt-5.*|o[134](?:-.*)?", "openai:{},temperature=null"),  # they take no temperature of 0
    Provider("OpenAI's API", r"gpt-\d.*|chatgpt-.*", "openai:{}"),  # not gpt2, not gpt-oss
    Provider("Anthropic's API", r"claude-.*", "anthropic:{}"),
    Provider(
        "Google's API",  # ai.google.dev/gemini-api/docs/openai
        r"gemini-.*",
        "openai:{},base_url=https://generativelanguage.googleapis.com/v1beta/openai/,key_variable=GEMINI_API_KEY",
    ),
    Provider(
        "DeepSeek's API",  # api-docs.deepseek.com
        r"deepseek-(?:chat|reasoner|v\d+-.*)",
        "openai:{},base_url=https://api.deepseek.com,key_variable=DEEPSEEK_API_KEY",
    ),
    Provider("Ollama", r"[a-z][\w.-]*:(?:latest|\d[\w.-]*)", "ollama:{}"),
)
WINDOWS = {
    r"gpt-3\.5-turbo(?:-0125|-1106)?": 16_385,
    r"gpt-4(?:-0613)?": 8_192,
    r"gpt-4-turbo(?:-.*)?": 128_000,
    r"gpt-4o(?:-mini)?(?:-20\d\d-\d\d-\d\d)?": 128_000,
    r"gpt-4\.1(?:-mini|-nano)?(?:-20\d\d-\d\d-\d\d)?": 1_047_576,
    r"(?:o1|o3|o3-mini|o4-mini)(?:-20\d\d-\d\d-\d\d)?": 200_000,
    r"claude-3-.*": 200_000,
    r"claude-(?:opus|sonnet|haiku)-4(?:-[015])?(?:-20\d{6})?": 200_000,
    r"claude-(?:opus|sonnet)-4-6": 1_000_000,
    r"gemini-2\.[05]-(?:pro|flash|flash-lite)": 1_048_576,
}
OPEN_MODELS = re.compile(
    r"(?:llama|qwen|mistral|mixtral|ministral|phi|gemma|olmo|gpt-oss|deepseek)[-\d.].*", re.IGNORECASE
)
PROGRAMS = re.compile(r"(?:gguf|llama[._-]?cpp(?:-python)?|llama-server|vllm|sglang|lm-?studio)[:/](.*)", re.I | re.S)
_ROUTE = re.compile(r"(?:openai|anthropic|google|gemini|deepseek|xai)/")  # as routers write names


def suggestion(name: str) -> str | None:
    """The provider and the spec to type for the bare name of an API's model; None for any other name."""
    model = _ROUTE.sub("", name)
    for provider in PROVIDERS:
        if re.fullmatch(provider.names, model, re.IGNORECASE):
            window = known_window(model)
            cut, option = (f",window={window}", "window") if window else ("", "window=TOKENS")
            spec = f"{provider.spec.format(model)}{cut}"
            return f"{provider.name} serves it; give model='{spec}' ({option} shortens longer prompts)"
    return None


def open_weights(name: str) -> str | None:
    """A hint what to type for the bare name of an open model; None for any other name."""
    if not OPEN_MODELS.fullmatch(name):
        return None
    return f"for your own server give model='openai:{name},base_url={LOCAL}', for a hub model model=ORGANIZATION/NAME"


def misnamed(spec: str) -> str | None:
    """A hint what to type for a model named with its program (`vllm:x`); None for any other name."""
    if (match := PROGRAMS.fullmatch(spec)) is None:
        return None
    path = match[1] if match[1].endswith(".gguf") else "PATH.gguf"
    return f"give a GGUF file by its path, model={path!r}, or a server by its address, server='localhost:8080'"


def nowhere(name: str) -> str:
    """The error message for a name that is neither a reader's nor a model's."""
    return (
        f"There is no reader, folder or hub model {name!r} here. If a server runs it, give "
        f"model='openai:{name},base_url={LOCAL}' or model='ollama:{name}'; if it is a file or folder, give its path "
        "(model='PATH.gguf'). `longdoc list components` lists the readers."
    )


def known_window(model: str) -> int | None:
    """The context window in tokens of an API's model; None if it is unknown."""
    return next((window for names, window in WINDOWS.items() if re.fullmatch(names, model, re.IGNORECASE)), None)
