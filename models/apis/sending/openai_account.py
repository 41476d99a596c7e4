"""What the readers of OpenAI's two APIs share: the official client, whose account it uses, and the key of its cache."""

from collections.abc import Mapping
from typing import Any, ClassVar

from models.apis._endpoint import Endpoint
from models.apis._thinking import at_openai
from models.apis.accounting.shared_prefixes import beginning_of, digest
from models.prompts import Prompt
from models.requests import Generate

KEY_DIGITS = 32  # of a prompt_cache_key, which has 64 at most


class OpenaiAccount(Endpoint):
    """A reader behind OpenAI's addresses, or behind a server that speaks one of its APIs."""

    library: ClassVar[str] = "openai"
    client_class: ClassVar[str] = "OpenAI"
    default_url: ClassVar[str] = "https://api.openai.com/v1"
    url_variable: ClassVar[str] = "OPENAI_BASE_URL"
    default_key_variable: ClassVar[str] = "OPENAI_API_KEY"
    request_options: ClassVar[Mapping[str, Any]] = {"security": {"bearer_auth": True}}  # never the administrator's key
    of_account: ClassVar[tuple[str, ...]] = ("organization", "project", "admin_api_key")

    def _cache_key(self, request: Generate) -> dict[str, str]:
        """At OpenAI a key of the document, so that requests with the same one go to where it is cached."""
        if not at_openai(self.urls[0]) or not (beginning := beginning_of(Prompt.of(request.prompt), self.count)):
            return {}
        return {"prompt_cache_key": digest(beginning)[:KEY_DIGITS]}
