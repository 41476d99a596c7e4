"""Laws of every registered metric."""

import json
import random
from dataclasses import replace
from math import fsum, isfinite
from typing import Any

import pytest

from benchmarks.wordnet import wordnet
from longdoc.errors import UserError
from pipelines import metrics
from pipelines.metrics import NotComputable, Row
from pipelines.records import Document, Example
from tests.turns import for_each

IN_WORDNET = ("meteor", "meteor_loogle")
SPECS = [*metrics.names(), *(f"{name}:wordnet=false" for name in IN_WORDNET)]

TEXT = "The grey gull sat on the harbour wall. At dawn the old ship left for Ålesund, they said."
REFERENCES = (
    ("The grey gull sat on the harbour wall.",),
    ("the old ship left for Ålesund", "At dawn the old ship left."),
    ("a gull, and then a second grey gull",),
)
PREDICTIONS = (
    ("a gull on the wall", "the ship left the harbour", "they said a gull"),
    ("", "", ""),
    ("...", "the a an", "\u00a0\t\n"),
    ("gull " * 50, "Ålesund ålesund ÅLESUND", "\U0001f6a2 x_1 42"),
    ("9" * 5000 + "%", "1e9% B [[5, 2], [-1, 9]] 3,1,2", "\ud800 A [[0, 12], [4, 99999]] 4"),
)
# A perfect prediction is one chunk, which METEOR punishes by gamma / words^beta: 8, 6 and 8 words here.
PERFECT = {
    "meteor": 100 * (1 - (0.5 / 8**3 + 0.5 / 6**3 + 0.5 / 8**3) / 3),
    "missing_paragraphs": 0,
    "extra_paragraphs": 0,
    "no_letter": 0,
    "no_letter_hard": 0,
    "no_percentage": 0,
    "no_permutation": 0,
    "chunking_recall_std": 0,
    "chunking_precision_std": 0,
    "chunking_iou_std": 0,
    "precision_omega_std": 0,
    "unanswered": 0,
    "meteor_loogle": 100 * (1 - (0.5 / 8**3 + 0.5 / 6**3 + 0.5 / 7**3) / 3),
    "no_dictionary": 0,
    "no_final_answer": 0,
    "no_prefix": 0,
    "not_scored": 0,
    "abstention_answerable": 0,
    "answered_without_evidence": 0,
}
# References that an empty reply may equal by a metric's rule or default.
EMPTY_REFERENCES = (("",), ("A",), ("the",), ("...",), ("[]",), ("0",), ("0%",), ("no",), ("Unanswerable",), ("B", "?"))
CREDITED = {  # metrics that credit an empty reply by a benchmark's rule, and how their signatures say so
    "code_leval": "empty:right for a reference without letters and digits",
    "longbench_v2_compensated": "unanswered:0.25",
}
LETTERS = ((("B",), ("(A)", "C"), ("D) a gull",)), ("The answer is B.", "A", "(D)"))
STATED = (
    (("B",), ("A", "C"), ("D",)),
    ("The correct answer is (B).", "**The correct answer is A**", "The correct answer is (D)"),
)
# Metrics whose references or outputs have a special form: the references, and a perfect output for each.
SPECIAL_FORMS = {
    "style_change": ((("1,2,3,4",), ("1,1,2",), ("1",)), ("1,2,3,4", "1,1,2", "1")),
    "style_changes": ((("1,2,2",), ("changes=0,1",), ("1",)), ("1,0", "0,1", "")),
    "multi_author": ((("1,2",), ("1,1",), ("changes=1 authors=2",)), ("1", "0", "1")),
    "numeric_match": ((("$1577.00",), ("a third", "33 %"), ("-2",)), ("1,577", "33 %", "2")),
    "choice_accuracy": LETTERS,
    "choice_accuracy_hard": LETTERS,
    "choice_infinitebench": ((("a gull", "B"), ("A",), ("the ship", "D")), ("a gull", "A", "the ship")),
    "choice_leval": LETTERS,
    "choices_leval": ((("B",), ("AC", "D"), ("ABD",)), ("B.", "A. a gull\nC. a wall", "DAB")),
    "number_leval": ((("18",), ("1,200", "3"), ("#### 7",)), ("The answer is 18.", "It is 1200.", "7")),
    "truth_leval": (
        (("True [fact: False]",), ("False [fact: False]",), ("True [fact: True]",)),
        ("True [fact: False]", "false. [fact: It is false.]", "True. [Fact: true]"),
    ),
    "name_infinitebench": ((("ANNA",), ("GULL", "THE GULL"), ("7",)), ("Anna", "the gull", "7.")),
    "exponential_similarity": ((("60%",), ("7.5%", "10%"), ("0%",)), ("60%", "about 7.5%", "0.0%")),
    "concordance_index": ((("3, 1, 2",), ("1, 2", "2, 1"), ("4",)), ("3 1 2", "Order: 1, 2.", "4")),
    "pair_accuracy": ((("TRUE",), ("FALSE",), ("TRUE",)), ("<answer>TRUE</answer>", "False.", "The claim is true")),
    "abstention": (
        (("a gull",), ("Unanswerable", "unanswerable."), ("",)),
        ("a gull", "Unanswerable", "unanswerable."),
    ),
    "cloze_match": (
        (('{"<mask-0>": "Ada"}',), ("{'<mask-0>': 'Ada', '<mask-1>': 'New York'}",), ('{"<mask-0>": "Acre"}',)),
        ("{'<mask-0>': 'Ada'}", "{'<mask-1>': 'New York', '<mask-0>': 'Ada'}", " {'<mask-0>': 'Acre'}"),
    ),
    "count_score": ((("60",), ("7", "10"), ("0",)), ("60", "7 of 7", "0.0")),
    "retrieval_score": ((("Paragraph 6",), ("Paragraph 7", "Paragraph 8"), ("Paragraph 30",)), ("6", "It is 7.", "30")),
    "retrieval_zh_score": ((("段落6",), ("段落7", "段落8"), ("段落30",)), ("段落6", "7", "30 30")),
    "graphwalks_f1": (
        (("a1", "b2"), ("c3",), ("d4",)),
        ("So:\nFinal Answer: [b2, a1]", "Final Answer: [c3]", "Final Answer: ['d4']\n"),
    ),
    "oolong_synth": ((("17",), ("more common", "x"), ("spam",)), ("Answer: 17", "more common", "Label: [spam]")),
    "oolong_real": ((("17",), ("a, b",), ("A gull",)), ("\\boxed{17}", "\\boxed{b, a}", "a gull")),
    "babilong_accuracy": (
        (("kitchen",), ("garden", "office"), ("apple,milk",)),
        ("The kitchen.", "garden", "milk, apple"),
    ),
    "string_match_all": ((("17", "4"), ("a gull",), ("Ab", "b")), ("4 and 17", "A gull!", "ab")),
    "longbench_v2": STATED,
    "longbench_v2_compensated": STATED,
    "evidence_recall": (REFERENCES, ("[[0, 38]]", "[[0, 20], [18, 90]]", "[[0,19],[19,38]]")),
    "full_evidence": (REFERENCES, ("[[0, 38]]", "[[0, 20], [18, 90]]", "[[0,19],[19,38]]")),
    "evidence_precision": (REFERENCES, ("[[0, 38]]", "[[0, 20], [18, 39]]", "[[4,8]]")),
    "chunking_scores": (REFERENCES, ("[[0, 38]]", "[[0, 20], [20, 38]]", "[[0,19],[19,38]]")),
    "precision_omega": (REFERENCES, ("[[0, 38]]", "[[0, 20], [18, 38]]", "[[0,19],[19,38]]")),
    "page_recall": (REFERENCES, ("[[0, 38]]", "[[0, 20], [18, 39]]", "[[4,8]]")),
    "document_coverage": (REFERENCES, ("[[0, 38]]", "[[0, 20], [18, 39]]", "[[4,8]]")),
    "answered_without_evidence": (
        REFERENCES,
        ('{"prediction": "a gull", "spans": [[0, 38]]}', "", "No answer is given."),
    ),
    "evidence_iou": (REFERENCES, ("[[0, 38]]", "[[0, 20], [18, 39]]", "[[0,19],[19,38]]")),
}


