"""LongBench's ROUGE-L of Chinese texts, in dureader and vcsum (Bai et al. 2024): `rouge_l_longbench` on words.

Words are `jieba`'s, punctuation marks among them, joined by spaces: sentences end at "." alone, not at "。".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.benchmarks.longbench.metrics import _chinese as chinese
from pipelines.benchmarks.longbench.metrics.rouge_l_longbench import summary_f
from pipelines.metrics import Metric, Row
from pipelines.metrics.shared.words import mean
from pipelines.records import Example


@dataclass(frozen=True)
class RougeZhScore(Metric):
    """LongBench's ROUGE-L on Chinese words, 0–100; the key is "rouge_zh_score". Needs the extra `chinese`.

    Where a sentence of the prediction and one of the reference have about a thousand words together, the published code
    writes 0 (see `rouge_l_longbench`); here they are scored like others.
    """

    bootstrap_on = "means"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return (
            f"rouge_zh_score|rules:rouge 1.0.1, summary level, different words|{chinese.SEGMENTED}, joined by spaces"
            "|references:max"
        )

    def prepare(self) -> None:
        """Load the dictionary. Raises `NotComputable` without `jieba`."""
        chinese.prepare()

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """The best F over the references, 0–100."""
        hypothesis = _spaced(prediction)
        return {"rouge_zh_score": max(100 * summary_f(hypothesis, _spaced(text)) for text in example.references)}

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The mean over examples."""
        return mean(rows, "rouge_zh_score")


def _spaced(text: str) -> str:
    return " ".join(chinese.words(text))
