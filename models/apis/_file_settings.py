"""What a file may say of a reader behind an API: which servers get the texts, and which of them the key.

A settings file is often somebody else's. So a server that it names is the provider's own, or on this machine, or one
that the user allows (`longdoc.allowed_hosts`); a variable that it names is one for keys of APIs; and the key of a
provider goes to that provider's own servers alone. None of this concerns what the user types, or passes in Python.
"""

import os
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from longdoc.allowed_hosts import check_host, host_of
from longdoc.errors import UserError
from longdoc.file_values import file_of

OWN_VALUES = {  # the variable that holds a provider's key, as its own client or documentation calls it, and its hosts
    "OPENAI_API_KEY": ("api.openai.com",),
    "ANTHROPIC_API_KEY": ("api.anthropic.com",),
    "CEREBRAS_API_KEY": ("api.cerebras.ai",),
    "COHERE_API_KEY": ("api.cohere.com", "api.cohere.ai"),
    "DASHSCOPE_API_KEY": ("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"),
    "DEEPINFRA_API_TOKEN": ("api.deepinfra.com",),
    "DEEPSEEK_API_KEY": ("api.deepseek.com",),
    "FIREWORKS_API_KEY": ("api.fireworks.ai",),
    "GEMINI_API_KEY": ("generativelanguage.googleapis.com",),
    "GOOGLE_API_KEY": ("generativelanguage.googleapis.com",),
    "GROQ_API_KEY": ("api.groq.com",),
    "MISTRAL_API_KEY": ("api.mistral.ai",),
    "MOONSHOT_API_KEY": ("api.moonshot.ai", "api.moonshot.cn"),
    "NVIDIA_API_KEY": ("integrate.api.nvidia.com",),
    "OLLAMA_API_KEY": ("ollama.com",),
    "OPENROUTER_API_KEY": ("openrouter.ai",),
    "PERPLEXITY_API_KEY": ("api.perplexity.ai",),
    "REPLICATE_API_TOKEN": ("api.replicate.com",),
    "TOGETHER_API_KEY": ("api.together.xyz", "api.together.ai"),
    "XAI_API_KEY": ("api.x.ai",),
    "ZHIPUAI_API_KEY": ("open.bigmodel.cn",),
}
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*_API_(?:KEY|TOKEN)")


def is_own(variable: str, url: str) -> bool:
    """Whether an address is one of the provider's whose key the variable holds, and the way there is encrypted."""
    host = host_of(url)
    hosts = OWN_VALUES.get(variable, ())
    return urlsplit(url).scheme == "https" and any(
        host == own_text or host.endswith(f".{own_text}") for own_text in hosts
    )


def check_variable(label: str, name: Any) -> None:
    """Refuse a variable that a file names and that is none for the key of an API. Raises `UserError`."""
    if (file := file_of(name)) is not None and not _VARIABLE.fullmatch(name):
        raise UserError(
            f"{file} names the variable {str(name)!r} for the key of the {label}, and a file may only name such as "
            "MY_API_KEY or MY_API_TOKEN: name one, or type key_variable= yourself"
        )


def check_key_host(label: str, variable: Any, urls: Sequence[str]) -> None:
    """Refuse to send a provider's key elsewhere, where a file names its variable. Raises `UserError`."""
    if (file := file_of(variable)) is None or variable not in OWN_VALUES:
        return
    if foreign_url := next((url for url in urls if not is_own(variable, url)), None):
        raise UserError(
            f"{file} sends the key in {variable} to {foreign_url}, which is not its provider's: give the {label} a "
            "variable of its own, as in key_variable=MY_API_KEY, or type key_variable= yourself"
        )


def check_servers(label: str, default_variable: str, variable: str | None, urls: Sequence[Any]) -> None:
    """Refuse servers that a file names and nobody has allowed. Raises `UserError`.

    A provider's servers are its own both where its key is named and where a variable of the user's own holds it.
    """
    for url in urls:
        file = file_of(url)
        if file is not None and not (is_own(default_variable, url) or is_own(variable or "", url)):
            check_host(host_of(url), f"{file} (base_url of the {label})")


def check_headers(library: str, urls: Sequence[Any]) -> None:
    """Refuse to send headers that are meant for the user's own servers to one that a file names."""
    name = f"{library.upper()}_CUSTOM_HEADERS"
    if os.environ.get(name) and (url := next((url for url in urls if file_of(url) is not None), None)):
        raise UserError(
            f"{file_of(url)} names the server {url}, which would get the headers in {name}: unset it, or type "
            "base_url= yourself"
        )
