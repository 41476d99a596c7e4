"""The floors: prefix, majority, constant, random_choice, order; and the options that prompts list."""

import pytest

import models
from longdoc.errors import UserError
from models import Classify, Compare, Generate, Part, Prompt, TrainingExample
from models.baselines.constant import Constant
from models.baselines.majority import Majority
from models.baselines.order import Order
from models.baselines.prefix import Prefix
from models.baselines.random_choice import RandomChoice
from models.options import Option, options, question, wants_letter

LETTERED = " (A) red\n (B) green (or so)\n (C) it says (A) here\n (D) none"


def prompt(document: str, query: str = "", listed: str = "", instruction: str = "") -> Prompt:
    parts = [Part("instruction", instruction), Part("query", query), Part("text", "\n\n"), Part("options", listed)]
    return Prompt((*(p for p in parts if p.text), Part("document", document, 0, len(document))))


def request(*arguments: str, length: int = 50) -> Generate:
    return Generate(prompt(*arguments), length)


def answer(reader: models.Reader, *arguments: str) -> object:
    (reply,) = reader.reply([request(*arguments)])
    return reply.value


def test_the_prefix_is_the_mean_share_of_the_training_outputs_in_characters() -> None:
    reader = Prefix()
    assert not reader.fitted
    reader.fit(
        [TrainingExample(request("x" * 100), ("y" * 10, "y" * 30)), TrainingExample(request("x" * 10), ("y" * 2,))]
    )
    assert reader.fitted
    assert answer(reader, "abcdefghij") == "ab"  # (0.1 + 0.3 + 0.2) / 3


def test_the_query_is_left_out_of_the_prefix_or_belongs_to_the_input() -> None:
    training_examples = [TrainingExample(request("x" * 8, "y" * 10), ("z" * 4,))]
    excluded, included = Prefix(), Prefix(query="included")
    for reader in (excluded, included):
        reader.fit(iter(training_examples))
    assert answer(excluded, "abcdefgh", "Who?") == "abcd"
    assert answer(included, "abcdefgh", "Who is it?") == "Who"  # 4 characters of 20, as in training


def test_a_prefix_with_a_given_ratio_needs_no_training_split() -> None:
    assert Prefix(ratio=0.5).fitted
    assert answer(Prefix(ratio=0.5), "ab cd ef") == "ab c"
    with pytest.raises(UserError, match="ratio must be a positive number, got 0"):
        Prefix(ratio=0)
    with pytest.raises(UserError, match=r"prefix:ratio=0\.01"):
        answer(Prefix(), "abc")
    with pytest.raises(UserError, match="no training document has an output"):
        Prefix().fit([])


def test_options_are_lettered_or_one_a_line_or_in_the_query() -> None:
    texts = ["red", "green (or so)", "it says (A) here", "none"]
    four = [Option(letter, text) for letter, text in zip("ABCD", texts, strict=True)]
    assert options(prompt("x", "Which?", LETTERED)) == four
    assert options(prompt("x", f"Which?\n{LETTERED}")) == four
    assert options(prompt("x", "Which?", "\n".join(texts))) == four
    assert options(prompt("x", "What (A) thing?")) == []
    assert question(prompt("x", f"Which?\n{LETTERED}")) == "Which?"
    assert question(prompt("x", "Which?", LETTERED)) == "Which?"


def test_a_letter_is_wanted_where_the_words_around_the_document_say_so() -> None:
    assert wants_letter(prompt("x", "Which?", LETTERED, "Answer with the letter."))
    assert not wants_letter(prompt("a letter", "Who wrote the letter?", LETTERED))


def test_the_majority_of_options_is_a_position_written_as_in_the_training_split() -> None:
    by_text, by_letter = Majority(), Majority()
    by_text.fit([TrainingExample(request("x", "q", LETTERED), (text,)) for text in ("none", "red", "none")])
    by_letter.fit([TrainingExample(request("x", f"q {LETTERED}"), (letter,)) for letter in "BDD"])
    assert answer(by_text, "x", "other", "a\nb\nc\nd") == "d"
    assert answer(by_letter, "x", "other (A) a (B) b (C) c (D) d") == "D"
    assert answer(by_text, "x", "other", "a\nb") == "b"
    assert answer(by_text, "x", "no options") == ""


