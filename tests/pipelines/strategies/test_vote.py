"""An answer from each chunk, and the vote between them."""

import json
from typing import Any

from models import Generate, Score
from pipelines.strategies import get
from tests.pipelines.strategies.made import drive, job


def answering(**answers: str) -> Any:
    return lambda request: answers[request.prompt.passages[0].text]


def test_the_most_frequent_answer_wins_whatever_its_spelling() -> None:
    reader = answering(a="a lamp", b="Tom", c="The Lamp.", d="Anna")
    outcome, rounds = drive(get("vote"), job("a", "b", "c", "d", selected=[1, 2, 0, 3]), reader)
    assert rounds == [["who? | b", "who? | c", "who? | a", "who? | d"]]
    assert outcome.prediction == "The Lamp."
    assert list(json.loads(outcome.notes["votes"]).items()) == [("The Lamp.", 2), ("Tom", 1), ("Anna", 1)]


def test_answers_of_any_script_are_equal_by_their_letters_and_marks() -> None:
    reader = answering(a="पढ़ना", b="पढ़नी", c="पढ़नी।", d="cafe\u0301", e="Café", f="CAFÉ")
    outcome, _ = drive(get("vote"), job("a", "b", "c", "d", "e", "f"), reader)
    assert json.loads(outcome.notes["votes"]) == {"cafe\u0301": 3, "पढ़नी": 2, "पढ़ना": 1}


def test_of_equally_frequent_answers_that_of_the_best_chunk_wins() -> None:
    assert drive(get("vote"), job("a", "b", selected=[1, 0]), answering(a="x", b="y"))[0].prediction == "y"


def test_blank_answers_do_not_count_and_articles_alone_are_answers() -> None:
    assert drive(get("vote"), job("a", "b", "c"), answering(a="", b=" ", c="the"))[0].prediction == "the"
    outcome, _ = drive(get("vote"), job("a", "b"), answering(a="", b=""))
    assert (outcome.prediction, outcome.notes) == ("", {"votes": "{}"})


def test_by_score_the_answer_with_the_best_mean_log_probability_wins() -> None:
    answers = {"a": "one two three four", "b": "five", "c": " "}
    scores = {"a": -4.0, "b": -1.5}

    def reader(request: Any) -> Any:
        return (scores if isinstance(request, Score) else answers)[request.prompt.passages[0].text]

    outcome, (prompts, scored) = drive(get("vote:by=score"), job("a", "b", "c"), reader)
    assert prompts == ["who? | a", "who? | b", "who? | c"]
    assert [(score_request.prompt.text, score_request.continuation) for score_request in scored] == [
        ("who? | a", "one two three four"),
        ("who? | b", "five"),
    ]
    assert outcome.prediction == "one two three four"
    assert json.loads(outcome.notes["votes"]) == {"one two three four": -1.0, "five": -1.5}
    assert len(drive(get("vote:by=score"), job("a"), lambda request: "")[1]) == 1


def test_scores_are_needed_only_where_they_decide() -> None:
    assert get("vote").needs == {Generate}
    assert get("vote:by=score").needs == {Generate, Score}


def test_the_note_holds_ten_answers() -> None:
    outcome, _ = drive(get("vote"), job(*(f"w{i}" for i in range(15))), lambda request: request.prompt.passages[0].text)
    assert list(json.loads(outcome.notes["votes"])) == [f"w{i}" for i in range(10)]
