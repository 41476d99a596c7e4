"""longdoc as a model of the real lm_eval, offline."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("lm_eval")

from lm_eval.api.instance import Instance

from longdoc.errors import UserError
from pipelines.plugins.bridges._flat_prompts import chat_text
from pipelines.plugins.bridges.lm_eval_model import LongDoc

GULLS = " ".join(f"The gull number {number} flew over the old harbour." for number in range(30))
STORY = f"{GULLS} Anna kept a lamp in the window of the mill. {GULLS}"
QUESTION = "What did Anna keep in the window?"
ROW = {"text": STORY, "question": QUESTION}
PROMPT = f"{STORY}\n\n{QUESTION}"
SHORT = ["The old mill stood by the river", "Every winter the ice broke the wheel. "]


def generate(prompt: str = PROMPT, row: dict[str, str] = ROW, **settings: Any) -> Instance:
    return Instance("generate_until", row, (prompt, {"until": ["\n"], "max_gen_toks": 20, **settings}), 0)


def score(prompt: str, continuation: str) -> Instance:
    return Instance("loglikelihood", {"q": prompt}, (prompt, continuation), 0)


def harness_model(folder: Path) -> Any:
    from lm_eval.models.huggingface import HFLM  # seconds, which collecting the tests should not take

    return HFLM(pretrained=str(folder), device="cpu", dtype="float32", batch_size=1)


def test_a_document_over_the_selection_is_replaced_by_its_best_passages(capsys: pytest.CaptureFixture[str]) -> None:
    model = LongDoc("copy", chunker="sentences:size=10", budget="10 words")
    (output,) = model.generate_until([generate()], disable_tqdm=True)
    assert output == "Anna kept a lamp in the window of the mill."
    assert capsys.readouterr().err == (
        "longdoc: 1 of 1 prompt over 10 words of document; bm25 selected 10 words of each document\n"
    )


def test_outputs_are_in_the_order_of_requests_and_equal_requests_have_equal_outputs() -> None:
    model = LongDoc("extractive", k=1)
    other = {"text": GULLS, "question": "Which gull number 7 flew?"}
    requests = [generate(), generate(f"{GULLS}\n{other['question']}", other), generate()]
    first, second, third = model.generate_until(requests, disable_tqdm=True)
    assert first == third == "Anna kept a lamp in the window of the mill."
    assert "gull" in second


def test_a_prompt_over_the_limit_gets_as_many_chunks_as_fit_and_others_are_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = LongDoc("extractive", chunker="sentences:size=20", max_input_tokens=120)
    short = generate(f"A lamp. {QUESTION}", {"question": QUESTION})
    assert "lamp" in model.generate_until([generate(), short], disable_tqdm=True)[0]
    assert "1 of 2 prompts over the reader's limit; bm25 selected as many chunks as fit" in capsys.readouterr().err


def test_without_a_document_a_prompt_over_the_limit_is_cut_with_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    model = LongDoc("copy", max_input_tokens=10, cut="middle")
    model.generate_until([generate("a b c d e f g h i j k l m n", {})], disable_tqdm=True)
    warning = "1 prompt over the reader's limit cut as a text, the middle taken away"
    assert warning in capsys.readouterr().err


def test_a_model_without_anything_to_select_by_is_reported_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    LongDoc("extractive")
    assert "no prompt is selected from: the reader extractive has no limit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "name a reader"),
        ({"reader": "extractive", "slect": 3}, "unknown model argument 'slect'"),
        ({"reader": "extractive", "batch_size": 8}, "leave batch_size out"),
        ({"reader": "extractive", "cut": "left"}, "cut must be"),
        ({"reader": "extractive", "retriever": "bm26"}, "bm25"),
    ],
)
def test_invalid_arguments_are_refused(arguments: dict[str, Any], error: str) -> None:
    with pytest.raises(UserError, match=error):
        LongDoc(**arguments)


def test_a_reader_without_likelihoods_is_refused_for_multiple_choice() -> None:
    with pytest.raises(UserError, match="the reader extractive gives no likelihoods"):
        LongDoc("extractive", k=1).loglikelihood([score("a", " b")])


@pytest.mark.parametrize("kind", ["tiny_phi", "tiny_llama"])
def test_likelihoods_of_prompts_that_fit_are_those_of_the_harness_own_model(
    kind: str, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(kind)
    requests = [score(text, continuation) for text in (*SHORT, "") for continuation in (" Tom", " the wheel")]
    theirs = harness_model(folder)
    expected = theirs.loglikelihood(requests, disable_tqdm=True)
    likelihoods = LongDoc(str(folder), dtype="fp32").loglikelihood(requests, disable_tqdm=True)
    assert [value for value, _ in likelihoods] == pytest.approx([value for value, _ in expected], abs=1e-4)
    assert [greedy for _, greedy in likelihoods] == [greedy for _, greedy in expected]


def test_outputs_and_whole_texts_are_those_of_the_harness_own_model(tiny_phi: Path) -> None:
    theirs = harness_model(tiny_phi)
    ours = LongDoc(str(tiny_phi), dtype="fp32")
    requests = [generate(text, {}, max_gen_toks=8) for text in SHORT]
    assert ours.generate_until(requests, disable_tqdm=True) == theirs.generate_until(requests, disable_tqdm=True)
    texts = [Instance("loglikelihood_rolling", {}, (text,), 0) for text in SHORT]
    expected = theirs.loglikelihood_rolling(texts, disable_tqdm=True)
    assert ours.loglikelihood_rolling(texts, disable_tqdm=True) == pytest.approx(expected, abs=1e-4)


def test_each_token_of_a_text_over_the_limit_is_scored_once(tiny_phi: Path) -> None:
    from pipelines.plugins.bridges._rolling import windows

    reader = LongDoc(str(tiny_phi)).reader
    text = " ".join(SHORT * 20)
    requests = list(windows(text, reader))
    assert "".join(one.continuation for one in requests) == text
    assert len(requests) > 1
    for one in requests:
        assert sum(reader.count([str(one.prompt), one.continuation])) <= reader.prompt_limit(0)  # type: ignore[operator]


def test_a_continuation_that_leaves_no_room_for_a_prompt_is_refused(tiny_phi: Path) -> None:
    with pytest.raises(
        UserError, match=r"a continuation of \d+ tokens fills the window of the reader causal, 96 tokens"
    ):
        LongDoc(str(tiny_phi)).loglikelihood([score("a", " ".join(SHORT * 20))], disable_tqdm=True)


def test_all_continuations_of_a_prompt_are_scored_after_the_same_passages(
    tiny_phi: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from models.neural.causal import Causal

    requests: list[Any] = []
    original = Causal.reply
    monkeypatch.setattr(Causal, "reply", lambda self, batch: requests.extend(batch) or original(self, batch))
    model = LongDoc(str(tiny_phi), dtype="fp32", chunker="sentences:size=10")
    rows = [Instance("loglikelihood", ROW, (PROMPT, text), 0) for text in (" A lamp", " The old mill by the river")]
    assert len(model.loglikelihood(rows, disable_tqdm=True)) == 2
    first, second = requests
    assert first.prompt == second.prompt
    assert "lamp" in first.prompt.text and QUESTION in first.prompt.text


def test_a_chat_template_is_used_where_the_harness_says_so_and_only_there(tiny_qwen: Path) -> None:
    model = LongDoc(str(tiny_qwen))
    assert model._reader(False, {}).is_chat is False
    assert model._reader(True, {}).is_chat is True
    turns = model.apply_chat_template([{"role": "user", "content": "Who?"}])
    assert turns == chat_text([{"role": "user", "content": "Who?"}])
    assert len(model.generate_until([generate(turns, {}, max_gen_toks=3)], disable_tqdm=True)) == 1


def test_sampled_repeats_of_a_request_differ(tiny_phi: Path) -> None:
    model = LongDoc(str(tiny_phi))
    requests = [generate(SHORT[0], {}, max_gen_toks=12, do_sample=True, temperature=2.0) for _ in range(4)]
    assert len(set(model.generate_until(requests, disable_tqdm=True))) > 1


def test_an_output_that_leaves_no_room_for_a_prompt_is_refused(tiny_phi: Path) -> None:
    with pytest.raises(UserError, match="an output of 5000 tokens fills"):
        LongDoc(str(tiny_phi)).generate_until([generate(SHORT[0], {}, max_gen_toks=5000)])


def test_a_reader_behind_an_api_gets_the_user_s_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.api_server import ApiServer, chat

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    server = ApiServer(lambda request, times: chat("a lamp"))
    try:
        reader = {"name": "openai", "model": "m", "base_url": f"{server.url}/v1"}
        model = LongDoc(reader, chunker="sentences:size=10", budget="10 words")
        turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": PROMPT}]
        requests = [generate(), generate(model.apply_chat_template(turns))]
        assert model.generate_until(requests, disable_tqdm=True) == ["a lamp", "a lamp"]
    finally:
        server.close()
    passage = f"Anna kept a lamp in the window of the mill.\n\n{QUESTION}"
    assert sorted(server.prompts) == [passage, f"Be brief.\n\n{passage}"]
    assert {request.body["stop"][0] for request in server.received} == {"\n"}


def test_failed_requests_end_the_evaluation_with_what_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    from models.baselines.copy import Copy
    from models.requests import Reply

    monkeypatch.setattr(Copy, "reply", lambda self, some: [Reply.failed("no answer") for _ in some])
    with pytest.raises(UserError, match="1 of 1 requests failed, the first: no answer; with --use_cache"):
        LongDoc("copy", k=1).generate_until([generate()], disable_tqdm=True)
