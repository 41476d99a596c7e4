"""Decoder-only readers over tiny models with random weights, compared with plain decoding."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

import models
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Classify, Generate, Part, Prompt, Score
from models.likelihood import adapt
from models.neural.causal import Causal
from tests import tiny_models
from tests.tiny_models import TEXT

KINDS = ("llama", "mistral", "qwen", "phi")
SPECIAL_TOKENS = {"llama": 1, "mistral": 16, "qwen": 16, "phi": 0}
QUESTION = "What did Anna keep in the window?"
RENDERED = {
    "llama": QUESTION,
    "mistral": f"<s>[INST] {QUESTION} [/INST]",
    "qwen": f"<|im_start|>user\n{QUESTION}<|im_end|>\n<|im_start|>assistant\n",
    "phi": QUESTION,
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {kind: getattr(tiny_models, kind)(tmp_path_factory.mktemp(kind)) for kind in KINDS}


@pytest.fixture(scope="module")
def readers(folders: dict[str, Path]) -> dict[str, Causal]:
    return {kind: Causal(str(folder), device="cpu", dtype="fp32") for kind, folder in folders.items()}


@pytest.fixture(scope="module")
def networks(folders: dict[str, Path]) -> dict[str, Any]:
    from transformers import AutoModelForCausalLM

    return {kind: AutoModelForCausalLM.from_pretrained(folder).eval() for kind, folder in folders.items()}


def tokenizer_of(folder: Path) -> Any:
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


def ids_of(kind: str, folder: Path) -> list[int]:
    return list(tokenizer_of(folder).encode(RENDERED[kind], add_special_tokens=kind == "llama").ids)


def copy_with_settings(folder: Path, tmp_path: Path, name: str = "config.json", **settings: Any) -> Path:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    (copy / name).write_text(json.dumps(json.loads((copy / name).read_text()) | settings))
    return copy


def record_calls(reader: Causal) -> list[dict[str, Any]]:
    """A list to which each call of the network adds its arguments."""
    calls: list[dict[str, Any]] = []
    network = reader.networks()[0].model
    network.register_forward_pre_hook(lambda _, __, arguments: calls.append(arguments), with_kwargs=True)
    return calls


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_output_is_the_networks_best_token_step_by_step(
    kind: str, folders: dict[str, Path], readers: dict[str, Causal], networks: dict[str, Any]
) -> None:
    import torch

    row = start = ids_of(kind, folders[kind])
    for _ in range(10):
        with torch.no_grad():
            row = [*row, int(networks[kind](torch.tensor([row])).logits[0, -1].argmax())]
    (reply,) = readers[kind].reply([Generate(QUESTION, 10)])
    assert reply.value == tokenizer_of(folders[kind]).decode(row[len(start) :], skip_special_tokens=True) != ""
    assert reply.tokens_in == readers[kind].count([QUESTION])[0] + SPECIAL_TOKENS[kind] == len(start)
    assert (reply.tokens_out, reply.truncated_tokens, reply.finish_reason, reply.thinking) == (10, 0, "length", "")


@pytest.mark.parametrize("kind", KINDS)
def test_requests_read_together_get_the_replies_they_get_alone(
    kind: str, folders: dict[str, Path], readers: dict[str, Causal]
) -> None:
    requests: list[Any] = [Generate(text, 10) for text in TEXT]
    requests += [Generate(TEXT[0], 4), Generate(TEXT[1], 8, stop=("e",)), Generate(TEXT[2], 6, n=2)]
    together = readers[kind].reply(requests)
    assert together == Causal(str(folders[kind]), device="cpu", deterministic=True).reply(requests)
    assert together == [readers[kind].reply([request])[0] for request in requests]
    assert len({reply.value for reply in together[: len(TEXT)]}) == len(TEXT)
    assert len(set(together[-1].value)) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_score_is_the_sum_of_the_continuations_log_probabilities(
    kind: str, folders: dict[str, Path], readers: dict[str, Causal], networks: dict[str, Any]
) -> None:
    import torch

    prompt_ids = ids_of(kind, folders[kind])
    continuation = tokenizer_of(folders[kind]).encode("A lamp for Tom", add_special_tokens=False).ids
    with torch.no_grad():
        log_probabilities = torch.log_softmax(networks[kind](torch.tensor([prompt_ids + continuation])).logits[0], -1)
    expected = sum(float(log_probabilities[len(prompt_ids) - 1 + i, token]) for i, token in enumerate(continuation))
    requests = [Score(QUESTION, "A lamp for Tom"), Score(TEXT[1], "No"), Score(QUESTION, "")]
    reply, second, empty = readers[kind].reply(requests)
    assert reply.value == pytest.approx(expected, abs=1e-4)
    assert (reply.tokens_in, reply.tokens_out) == (len(prompt_ids), len(continuation))
    assert second.value == pytest.approx(readers[kind].reply([requests[1]])[0].value, abs=1e-4)
    assert empty.value == 0.0


@pytest.mark.parametrize("kind", ["mistral", "qwen"])
def test_the_rendered_prompt_is_that_of_transformers(kind: str, folders: dict[str, Path]) -> None:
    from transformers import PreTrainedTokenizerFast

    tokenizer: Any = PreTrainedTokenizerFast.from_pretrained(folders[kind])
    messages = [{"role": "user", "content": QUESTION}]
    ids = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)["input_ids"]
    reader = Causal(str(folders[kind]), device="cpu", dtype="fp32")
    calls = record_calls(reader)
    (reply,) = reader.reply([Generate(QUESTION, 1)])
    assert calls[0]["input_ids"].tolist() == [ids] == [ids_of(kind, folders[kind])]
    assert reply.tokens_in == len(ids)  # as servers count a prompt, chat template included


def test_a_prefilled_answer_is_continued_in_the_model_s_turn(folders: dict[str, Path]) -> None:
    prompt = Prompt((Part("document", "Tom", 0, 3), Part("query", "\n\nWho?"), Part("prefill", "\n\nAnswer: <answer>")))
    for chat, rendered in (
        (None, "<|im_start|>user\nTom\n\nWho?<|im_end|>\n<|im_start|>assistant\nAnswer: <answer>"),
        (False, "Tom\n\nWho?\n\nAnswer: <answer>"),
    ):
        reader = Causal(str(folders["qwen"]), device="cpu", dtype="fp32", chat=chat)
        calls = record_calls(reader)
        reader.reply([Generate(prompt, 1)])
        ids = tokenizer_of(folders["qwen"]).encode(rendered, add_special_tokens=False).ids
        assert calls[0]["input_ids"].tolist() == [ids]


def test_prompts_are_padded_on_the_left_with_the_end_token_where_there_is_none_for_it(
    folders: dict[str, Path],
) -> None:
    reader = Causal(str(folders["phi"]), device="cpu", dtype="fp32")
    calls = record_calls(reader)
    reader.reply([Generate("Tom", 1), Generate("Tom Tom Tom", 1)])
    tom = reader.count(["Tom"])[0]
    width = reader.count(["Tom Tom Tom"])[0]
    ids, mask = (calls[0][name].tolist() for name in ("input_ids", "attention_mask"))
    assert mask == [[1] * width, [0] * (width - tom) + [1] * tom]
    assert ids[1][: width - tom] == [0] * (width - tom)


def test_words_of_one_token_after_one_prompt_are_scored_in_one_call(folders: dict[str, Path]) -> None:
    reader = Causal(str(folders["phi"]), device="cpu", dtype="fp32")
    tokenizer = tokenizer_of(folders["phi"])
    words = [word for word in map(tokenizer.id_to_token, range(300, 340)) if reader.count([word]) == [1]][:4]
    calls = record_calls(reader)
    reader.reply([Score(QUESTION, word) for word in words])
    assert len(words) == 4 and [len(call["input_ids"]) for call in calls] == [1]


@pytest.mark.parametrize("kind", KINDS)
def test_prompt_chat_template_and_output_share_the_window(kind: str, readers: dict[str, Causal]) -> None:
    reader = readers[kind]
    assert reader.decoder_window and reader.max_prompt_tokens == 96 - SPECIAL_TOKENS[kind]
    assert reader.is_chat is (SPECIAL_TOKENS[kind] > 1)
    assert reader.resolve()["max_input_tokens_with_special"] == 96
    calls = record_calls(reader)
    (reply,) = reader.reply([Generate(" ".join(TEXT), 20)])
    width = calls[0]["input_ids"].shape[1]
    assert 60 <= width <= 76 and width == reply.tokens_in
    assert reply.truncated_tokens > 0 and reply.error is None and reply.tokens_out == 20
    (scored,) = reader.reply([Score(" ".join(TEXT), "A lamp")])
    assert scored.tokens_in + scored.tokens_out <= 96


def test_fixed_parts_over_the_window_fail_alone(readers: dict[str, Causal]) -> None:
    long = Prompt((Part("instruction", " ".join(TEXT)), Part("document", "Tom", 0, 3)))
    failed, other = readers["llama"].reply([Generate(long, 8), Generate("Tom", 8)])
    assert failed.value is None and failed.finish_reason == "error"
    assert "question and instructions alone take" in str(failed.error)
    assert other.error is None
    with pytest.raises(UserError, match="leaves no room for a prompt"):
        readers["llama"].reply([Generate("Tom", 95)])


def test_output_ends_before_the_first_stop_string(readers: dict[str, Causal]) -> None:
    (whole,) = readers["qwen"].reply([Generate(TEXT[0], 12)])
    stop = whole.value[6:8]
    (ended,) = readers["qwen"].reply([Generate(TEXT[0], 12, stop=("never", stop))])
    assert ended.value == whole.value[: whole.value.index(stop)]
    assert ended.finish_reason == "stop"
    assert ended.tokens_out < whole.tokens_out


def test_thinking_is_left_out_of_the_answer_and_kept_apart(folders: dict[str, Path]) -> None:
    """The template opens the block; the network's own output never closes it."""
    thinking = Causal(str(folders["qwen"]), device="cpu", dtype="fp32", chat_template_kwargs={"enable_thinking": True})
    (reply,) = thinking.reply([Generate(QUESTION, 8, stop=("e",))])
    assert reply.value == "" and len(reply.thinking) >= 8
    assert (reply.tokens_out, reply.finish_reason) == (8, "length")  # a stop string within the thinking is none
    (two,) = thinking.reply([Generate(QUESTION, 8, n=2)])
    assert two.value == ("", "") and two.thinking.count("\n\n") >= 1


