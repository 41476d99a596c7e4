"""LongBench's score of multifieldqa_zh (Bai et al. 2024): F1 of Chinese words, with SQuAD's formula."""

import string
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.benchmarks.longbench.metrics import _chinese as chinese
from pipelines.metrics import Metric, Row
from pipelines.metrics.f1 import token_f1
from pipelines.metrics.shared.words import mean
from pipelines.records import Example

# Punctuation as the published code lists it: ASCII's and these; "《" is not among them.
PUNCTUATION = frozenset(
    string.punctuation
    + "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、"
    + "〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏"
)


@dataclass(frozen=True)
class QaF1ZhScore(Metric):
    """F1 of the words of prediction and reference, 0–100; the key is "qa_f1_zh_score".

    Words are `jieba`'s, in lower case, without punctuation and white space; what is left of a word counts as one. The
    best reference counts. Needs the extra `chinese`.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return f"qa_f1_zh_score|{chinese.SEGMENTED}|lower case, no punctuation|references:max"

    def prepare(self) -> None:
        """Load the dictionary. Raises `NotComputable` without `jieba`."""
        chinese.prepare()

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best F1 over the references, 0–100."""
        tokens = _tokens(prediction)
        return {"qa_f1_zh_score": max(100 * token_f1(tokens, _tokens(reference)) for reference in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "qa_f1_zh_score")


def _tokens(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation and white space."""
    words = (word.lower() for word in chinese.words(text))
    stripped = ("".join(char for char in word if not (char.isspace() or char in PUNCTUATION)) for word in words)
    return [word for word in stripped if word]
