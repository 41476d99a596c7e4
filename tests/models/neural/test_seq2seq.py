import json
import math
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

import models
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Classify, Compare, Fuse, Generate, Part, Prompt, Score
from models.neural.seq2seq import Seq2seq
from models.truncation import truncate
from tests.tiny_models import TEXT, marian
from tests.turns import for_each

KINDS = ("t5", "longt5", "bart", "led")
QUESTION = "What did Anna keep in the window?"


@pytest.fixture(scope="session")
def folders(tiny_t5: Path, tiny_longt5: Path, tiny_bart: Path, tiny_led: Path) -> dict[str, Path]:
    return {"t5": tiny_t5, "longt5": tiny_longt5, "bart": tiny_bart, "led": tiny_led}


@pytest.fixture(scope="session")
def readers(folders: dict[str, Path]) -> dict[str, Seq2seq]:
    return {kind: Seq2seq(str(folder), device="cpu", dtype="fp32") for kind, folder in folders.items()}


def copy_with_settings(folder: Path, tmp_path: Path, **settings: Any) -> Path:
    """A copy of a model folder with other settings."""
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | settings))
    return copy


def first_attends_to_all(kind: str, folder: Path, text: str) -> dict[str, Any]:
    import torch

    if kind != "led":
        return {}
    length = len(Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text).ids)
    return {"global_attention_mask": torch.tensor([[1] + [0] * (length - 1)])}


def record_encoder_calls(reader: Seq2seq) -> list[dict[str, Any]]:
    """A list to which each call of the encoder adds its arguments."""
    calls: list[dict[str, Any]] = []
    encoder = reader.networks()[0].model.get_encoder()
    encoder.register_forward_pre_hook(lambda _, __, inputs: calls.append(inputs), with_kwargs=True)
    return calls


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_output_is_the_networks_best_token_step_by_step(
    kind: str, folders: dict[str, Path], readers: dict[str, Seq2seq], by_hand: Callable[..., list[int]]
) -> None:
    tokenizer = Tokenizer.from_file(str(folders[kind] / "tokenizer.json"))
    for text in TEXT[:3]:
        extra = first_attends_to_all(kind, folders[kind], text)
        row = by_hand(folders[kind], text, 12, forced=0 if kind == "bart" else None, **extra)
        end = 1 if "t5" in kind else 2
        (reply,) = readers[kind].reply([Generate(text, 12)])
        assert reply.value == tokenizer.decode(row, skip_special_tokens=True) != ""
        assert reply.finish_reason == ("stop" if row[-1] == end else "length")
        assert reply.tokens_in == len(tokenizer.encode(text, add_special_tokens=False).ids)
        assert (reply.truncated_tokens, reply.error) == (0, None)


@pytest.mark.parametrize("kind", KINDS)
def test_requests_read_together_get_the_replies_they_get_alone(
    kind: str, folders: dict[str, Path], readers: dict[str, Seq2seq]
) -> None:
    alone = Seq2seq(str(folders[kind]), device="cpu", deterministic=True)
    requests: list[Any] = [Generate(text, 10) for text in TEXT]
    requests += [Generate(TEXT[0], 4), Generate(TEXT[1], 8, stop=("e",)), Generate(TEXT[2], 6, n=2)]
    together = readers[kind].reply(requests)
    assert together == alone.reply(requests)
    assert together == [readers[kind].reply([request])[0] for request in requests]
    assert len({reply.value for reply in together[: len(TEXT)]}) == len(TEXT)


