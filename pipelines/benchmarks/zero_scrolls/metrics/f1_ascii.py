"""Token F1 on answers transliterated to ASCII: question answering in ZeroSCROLLS (Shaham et al. 2023, section 3.3).

The F1 of metric `f1`, but the normalized answers are written in ASCII before they are split into tokens, so that
"Rashād" equals "Rashad". Transliteration comes last: punctuation that it makes ("’" becomes "'") stays. The published
scorer uses Unidecode, which is GPL; here it is anyascii (ISC). The two agree on the accented Latin letters of European
languages and on “curly” quotation marks; they differ in long dashes, in symbols ("½", "→", "∂") and in parts of Greek,
Cyrillic and Asian scripts. There prediction and reference change alike, so that the score differs only where such an
answer meets one that is in ASCII already, or is split into another number of words. An ideograph is a word, as with
Unidecode.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from anyascii import anyascii

from pipelines.metrics import Metric, Row
from pipelines.metrics.f1 import token_f1
from pipelines.metrics.shared.words import mean, normalize
from pipelines.records import Example

_IDEOGRAPH = re.compile("([\u3400-\u4dbf\u4e00-\u9fff])")


@dataclass(frozen=True)
class F1Ascii(Metric):
    """Token F1 on normalized answers in ASCII, 0–100; the key is "f1_ascii". Rules and edges are those of `f1`."""

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the number, and the version of the transliteration."""
        return f"f1_ascii|normalization:squad-1.1, then ASCII|anyascii:{version('anyascii')}|references:max"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best F1 over the references, 0–100."""
        tokens = ascii_tokens(prediction)
        return {"f1_ascii": max(100 * token_f1(tokens, ascii_tokens(reference)) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "f1_ascii")


def ascii_tokens(answer: str) -> list[str]:
    """The words of an answer's normal form, in ASCII."""
    return anyascii(_IDEOGRAPH.sub(r"\1 ", normalize(answer))).split()
