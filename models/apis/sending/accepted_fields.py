"""The fields of a request's body that a server accepts, learned from its refusals.

Servers and gateways that speak one wire differ in small things: OpenAI's newer models refuse `max_tokens`, others know
no other name for the length; some take no `stop`, or no `temperature` but their own. Behind a gateway the host does not
tell. So a field that is refused by its name, with HTTP 400 or 422, is sent under its other name, or left out, from
then on.
"""

import json
import re
import threading
from collections.abc import Mapping
from typing import Any

from longdoc.messages import note
from models.apis.sending.failures import message_of

STATUSES = (400, 422)
_REFUSED = re.compile(
    r"unsupported|(?:not|n't) support|unrecogni[sz]ed|unknown|unexpected|extra (?:inputs|fields)|forbidden|deprecated"
    r"|not (?:permitted|allowed)|only the default|invalid option",
    re.IGNORECASE,
)
_WORDS = ("stop",)  # names that are words as well: in a message they count in quotation marks only
WHAT_FOLLOWS = {
    "temperature": "it uses its own (temperature=null sends none from the start)",
    "stop": "longdoc ends outputs at stop strings itself",
    "num_ctx": "its own context window applies; give it as window=TOKENS",
    "store": "it is left out; the server may keep what it is sent",
    **dict.fromkeys(("truncate", "shift", "truncation"), "it is left out; prompts that are cut are still noticed"),
}

Replacements = Mapping[str, str | None]  # the name to send instead of a field's, None: the field is left out


class Learned:
    """The fields that a server refused, each with what is sent instead. Thread-safe."""

    def __init__(self) -> None:
        self._replacements: dict[str, str | None] = {}
        self._lock = threading.Lock()

    def applied(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields as the server takes them."""
        with self._lock:
            renamed = {self._replacements.get(name, name): value for name, value in fields.items()}
        return {name: value for name, value in renamed.items() if name is not None}

    def changes(self, error: Any, replacements: Replacements, server: str) -> bool:
        """Whether to send a refused request again, because one of its fields was refused and is replaced from now on.

        `replacements` are the fields that may change. What is learned is printed, once for each field.
        """
        if error.status_code not in STATUSES:
            return False
        message, sent = message_of(error), _sent(error)
        name = next((name for name in replacements if name in sent and _is_refused(name, error.body, message)), None)
        if name is None:
            return False
        with self._lock:
            if name not in self._replacements:
                if replacements[name] in self._replacements:
                    return False  # both names are refused
                self._replacements[name] = replacements[name]
                replacement = replacements[name] and f"{replacements[name]} is sent instead"
                note(f"{server} does not accept {name}: {replacement or WHAT_FOLLOWS[name]}")
        return True


def _is_refused(name: str, body: Any, message: str) -> bool:
    """Whether a server's error says that it does not accept a field, whatever its value."""
    if not _REFUSED.search(message):
        return False
    record = body.get("error", body) if isinstance(body, Mapping) else None
    param = record.get("param") if isinstance(record, Mapping) else None
    if isinstance(param, str) and param:
        return param.rpartition(".")[2] == name
    quoted = rf"['\"`.]{name}['\"`]"
    return bool(re.search(quoted if name in _WORDS else rf"(?<!\w){name}(?!\w)", message))


def _sent(error: Any) -> set[str]:
    """The names of the fields that a refused request had, those among Ollama's `options` too."""
    try:
        body = json.loads(error.response.request.content)
    except (ValueError, RuntimeError):  # no JSON; a response without its request
        return set()
    options = body.get("options")
    return {*body, *(options if isinstance(options, Mapping) else ())}
