"""All paragraphs by one author: the baseline of style change detection, where nothing ever changes (PAN's baseline)."""

from dataclasses import dataclass

from models.requests import Compare, Reply, Request
from models.word_reader import WordReader


@dataclass(frozen=True)
class SingleAuthor(WordReader):
    """Takes any two texts as written by the same author: the probability of every pair is 1; nothing is read."""

    supports = frozenset({Compare})

    def reply_to(self, request: Request) -> Reply:
        """Probability 1 for each pair."""
        if not isinstance(request, Compare):
            raise self.unsupported(request)
        return Reply((1.0,) * len(request.pairs))
