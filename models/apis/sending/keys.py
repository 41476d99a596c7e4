"""Keys: they come out of environment variables, go to their provider alone, and are never written down.

A settings file is often somebody else's. So a server that it names is the provider's own, or on this machine, or one
that the user allows (`longdoc.allowed_hosts`); a variable that it names is one for keys of APIs; and the key of a
provider goes to that provider's own servers alone. None of this concerns what the user types, or passes in Python.
"""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from longdoc.allowed_code import file_of
from longdoc.allowed_hosts import check_host, host_of
from longdoc.errors import UserError

NO_KEY = "none"  # where there is no key
MAX_SHOWN = 300  # characters of a server's message that go into an error
MINIMUM = 16  # characters of a key that is one: servers of one's own take "EMPTY", "x" …, which are words, too
KEY_HOSTS = {  # the variable that holds a provider's key, as its own client or documentation calls it, and its hosts
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
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VARIABLE_IN_FILE = re.compile(r"[A-Z][A-Z0-9_]*_API_(?:KEY|TOKEN)")
_KEY_FIELD = re.compile(r"(?:x[-_])?(?:api|access|secret)[-_]?(?:key|token)|(?:proxy[-_])?authorization|password", re.I)


def check_variable(name: str | None) -> None:
    """Raise `UserError` unless `name` can be a variable's name: it may be the key itself."""
    if name is not None and not _VARIABLE.fullmatch(name):
        raise UserError("key_variable is the name of an environment variable, not a key; never write a key down")


def key_in(variable: str, library: str, is_needed: bool) -> str:
    """The key in a variable; `NO_KEY` if it is empty. Raises `UserError` if a key `is_needed`."""
    key = os.environ.get(variable, "").strip()
    if key and not (key.isascii() and key.isprintable()):
        raise UserError(f"the key in {variable} has characters that keys never have: export it again")
    if not key and is_needed:
        raise UserError(f"the reader {library} needs a key: export {variable}=KEY")
    return key or NO_KEY


def check_unwritten(variable: str, fields: Mapping[str, Any]) -> None:
    """Raise `UserError` if fields that a run writes down contain a key: the variable's, or one under a key's name."""
    key = os.environ.get(variable, "").strip()
    for name, value in fields.items():
        if found := _key_holder(key, value):
            raise UserError(f"{name} holds {found}, and it is written into the run's folder: export {variable}=KEY")


def without_key(text: str, key: str) -> str:
    """The text with the key left out, should a server send it back."""
    return text.replace(key, "…") if len(key) >= MINIMUM else text


def one_line(text: str, key: str) -> str:
    """A message on one line, the key taken out first: a part of it would be too much."""
    line = " ".join((text.replace(key, "…") if key else text).split())
    return line if len(line) <= MAX_SHOWN else line[: MAX_SHOWN - 1] + "…"


def check_variable_in_file(label: str, name: Any) -> None:
    """Raise `UserError` if a file names a variable that is not one for API keys."""
    if (file := file_of(name)) is not None and not _VARIABLE_IN_FILE.fullmatch(name):
        raise UserError(
            f"{file} takes the key of the {label} from the variable {str(name)!r}. A file may only name variables like "
            "MY_API_KEY or MY_API_TOKEN: use one, or type key_variable= yourself"
        )


def check_key_host(label: str, variable: Any, urls: Sequence[str]) -> None:
    """Raise `UserError` if a file would send a provider's key to another server."""
    if (file := file_of(variable)) is None or variable not in KEY_HOSTS:
        return
    if foreign_url := next((url for url in urls if not belongs_to_provider(variable, url)), None):
        raise UserError(
            f"{file} sends the key in {variable} to {foreign_url}, which is not its provider's: give the {label} a "
            "variable of its own, as in key_variable=MY_API_KEY, or type key_variable= yourself"
        )


def belongs_to_provider(variable: str, url: str) -> bool:
    """Whether an address is https and belongs to the provider whose key the variable holds."""
    host = host_of(url)
    hosts = KEY_HOSTS.get(variable, ())
    return urlsplit(url).scheme == "https" and any(
        host == own_host or host.endswith(f".{own_host}") for own_host in hosts
    )


def check_servers(label: str, default_variable: str, variable: str | None, urls: Sequence[Any]) -> None:
    """Raise `UserError` for servers that a file names and the user has not allowed.

    A provider's servers are its own both where its key is named and where a variable of the user's own holds it.
    """
    for url in urls:
        file = file_of(url)
        if file is not None and not (
            belongs_to_provider(default_variable, url) or belongs_to_provider(variable or "", url)
        ):
            check_host(host_of(url), f"{file} (base_url of the {label})")


def check_headers(library: str, urls: Sequence[Any]) -> None:
    """Raise `UserError` if a server that a file names would get headers meant for the user's own servers."""
    name = f"{library.upper()}_CUSTOM_HEADERS"
    if os.environ.get(name) and (url := next((url for url in urls if file_of(url) is not None), None)):
        raise UserError(
            f"{file_of(url)} names the server {url}, which would get the headers in {name}: unset it, or type "
            "base_url= yourself"
        )


def _key_holder(key: str, value: Any) -> str:
    """A description of the key in nested values; "" if there is none."""
    if isinstance(value, str):
        return "the key" if len(key) >= MINIMUM and key in value else ""
    if isinstance(value, Mapping):
        field = next((f"a key ({name})" for name in value if isinstance(name, str) and _KEY_FIELD.fullmatch(name)), "")
        return field or next(filter(None, (_key_holder(key, value) for pair in value.items() for value in pair)), "")
    if isinstance(value, (list, tuple)):
        return next(filter(None, (_key_holder(key, value) for value in value)), "")
    return ""
