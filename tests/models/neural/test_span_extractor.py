"""The best span over windows, compared with the network called directly."""

from pathlib import Path
from typing import Any

import pytest

import models
from longdoc.errors import UserError
from models import Classify, Generate, Part, Prompt
from models.neural.span_extractor import SpanExtractor
from tests import tiny_models
from tests.tiny_models import TEXT

KINDS = ("bert_spans", "roberta_spans", "longformer_spans")
QUESTION = "What did Anna keep in the window?"
BOOK = " ".join(TEXT * 2)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    import torch

    torch.set_num_threads(1)
    return {kind: getattr(tiny_models, kind)(tmp_path_factory.mktemp(kind)) for kind in KINDS}


def make_reader(folder: Path, **fields: Any) -> SpanExtractor:
    return SpanExtractor(str(folder), device="cpu", dtype="fp32", **fields)


def prompt(*texts: str, question: str = QUESTION) -> Prompt:
    documents = [Part("document", text, 0, len(text), rank) for rank, text in enumerate(texts)]
    return Prompt((Part("text", "Read: "), Part("query", question), Part("text", "\n"), *documents))


def by_hand(folder: Path, texts: list[str], longest: int, stride: int | None = None) -> tuple[str, float, float]:
    """The best span's text, its score and the null span's, with transformers' own tokenizer, windows and offsets."""
    import torch
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    network = AutoModelForQuestionAnswering.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    best, null = ("", float("-inf")), float("inf")
    for text in texts:
        fields: dict[str, Any] = {"truncation": "only_second", "max_length": 64, "return_overflowing_tokens": True}
        if stride is not None:
            question_tokens = len(tokenizer(QUESTION, "a").input_ids) - 1
            fields["stride"] = 64 - question_tokens - stride  # transformers' stride is what two windows share
        windows = tokenizer(QUESTION, text, return_offsets_mapping=True, **fields)
        for at in range(len(windows["input_ids"])):
            names = [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in windows]
            with torch.no_grad():
                out = network(**{name: torch.tensor([windows[name][at]]) for name in names})
            starts, ends = out.start_logits[0].tolist(), out.end_logits[0].tolist()
            null = min(null, starts[0] + ends[0])
            owners, offsets = windows.sequence_ids(at), windows["offset_mapping"][at]
            own = [i for i, owner in enumerate(owners) if owner == 1]
            for i in own:
                for j in own:
                    if i <= j < i + longest and starts[i] + ends[j] > best[1]:
                        best = text[offsets[i][0] : offsets[j][1]].strip(), starts[i] + ends[j]
    return best[0], best[1], null


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_is_the_best_span_of_a_short_passage(kind: str, folders: dict[str, Path]) -> None:
    for text in ("Anna kept a lamp.", "Every winter the ice broke."):
        (reply,) = make_reader(folders[kind], max_answer_tokens=5).reply([Generate(prompt(text), 50)])
        assert reply.value == by_hand(folders[kind], [text], 5)[0] != ""
        assert reply.value in text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stride", [5, 9])
def test_a_long_document_is_read_in_windows_that_overlap(kind: str, stride: int, folders: dict[str, Path]) -> None:
    reader = make_reader(folders[kind], stride=stride)
    assert reader.count([BOOK])[0] > 3 * 64
    replies = reader.reply([Generate(prompt(BOOK), 7), Generate(prompt(TEXT[1], BOOK, TEXT[4]), 7)])
    assert replies[0].value == by_hand(folders[kind], [BOOK], 7, stride)[0]
    assert replies[1].value == by_hand(folders[kind], [TEXT[1], BOOK, TEXT[4]], 7, stride)[0]
    assert (replies[0].truncated_tokens, replies[0].finish_reason) == (0, "stop")


