"""Outputs are split into thinking and answer."""

import pytest

from models.thinking import MARKS, opening, split
from tests.turns import for_each


@for_each(
    ("text", "thinking", "answer"),
    [
        ("Anna", "", "Anna"),
        ("", "", ""),
        ("<think>a\nb</think>\n\nAnna", "a\nb", "Anna"),
        ("<think></think>Anna<think>c</think> Tom", "c", "AnnaTom"),
        ("opened by the template</think>\nAnna", "opened by the template", "Anna"),
        ("<think>cut off at the leng", "cut off at the leng", ""),
        ("Anna <think>cut off", "cut off", "Anna "),
        ("a < b, and </thin>", "", "a < b, and </thin>"),
        ("The tag <thinking> is a word here", "", "The tag <thinking> is a word here"),
        (" <thinking>cut off", "cut off", " "),
        ("[THINK]the mill[/THINK]Anna", "the mill", "Anna"),
        (
            "<|begin_of_thought|>\nthe mill\n<|end_of_thought|>\n\n<|begin_of_solution|>Anna<|end_of_solution|>",
            "the mill",
            "Anna",
        ),
        (
            "<|channel|>analysis<|message|>The mill.<|end|><|start|>assistant<|channel|>final<|message|>Anna<|return|>",
            "The mill.",
            "Anna",
        ),
        ("<|channel|>analysis<|message|>cut off", "cut off", ""),
        (
            "<|channel|>commentary to=x <|constrain|>json<|message|>{}<|call|><|channel|>final<|message|>Anna",
            "{}",
            "Anna",
        ),
        ("analysisThe user asks who.assistantfinalAnna", "The user asks who.", "Anna"),
        ("analysis of the mill", "", "analysis of the mill"),
    ],
)
def test_thinking_and_answer_are_split(text, thinking, answer):
    assert split(text) == (thinking, answer)


@pytest.mark.parametrize("mark", MARKS)
def test_each_family_s_marks_are_recognised_with_and_without_the_first(mark):
    assert split(f"{mark}the mill{MARKS[mark]}\n\nAnna") == ("the mill", "Anna")
    assert split(f"the mill{MARKS[mark]}\nAnna") == ("the mill", "Anna")
    assert split("the mill", mark) == ("the mill", "")
    assert split(f"the mill{MARKS[mark]}Anna", mark) == ("the mill", "Anna")


def test_the_mark_of_a_block_that_the_prompt_leaves_open_is_found():
    assert opening("Who? Assistant: [THINK]") == "[THINK]"
    assert opening("<think>\n\n</think>\n\n") == ""
    assert opening("Who?") == ""
    assert opening("Who said <think>?\nAssistant:") == ""
