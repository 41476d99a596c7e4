"""What the refusals of a server mean: a mistake in the set-up, which ends the run, or the error of one request."""

import re
from typing import Any

from longdoc.errors import UserError
from models.apis.accounting.context_window import Overlong
from models.apis.sending.failures import busy_or_broken, message_of, redirected
from models.apis.sending.response import Unanswered
from models.apis.sending.serving import Serving
from models.thinking import Thinking

TOOLS_PATTERN = re.compile(r"(?:not|n't) support (?:tools|tool |function)|auto. tool choice requires", re.IGNORECASE)


class Refusals(Serving):
    """Tells what to type where a server refuses what a reader's fields say."""

    temperature: float | None
    thinking: Thinking
    effort: str | None

    @property
    def _begins(self) -> bool:
        """Whether the assistant's turn is begun where a prompt says how."""
        return False

    def _by_status(self, error: Any, url: str) -> Exception:
        """A mistake in the set-up ends the run (`UserError`); anything else is the request's own."""
        status, message = error.status_code, message_of(error)
        if 300 <= status < 400:
            return redirected(error, url)
        cleaned = self._cleaned(f"HTTP {status}: {message}")
        if status in (401, 402, 403) and self._without_key:
            return UserError(
                f"{url} wants a key ({cleaned}), and is sent none as a file names it: name a variable of its own, "
                "key_variable=MY_API_KEY, there"
            )
        if status in (401, 402, 403):
            return UserError(f"{url} refuses the key in {self._variable} ({cleaned}): export {self._variable}=KEY")
        if status == 400 and TOOLS_PATTERN.search(message):
            return UserError(f"{self.model} takes no tools ({cleaned}): give strategy='agent:calls=text'")
        if status == 404:
            return UserError(f"{url} has no such path or no model {self.model!r} ({cleaned}): see base_url, model")
        if status == 400 and self.temperature is not None and "temperature" in message[:100].lower():
            return UserError(
                f"{self.model} takes no such temperature ({cleaned}): give temperature=null or another one"
            )
        asked_text = next((name for name in ("effort", "thinking") if getattr(self, name) is not None), None)
        if (
            status == 400
            and asked_text
            and any(word in message.lower() for word in ("thinking", "effort", "reasoning"))
        ):
            setting = f"{asked_text}={getattr(self, asked_text)}"
            return UserError(
                f"{self.model} does not take {setting} ({cleaned}): give another {asked_text}, or leave it out"
            )
        if status == 400 and self._begins and "prefill" in message.lower():
            return UserError(
                f"{self.model} cannot go on with an answer ({cleaned}): switch prefill off (false, or null)"
            )
        problem = f"HTTP {status}: {message.replace(self._secret, '…') if self._secret else message}"
        return Overlong.of(problem, error.body) or busy_or_broken(error, problem) or Unanswered(problem)
