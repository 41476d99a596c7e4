"""Keys of requests: which of them show a reader the same."""

from dataclasses import replace

from models.prompts import Part, Prompt
from models.requests import Generate
from pipelines.engine.recording.request_log import key, shown_key

PROMPT = Prompt((Part("document", "The mill stood by the river.", 0, 28), Part("query", "Where?")))


def asked(prompt: Prompt, **more: int) -> Generate:
    return Generate(prompt, max_new_tokens=more.get("max_new_tokens", 5))


def test_how_much_was_cut_before_is_not_shown_to_the_reader() -> None:
    cut, more = replace(PROMPT, truncated_tokens=40), replace(PROMPT, truncated_tokens=70)
    assert key("r", asked(cut)) != key("r", asked(more))
    assert shown_key("r", asked(cut)) == shown_key("r", asked(more)) == shown_key("r", asked(PROMPT))


def test_a_notice_that_something_was_cut_is_shown() -> None:
    noticed = replace(PROMPT, parts=(*PROMPT.parts, Part("notice", " [cut]")))
    cut = replace(noticed, truncated_tokens=3)
    assert shown_key("r", asked(noticed)) == shown_key("r", asked(PROMPT)) != shown_key("r", asked(cut))


def test_other_texts_decoding_and_readers_are_other_requests() -> None:
    other = replace(PROMPT, parts=(replace(PROMPT.parts[0], text="The mill stood."), PROMPT.parts[1]))
    keys = {
        shown_key("r", asked(PROMPT)),
        shown_key("r", asked(other)),
        shown_key("r", asked(PROMPT, max_new_tokens=6)),
        shown_key("s", asked(PROMPT)),
    }
    assert len(keys) == 4
