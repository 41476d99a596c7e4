"""Support scores, and quotes that are always the document's own."""

import pytest

from longdoc.errors import UserError
from pipelines import support
from pipelines.support import MOST_CLAIMS, SupportedDocument, answer_support

TEXT = "Anna Berg opened the meeting. The harbour costs 1,200 crowns.\n\nThe clerk wrote the minutes in May."


def supported(text: str = TEXT) -> SupportedDocument:
    return SupportedDocument(text, support.get("overlap"))


def test_a_claim_has_the_sentence_that_has_its_rare_words() -> None:
    (claim,) = supported().claims("The harbour costs 1200 crowns.", "What does the harbour cost?")
    assert (claim.support, claim.quote and claim.quote.text) == (1.0, "The harbour costs 1,200 crowns.")
    (claim,) = supported().claims("Two gulls.")
    assert (claim.support, claim.quote) == (0.0, None)


def test_two_sentences_support_together_what_neither_does() -> None:
    (claim,) = supported().claims("Anna Berg opened it, 1,200 crowns.")
    assert claim.quote is not None
    assert (claim.support, claim.quote.text) == (1.0, TEXT[:61])


def test_the_question_s_own_words_support_nothing_unless_there_are_no_others() -> None:
    (claim,) = supported().claims("The meeting was opened by gulls.", "Who opened the meeting?")
    assert claim.support == 0.0
    (claim,) = supported().claims("Anna Berg", "Is it Anna Berg?")
    assert claim.support == 1.0


def test_alignment_takes_the_sentence_that_is_about_the_question_too() -> None:
    text = "Anna Berg keeps bees. Anna Berg opened the meeting in Bergen. Nobody opened the meeting twice."
    document = SupportedDocument(text, support.get("alignment"))
    (claim,) = document.claims("Anna Berg", "Who opened the meeting in Bergen?")
    assert claim.quote is not None
    assert (claim.quote.text, claim.support) == ("Anna Berg opened the meeting in Bergen.", 1.0)
    (claim,) = document.claims("Gulls", "Who opened the meeting in Bergen?")
    assert (claim.support, claim.quote) == (0.0, None)
    (claim,) = document.claims("Anna Berg keeps bees.")
    assert claim.support == 1.0


def test_an_answer_is_supported_as_its_worst_claim_and_not_at_all_without_any() -> None:
    claims = supported().claims("1. Anna Berg opened the meeting.\n\n2. Gulls flew.")
    assert [claim.support for claim in claims] == [1.0, 0.0]
    assert answer_support(claims) == 0.0
    assert answer_support(supported().claims("")) == 0.0


@pytest.mark.parametrize(
    "answer",
    [
        'It says "The harbour costs 9,999 crowns and more."',  # invented
        "Call me Ishmael.",  # of another document
        "",
        "\ud800 \x00 \u202e Anna",
        "Anna Berg opened the meeting. " * 10_000,
        "a" * 100_000,
        "…!?",
    ],
)
@pytest.mark.parametrize("text", [TEXT, "", "x", "ä\u0301 \U0001f600 Anna. " * 3])
def test_every_quote_is_a_stretch_of_the_document_whatever_the_answer(answer: str, text: str) -> None:
    claims = supported(text).claims(answer)
    quotes = [claim.quote for claim in claims if claim.quote is not None]
    assert all(text[quote.start : quote.end] == quote.text != "" for quote in quotes)
    assert all(0 <= claim.support <= 1 + 1e-9 for claim in claims)
    assert sum(claim.quote is not None for claim in claims) <= MOST_CLAIMS


def test_an_unknown_score_is_refused_with_the_known_ones() -> None:
    assert support.names() == ["alignment", "cross_encoder", "embedding", "overlap", "prompted"]
    with pytest.raises(UserError, match="overlap"):
        support.get("overlop")
