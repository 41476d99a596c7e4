"""How a judge's replies are read: one word, or it is asked once more."""

import pytest

from pipelines.plugins.judging.replies import verdict


@pytest.mark.parametrize("reply", ["yes", "Yes.", " YES\n", "CORRECT", "**True**", '"true"', "(Yes)"])
def test_a_clear_yes_is_right(reply: str) -> None:
    assert verdict(reply) is True


@pytest.mark.parametrize("reply", ["no", "No!", "FALSE", "Incorrect.", "`false`\n"])
def test_a_clear_no_is_wrong(reply: str) -> None:
    assert verdict(reply) is False


@pytest.mark.parametrize(
    "reply", ["", "not true", "Yes, it is", "yes no", "nope", "right", "not correct", "The answer is: yes", "1"]
)
def test_any_other_reply_is_no_verdict(reply: str) -> None:
    assert verdict(reply) is None