def test_a_score_is_of_an_answer_where_the_template_begins_a_block_of_thinking(folders: dict[str, Path]) -> None:
    """The block is closed before the continuation: inside it, the score would be that of a thought."""
    fields: dict[str, Any] = {"device": "cpu", "dtype": "fp32"}
    thinking = Causal(str(folders["qwen"]), chat_template_kwargs={"enable_thinking": True}, **fields)
    plain = Causal(str(folders["qwen"]), chat=False, **fields)
    (scored,) = thinking.reply([Score(QUESTION, "Tom")])
    rendered = thinking._chat.rendered(QUESTION)  # type: ignore[union-attr]
    assert rendered.endswith("<|im_start|>assistant\n<think>\n")
    inside, after = plain.reply([Score(rendered + end, "Tom") for end in ("", "\n</think>\n\n")])
    assert scored.value == pytest.approx(after.value, abs=1e-4)
    assert scored.value != pytest.approx(inside.value, abs=1e-4)
    quoting = Causal(str(folders["qwen"]), **fields).reply([Score("Who said <think>?", "Tom")])[0]
    (same,) = plain.reply([Score("<|im_start|>user\nWho said <think>?<|im_end|>\n<|im_start|>assistant\n", "Tom")])
    assert quoting.value == pytest.approx(same.value, abs=1e-4)  # the template opened nothing