def references_and_outputs(metric: Any) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """References that the metric can read, and a perfect output for each."""
    return SPECIAL_FORMS.get(
        metric.signature.split("|")[0], (REFERENCES, tuple(references[0] for references in REFERENCES))
    )


def example(metric: Any, number: int) -> Example:
    references = references_and_outputs(metric)[0][number]
    meta = {"difficult": True, "pair": str(number // 2), "pages": [[0, 0, 38]], "documents": [[1, 0, 38]]}
    return Example(str(number), Document("d", TEXT), "What happened?", references, references, ((0, 38),), meta=meta)


def prepared(spec: str) -> Any:
    """The metric, ready to compute; skips the test if it cannot be computed here."""
    if spec in IN_WORDNET and not wordnet():
        pytest.skip("no WordNet: see tests/wordnet_files.py")
    metric = metrics.get(spec)
    try:
        metric.prepare()
    except NotComputable as error:
        pytest.skip(str(error))
    return metric


def rows(metric: Any, predictions: tuple[str, ...]) -> list[Row]:
    return [metric.statistics(prediction, example(metric, number)) for number, prediction in enumerate(predictions)]


@for_each("spec", SPECS)
def test_the_signature_starts_with_the_name(spec: str) -> None:
    assert metrics.get(spec).signature.split("|")[0] == spec.partition(":")[0]


@for_each("spec", SPECS)
def test_a_perfect_prediction_scores_100_or_the_value_of_the_table(spec: str) -> None:
    metric = prepared(spec)
    scores = metric.aggregate(rows(metric, references_and_outputs(metric)[1]))
    assert scores
    for name, value in scores.items():
        assert value == pytest.approx(PERFECT.get(name, 100), abs=1e-6), name


@for_each("predictions", PREDICTIONS)
@for_each("spec", SPECS)
def test_scores_are_between_0_and_100_for_any_text_and_for_an_empty_one(
    spec: str, predictions: tuple[str, ...]
) -> None:
    metric = prepared(spec)
    scores = metric.aggregate(rows(metric, predictions))
    assert scores
    assert all(type(value) is float and 0 <= value <= 100 for value in scores.values()), scores


@for_each("spec", SPECS)
def test_an_empty_reply_is_wrong_unless_the_signature_says_otherwise(spec: str) -> None:
    metric = prepared(spec)
    if metric.target != "prediction":
        return
    name, *rules = metric.signature.split("|")
    for references in (*EMPTY_REFERENCES, *references_and_outputs(metric)[0]):
        example_of_case = replace(example(metric, 0), references=references)
        try:
            row = metric.statistics("", example_of_case) if metric.takes(references) else None
        except UserError:  # references that the metric does not read
            continue
        scores = metric.aggregate([row]) if row is not None else {}
        credited = {key: score for key, score in scores.items() if score and PERFECT.get(key) != 0}
        assert not credited or any(CREDITED.get(name, "-") in rule for rule in rules), references


@for_each("predictions", PREDICTIONS)
@for_each("spec", SPECS)
def test_statistics_are_pure_and_flat_finite_floats(spec: str, predictions: tuple[str, ...]) -> None:
    metric = prepared(spec)
    first = rows(metric, predictions)
    assert first == rows(metric, predictions)
    assert all(type(value) is float and isfinite(value) for row in first for value in row.values()), first
    assert len({tuple(row) for row in first}) == 1, "every row has the same names"
    assert json.loads(json.dumps(first)) == first


@for_each("spec", SPECS)
def test_a_metric_that_does_not_need_the_example_reads_only_its_references(spec: str) -> None:
    metric = prepared(spec)
    if metric.needs_example:
        return
    for number, prediction in enumerate(references_and_outputs(metric)[1]):
        full = replace(example(metric, number), meta={"difficult": True, "gold": "A"}, options=("A", "B"))
        bare = Example(full.id, Document("", ""), full.query, full.references)
        assert metric.statistics(prediction, full) == metric.statistics(prediction, bare)


@for_each("spec", SPECS)
def test_zero_rows_have_no_scores(spec: str) -> None:
    metric = prepared(spec)
    assert metric.aggregate([]) == {}


@for_each("spec", SPECS)
def test_the_order_of_rows_does_not_matter(spec: str) -> None:
    metric = prepared(spec)
    all_rows = [row for predictions in PREDICTIONS for row in rows(metric, predictions)]
    shuffled = all_rows.copy()
    random.Random(3).shuffle(shuffled)
    assert metric.aggregate(shuffled) == pytest.approx(metric.aggregate(all_rows), abs=1e-9)


@for_each("spec", SPECS)
def test_any_resample_of_rows_has_scores_in_range(spec: str) -> None:
    metric = prepared(spec)
    all_rows = [row for predictions in PREDICTIONS for row in rows(metric, predictions)]
    draw = random.Random(7)
    for _ in range(20):
        scores = metric.aggregate(draw.choices(all_rows, k=len(all_rows)))
        assert all(0 <= value <= 100 for value in scores.values()), scores


@for_each("spec", SPECS)
def test_summable_rows_and_their_mean_have_the_scores_of_the_rows(spec: str) -> None:
    metric = prepared(spec)
    all_rows = [
        row for predictions in (references_and_outputs(metric)[1], *PREDICTIONS) for row in rows(metric, predictions)
    ]
    sums = metric.summable(all_rows)
    assert metric.aggregate(sums) == pytest.approx(metric.aggregate(all_rows), abs=1e-9)
    mean = {name: fsum(row[name] for row in sums) / len(sums) for name in sums[0]}
    assert metric.bootstrap_on in ("means", "mean row"), "none of our metrics needs single rows"
    assert metric.aggregate([mean]) == pytest.approx(metric.aggregate(all_rows), abs=1e-6)
    if metric.bootstrap_on == "means":
        assert metric.aggregate(all_rows) == pytest.approx(
            {name: mean[name] for name in metric.aggregate(all_rows)}, abs=1e-9
        )