def test_without_a_stride_windows_overlap_by_half_and_cover_the_document(folders: dict[str, Path]) -> None:
    reader = make_reader(folders["bert_spans"])
    windows = list(reader._windows(0, prompt(BOOK)))
    ids, places = reader._encoded(BOOK)
    room = reader.text_limit - reader.count([QUESTION])[0]
    assert [window.spans[0] for window in windows] == [places[i * -(-room // 2)] for i in range(len(windows))]
    assert windows[-1].ids[-1] == ids[-1]
    assert max(len(window.ids) for window in windows) == room


def test_the_answer_is_the_same_read_together_or_one_by_one(folders: dict[str, Path]) -> None:
    requests = [Generate(prompt(text), 6, n=2) for text in (*TEXT, BOOK)]
    for kind in KINDS:
        exact = make_reader(folders[kind]).reply(requests)
        assert make_reader(folders[kind], batch_tokens=500).reply(requests) == exact
        assert [make_reader(folders[kind]).reply([request])[0] for request in requests] == exact


def test_several_answers_differ_and_the_best_is_first(folders: dict[str, Path]) -> None:
    reader = make_reader(folders["bert_spans"])
    single, several = reader.reply([Generate(prompt(BOOK), 6), Generate(prompt(BOOK), 6, n=4)])
    assert several.value[0] == single.value
    assert len(set(several.value)) == 4
    assert all(value in BOOK for value in several.value)


def test_a_span_is_no_longer_than_requested(folders: dict[str, Path]) -> None:
    for length in (1, 3):
        (reply,) = make_reader(folders["bert_spans"], stride=24).reply([Generate(prompt(BOOK), length)])
        assert reply.value == by_hand(folders["bert_spans"], [BOOK], length, 24)[0]
    (stopped,) = make_reader(folders["bert_spans"]).reply([Generate(prompt(BOOK), 9, (reply.value[-1],))])
    assert reply.value[-1] not in stopped.value


def test_a_null_answer_wins_where_its_score_is_higher_by_more_than_the_threshold(folders: dict[str, Path]) -> None:
    folder = folders["bert_spans"]
    best, value, null = by_hand(folder, [BOOK], 30, 24)
    stride = {"stride": 24}
    (below,) = make_reader(folder, null_threshold=null - value - 0.01, **stride).reply([Generate(prompt(BOOK), 99)])
    (above,) = make_reader(folder, null_threshold=null - value + 0.01, **stride).reply([Generate(prompt(BOOK), 99)])
    (never,) = make_reader(folder, **stride).reply([Generate(prompt(BOOK), 99)])
    assert (below.value, above.value, never.value) == ("Unanswerable", best, best)


def test_without_passages_the_answer_is_empty(folders: dict[str, Path]) -> None:
    (reply,) = make_reader(folders["bert_spans"]).reply([Generate(prompt(), 9)])
    assert (reply.value, reply.tokens_out) == ("", 0)


def test_a_question_that_fills_the_window_fails_alone(folders: dict[str, Path]) -> None:
    reader = make_reader(folders["bert_spans"])
    failed, answered = reader.reply([Generate(prompt(BOOK, question=QUESTION * 12), 9), Generate(prompt(BOOK), 9)])
    question_tokens = reader.count([QUESTION * 12])[0]
    assert failed.error == f"question and instructions alone take {question_tokens} tokens, the limit is 60"
    assert answered.value


def test_a_prompt_is_cut_only_at_max_input_tokens(folders: dict[str, Path]) -> None:
    reader = make_reader(folders["bert_spans"], max_input_tokens=50)
    (reply,) = reader.reply([Generate(prompt(BOOK), 9)])
    assert reply.truncated_tokens > 0
    assert reply.tokens_in <= 50
    assert make_reader(folders["bert_spans"]).max_input_tokens is None


def test_a_folder_is_a_reader_s_name_and_wrong_fields_are_refused(folders: dict[str, Path]) -> None:
    folder = folders["roberta_spans"]
    assert isinstance(models.get(str(folder), device="cpu"), SpanExtractor)
    assert make_reader(folder, window=32).resolve()["window"] == 32
    with pytest.raises(UserError, match="stride must be at least 1"):
        make_reader(folder, stride=0)
    with pytest.raises(UserError, match="window=100 is over the model's 64 positions"):
        make_reader(folder, window=100)
    with pytest.raises(UserError, match="window=4 leaves no room beside 4 special tokens"):
        make_reader(folder, window=4)
    with pytest.raises(UserError, match="answers Generate, not Classify"):
        make_reader(folder).reply([Classify("text")])


def test_each_request_compares_only_its_own_windows(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    comparisons: list[int] = []

    class CountingInt(int):
        def __eq__(self, other: object) -> bool:
            comparisons.append(0)
            return int(self) == other

        __hash__ = int.__hash__

    reader = make_reader(folders["bert_spans"])
    windows = reader._windows
    monkeypatch.setattr(SpanExtractor, "_windows", lambda self, number, prompt: windows(CountingInt(number), prompt))
    replies = reader.reply([Generate(prompt(text), 7) for text in TEXT[:6]])
    assert len(replies) == 6 and len(comparisons) <= 6
