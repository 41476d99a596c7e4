"""No model: passages are selected and measured, and no request is made."""

from dataclasses import dataclass

from longdoc.errors import UserError
from models.requests import Reply, Request
from models.word_reader import WordReader


@dataclass(frozen=True)
class NoReader(WordReader):
    """Stands for a model where none is asked: a run with `model="none"` makes no request. Its tokens are words."""

    supports = frozenset()
    is_random = False
    reads = False

    def reply_to(self, request: Request) -> Reply:
        """Raise `UserError`: there is no model to answer."""
        raise UserError("model='none' answers no request")
