"""LongBench's scores: the values that its published code (eval.py, metrics.py; fuzzywuzzy 0.18.0, jieba 0.42.1, rouge
1.0.1) gives for these texts.
"""

import sys

import pytest

from longdoc.errors import UserError
from pipelines import metrics
from pipelines.benchmarks.longbench.metrics import _chinese as chinese
from pipelines.benchmarks.longbench.metrics.first_line import first_line
from pipelines.metrics import NotComputable
from pipelines.records import Document, Example

CLASSES = ("Number of something", "Other number", "Number", "Date", "Location", "Other location", "Other")


def score(name: str, prediction: str, *references: str, classes: tuple[str, ...] = ()) -> float:
    example = Example("x", Document("", ""), references=references, options=classes)
    metric = metrics.get(name)
    metric.prepare()
    return next(iter(metric.aggregate([metric.statistics(prediction, example)]).values()))


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("The type is Date.", "Date", 100),
        ("\n\nDate\nLocation", "Date", 100),
        ("Location\nDate", "Date", 0),
        ("Date or Location", "Date", 50),
        ("Other location", "Other location", 100),
        ("date", "Date", 0),
        ("", "Date", 0),
    ],
)
def test_a_class_is_named_in_the_first_line_and_others_take_their_share(
    prediction: str, reference: str, expected: float
) -> None:
    assert score("classification_score", prediction, reference, classes=CLASSES) == expected


@pytest.mark.parametrize("classes", [("Other", "number", "Other number"), ("number", "Date", "Other", "Other number")])
def test_of_two_classes_within_the_right_one_the_second_is_passed_over(classes: tuple[str, ...]) -> None:
    assert score("classification_score", "Other number", "Other number", classes=classes) == 50


def test_a_classification_without_classes_is_an_error_that_says_what_is_missing() -> None:
    with pytest.raises(UserError, match=r"needs all classes .*all_classes"):
        score("classification_score", "Date", "Date")


@pytest.mark.parametrize(
    ("prediction", "expected"), [("There are 7, not 12.", 50), ("07", 0), ("none", 0), ("٧", 0), ("7 and 7", 100)]
)
def test_a_count_s_score_is_the_share_of_right_numbers_compared_as_text(prediction: str, expected: float) -> None:
    assert score("count_score", prediction, "7") == expected


def test_a_paragraph_s_score_is_the_share_of_right_numbers() -> None:
    assert score("retrieval_score", "7 or 12 or 7", "Paragraph 7") == pytest.approx(200 / 3)
    assert score("retrieval_score", "Paragraph seven", "Paragraph 7") == 0
    assert score("retrieval_score", "8", "Paragraph 7", "Paragraph 8") == 100
    assert score("retrieval_zh_score", "段落7或12", "段落7") == 50
    with pytest.raises(UserError, match="example x: the reference '7' must name a paragraph"):
        score("retrieval_score", "7", "7")


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("x = 1", "x = 2", 80),
        ("# a comment\nreturn x", "return x", 100),
        ("```python\nreturn y", "return x", 88),
        ("\n\n\nreturn x", "return x", 100),
        ("    return self.items", "return self.items()", 85),
        ("http://a", "return x", 0),
        ("", "return x", 0),
        ("A S A L", "A L I E N S", 33),  # 44 if only insertions and deletions counted
        ("tide", "diet", 25),
    ],
)
def test_code_is_compared_line_by_line_as_fuzzywuzzy_does_by_itself(
    prediction: str, reference: str, expected: float
) -> None:
    assert score("code_sim_score", prediction, reference) == expected


def test_an_output_of_comments_alone_has_no_line_of_code() -> None:
    assert score("code_sim_score", "# a note\n// XX", "XX") == 0


def test_long_lines_of_code_have_characters_that_are_too_frequent_to_match() -> None:
    output = "result = " + " + ".join(f"value_{i}" for i in range(20))
    gold = "total = " + " + ".join(f"value_{i}" for i in range(1, 25))
    assert score("code_sim_score", output, gold) == 47  # 84 without that rule


@pytest.mark.parametrize(
    ("prediction", "references", "expected"),
    [
        ("小明硕士毕业于中国科学院计算所。", ["硕士毕业于中国科学院"], 80),
        ("《红楼梦》，作者是曹雪芹", ["曹雪芹", "《红楼梦》"], 57.14285714285715),
        ("。，！", ["曹雪芹"], 0),
        ("", ["曹雪芹"], 0),
        ("Beijing 大学", ["beijing大学"], 100),
    ],
)
def test_f1_is_over_chinese_words(prediction: str, references: list[str], expected: float) -> None:
    pytest.importorskip("jieba")
    assert score("qa_f1_zh_score", prediction, *references) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("小明硕士毕业于中国科学院计算所。", "硕士毕业于中国科学院。", 83.33333284722222),
        ("会议讨论了预算和人员。", "这次会议讨论预算，人员不变。", 66.6666661688889),
        ("", "会议", 0),
        ("增长3.5%。", "增长了3.5%", 74.9999995),
    ],
)
def test_rouge_is_over_chinese_words(prediction: str, reference: str, expected: float) -> None:
    pytest.importorskip("jieba")
    assert score("rouge_zh_score", prediction, reference) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["qa_f1_zh_score", "rouge_zh_score"])
def test_without_jieba_the_command_that_installs_it_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jieba", None)
    chinese._tokenizer.cache_clear()
    with pytest.raises(NotComputable, match=r"pip install 'longdoc\[chinese\]'"):
        metrics.get(name).prepare()
    chinese._tokenizer.cache_clear()


@pytest.mark.parametrize(
    ("text", "line"), [("a\nb", "a"), ("\n\na \nb", "a "), ("", ""), ("\n \na", " "), ("a\r\nb", "a\r")]
)
def test_the_first_line_is_the_first_that_is_not_empty(text: str, line: str) -> None:
    assert first_line(text) == line


def test_other_metrics_can_be_computed_on_the_first_line_under_a_name_of_their_own() -> None:
    both = metrics.get("f1_first_line").score(["\nAnna\nQuestion: who?"], [["Anna"]])
    assert both == {"f1_first_line": 100.0}
    assert score("rouge_l_longbench_first_line", "a b\nc d", "a b") == pytest.approx(100, abs=1e-5)
    assert metrics.get("f1_first_line").signature == (
        "f1_first_line|prediction:first line|normalization:squad-1.1|references:max"
    )
