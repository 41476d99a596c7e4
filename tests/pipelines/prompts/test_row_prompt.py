"""Prompts that are part of a row, in the three forms, and Longdoc's own wording for rows without one."""

from dataclasses import replace
from typing import Any

import pytest

from chunkers.shared.words import count_words
from longdoc.errors import UserError
from models import truncate
from models.prompts import Part
from pipelines.benchmarks.zero_scrolls.prompts import WORDING
from pipelines.prompts.row_prompt import RowPrompt
from pipelines.records import Document, Example

STORY = "Anna woke. She left the mill. Tom stayed with the lamp until the ice broke."
HEAD, QUERY, CUE = "You get a story.\n\nStory:\n", "Question:\nWho left?\n\n", "Best Answer:\n"
NOTICE = "... [The rest is left out]\n\n"


def example(before: str = HEAD, query: str = QUERY, after: str = CUE, gap: str = "\n\n", **meta: Any) -> Example:
    places = {"query_in_after": [len(gap), len(gap + query)]} if query else {}
    fields = {"before": before, "after": gap + query + after, "truncation": NOTICE, **places}
    return Example("e", Document("d", STORY), query, meta=fields | meta)


def whole(text: str = STORY) -> list[Part]:
    return [Part("document", text, 0, len(text))]


def test_the_rows_prompt_is_reproduced_exactly_with_the_roles_of_its_parts() -> None:
    prompt = RowPrompt().render(example(), whole())
    assert prompt.text == HEAD + STORY + "\n\n" + QUERY + CUE
    assert [(part.role, part.text) for part in prompt.parts] == [
        ("instruction", "You get a story."),
        ("text", "\n\nStory:\n"),
        ("document", STORY),
        ("notice", NOTICE.rstrip()),
        ("text", "\n\n"),
        ("query", QUERY),
        ("cue", CUE),
    ]


def test_rows_without_a_query_or_with_the_query_first_are_reproduced_too() -> None:
    without_query = example(query="", after="Summary:\n")
    assert RowPrompt().render(without_query, whole()).text == HEAD + STORY + "\n\nSummary:\n"
    meta = {"before": "Read.\n\nWhy?\n\n", "after": "\nAnswer:", "query_in_before": [7, 11]}
    first = Example("e", Document("d", STORY), "Why?", meta=meta)
    prompt = RowPrompt().render(first, whole())
    assert prompt.text == f"Read.\n\nWhy?\n\n{STORY}\nAnswer:"
    assert [part.role for part in prompt.parts] == ["instruction", "text", "query", "text", "document", "cue"]
    assert prompt.query == "Why?"


@pytest.mark.parametrize("gap", ["\n\n", ""])
def test_a_long_prompt_loses_the_documents_tail_and_gets_the_notice_before_the_question(gap: str) -> None:
    prompt = RowPrompt().render(example(gap=gap), whole())
    truncated = truncate(prompt, 23, count_words)
    assert truncated.text == HEAD + "Anna woke. She left the mill. Tom stayed" + NOTICE + QUERY + CUE
    assert (truncated.truncated_tokens, truncated.spans) == (7, [(0, 40)])
    assert truncate(prompt, 17, count_words).text == HEAD + "Anna woke." + NOTICE + QUERY + CUE
    assert truncate(prompt, 25, count_words).text == prompt.text == HEAD + STORY + gap + QUERY + CUE


def test_passages_replace_the_document_and_only_truncation_adds_the_notice() -> None:
    passages = [Part("document", STORY[30:], 30, 75, 0), Part("document", STORY[:29], 0, 29, 1)]
    prompt = RowPrompt().render(example(), passages)
    assert prompt.text == f"{HEAD}{STORY[30:]}\n{STORY[:29]}\n\n{QUERY}{CUE}"
    truncated = truncate(prompt, 24, count_words)
    assert truncated.text == HEAD + STORY[30:] + NOTICE + QUERY + CUE
    assert (truncated.spans, truncated.truncated_tokens) == ([(30, 75)], 6)


def test_chat_models_get_no_response_header_and_the_format_request_after_the_instruction() -> None:
    chat = RowPrompt("chat").render(example(), whole())
    instruction = "You get a story. Do not provide any explanation.\n\nStory:\n"
    assert chat.text == instruction + STORY + "\n\n" + QUERY
    assert RowPrompt("chat").answer(example(), " as <answer>it</answer> is") == " as <answer>it</answer> is"
    summary = RowPrompt("chat", summary=True).render(example(query="", after="Summary:\n"), whole())
    assert summary.text == HEAD + STORY
    assert truncate(summary, 19, count_words).text == HEAD + STORY[:45] + NOTICE.rstrip()


