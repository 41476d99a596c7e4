"""Replies of chat models to closed questions, and the answer that each one gives."""

import pytest

from pipelines.prompts.closed_answers import option_of, short_of
from pipelines.prompts.named_labels import label_of
from tests.turns import for_each

OPTIONS = ("He was afraid of the dark", "The doctor had lied to him", "He missed the ship", "Nobody knows")
A, B, C, D = OPTIONS
LABELS = ("Entailment", "Contradiction", "Not mentioned")


@for_each(
    ("reply", "option"),
    [
        ("The best answer is (B).", B),
        ("B", B),
        ("b", B),
        ("(B)", B),
        ("B) \n", B),
        ("**B**", B),
        ("\\boxed{B}", B),
        ("(B) The doctor had lied to him", B),
        ("B. The doctor had lied to him.", B),
        ("B: the doctor had lied", B),
        ("Answer: b) The doctor had lied to him", B),
        ("**Answer:** (B)", B),
        ("The correct answer is option B: The doctor had lied to him.", B),
        ("Option B is correct.", B),
        ("Option B fits the text.", B),
        ("B is the best answer, since the letter says so.", B),
        ("I would choose (B).", B),
        ("I think it's C.", C),
        ("The answer is not (A), it is (C).", C),
        ("A", A),
        ("A.", A),
        ("The answer is A because it was night.", A),
        ("Let's see. (A) is wrong. (C) is wrong. The answer is (B).", B),
        ("Answer: B\n\nExplanation: the doctor (see option A) had lied.", B),
        ("The doctor had lied to him.", B),
        ("the doctor had lied to him", B),
        ("He left because the doctor had lied to him.", B),
        ('"Nobody knows"', D),
    ],
)
def test_a_reply_that_names_one_option_gives_it(reply, option):
    assert option_of(reply, OPTIONS) == option


@for_each(
    "reply",
    [
        "A or B",
        "B/C",
        "B or (C)",
        "The answer is (A) or (B).",
        "Either (A) or (B).",
        "(A) and (C) are both possible.",
        "He missed the ship, or the doctor had lied to him.",
        "(D) He missed the ship",  # the letter of one, the text of another
        "It is not that he missed the ship.",
        "A man did it.",
        "The answer is a man.",
        "I think A man did it.",
        "The answer is (E).",
        "I do not know.",
        "",
    ],
)
def test_a_reply_that_names_none_or_several_gives_none(reply):
    assert option_of(reply, OPTIONS) is None


def test_options_within_others_and_other_numbers_of_options_are_told_apart():
    inside = ("the ship", "the ship of his brother", "his brother")
    assert option_of("It was the ship of his brother", inside) == "the ship of his brother"
    assert option_of("C", inside) == "his brother"
    assert option_of("D", inside) is None
    six = ("one", "two", "three", "four", "five", "six")
    assert option_of("The answer is (F).", six) == "six"


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("Entailment.", "Entailment"),
        ("entailment", "Entailment"),
        ("**Contradiction**", "Contradiction"),
        ("NOT MENTIONED", "Not mentioned"),
        ("Not-mentioned", "Not mentioned"),
        ("The answer is: Contradiction.", "Contradiction"),
        ("Contradiction, because section 4 forbids it.", "Contradiction"),
        ("The contract does not mention this, so: Not mentioned", "Not mentioned"),
        ("It is neither entailment nor contradiction; it is not mentioned.", "Not mentioned"),
        ("The answer is Entailment. It would be a Contradiction if section 4 stood.", "Entailment"),
        ("Entailment or Contradiction", None),
        ("This is not an entailment.", None),
        ("I cannot tell.", None),
        ("", None),
    ],
)
def test_a_label_is_extracted_from_a_reply(reply, label):
    assert label_of(reply, LABELS) == label


@pytest.mark.parametrize(
    ("reply", "short"),
    [
        ("Yes", "Yes"),
        ("yes.", "Yes"),
        ("**No**", "No"),
        ("Yes, they compare three.", "Yes"),
        ("No - only BERT.", "No"),
        ("The answer is: Yes.", "Yes"),
        ("unanswerable", "Unanswerable"),
        ("Answer: Unanswerable.", "Unanswerable"),
        ("The question is unanswerable from the paper.", "Unanswerable"),
        ("The paper does not tell. It is unanswerable.", "Unanswerable"),
        ("No explicit baseline is named", None),
        ("They train on unanswerable questions", None),
        ("Yes and no", None),
        ("BERT", None),
    ],
)
def test_yes_no_and_unanswerable_are_read_only_where_a_reply_says_them(reply, short):
    assert short_of(reply) == short


@pytest.mark.parametrize(
    ("reply", "labels", "label"),
    [
        ("这篇评论是正面的。", ("正面", "负面"), "正面"),
        ("उत्तर: पढ़ी", ("पढ़ी", "पढ़ा"), "पढ़ी"),
        ("คำตอบคือ ใช่", ("ใช่", "ไม่"), "ใช่"),
        ("C'est le cafe\u0301.", ("café", "thé"), "café"),
    ],
)
def test_labels_of_any_script_are_told_apart_and_found_between_letters(reply, labels, label):
    assert label_of(reply, labels) == label
