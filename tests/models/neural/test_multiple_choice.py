"""Options scored one by one, compared with the network called directly."""

from pathlib import Path
from typing import Any

import pytest

import models
from longdoc.errors import UserError
from models import Classify, Generate, Part, Prompt
from models.neural.multiple_choice import MultipleChoice
from tests import tiny_models
from tests.tiny_models import TEXT

KINDS = ("bert_choices", "longformer_choices")
QUESTION = "Who mended it?"
OPTIONS = ("Tom", "Anna did", "the town", "no one")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    import torch

    torch.set_num_threads(1)
    return {kind: getattr(tiny_models, kind)(tmp_path_factory.mktemp(kind)) for kind in KINDS}


def make_reader(folder: Path, **fields: Any) -> MultipleChoice:
    return MultipleChoice(str(folder), device="cpu", dtype="fp32", **fields)


def prompt(*texts: str, instruction: str = "Answer.") -> Prompt:
    documents = [Part("document", text, 0, len(text), rank) for rank, text in enumerate(texts)]
    parts = [Part("query", QUESTION), Part("options", "\n".join(OPTIONS)), *documents]
    return Prompt((Part("instruction", instruction), *parts))


def by_hand(folder: Path, text: str, length: int = 64) -> list[str]:
    """The options, best first, with transformers' own tokenizer, cut and attention."""
    import torch
    from transformers import AutoModelForMultipleChoice, AutoTokenizer

    network = AutoModelForMultipleChoice.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    seconds = [f"{QUESTION} {option}" for option in OPTIONS]
    rows = tokenizer([text] * len(OPTIONS), seconds, truncation="only_first", max_length=length, padding=True)
    with torch.no_grad():
        logits = network(**{name: torch.tensor([value]) for name, value in rows.items()}).logits[0]
    return [OPTIONS[i] for i in logits.argsort(descending=True).tolist()]


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_the_option_of_the_highest_logit(kind: str, folders: dict[str, Path]) -> None:
    for text in ("Tom mended it.", "The ice broke."):
        single, several = make_reader(folders[kind]).reply([Generate(prompt(text), 9), Generate(prompt(text), 9, n=4)])
        assert list(several.value) == by_hand(folders[kind], text)
        assert single.value == several.value[0]
        assert (single.truncated_tokens, single.finish_reason) == (0, "stop")


def test_longer_passages_are_cut_for_all_options_alike(folders: dict[str, Path]) -> None:
    reader = make_reader(folders["bert_choices"])
    book = " ".join(TEXT)
    (reply,) = reader.reply([Generate(prompt(book), 9, n=4)])
    longest = max(reader.count([f"{QUESTION} {option}" for option in OPTIONS]))
    assert reply.truncated_tokens >= reader.count([book])[0] - (61 - longest) > 0
    reading: Any = reader._encode(Generate(prompt(book), 9))
    assert len({tuple(row.ids[: len(row.ids) - row.second_length - 1]) for row in reading.rows}) == 1
    assert max(len(row.ids) for row in reading.rows) <= 64


def test_letters_are_given_where_the_prompt_asks_for_one(folders: dict[str, Path]) -> None:
    folder, text = folders["bert_choices"], "Tom mended it."
    best = by_hand(folder, text)[0]
    letter = "ABCD"[OPTIONS.index(best)]
    letter_prompt = prompt(text, instruction="Answer with the letter.")
    assert make_reader(folder).reply([Generate(letter_prompt, 9)])[0].value == letter
    assert make_reader(folder, answer="text").reply([Generate(letter_prompt, 9)])[0].value == best
    assert make_reader(folder, answer="letter").reply([Generate(prompt(text), 9)])[0].value == letter


def test_options_read_together_answer_as_one_by_one(folders: dict[str, Path]) -> None:
    requests = [Generate(prompt(text), 9, n=4) for text in TEXT]
    for kind in KINDS:
        exact = make_reader(folders[kind]).reply(requests)
        assert make_reader(folders[kind], batch_tokens=1000).reply(requests) == exact
        assert [make_reader(folders[kind]).reply([request])[0] for request in requests] == exact


def test_without_options_the_answer_is_empty(folders: dict[str, Path]) -> None:
    (reply,) = make_reader(folders["bert_choices"]).reply([Generate(Prompt((Part("document", TEXT[0]),)), 9)])
    assert (reply.value, reply.tokens_out) == ("", 0)


def test_an_option_over_the_requested_length_is_cut_and_reported(folders: dict[str, Path]) -> None:
    reader = make_reader(folders["bert_choices"])
    replies = reader.reply([Generate(prompt("Tom."), 1, n=4)])
    assert set(replies[0].value) == {"Tom", "Anna", "the", "no"}
    assert replies[0].finish_reason == "length"


def test_options_that_leave_no_room_fail_alone(folders: dict[str, Path]) -> None:
    reader = make_reader(folders["bert_choices"], max_input_tokens=14)
    wide = Prompt((Part("options", "a\n" + "the mill " * 20), Part("document", TEXT[0])))
    failed, answered = reader.reply([Generate(wide, 9), Generate(prompt("Tom."), 9)])
    assert (failed.value, failed.error) == (None, "question and instructions alone take 40 tokens, the limit is 11")
    assert answered.value in OPTIONS


def test_a_folder_is_a_reader_s_name_and_other_requests_are_refused(folders: dict[str, Path]) -> None:
    reader = models.get(str(folders["bert_choices"]), device="cpu")
    assert isinstance(reader, MultipleChoice)
    assert (reader.max_prompt_tokens, reader.resolve()["max_input_tokens"]) == (61, 64)
    with pytest.raises(UserError, match="answers Generate, not Classify"):
        reader.reply([Classify("text")])
