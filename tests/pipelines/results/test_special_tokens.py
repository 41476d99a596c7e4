"""Special tokens that are written out in outputs."""

import pytest

from pipelines.results.special_tokens import special_token
from tests.turns import for_each


@for_each(
    ("output", "token"),
    [
        ("Paris<|im_end|>", "<|im_end|>"),
        ("Paris<|eot_id|>\nParis", "<|eot_id|>"),
        ("<|im_start|>assistant\nParis", "<|im_start|>"),
        ("Paris<|endoftext|>Question:", "<|endoftext|>"),
        ("<|start_header_id|>assistant", "<|start_header_id|>"),
        ("Paris<｜end▁of▁sentence｜>", "<｜end▁of▁sentence｜>"),
        ("Paris<end_of_turn>", "<end_of_turn>"),
        ("<start_of_turn>model", "<start_of_turn>"),
        ("Paris<eos>", "<eos>"),
        ("[/INST] Paris", "[/INST]"),
        ("<<SYS>> You are", "<<SYS>>"),
        ("Paris</s>", "</s>"),
        ("<s> Paris", "<s>"),
        ("<s>Paris</s>", "<s>"),
        ("Paris </s> and on\nit goes", "</s>"),
    ],
)
def test_the_first_special_token_is_found(output: str, token: str) -> None:
    assert special_token(output) == token


@pytest.mark.parametrize(
    "output",
    [
        "",
        "Paris",
        "a < b | c > d",
        "[2][5]",
        "[INSTALL]",
        "It was <s>ten</s> nine.",
        "<p>Paris</p>",
        "<|>",
        "x <| y |> z",
    ],
)
def test_other_brackets_are_text(output: str) -> None:
    assert special_token(output) == ""
