import pipelines
from pipelines.results.leaderboards.average import task_scores


def test_every_task_has_the_key_of_a_metric() -> None:
    keys = {
        key
        for name, references in (
            ("rouge", "a b"),
            ("f1", "a b"),
            ("f1_ascii", "a b"),
            ("exact_match", "a b"),
            ("choice_accuracy", "A"),
            ("exponential_similarity", "7%"),
            ("concordance_index", "1"),
        )
        for key in pipelines.metrics.get(name).score([references], [[references]])
    }
    assert {key for keys_of in task_scores().values() for key in keys_of.values()} <= keys
