"""LongBench Pro's scores, by the kind of task."""

from math import log2

import pytest

from longdoc.errors import UserError
from pipelines import metrics
from pipelines.benchmarks.longbench_pro.metrics.longbench_pro import answer_lines
from pipelines.records import Document, Example
from tests.turns import for_each


def example(task: str, *references: str) -> Example:
    return Example("q", Document("", ""), references=references, meta={"secondary_task": task})


def score(output: str, task: str, *references: str) -> float:
    return float(metrics.get("longbench_pro").statistics(output, example(task, *references))["score"])


def test_lines_count_from_behind_the_last_mark_in_lower_case_with_single_spaces() -> None:
    assert answer_lines("Thoughts\n[Answer]\nno\n[Answer]\n A  B\nc ") == ["a b", "c"]
    assert answer_lines("[答案]\n甲\n[答案]\n乙") == ["乙"]
    assert answer_lines("x [答案] [Answer] y") == ["y"]
    assert answer_lines("A\nB") == ["a", "b"]


NDCG = (2 / log2(2) + 3 / log2(3) + 1 / log2(4)) / (3 / log2(2) + 2 / log2(3) + 1 / log2(4))


@for_each(
    ("task", "output", "references", "expected"),
    [
        ("T1.1 Global Cohesive Retrieval", "a\nb\nc", "abc", 1),
        ("T1.2 Key-Snippet Retrieval", "b\na\nc", "abc", NDCG),
        ("T1.2 Key-Snippet Retrieval", "x\ny\nz\na", "abc", 0),
        ("T2.1 Global Timeline Reconstruction", "a\nc\nb", "abc", 2 / 3),
        ("T2.1 Global Timeline Reconstruction", "a\nb\nc\nx", "abc", 3 / 6),
        ("T2.1 Global Timeline Reconstruction", "a", "abc", 0),
        ("T6.3 Global Frequency Analysis", "c\nb\na", "abc", 0),
        ("T3.2 Single-Hop Fact QA", "A\nb", "a", 1),
        ("T3.2 Single-Hop Fact QA", "b\na", "a", 0),
        ("T11.1 Long-Range Entity & Commitment Tracking", "a", "a", 1),
        ("T5.1 Full-Sentence Citation Alignment", "a\nx", "ab", 1 / 2),
        ("T6.2 Targeted Subset Cluster Identification", "b\na", "ab", 1),
        ("T7.3 Comprehensive Error & Anomaly Sweep", "x", "ab", 0),
        ("T9.2 Localized Interface Change Detection", "a", "ab", 2 / 3),
        ("T6.1 Large-Scale Document Clustering", "a\nx\ny", "ab", 1 / 2),
        ("T8.3 Long-Context Procedural State Tracking", "b\na", "ab", 1),
        ("T10.1 Large-Scale In-Context Rule Induction", "", "ab", 0),
        ("T4.2 Query-Focused Summary", "a", "a", 0),
    ],
)
def test_each_kind_of_task_has_its_score(task: str, output: str, references: str, expected: float) -> None:
    assert score(output, task, *references) == pytest.approx(100 * expected)


def test_summaries_are_left_out_and_counted() -> None:
    metric = metrics.get("longbench_pro")
    rows = [metric.statistics("a", example(f"{task} x", "a")) for task in ("T3.1", "T4.1", "T11.2")]
    rows.append(metric.statistics("b", example("T3.2 y", "a")))
    assert metric.aggregate(rows) == {
        "longbench_pro": pytest.approx(200 / 3),
        "longbench_pro_T3": 50.0,
        "longbench_pro_T11": 100.0,
        "not_scored": 25.0,
    }
    assert metric.aggregate(rows[1:2]) == {}


def test_another_task_is_refused() -> None:
    with pytest.raises(UserError, match=r"one of LongBench Pro's \(T1.1 to T11.2\), got 'T12.1 x': fix the data"):
        score("a", "T12.1 x", "a")
