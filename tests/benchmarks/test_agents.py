"""The rule that the agent of the benchmark follows."""

from benchmarks.agents import RuleAgent, new_names
from models.prompts import Part, Prompt
from models.requests import Generate

QUESTION = Part("query", "Where was the builder of the Old Mill born?")
PASSAGES = (
    Part("document", "Cows eat Grass.", 0, 15, rank=1),
    Part("document", "The Old Mill was built by Anna Berg for Lord Hill.", 20, 70, rank=0),
)


def replied(path: str) -> str:
    prompt = Prompt(
        (QUESTION, *PASSAGES, Part("options", f"\n\nSteps so far:\n{path}\n\nSteps left: 2\n\nSEARCH: words"))
    )
    return str(RuleAgent().reply([Generate(prompt, 30)])[0].value)


def test_names_of_the_best_passage_that_the_question_does_not_have_are_searched_for_once() -> None:
    assert new_names(Prompt((QUESTION, *PASSAGES))) == "Anna Berg Lord Hill"
    assert replied("1. SEARCH: Where? -> passage 1") == "SEARCH: Anna Berg Lord Hill"
    assert replied("1. SEARCH: Where? -> passage 1\n2. SEARCH: Anna -> passage 2").startswith("ANSWER: ")


def test_without_new_names_the_answer_is_given_at_once() -> None:
    prompt = Prompt((QUESTION, Part("document", "It rains.", 0, 9), Part("options", "Steps so far:\n1. SEARCH: x")))
    assert new_names(prompt) == "It"
    assert new_names(Prompt((QUESTION, Part("document", "the mill", 0, 8)))) == ""
