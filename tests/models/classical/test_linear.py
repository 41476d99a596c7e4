import math
import unicodedata

import pytest

import models
from longdoc.errors import UserError
from models import Classify, Compare, Part, Prompt, TrainingExample
from models.classical.linear import Linear

GOOD = ("she saves the child", "he helps the old man", "she rescues the town", "he protects the child")
BAD = ("he kills the guard", "she robs the bank")


def prompt(text: str) -> Prompt:
    return Prompt(
        (Part("instruction", "Hero or villain? "), Part("query", "Anna "), Part("document", text, 0, len(text)))
    )


def training_examples(*pairs: tuple[str, str]) -> list[TrainingExample]:
    return [TrainingExample(Classify(prompt(text)), (label,)) for text, label in pairs]


@pytest.fixture
def fitted() -> Linear:
    reader = Linear()
    reader.fit(training_examples(*((text, "good") for text in GOOD), *((text, "bad") for text in BAD)))
    return reader


def probabilities(reader: Linear, text: str) -> dict[str, float]:
    (reply,) = reader.reply([Classify(prompt(text))])
    return reply.value


def test_it_learns_which_words_go_with_which_label(fitted: Linear) -> None:
    assert fitted.labels == ("bad", "good")
    assert probabilities(fitted, "he saves and helps")["good"] > 0.5
    assert probabilities(fitted, "she kills and robs")["bad"] > 0.5
    assert list(probabilities(fitted, "she kills")) == ["bad", "good"]
    assert math.fsum(probabilities(fitted, "she kills").values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("good", "bad"),
    [("पढ़ी", "पढ़ा"), ("किताब", "कताब"), ("拉克", "拉鲁"), ("ยาย", "ยาม"), ("cafe\u0301", "cafe")],
)
@pytest.mark.parametrize("query", [False, True])
def test_marks_and_letters_of_any_script_tell_words_apart(good: str, bad: str, query: bool) -> None:
    reader = Linear(letters=0, query=query)
    reader.fit(
        training_examples((f"x {good}", "good"), (f"y {good}", "good"), (f"x {bad}", "bad"), (f"y {bad}", "bad"))
    )
    assert probabilities(reader, good)["good"] > 0.55 > 0.45 > probabilities(reader, bad)["good"]
    assert probabilities(reader, unicodedata.normalize("NFC", good)) == probabilities(reader, good)


def test_only_passages_are_read(fitted: Linear) -> None:
    text = "he robs the guard"
    (bare,) = fitted.reply([Classify(text)])
    assert bare.value == probabilities(fitted, text)


@pytest.mark.parametrize("text", ["", " \n"])
def test_without_a_word_to_read_the_shares_of_the_training_split_answer(fitted: Linear, text: str) -> None:
    assert probabilities(fitted, text) == {"bad": 2 / 6, "good": 4 / 6}


def test_training_on_the_same_examples_gives_the_same_reader(fitted: Linear) -> None:
    second = Linear()
    second.fit(training_examples(*((text, "good") for text in GOOD), *((text, "bad") for text in BAD)))
    assert probabilities(second, "a stranger came") == probabilities(fitted, "a stranger came")


def test_texts_without_shared_words_do_not_lean_to_the_commoner_label() -> None:
    """Every text has a word of its own, so nothing can be learnt: decisions stay near even where 90 of 100 agree."""
    reader = Linear(letters=0, words=1)
    reader.fit(training_examples(*((f"common q{i}", "good" if i % 10 else "bad") for i in range(100))))
    assert probabilities(reader, "common z1")["good"] == pytest.approx(0.5, abs=0.05)


def test_one_label_or_one_text_of_a_label_is_enough() -> None:
    reader = Linear()
    reader.fit(training_examples(("a b", "only"), ("c d", "only")))
    assert probabilities(reader, "x y") == {"only": 1.0}
    reader.fit(training_examples(("kind man", "good"), ("bad man", "bad"), ("kind girl", "good"), ("", "good")))
    assert reader.labels == ("bad", "good")
    assert probabilities(reader, "kind")["good"] > probabilities(reader, "bad")["good"]


def test_three_labels_are_distinguished() -> None:
    reader = Linear()
    reader.fit(training_examples(*((f"{word} {i}", word) for word in ("red", "green", "blue") for i in range(4))))
    for word in ("red", "green", "blue"):
        by_label = probabilities(reader, word)
        assert max(by_label, key=by_label.__getitem__) == word


def test_an_unfitted_reader_does_not_answer() -> None:
    reader = models.get("linear")
    assert (reader.labels, reader.fitted) == (None, False)  # type: ignore[attr-defined]
    with pytest.raises(UserError, match="train and test files"):
        reader.reply([Classify("a")])
    with pytest.raises(UserError, match="nothing to learn"):
        reader.fit([])  # type: ignore[attr-defined]


def test_a_prompt_over_the_limit_is_cut() -> None:
    reader = Linear(max_input_tokens=6)
    reader.fit(training_examples(("kind man", "good"), ("bad man", "bad")))
    whole, failed = reader.reply([Classify(prompt("kind man and more")), Classify(Prompt((Part("query", "a " * 9),)))])
    assert (whole.tokens_in, whole.truncated_tokens) == (6, 2)
    assert failed.error == "question and instructions alone take 9 tokens, the limit is 6"


def test_requests_of_other_types_are_refused(fitted: Linear) -> None:
    with pytest.raises(UserError, match="linear answers Classify, not Compare"):
        fitted.reply([Compare(("a",), ())])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("linear:words=0,letters=0", "one of them not 0"),
        ("linear:letters=1", "0 or at least 2"),
        ("linear:strength=0.0", "strength must be a positive number"),
        ("linear:max_input_tokens=0", "max_input_tokens must be at least 1"),
    ],
)
def test_wrong_parameters_are_refused(spec: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        models.get(spec)


def test_with_the_query_every_query_has_weights_of_its_own() -> None:
    def request(query: str, text: str) -> Classify:
        return Classify(Prompt((Part("query", f"{query}\n"), Part("document", text, 0, len(text)))))

    cases = [("Is it red?", "a red mill", "yes"), ("Is it red?", "a blue mill", "no"),
             ("Is it  BLUE?", "a red mill", "no"), ("is it blue?", "a blue mill", "yes")]  # fmt: skip
    training_examples = [TrainingExample(request(query, text), (label,)) for query, text, label in cases * 3]
    reader, blind = Linear(letters=0, words=1, query=True, strength=10), Linear(letters=0, words=1, strength=10)
    for model in (reader, blind):
        model.fit(training_examples)

    def best_label(model: Linear, query: str, text: str) -> str:
        (reply,) = model.reply([request(query, text)])
        return str(max(reply.value, key=reply.value.get))

    assert [best_label(reader, query, text) for query, text, _ in cases] == [label for *_, label in cases]
    (reply,) = blind.reply([request("Is it red?", "a red mill")])
    assert reply.value["yes"] == pytest.approx(0.5, abs=1e-3)


def test_the_query_is_crossed_with_words_only() -> None:
    with pytest.raises(UserError, match="set letters=0 with it"):
        Linear(query=True)


def test_without_balance_the_commoner_class_weighs_more() -> None:
    texts = [("one two", "a"), ("one three", "a"), ("one four", "a"), ("one two", "b")]
    training_examples = [TrainingExample(Classify(text), (label,)) for text, label in texts]
    shares = []
    for balanced in (True, False):
        reader = Linear(letters=0, balanced=balanced)
        reader.fit(training_examples)
        shares.append(reader.reply([Classify("one")])[0].value["a"])
    assert shares[0] < 0.6 < 0.7 < shares[1]
