"""Keys of requests, and which requests show a reader the same prompt."""

from dataclasses import replace
from typing import Any

from models.prompts import Part, Prompt
from models.requests import Generate, Reply
from pipelines.engine.recording.request_log import key, record_of, reply_of, shown_key

PROMPT = Prompt((Part("document", "The mill stood by the river.", 0, 28), Part("query", "Where?")))


def request(prompt: Prompt, **options: int) -> Generate:
    return Generate(prompt, max_new_tokens=options.get("max_new_tokens", 5))


def test_how_much_was_cut_before_is_not_shown_to_the_reader() -> None:
    cut_by_40, cut_by_70 = replace(PROMPT, truncated_tokens=40), replace(PROMPT, truncated_tokens=70)
    assert key("r", request(cut_by_40)) != key("r", request(cut_by_70))
    assert shown_key("r", request(cut_by_40)) == shown_key("r", request(cut_by_70)) == shown_key("r", request(PROMPT))


def test_a_notice_that_something_was_cut_is_shown() -> None:
    noticed = replace(PROMPT, parts=(*PROMPT.parts, Part("notice", " [cut]")))
    cut = replace(noticed, truncated_tokens=3)
    assert shown_key("r", request(noticed)) == shown_key("r", request(PROMPT)) != shown_key("r", request(cut))


def test_other_texts_decoding_and_readers_are_other_requests() -> None:
    other = replace(PROMPT, parts=(replace(PROMPT.parts[0], text="The mill stood."), PROMPT.parts[1]))
    keys = {
        shown_key("r", request(PROMPT)),
        shown_key("r", request(other)),
        shown_key("r", request(PROMPT, max_new_tokens=6)),
        shown_key("s", request(PROMPT)),
    }
    assert len(keys) == 4


def test_allowed_outputs_tell_requests_apart_and_their_absence_changes_no_key() -> None:
    plain = Generate(PROMPT, 5)
    either, other = (Generate(PROMPT, 5, choices=choices) for choices in (("a", "b"), ("a", "c")))
    assert len({key("r", one) for one in (plain, either, other)}) == 3
    assert key("r", Generate(PROMPT, 5, choices=())) == key("r", plain)


def test_headings_and_marks_of_gaps_tell_requests_apart() -> None:
    def under(**fields: Any) -> Prompt:
        return replace(PROMPT, parts=(replace(PROMPT.parts[0], **fields), PROMPT.parts[1]))

    titled, with_gap_mark = under(title="Mills", heading=(40, 45)), under(gap=True)
    assert len({key("r", request(one)) for one in (PROMPT, titled, with_gap_mark, under(gap=False))}) == 4
    assert len({shown_key("r", request(one)) for one in (PROMPT, titled, with_gap_mark)}) == 3
    assert shown_key("r", request(under(gap=False))) == shown_key("r", request(PROMPT))


def test_keys_of_prompts_without_headings_are_those_of_earlier_versions() -> None:
    assert key("r", request(PROMPT)) == "d5283d27751566971551c515f60c3ed710b74aab0be1b407565dfc114b6865b5"
    assert shown_key("r", request(PROMPT)) == "495535e9295170b95ad0732a610a428c317d8bb35ae46d7be64d0456bdcea7ac"


def test_a_logged_reply_is_read_again_with_its_thinking_and_tokens() -> None:
    reply = Reply("Anna", 12, 9, 1, thinking="the mill", cached_tokens=8, cache_write_tokens=4, reasoning_tokens=7)
    assert record_of(reply) == {
        "value": "Anna", "tokens_in": 12, "tokens_out": 9, "truncated_tokens": 1, "finish_reason": "stop",
        "error": None, "thinking": "the mill", "cached_tokens": 8, "cache_write_tokens": 4, "reasoning_tokens": 7,
    }  # fmt: skip
    assert reply_of(record_of(reply)) == reply
