"""The order of numbered summaries: as they are given, or those that sound like a beginning before those like an end.

As given is ZeroSCROLLS' baseline for BookSumSort (Shaham et al. 2023, section 4.1). The other is a count of cue words:
a summary is worth (b - e) / n, with b words of beginnings (people are introduced, arrive, are young), e of ends (they
die, marry, forgive) among its n words, and the summaries worth most come first.
"""

import re
from dataclasses import dataclass
from typing import Literal

from chunkers.numbered import Numbered
from chunkers.shared.words import word_count
from models.prompts import Prompt
from models.requests import Generate
from models.word_reader import GeneratingWordReader

_BEGINNINGS = re.compile(
    r"\b(?:introduce[sd]?|describe[sd]?|young|named|called|lives|born|town|first|begins?|family|meets?|arriv\w+)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:die[sd]?|death|funeral|buried|grave|marr(?:y|ies|ied)|forgiv\w+|final\w*|ends?|last|years later|epilogue)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Order(GeneratingWordReader):
    """Answers with the numbers of the document's parts in an order, as "3, 1, 2".

    Parts are those of the chunker `numbered`, over all passages in document order. `by` cues: those that sound like a
    beginning first, equal ones as given; the words are English. identity: as given. A document without numbered parts
    gets an empty answer. The document must be whole, so a run needs chunker="whole" and no bound on the prompt. n > 1
    gives the same text n times.
    """

    by: Literal["cues", "identity"] = "cues"

    needs_whole_document = True

    def outputs(self, prompt: Prompt, request: Generate) -> list[str]:
        """The numbers in order."""
        ordered = sorted(prompt.passages, key=lambda part: part.start or 0)
        parts = Numbered().split("\n".join(part.text for part in ordered))
        numbered = [(part.label.split()[1], part.text) for part in parts if part.label]
        if self.by == "cues":
            numbered.sort(key=lambda pair: -_beginning(pair[1]))
        return [", ".join(number for number, _ in numbered)]


def _beginning(text: str) -> float:
    return (len(_BEGINNINGS.findall(text)) - len(_ENDS.findall(text))) / max(word_count(text), 1)