def test_the_majority_of_labels_is_over_all_examples_or_per_query() -> None:
    training_examples = [
        TrainingExample(request("x", q), (label,))
        for q, label in (("p", "yes"), ("p", "yes"), ("q", "no"), ("q", "no"))
    ]
    training_examples.append(TrainingExample(request("x", "q"), ("no",)))
    over_all, per_query = Majority(), Majority(per="query")
    over_all.fit(training_examples)
    per_query.fit(iter(training_examples))
    assert [answer(over_all, "x", q) for q in ("p", "q", "r")] == ["no", "no", "no"]
    assert [answer(per_query, "x", q) for q in ("p", " q ", "r")] == ["yes", "no", "no"]


def test_of_equally_frequent_answers_the_first_wins_and_fitting_starts_anew() -> None:
    reader = Majority()
    reader.fit([TrainingExample(request("x"), ("b", "a"))])
    assert answer(reader, "x") == "b"
    reader.fit([TrainingExample(request("x"), ("a",))])
    assert answer(reader, "x") == "a"
    with pytest.raises(UserError, match="nothing to count"):
        Majority().fit([TrainingExample(Classify("x"), ("a",))])
    with pytest.raises(UserError, match="majority must be trained first"):
        answer(Majority(), "x")


def test_single_author_finds_every_pair_by_the_same_author() -> None:
    reader = models.get("single_author")
    assert reader.reply([Compare(("a", "b", "c"), ((0, 1), (1, 2)))])[0].value == (1.0, 1.0)
    assert reader.reply([Compare((), ())])[0].value == ()
    with pytest.raises(UserError, match="single_author answers Compare, not Generate"):
        reader.reply([request("x", "q")])


def test_a_constant_may_be_a_number() -> None:
    assert answer(models.get("constant:1"), "x", "q") == "1"


def test_a_constant_gives_the_same_answer_to_every_prompt() -> None:
    assert answer(models.get("constant:50%"), "x", "q") == "50%"
    assert Constant("one two").reply([Generate("x", 1, n=2)])[0].value == ("one", "one")
    with pytest.raises(UserError, match="needs the text to answer with"):
        Constant(" ")


def test_a_random_choice_is_sampled_by_seed_and_prompt() -> None:
    drawn = [answer(RandomChoice(seed=0), str(i)) for i in range(8)]
    assert drawn == ["C", "B", "A", "A", "C", "A", "C", "B"]
    backwards = [reply.value for reply in RandomChoice(seed=0).reply([request(str(i)) for i in range(7, -1, -1)])]
    assert backwards == drawn[::-1]
    assert [answer(RandomChoice(seed=1), str(i)) for i in range(8)] != drawn


def test_letters_are_sampled_evenly_and_half_of_the_answers_are_spans() -> None:
    requests = [request(" ".join(f"{i}w{j}" for j in range(40))) for i in range(2000)]
    letters = [reply.value for reply in RandomChoice().reply(requests)]
    assert all(440 < letters.count(letter) < 560 for letter in "ABCD")
    outputs = [reply.value for reply in RandomChoice(("Yes", "No"), words=15).reply(requests)]
    spans = [output for output in outputs if output not in ("Yes", "No")]
    assert 900 < len(spans) < 1100
    assert {len(span.split()) for span in spans} == {15}
    assert all(span in request.prompt.text for span, request in zip(outputs, requests, strict=True) if " " in span)


def test_a_random_choice_needs_something_to_draw() -> None:
    with pytest.raises(UserError, match="needs texts, the answers"):
        RandomChoice(())
    with pytest.raises(UserError, match="words must be at least 1, got 0"):
        RandomChoice(words=0)


SUMMARIES = "Summary 1:\nHe dies and is buried.\n\nSummary 2:\nThey walk.\n\nSummary 3:\nA young man arrives in town."


def test_an_order_is_that_of_the_prompt_or_goes_by_words_of_beginnings_and_ends() -> None:
    assert answer(Order("identity"), SUMMARIES) == "1, 2, 3"
    assert answer(Order(), SUMMARIES) == "3, 2, 1"
    assert answer(Order(), "No numbers here.") == ""


def test_parts_with_equal_scores_keep_their_order() -> None:
    assert answer(Order(), "Summary 1: a b\nSummary 2: c d\nSummary 3: young") == "3, 1, 2"
