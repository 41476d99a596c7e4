"""Graphwalks' F1 of two sets of nodes."""

import pytest

from pipelines import metrics


def score(output: str, *nodes: str, **fields: bool) -> tuple[float, float, float]:
    scores = metrics.get("graphwalks_f1", **fields).score([output], [list(nodes)])
    assert list(scores) == ["graphwalks_f1", "graphwalks_f1_any_line", "no_final_answer"]
    return tuple(scores.values())  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("output", "scores"),
    [
        ("Final Answer: [a, b]", (100, 100, 0)),
        ("I look.\nFinal Answer: ['b', \"a\"]\n\n", (100, 100, 0)),
        ("Final Answer:[a]", (200 / 3, 200 / 3, 0)),
        ("Final Answer: [a, c, d, e]", (100 / 3, 100 / 3, 0)),
        ("Final Answer: [a, b]\nThat is all.", (0, 100, 100)),
        ("Final Answer: [a]\nFinal Answer: [b, a]\nDone", (0, 100, 100)),
        ("Final Answer: a, b", (0, 0, 100)),
        ("final answer: [a, b]", (0, 0, 100)),
        ("Final Answer: []", (0, 0, 0)),
        ("", (0, 0, 100)),
    ],
)
def test_the_last_line_gives_the_nodes(output: str, scores: tuple[float, ...]) -> None:
    assert score(output, "a", "b") == pytest.approx(scores)


def test_the_signature_says_how_an_empty_answer_counts() -> None:
    assert score("Final Answer: []", "") == (0, 0, 0)
    assert score("Final Answer: []", "", empty_is_right=True) == (100, 100, 0)
    assert score("nothing", "", empty_is_right=True) == (0, 0, 100)
    assert score("Final Answer: [a]", "", empty_is_right=True) == (0, 0, 0)
    assert metrics.get("graphwalks_f1").signature.endswith("empty against empty:0")
    assert metrics.get("graphwalks_f1:empty_is_right=true").signature.endswith("empty against empty:100")