def test_a_closed_block_is_stripped_and_the_answer_stays(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from models.neural.shared.decoder import Decoder

    reader = Causal(str(folders["qwen"]), device="cpu", dtype="fp32")
    written = tokenizer_of(folders["qwen"]).encode("<think>\nTom?\n</think>\n\nAnna. Bye.").ids
    monkeypatch.setattr(Decoder, "generate", lambda self, prompts, *_: [[written] for _ in prompts])
    (reply,) = reader.reply([Generate(QUESTION, 50, stop=(" Bye", "Tom"))])
    assert reply.value == "Anna."
    assert reply.thinking == "Tom?"


def write_text(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> list[int]:
    """Have networks write a text, with no end token, up to the requested length; the result lists these lengths."""
    from models.neural.shared.decoder import Decoder

    lengths: list[int] = []
    ids = tokenizer_of(folder).encode(text).ids

    def written(self: Decoder, prompts: Any, length: int, _: Any, n: int, keys: Any, ended: Any) -> Any:
        lengths.append(length)
        row = ids[:length]
        stopped = next((end for end in range(1, len(row) + 1) if ended and ended(row[:end])), len(row))
        return [[row[:stopped]] * n for _ in prompts]

    monkeypatch.setattr(Decoder, "generate", written)
    return lengths


def test_thinking_comes_on_top_of_the_length_of_the_answer(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folders["qwen"]
    lengths = write_text(monkeypatch, folder, "<think>\nTom?\n</think>\n\nAnna kept a lamp in the window of the mill.")
    plain = Causal(str(folder), device="cpu", dtype="fp32")
    thinking = Causal(str(folder), device="cpu", dtype="fp32", thinking=40)
    subwords, request = plain.output_subwords, Generate(QUESTION, 3)
    first = "Anna kept a lamp in the window of the mill."[: subwords.end_of_first("Anna kept a lamp", 3)]
    (cut,) = thinking.reply([request])
    assert (cut.value, cut.thinking, cut.finish_reason, lengths) == (first, "Tom?", "length", [43])
    assert cut.tokens_out == subwords.count(["<think>\nTom?\n</think>\n\n"])[0] + 4  # one more shows that it is over
    plain.reply([request])
    assert lengths == [43, 3]
    write_text(monkeypatch, folder, "Anna kept a lamp in the window of the mill.")
    assert thinking.reply([request])[0].value == first  # without a thought


def test_thinking_without_an_end_fills_the_whole_output(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_text(monkeypatch, folders["qwen"], "<think>" + "Tom? Anna? " * 50)
    (reply,) = Causal(str(folders["qwen"]), device="cpu", thinking=20).reply([Generate(QUESTION, 3, stop=("Anna",))])
    assert (reply.value, reply.finish_reason, reply.tokens_out, reply.error) == ("", "length", 23, None)
    assert reply.thinking.startswith("Tom? Anna?")


def test_the_window_holds_prompt_thinking_and_answer(folders: dict[str, Path]) -> None:
    reader = Causal(str(folders["qwen"]), device="cpu", dtype="fp32", thinking=30)
    assert (reader.thinking_tokens, reader.max_output_tokens) == (30, 96 - 16 - 30 - 1)
    assert reader.prompt_limit(10) == 96 - 16 - 30 - 10
    assert "60 tokens and thinking=30 fill the reader's window of 80, which" in reader.no_room_message(60)
    calls = record_calls(reader)
    (reply,) = reader.reply([Generate(" ".join(TEXT), 10)])
    assert calls[0]["input_ids"].shape[1] <= 56 and reply.truncated_tokens > 0
    with pytest.raises(UserError, match="max_new_tokens=50 with thinking=30 leaves no room for a prompt"):
        reader.reply([Generate("Tom", 50)])
    with pytest.raises(UserError, match="thinking=79 fills the context window of 80 tokens: give a smaller number"):
        Causal(str(folders["qwen"]), device="cpu", thinking=79)


def test_a_prefilled_answer_stands_in_the_user_s_turn_where_the_model_thinks(
    folders: dict[str, Path],
) -> None:
    prompt = Prompt((Part("document", "Tom", 0, 3), Part("prefill", "\n\nAnswer: <answer>")))
    reader = Causal(str(folders["qwen"]), device="cpu", dtype="fp32", thinking=20)
    calls = record_calls(reader)
    reader.reply([Generate(prompt, 1)])
    rendered = "<|im_start|>user\nTom\n\nAnswer: <answer><|im_end|>\n<|im_start|>assistant\n"
    assert calls[0]["input_ids"].tolist() == [
        tokenizer_of(folders["qwen"]).encode(rendered, add_special_tokens=False).ids
    ]


@pytest.mark.parametrize("thinking", ["off", False])
def test_thinking_is_switched_off_in_the_chat_template(folders: dict[str, Path], tmp_path: Path, thinking: Any) -> None:
    template = tiny_models.CHATML.replace("{% if enable_thinking %}", "{% if enable_thinking is not false %}")
    copy = copy_with_settings(folders["qwen"], tmp_path, "tokenizer_config.json", chat_template=template)
    default, off = Causal(str(copy), device="cpu"), Causal(str(copy), device="cpu", thinking=thinking)
    assert [reader.reply([Generate(QUESTION, 8)])[0].value == "" for reader in (default, off)] == [True, False]
    assert "thinking" not in describe(default)
    assert describe(off)["thinking"] == "off"
    assert describe(models.get(describe(off))) == describe(off)


def test_the_system_prompt_is_part_of_the_prompt(folders: dict[str, Path], readers: dict[str, Causal]) -> None:
    with_system = Causal(str(folders["qwen"]), device="cpu", dtype="fp32", system="Tom Tom Tom")
    plain = Causal(str(folders["qwen"]), device="cpu", dtype="fp32", chat=False)
    assert with_system.max_prompt_tokens is not None and readers["qwen"].max_prompt_tokens is not None
    assert with_system.max_prompt_tokens < readers["qwen"].max_prompt_tokens < 96 == plain.max_prompt_tokens
    outputs = {reader.reply([Generate(QUESTION, 8)])[0].value for reader in (with_system, plain, readers["qwen"])}
    assert len(outputs) == 3


def test_two_devices_give_what_one_gives(folders: dict[str, Path], readers: dict[str, Causal]) -> None:
    both = Causal(str(folders["llama"]), device="cpu,cpu", dtype="fp32", batch_tokens=40)
    requests: list[Any] = [Generate(text, 10) for text in TEXT] + [Score(text, "Tom") for text in TEXT]
    replies, single = both.reply(requests), readers["llama"].reply(requests)
    assert [reply.value for reply in replies[:6]] == [reply.value for reply in single[:6]]
    assert [reply.value for reply in replies[6:]] == pytest.approx([reply.value for reply in single[6:]], abs=1e-4)
    assert len(both.networks()) == 2
    assert (both.tokens_per_call, both.resolve()["batch_tokens"], both.resolve()["device"]) == (80, 40, "cpu,cpu")
    assert models.get(describe(both)).tokens_per_call == 80


def test_a_network_may_be_spread_by_device_map(folders: dict[str, Path], readers: dict[str, Causal]) -> None:
    pytest.importorskip("accelerate")
    mapped = Causal(str(folders["llama"]), dtype="fp32", options={"device_map": {"": "cpu"}})
    assert mapped.reply([Generate(TEXT[0], 6)]) == readers["llama"].reply([Generate(TEXT[0], 6)])
    assert mapped.resolve()["device"] == "device_map={'': 'cpu'}"
    with pytest.raises(UserError, match="device_map places the network, so device='cpu' has no effect"):
        Causal(str(folders["llama"]), device="cpu", options={"device_map": "auto"})


def test_options_reach_the_network(folders: dict[str, Path]) -> None:
    reader = Causal(str(folders["llama"]), device="cpu", dtype="fp32", options={"attn_implementation": "eager"})
    assert reader.networks()[0].model.config._attn_implementation == "eager"
    plain = Causal(str(folders["llama"]), device="cpu", dtype="fp32")
    assert plain.networks()[0].model.config._attn_implementation == "sdpa"


def test_a_batch_over_the_memory_is_halved_and_one_impossible_request_fails_alone(
    folders: dict[str, Path], readers: dict[str, Causal]
) -> None:
    import torch

    reader = Causal(str(folders["llama"]), device="cpu", dtype="fp32")
    network = reader.networks()[0].model

    def limit_memory(_: Any, __: Any, arguments: dict[str, Any]) -> None:
        rows, width = arguments["input_ids"].shape
        if rows > 2 or width > 40:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")

    network.register_forward_pre_hook(limit_memory, with_kwargs=True)
    requests = [Generate(text, 6) for text in (*TEXT, " ".join(TEXT[:4]))]
    replies = reader.reply(requests)
    assert replies[:6] == readers["llama"].reply(requests[:6])
    assert replies[6].value is None and "out of memory on this request alone" in str(replies[6].error)


def test_a_folder_is_a_reader_s_name_and_its_description_makes_it_again(folders: dict[str, Path]) -> None:
    reader = models.get(str(folders["qwen"]), max_input_tokens=64, device="cpu", system="Be brief.", num_beams=2)
    assert isinstance(reader, Causal)
    assert describe(reader)["max_input_tokens"] == 64
    copy = models.get(describe(reader))
    assert describe(copy) == describe(reader) and copy.max_prompt_tokens == reader.max_prompt_tokens
    assert reader.resolve()["chat_template"] != Causal(str(folders["mistral"])).resolve()["chat_template"] is not None


def test_labels_are_classified_by_their_words(readers: dict[str, Causal]) -> None:
    (reply,) = adapt(readers["qwen"], labels=("mill", "river"), cue="\nWhich?").reply([Classify(TEXT[0])])
    assert set(reply.value) == {"mill", "river"} and sum(reply.value.values()) == pytest.approx(1)


def test_a_missing_file_of_a_folder_is_reported(folders: dict[str, Path], tmp_path: Path) -> None:
    copy = copy_with_settings(folders["llama"], tmp_path)
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    with pytest.raises(UserError, match=r"no safetensors weights.*AutoModelForCausalLM.*use_safetensors=False"):
        Causal(str(copy), device="cpu").reply([Generate("Tom", 2)])
    (copy / "tokenizer.json").unlink()
    with pytest.raises(UserError, match="has no tokenizer"):
        Causal(str(copy))


def test_a_configuration_without_positions_needs_a_limit(folders: dict[str, Path], tmp_path: Path) -> None:
    copy = copy_with_settings(folders["llama"], tmp_path, max_position_embeddings=None)
    with pytest.raises(UserError, match=r'how many positions it has: give model="MODEL,max_input_tokens=N"$'):
        Causal(str(copy))
    assert Causal(str(copy), max_input_tokens=50).max_prompt_tokens == 49


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        ("llama", {"max_input_tokens": 97}, "over the model's 96 positions"),
        ("llama", {"max_input_tokens": 2}, "leaves no room beside 1 special tokens"),
        ("qwen", {"max_input_tokens": 16}, "leaves no room beside 16 tokens of the chat template"),
        ("mistral", {"system": "Be brief."}, "conversations begin with the user"),
        ("llama", {"system": "Be brief."}, "has none"),
        ("llama", {"temperature": 0.5}, "temperature is for sampling"),
        ("llama", {"device": "cpu,abacus"}, "unknown device 'abacus'"),
        ("llama", {"options": {"trust_remote_code": True}}, "drop it"),
        ("llama", {"deterministic": True, "batch_tokens": 9}, "drop batch_tokens"),
        ("llama", {"thinking": True}, "thinking=true does not say how much"),
        ("llama", {"thinking": "off"}, "thinking=off needs a chat template .* has no chat template"),
        ("mistral", {"thinking": "off"}, "with enable_thinking, and .* has one without it: leave it out"),
        (
            "qwen",
            {"thinking": "off", "chat_template_kwargs": {"enable_thinking": True}},
            "thinking=off sets enable_thinking, and so does chat_template_kwargs: drop one of them",
        ),
    ],
)
def test_wrong_or_conflicting_fields_are_refused_at_once(
    kind: str, fields: dict[str, Any], message: str, folders: dict[str, Path]
) -> None:
    with pytest.raises(UserError, match=message):
        Causal(str(folders[kind]), **fields)


def test_an_empty_prompt_is_continued(readers: dict[str, Causal]) -> None:
    for kind, reader in readers.items():
        generated, scored = reader.reply([Generate("", 3), Score("", "Tom")])
        assert generated.tokens_in <= 1 + SPECIAL_TOKENS[kind] and generated.tokens_out > 0
        assert scored.value < 0
