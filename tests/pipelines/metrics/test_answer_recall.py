import pytest

from pipelines.metrics import get
from pipelines.records import Document, Example


def recall(selected: str, *references: str) -> float:
    return get("answer_recall").score([selected], [references])["answer_recall"]


def test_answer_recall_measures_the_selection() -> None:
    assert get("answer_recall").target == "selection"


def test_a_reference_counts_in_its_normal_form() -> None:
    assert recall("He saw the Grey  Gull, and left.", "a grey gull") == 100


def test_any_reference_will_do() -> None:
    assert recall("he saw a gull", "ship", "gull") == 100


def test_an_article_between_the_words_is_ignored() -> None:
    assert recall("gull of the harbour", "gull of harbour") == 100


@pytest.mark.parametrize("reference", ["gull", "grey gulls fly", "ey gulls"])
def test_only_runs_of_whole_tokens_are_found(reference: str) -> None:
    assert recall("grey gulls", reference) == 0


@pytest.mark.parametrize("reference", ["", "the", "..."])
@pytest.mark.parametrize("selected", ["", "the grey gulls ..."])
def test_a_reference_that_normalizes_to_nothing_is_not_found(selected: str, reference: str) -> None:
    assert recall(selected, reference) == 0


def test_the_score_is_the_share_of_examples() -> None:
    assert get("answer_recall").score(["a gull", "a ship"], [["gull"], ["gull"]]) == {"answer_recall": 50.0}


@pytest.mark.parametrize(
    ("selected", "reference", "score"),
    [
        ("दिल्ली, भारत की राजधानी है।", "भारत की राजधानी", 100),
        ("दिल्ली भारत की राजधानी है।", "दिल्", 0),
        ("北京是中国的首都。", "中国", 100),
        ("北京是中国的首都。", "中 国", 100),
        ("北京是中国的首都。", "国中", 0),
        ("un cafe\u0301 noir", "café", 100),
        ("«ΑΘΗΝΑ», είπε", "Αθήνα", 0),
        ("«ΑΘΉΝΑ», είπε", "Αθήνα", 100),
    ],
)
def test_in_any_script_runs_of_whole_tokens_are_found(selected: str, reference: str, score: float) -> None:
    assert get("answer_recall:unicode").score([selected], [[reference]]) == {"answer_recall": score}


def test_a_row_says_whether_the_answer_is_in_the_document_which_is_no_score() -> None:
    metric, document = get("answer_recall"), Document("d", "A gull cries. Ships leave the harbour.")
    rows = [
        metric.statistics("a gull cries", Example("1", document, references=("ships",))),
        metric.statistics("a gull cries", Example("2", document, references=("boats",))),
    ]
    assert rows == [{"answer_recall": 0.0, "in_document": 100.0}, {"answer_recall": 0.0, "in_document": 0.0}]
    assert metric.aggregate(rows) == {"answer_recall": 0.0}
    assert metric.summable([*rows, {"answer_recall": 100.0}])[1:] == [{"answer_recall": 0.0}, {"answer_recall": 100.0}]
