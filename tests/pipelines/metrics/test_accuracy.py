import pytest

from pipelines import metrics


@pytest.mark.parametrize(
    ("predictions", "references", "score"),
    [
        (["a", "b", "c", "a"], [["a"], ["b"], ["b"], ["b"]], 50.0),
        ([" Hero/Protagonist\n"], [["hero/protagonist"]], 100.0),
        (["a"], [["b", "a"]], 100.0),
        ([""], [["a"]], 0.0),
    ],
)
def test_accuracy_is_the_share_of_right_labels(predictions, references, score):
    assert metrics.get("accuracy").score(predictions, references) == {"accuracy": score}