def test_without_a_query_the_chat_form_ends_with_the_two_line_ends_after_the_document() -> None:
    without_query = example(query="", after="Summary:\n", query_in_after=[2, 2])
    summary = RowPrompt("chat", summary=True).render(without_query, whole())
    assert summary.text == HEAD + STORY + "\n\n"
    assert truncate(summary, 19, count_words).text == HEAD + STORY[:45] + NOTICE
    own_prompt = RowPrompt("chat", "own", True, WORDING["gov_report"].parts)
    assert own_prompt.render(Example("e", Document("d", STORY)), whole()).text.endswith(STORY + "\n\n")


def test_the_header_of_the_query_is_not_part_of_it_and_is_never_cut() -> None:
    headed = replace(example(header="Question:\n"), query="Who left?\n\n")
    prompt = RowPrompt().render(headed, whole())
    assert prompt.text == HEAD + STORY + "\n\n" + QUERY + CUE
    assert (prompt.query, prompt.cut_at) == ("Who left?\n\n", "token")
    assert truncate(prompt, 23, count_words).text.endswith("Tom stayed" + NOTICE + QUERY + CUE)
    first = Example("e", Document("d", STORY), "Why?", meta={
        "before": "Read.\n\nAsk:\nWhy?\n\n", "after": "\nAnswer:", "query_in_before": [7, 16], "header": "Ask:\n",
    })  # fmt: skip
    query_first = RowPrompt().render(first, whole())
    assert (query_first.query, query_first.text) == ("Why?", f"Read.\n\nAsk:\nWhy?\n\n{STORY}\nAnswer:")


def test_the_tag_is_the_response_header_and_the_prompt_ends_with_it() -> None:
    tags = RowPrompt("tags")
    assert tags.render(example(), whole()).text == (
        "You get a story. Do not provide any explanation, and please highlight your final best answer with "
        f"<best_answer></best_answer> tags.\n\nStory:\n{STORY}\n\n{QUERY}Best Answer: <best_answer>"
    )
    assert tags.render(example(), whole()).turns == (
        tags.render(example(), whole()).text.removesuffix("Best Answer: <best_answer>"),
        "Best Answer: <best_answer>",
    )
    assert RowPrompt("chat").render(example(), whole()).turns[1] == ""
    percent = example(query="", after="Percentage of Positive Reviews:\n")
    assert tags.render(percent, whole()).text.endswith("Reviews: <percentage_of_positive_reviews>")
    assert "your final percentage of positive reviews with <percentage_of" in tags.render(percent, whole()).text
    summary = RowPrompt("tags", summary=True)
    assert summary.render(example(), whole()).text == HEAD + STORY + "\n\n" + QUERY
    assert summary.answer(example(), "as it is</best_answer>") == "as it is</best_answer>"


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ("Anna</best_answer> because she", "Anna"),
        ("I think <best_answer> Anna\n</best_answer></best_answer>", "Anna"),
        ("<best_answer>Anna", "Anna"),
        ("Anna left.", "Anna left."),
        ("</best_answer>Anna", ""),
        ("", ""),
    ],
)
def test_the_text_before_the_closing_tag_is_the_answer(output: str, answer: str) -> None:
    assert RowPrompt("tags").answer(example(), output) == answer


def test_examples_without_a_prompt_get_longdoc_s_wording() -> None:
    own_prompt = RowPrompt("row", "own", own=WORDING["squality"].parts)
    bare = Example("e", Document("d", STORY), "Who left?")
    words = WORDING["squality"]
    prompt = own_prompt.render(bare, whole())
    assert prompt.text == f"{words.instruction}\n\nStory:\n{STORY}\n\nQuestion:\nWho left?\n\nAnswer:\n"
    assert [part.role for part in prompt.parts if part.text.strip()] == [
        "instruction", "text", "document", "notice", "text", "query", "cue",
    ]  # fmt: skip
    truncated = truncate(prompt, len(prompt.text.split()) - 1, count_words)
    assert truncated.text == prompt.text.replace(STORY, truncated.passages[0].text + words.truncation)
    assert 0 < truncated.passages[0].text.count(" ") < STORY.count(" ")


def test_options_are_lettered_where_the_question_does_not_list_them() -> None:
    own_prompt = RowPrompt("row", "own", own=WORDING["quality"].parts)
    bare = Example("e", Document("d", STORY), "Who left?", options=("Tom", "Anna"))
    assert own_prompt.render(bare, whole()).text.endswith(
        f"{STORY}\n\nQuestion and answers to choose from:\nWho left?\n\n (A) Tom\n (B) Anna\n\nAnswer:\n"
    )
    with_listed_options = Example("e", Document("d", STORY), "Who left, Tom or Anna?", options=("Tom", "Anna"))
    assert "(A)" not in own_prompt.render(with_listed_options, whole()).text


def test_a_row_without_a_prompt_is_refused() -> None:
    bare = Example("e", Document("d", STORY), "Who left?")
    with pytest.raises(UserError, match="example 'e' has no prompt of its own"):
        RowPrompt().render(bare, whole())
