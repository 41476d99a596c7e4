"""Topic retrieval as L-Eval scores it (An et al. 2024): the first, second or third topic of a long conversation.

An output is right if it contains the reference, both in lower case and without spaces. The score is the mean of
the three accuracies of first, second and third topics.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from pipelines.benchmarks.leval.metrics._exam import text_score
from pipelines.metrics import Metric, Row
from pipelines.records import Example

ORDINALS = ("first", "second", "third")
OTHER = "other"  # topics of queries that name none of them
TOPICS = (*ORDINALS, OTHER)

_WORD = re.compile("[a-z]+")


@dataclass(frozen=True)
class TopicLeval(Metric):
    """The mean accuracy, 0–100, "topic_leval", and those of "topic_first", "topic_second" and "topic_third".

    Which topic is asked for is what the query says; queries that name none of the three are a group of their own.
    """

    bootstrap_on = "mean row"

    @property
    def signature(self) -> str:
        """The rules that decide the score."""
        return "topic_leval|contained:lower case, no spaces|average:of first, second, third|references:any"

    def statistics(self, prediction: str, example: Example) -> dict[str, float]:
        """Which topic is asked for, and 100 for it where a reference is contained: two numbers for each topic."""
        query = _WORD.findall(example.query.lower())
        query_topic = next((ordinal for ordinal in ORDINALS if ordinal in query), OTHER)
        score = max(text_score(prediction, reference) for reference in example.references)
        return {
            name: value * (topic == query_topic)
            for topic in TOPICS
            for name, value in ((f"score_{topic}", score), (f"count_{topic}", 1.0))
        }

    def aggregate(self, rows: Sequence[Row]) -> dict[str, float]:
        """The accuracy of each of the topics that are asked for, and their mean."""
        sums = {
            topic: [fsum(row[f"{kind}_{topic}"] for row in rows) for kind in ("score", "count")] for topic in TOPICS
        }
        means = {topic: score / count for topic, (score, count) in sums.items() if count}
        if not means:
            return {}
        by_topic = {f"topic_{topic}": score for topic, score in means.items() if topic != OTHER}
        return {"topic_leval": fsum(means.values()) / len(means)} | by_topic
