"""The soak test's own parts, and a small one."""

import pytest

from tests.attacks.soak.__main__ import LineCount, Watch, growth, soak
from tests.attacks.soak.paid_server import FAILING_TRIES, fault_of, response, tokens_of


def test_a_third_try_always_succeeds_and_first_ones_fail_as_often_as_said():
    assert {fault_of(place, FAILING_TRIES) for place in range(1000)} == {"ok"}
    first_kinds = [fault_of(place, 0) for place in range(20_000)]
    shares = {kind: round(1000 * first_kinds.count(kind) / len(first_kinds)) for kind in sorted(set(first_kinds))}
    assert shares == {"429": 19, "500": 21, "cut": 11, "form": 4, "json": 9, "ok": 925, "reset": 10, "slow": 1}


def test_a_question_has_one_price_and_its_reply_says_it():
    tokens_in, tokens_out = tokens_of(7)
    assert (tokens_in, tokens_out) == tokens_of(7)
    assert f'"prompt_tokens": {tokens_in}, "completion_tokens": {tokens_out}'.encode() in response(7, "ok")


def test_growth_is_the_slope_of_the_memory_over_the_requests():
    watch = Watch(memory=[(0, 90.0), (100, 100.0), (200, 101.0), (300, 102.0)])
    first, peak, slope = growth(watch, 100)
    assert (first, peak, round(slope)) == (100.0, 102.0, 10486)  # a MB for a hundred requests


@pytest.mark.slow
def test_a_small_soak_costs_what_the_server_says(tmp_path):
    text = soak(600, tmp_path)
    assert "| predictions, wrong ones among them | 600, 0 |" in text
    tokens_in, tokens_out = (sum(column) for column in zip(*map(tokens_of, range(600)), strict=True))
    assert text.count(f"{tokens_in:,} and {tokens_out:,}") == 2
    assert "lines that could not be read | " in text


def test_lines_of_a_growing_log_are_counted_once_and_anew_where_it_became_shorter(tmp_path):
    log = tmp_path / "log"
    lines = LineCount(log)
    counts = [lines.count()]
    for text in ("a\nb\nc", "a\nb\nc\nd\n", "a\n"):
        log.write_text(text, encoding="ascii")
        counts.append(lines.count())
    assert counts == [0, 2, 4, 1]