@pytest.mark.parametrize("kind", KINDS)
def test_a_score_is_the_sum_of_the_continuations_log_probabilities(
    kind: str, folders: dict[str, Path], readers: dict[str, Seq2seq], network: Callable[[Path], Any]
) -> None:
    import torch

    tokenizer = Tokenizer.from_file(str(folders[kind] / "tokenizer.json"))
    model = network(folders[kind])
    continuation = tokenizer.encode("A lamp for Tom", add_special_tokens=False).ids
    decoder_start = [model.config.decoder_start_token_id] + ([] if "t5" in kind else [0])
    with torch.no_grad():
        logits = model(
            input_ids=torch.tensor([tokenizer.encode(QUESTION).ids]),
            decoder_input_ids=torch.tensor([decoder_start + continuation]),
            **first_attends_to_all(kind, folders[kind], QUESTION),
        ).logits[0]
    log_probabilities = torch.log_softmax(logits, -1)
    expected = sum(float(log_probabilities[len(decoder_start) - 1 + i, token]) for i, token in enumerate(continuation))
    reply, second, empty = readers[kind].reply(
        [Score(QUESTION, "A lamp for Tom"), Score(TEXT[0], "No"), Score(QUESTION, "")]
    )
    assert reply.value == pytest.approx(expected, abs=1e-4)
    assert (reply.tokens_in, reply.tokens_out) == (readers[kind].count([QUESTION])[0], len(continuation))
    assert second.value == pytest.approx(readers[kind].reply([Score(TEXT[0], "No")])[0].value, abs=1e-4)
    assert empty.value == 0.0


def test_all_continuations_of_one_token_share_a_probability_of_one(readers: dict[str, Seq2seq]) -> None:
    tokenizer = Tokenizer.from_file(str(Path(readers["bart"].model) / "tokenizer.json"))
    words = [tokenizer.decode([i]) for i in range(300, tokenizer.get_vocab_size())]
    single = [word for word in words if len(tokenizer.encode(word, add_special_tokens=False).ids) == 1]
    total = sum(math.exp(r.value) for r in readers["bart"].reply([Score(QUESTION, word) for word in single]))
    assert 0.5 < total <= 1 + 1e-5


def test_many_words_after_one_prompt_are_scored_with_one_call_of_the_encoder(tiny_t5: Path) -> None:
    reader = Seq2seq(str(tiny_t5), device="cpu", dtype="fp32")
    calls = record_encoder_calls(reader)
    reader.reply([Score(QUESTION, word) for word in ("Yes", "No", "A lamp")])
    assert [call["input_ids"].shape for call in calls] == [(1, reader.count([QUESTION])[0] + 1)]


def test_output_ends_before_the_first_stop_string(readers: dict[str, Seq2seq]) -> None:
    (whole,) = readers["t5"].reply([Generate(TEXT[0], 12)])
    stop = whole.value[4:6]
    (ended,) = readers["t5"].reply([Generate(TEXT[0], 12, stop=("never", stop))])
    assert ended.value == whole.value[: whole.value.index(stop)]
    assert ended.finish_reason == "stop"
    assert ended.tokens_out < whole.tokens_out
    (beams,) = Seq2seq(readers["t5"].model, device="cpu", dtype="fp32", num_beams=2).reply(
        [Generate(TEXT[0], 12, stop=("o", "e", "t"))]
    )
    assert not set(beams.value) & set("oet")


def test_several_outputs_are_the_best_of_a_beam_search(folders: dict[str, Path], network: Callable[..., Any]) -> None:
    import torch

    tokenizer = Tokenizer.from_file(str(folders["t5"] / "tokenizer.json"))
    ids = torch.tensor([tokenizer.encode(QUESTION).ids])
    rows = network(folders["t5"]).generate(ids, num_beams=4, num_return_sequences=2, max_new_tokens=8)
    reader = Seq2seq(str(folders["t5"]), device="cpu", dtype="fp32", num_beams=4)
    (reply,) = reader.reply([Generate(QUESTION, 8, n=2)])
    assert reply.value == tuple(tokenizer.decode(row[1:], skip_special_tokens=True) for row in rows.tolist())
    assert reply.value[0] == reader.reply([Generate(QUESTION, 8)])[0].value != reply.value[1]


def test_outputs_reach_the_requested_length_whatever_lengths_the_model_prefers(
    tiny_bart: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    copy = Path(shutil.copytree(tiny_bart, tmp_path / "copy"))
    settings = json.loads((copy / "generation_config.json").read_text())
    settings |= {"max_length": 5, "min_length": 4, "num_beams": 4, "early_stopping": True, "length_penalty": 2.0}
    settings |= {"do_sample": True, "temperature": 0.5, "top_k": 3}
    (copy / "generation_config.json").write_text(json.dumps(settings))
    requests = [Generate(text, 12) for text in TEXT]
    replies = Seq2seq(str(copy), device="cpu", dtype="fp32").reply(requests)
    assert replies == Seq2seq(str(tiny_bart), device="cpu", dtype="fp32").reply(requests)
    assert [(reply.tokens_out, reply.finish_reason) for reply in replies] == [(11, "length")] * len(TEXT)  # and <s>
    assert capfd.readouterr() == ("", "")


def test_nothing_is_printed_while_a_model_loads_and_reads(
    folders: dict[str, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    for folder in folders.values():
        Seq2seq(str(folder), device="cpu").reply(
            [Generate(QUESTION, 3), Generate("Tom " * 200, 3), Score(QUESTION, "Tom")]
        )
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("kind", "positions", "special"), [("t5", 48, 1), ("longt5", 48, 1), ("bart", 64, 2), ("led", 128, 2)]
)
def test_the_limit_is_the_model_s_less_its_special_tokens(
    kind: str, positions: int, special: int, folders: dict[str, Path], readers: dict[str, Seq2seq]
) -> None:
    assert readers[kind].max_prompt_tokens == positions - special
    assert readers[kind].resolve()["max_input_tokens_with_special"] == positions
    assert Seq2seq(str(folders[kind]), max_input_tokens=20, device="cpu").max_prompt_tokens == 20 - special


@pytest.mark.parametrize(
    ("kind", "settings", "limit"),
    [
        ("t5", {"n_positions": None}, 512),
        ("longt5", {"n_positions": None}, 4096),
        ("bart", {"max_position_embeddings": 1024}, 1024),
    ],
)
def test_without_n_positions_t5_reads_512_and_longt5_4096_tokens(
    kind: str, settings: dict[str, Any], limit: int, folders: dict[str, Path], tmp_path: Path
) -> None:
    reader = Seq2seq(str(copy_with_settings(folders[kind], tmp_path, **settings)), device="cpu")
    assert reader.resolve()["max_input_tokens_with_special"] == limit


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_over_the_limit_is_cut_and_the_reply_says_so(kind: str, readers: dict[str, Seq2seq]) -> None:
    reader = readers[kind]
    limit = reader.max_prompt_tokens
    assert limit is not None
    book = " ".join(TEXT * 20)
    prompt = Prompt((Part("query", QUESTION), Part("text", " "), Part("document", book, 0, len(book))))
    shown = truncate(prompt, limit, reader.count)
    (reply,) = reader.reply([Generate(prompt, 6)])
    assert (
        reply.truncated_tokens
        == shown.truncated_tokens
        == reader.count([book])[0] - reader.count([shown.passages[0].text])[0]
        > 0
    )
    assert limit - 12 < reply.tokens_in == reader.count([shown.text])[0] <= limit
    assert [reply] == reader.reply([Generate(shown, 6)])


def test_a_question_over_the_limit_fails_alone(readers: dict[str, Seq2seq]) -> None:
    long = Prompt((Part("query", "Tom " * 200), Part("document", "Anna", 0, 4)))
    failed, read = readers["bart"].reply([Generate(long, 6), Generate(QUESTION, 6)])
    assert (failed.value, failed.finish_reason, failed.tokens_in) == (
        None,
        "error",
        readers["bart"].count([long.parts[0].text])[0],
    )
    assert failed.error == f"question and instructions alone take {failed.tokens_in} tokens, the limit is 62"
    assert [read] == readers["bart"].reply([Generate(QUESTION, 6)])


def test_a_limit_over_learned_positions_is_refused_and_t5_has_none(folders: dict[str, Path]) -> None:
    with pytest.raises(UserError, match=r"max_input_tokens=65 is over the model's 64 positions"):
        Seq2seq(str(folders["bart"]), max_input_tokens=65)
    with pytest.raises(UserError, match=r"max_input_tokens=129 is over the model's 128 positions"):
        Seq2seq(str(folders["led"]), max_input_tokens=129)
    reader = Seq2seq(str(folders["t5"]), max_input_tokens=200, device="cpu")
    (reply,) = reader.reply([Generate("Tom " * 199, 3)])
    assert (reply.tokens_in, reply.truncated_tokens) == (199, 0)


def test_output_over_the_decoders_positions_is_refused(readers: dict[str, Seq2seq]) -> None:
    assert readers["bart"].reply([Generate(QUESTION, 64)])[0].error is None
    with pytest.raises(UserError, match="max_new_tokens=65 is over the model's 64 positions"):
        readers["bart"].reply([Generate(QUESTION, 65)])
    assert readers["bart"].reply([Score(QUESTION, "?" * 63)])[0].tokens_out == 63
    with pytest.raises(UserError, match="a continuation of 66 tokens is over the model's 64 positions"):
        readers["bart"].reply([Score(QUESTION, "?" * 66)])


def tokens_written(network: Any, length: int) -> int:
    """The number of tokens that the network writes where it must write `length`."""
    import torch

    ids = torch.tensor([[5, 6, 7, 5, 6, 7, 5, 6]])
    rows = network.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        do_sample=False,
        num_beams=1,
        min_new_tokens=length,
        max_new_tokens=length,
    )
    return int(rows.shape[1]) - 1


def test_the_longest_output_is_the_longest_that_the_network_can_write(
    folders: dict[str, Path], network: Callable[[Path], Any], tmp_path: Path
) -> None:
    kinds = {kind: folders[kind] for kind in ("bart", "led")}
    kinds["mbart"] = copy_with_settings(folders["bart"], tmp_path, model_type="mbart", architectures=None)
    kinds["marian"] = marian(tmp_path)
    for folder in kinds.values():
        longest = Seq2seq(str(folder), device="cpu").max_output_tokens
        assert longest is not None and tokens_written(network(folder), longest) == longest
        with pytest.raises(IndexError):
            tokens_written(network(folder), longest + 1)
    assert Seq2seq(str(folders["t5"]), device="cpu").max_output_tokens is None


def test_counts_leave_special_tokens_out_and_do_not_depend_on_length(readers: dict[str, Seq2seq]) -> None:
    for kind in KINDS:
        tokenizer = Tokenizer.from_file(str(Path(readers[kind].model) / "tokenizer.json"))
        book = "\n\n".join(" ".join(TEXT) + "  Ein  Fluß\t" for _ in range(150))
        texts = ["", "Anna", book, QUESTION, book]
        assert len(book) > 50_000
        assert readers[kind].count(texts) == [len(tokenizer.encode(t, add_special_tokens=False).ids) for t in texts]


def test_text_with_half_a_surrogate_pair_is_read(readers: dict[str, Seq2seq]) -> None:
    (reply,) = readers["bart"].reply([Generate("Anna \ud83d kept", 4)])
    assert reply.error is None and reply.tokens_in == readers["bart"].count(["Anna \ufffd kept"])[0]


@pytest.mark.parametrize("attention", ["first", "query"])
def test_led_lets_the_first_token_and_those_of_the_query_attend_to_all(attention: Any, tiny_led: Path) -> None:
    reader = Seq2seq(str(tiny_led), device="cpu", dtype="fp32", global_attention=attention)
    calls = record_encoder_calls(reader)
    parts = (
        Part("instruction", "Read: "),
        Part("document", TEXT[0], 0, len(TEXT[0])),
        Part("document", TEXT[1], 100, 100 + len(TEXT[1])),
        Part("text", "\nQ:\n"),
        Part("query", QUESTION),
        Part("cue", "\nA:"),
    )
    reader.reply([Generate(Prompt(parts), 2), Generate("Tom", 2), Score(Prompt(parts), "Tom")])
    count = reader.count(["Read: ", f"{TEXT[0]}\n{TEXT[1]}", "\nQ:\n", QUESTION, "\nA:"])
    width = -(-(sum(count) + 2) // 8) * 8
    start = 1 + sum(count[:3])
    query_mask = (
        [1.0 if start <= i < start + count[3] else 0.0 for i in range(width)] if attention == "query" else [0.0] * width
    )
    together, scored = (call["global_attention_mask"] for call in calls)
    assert together.tolist() == [[1, *query_mask[1:]], [1] + [0] * (width - 1)]
    assert scored.tolist() == [[1, *query_mask[1:]]]


def test_led_takes_another_attention_window(tiny_led: Path) -> None:
    reader = Seq2seq(str(tiny_led), device="cpu", dtype="fp32", attention_window=20)
    assert reader.networks()[0].model.config.attention_window in (20, [20, 20])
    assert reader.resolve()["max_input_tokens_with_special"] == 120  # six whole windows
    (wide,) = reader.reply([Generate(" ".join(TEXT), 8)])
    (default,) = Seq2seq(str(tiny_led), device="cpu", dtype="fp32").reply([Generate(" ".join(TEXT), 8)])
    assert wide.value != default.value
    with pytest.raises(UserError, match="even number"):
        Seq2seq(str(tiny_led), attention_window=7)


@for_each(
    ("kind", "fields", "message"),
    [
        ("t5", {"dtype": "fp16"}, "NaN in fp16"),
        ("longt5", {"dtype": "fp16"}, "NaN in fp16"),
        ("bart", {"dtype": "fp16", "device": "cpu"}, "fp16 is for GPUs"),
        ("t5", {"dtype": "bf16", "deterministic": True}, 'drop dtype="bf16"'),
        ("t5", {"batch_tokens": 512, "deterministic": True}, "drop batch_tokens"),
        ("t5", {"batch_tokens": 0}, "batch_tokens must be at least 1"),
        ("t5", {"num_beams": 0}, "num_beams must be at least 1"),
        ("t5", {"max_input_tokens": 0}, "max_input_tokens must be at least 1"),
        ("bart", {"max_input_tokens": 2}, "leaves no room beside 2 special tokens"),
        ("bart", {"global_attention": "query"}, "global_attention is for LED"),
        ("t5", {"attention_window": 64}, "attention_window is for LED"),
        ("t5", {"device": "abacus"}, "unknown device 'abacus'"),
        ("t5", {"device": "cuda:99"}, "this machine has"),
        ("t5", {"options": {"trust_remote_code": True}}, "drop it"),
        ("t5", {"options": {"torch_dtype": "bfloat16"}}, "a parameter of its own, dtype="),
        ("t5", {"revision": "main"}, "is a local folder"),
    ],
)
def test_wrong_or_conflicting_fields_are_refused_at_once(
    kind: str, fields: dict[str, Any], message: str, folders: dict[str, Path]
) -> None:
    with pytest.raises(UserError, match=message):
        Seq2seq(str(folders[kind]), **fields)


def test_an_unknown_option_is_refused_when_the_weights_are_loaded(tiny_t5: Path) -> None:
    reader = Seq2seq(str(tiny_t5), device="cpu", options={"abacus": 3})
    with pytest.raises(UserError, match="abacus"):
        reader.reply([Generate("Tom", 2)])


def test_requests_that_need_the_adapter_are_refused_with_its_name(readers: dict[str, Seq2seq]) -> None:
    for request in (Classify("Tom"), Compare(("a", "b"), ((0, 1),))):
        with pytest.raises(UserError, match=r"models\.likelihood\.adapt"):
            readers["t5"].reply([request])


def test_pickled_weights_are_not_read_and_the_error_says_how_to_convert_them(tiny_t5: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(tiny_t5, tmp_path / "copy"))
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    reader = Seq2seq(str(copy), device="cpu")
    assert reader.count(["Tom"]) == [1]
    for use in (reader.resolve, lambda: reader.reply([Generate("Tom", 2)])):
        with pytest.raises(UserError, match=r"no safetensors weights.*use_safetensors=False.*save_pretrained"):
            use()


def test_a_folder_without_a_tokenizer_or_with_a_broken_one_is_refused(tiny_t5: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(tiny_t5, tmp_path / "copy"))
    (copy / "tokenizer.json").write_text("{")
    with pytest.raises(UserError, match="cannot read the tokenizer"):
        Seq2seq(str(copy))
    (copy / "tokenizer.json").unlink()
    with pytest.raises(UserError, match="has no tokenizer"):
        Seq2seq(str(copy))


def test_weights_that_lack_tensors_are_refused(tiny_t5: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    copy = Path(shutil.copytree(tiny_t5, tmp_path / "copy"))
    weights = load_file(copy / "model.safetensors")
    weights.pop("decoder.final_layer_norm.weight")
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(
        UserError, match=r"lack 1 tensors of this model \(the first is decoder\.final_layer_norm\.weight"
    ):
        Seq2seq(str(copy), device="cpu").reply([Generate("Tom", 2)])


def test_an_untied_output_layer_is_kept(tiny_t5: Path, network: Callable[[Path], Any], tmp_path: Path) -> None:
    import torch

    model = network(tiny_t5)
    assert not torch.equal(model.lm_head.weight, model.shared.weight)
    assert model.config.scale_decoder_outputs is False
    model.save_pretrained(tmp_path / "again")
    shutil.copy(tiny_t5 / "tokenizer.json", tmp_path / "again")
    request = Score(QUESTION, "A lamp")
    replies = Seq2seq(str(tmp_path / "again"), device="cpu", dtype="fp32").reply([request])
    assert replies == Seq2seq(str(tiny_t5), device="cpu", dtype="fp32").reply([request])


def test_truncation_and_padding_in_the_tokenizer_file_are_ignored(tiny_t5: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(tiny_t5, tmp_path / "copy"))
    tokenizer = Tokenizer.from_file(str(copy / "tokenizer.json"))
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=16)
    tokenizer.save(str(copy / "tokenizer.json"))
    assert Seq2seq(str(copy)).count(["Tom " * 20, "Tom"]) == [20, 1]


def test_the_record_has_revision_dtype_device_and_versions(tiny_t5: Path) -> None:
    reader = Seq2seq(str(tiny_t5), device="cpu", deterministic=True, batch_tokens=None)
    facts = reader.resolve()
    assert {name: facts[name] for name in ("revision", "dtype", "device", "deterministic", "batch_tokens")} == {
        "revision": None, "dtype": "fp32", "device": "cpu", "deterministic": True, "batch_tokens": None,
    }  # fmt: skip
    assert set(facts["versions"]) == {"torch", "transformers", "tokenizers"}
    json.dumps(describe(reader) | facts)
    assert reader.batch_tokens is None


def test_the_record_changes_with_the_weights_of_the_folder(tiny_t5: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    copy = Path(shutil.copytree(tiny_t5, tmp_path / "copy"))
    reader = Seq2seq(str(copy), device="cpu")
    before = reader.resolve()["weights"]
    assert before == Seq2seq(str(tiny_t5), device="cpu").resolve()["weights"]
    weights = {name: values + 1 for name, values in load_file(copy / "model.safetensors").items()}
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    assert reader.resolve()["weights"] != before


def test_batches_have_at_most_batch_tokens(tiny_t5: Path) -> None:
    reader = Seq2seq(str(tiny_t5), device="cpu", dtype="fp32", batch_tokens=40)
    assert reader.batch_tokens == 40
    calls = record_encoder_calls(reader)
    replies = reader.reply([Generate("Tom " * words, 2) for words in (9, 3, 19, 3, 30)])
    assert [tuple(call["input_ids"].shape) for call in calls] == [(1, 31), (2, 20), (2, 4)]
    assert [reply.tokens_in for reply in replies] == [9, 3, 19, 3, 30]


def test_a_deterministic_reader_reads_one_request_at_a_time(tiny_t5: Path) -> None:
    reader = Seq2seq(str(tiny_t5), device="cpu", deterministic=True)
    calls = record_encoder_calls(reader)
    reader.reply([Generate("Tom", 2), Generate("Anna", 2), Score("Tom", "Anna"), Score("Tom", "the")])
    assert [len(call["input_ids"]) for call in calls] == [1, 1, 1, 1]


def test_threads_share_one_network(tiny_t5: Path, readers: dict[str, Seq2seq]) -> None:
    reader = Seq2seq(str(tiny_t5), device="cpu", dtype="fp32")
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda text: reader.reply([Generate(text, 6)])[0], TEXT))
    assert replies == [readers["t5"].reply([Generate(text, 6)])[0] for text in TEXT]
    assert len(reader.networks()) == 1


def test_two_devices_give_what_one_gives(tiny_t5: Path, readers: dict[str, Seq2seq]) -> None:
    both = Seq2seq(str(tiny_t5), device="cpu,cpu", dtype="fp32", batch_tokens=40)
    requests: list[Any] = [Generate(text, 10) for text in TEXT] + [Score(text, "Tom") for text in TEXT]
    replies, single = both.reply(requests), readers["t5"].reply(requests)
    assert [reply.value for reply in replies[:6]] == [reply.value for reply in single[:6]]
    assert [reply.value for reply in replies[6:]] == pytest.approx([reply.value for reply in single[6:]], abs=1e-4)
    assert len(both.networks()) == 2
    assert (both.tokens_per_call, describe(both)["batch_tokens"], both.resolve()["device"]) == (80, 40, "cpu,cpu")
    assert describe(models.get(describe(both))) == describe(both)


def test_a_batch_over_the_memory_is_halved_and_one_impossible_request_fails_alone(
    tiny_t5: Path, readers: dict[str, Seq2seq]
) -> None:
    import torch

    reader = Seq2seq(str(tiny_t5), device="cpu", dtype="fp32")
    sizes: list[int] = []

    def limit_memory(_: Any, __: Any, arguments: dict[str, Any]) -> None:
        rows, width = arguments["input_ids"].shape
        if rows > 2 or width > 47:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")
        sizes.append(rows)

    reader.networks()[0].model.get_encoder().register_forward_pre_hook(limit_memory, with_kwargs=True)
    short = [text[:30] for text in TEXT]
    requests: list[Any] = [Generate(text, 6) for text in short] + [Score(text, "Tom") for text in short]
    *replies, failed = reader.reply([*requests, Score("Tom " * 47, "Anna")])
    plain, n = readers["t5"].reply(requests), len(short)
    assert n > 2 and replies[:n] == plain[:n]
    assert [reply.value for reply in replies[n:]] == pytest.approx([reply.value for reply in plain[n:]])
    assert max(sizes) == 2
    assert failed.value is None and "out of memory on this request alone" in str(failed.error)


def test_a_network_may_be_spread_by_device_map(tiny_t5: Path, readers: dict[str, Seq2seq]) -> None:
    pytest.importorskip("accelerate")
    mapped = Seq2seq(str(tiny_t5), dtype="fp32", options={"device_map": {"": "cpu"}})
    assert mapped.reply([Generate(TEXT[0], 6)]) == readers["t5"].reply([Generate(TEXT[0], 6)])
    assert mapped.resolve()["device"] == "device_map={'': 'cpu'}"
    with pytest.raises(UserError, match="device_map places the network"):
        Seq2seq(str(tiny_t5), device="cpu", options={"device_map": "auto"})


def test_a_folder_is_a_reader_s_name(tiny_led: Path) -> None:
    reader = models.get(str(tiny_led), max_input_tokens=64, device="cpu", global_attention="query")
    assert isinstance(reader, Seq2seq)
    assert (reader.max_prompt_tokens, reader.labels) == (62, None)
    assert reader.supports == {Generate, Fuse, Score}


def test_a_record_makes_the_same_reader_again(tiny_t5: Path) -> None:
    from longdoc.registry import describe

    reader = models.get(str(tiny_t5), max_input_tokens=40)
    copy = models.get(describe(reader))
    assert describe(reader)["max_input_tokens"] == 40
    assert copy.max_prompt_tokens == reader.max_prompt_tokens == 39
    assert describe(copy) == describe(reader)


def test_the_spans_of_the_query_are_right_with_and_without_a_notice() -> None:
    parts = (
        Part("document", "one two three"),
        Part("document", "four"),
        Part("notice", " [cut]"),
        Part("query", " who?"),
    )
    for cut in (0, 2):
        prompt = Prompt(parts, truncated_tokens=cut)
        ((start, end),) = prompt.query_spans
        assert prompt.text[start:end] == " who?" and end == len(prompt.text)
