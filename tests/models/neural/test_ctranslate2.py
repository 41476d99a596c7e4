"""Readers whose network CTranslate2 computes, compared with the same readers in torch."""

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ctranslate2")

from longdoc.errors import UserError
from longdoc.registry import describe
from models import Fuse, Generate, Score
from models.neural._ctranslate2 import conversion, converted_models, networks
from models.neural.causal import Causal
from models.neural.seq2seq import Seq2seq
from models.neural.shared.decoder import Decoder
from models.neural.shared.encoder_decoder import EncoderDecoder
from tests import tiny_models
from tests.tiny_models import TEXT

KINDS: dict[str, Any] = {"t5": Seq2seq, "bart": Seq2seq, "llama": Causal, "qwen": Causal}
QUESTION = "What did Anna keep in the window?"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folders = {kind: getattr(tiny_models, kind)(tmp_path_factory.mktemp(kind)) for kind in KINDS}
    tied = tmp_path_factory.mktemp("tied")
    folders["tied"] = tiny_models.t5(tied, tie_word_embeddings=True, feed_forward_proj="relu")
    return folders


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGDOC_CACHE", str(cache))
    monkeypatch.setattr(networks, "threads", lambda: 1)  # the cores are shared with other tests


def both(kind: str, folder: Path, **fields: Any) -> tuple[Any, Any]:
    """The reader in torch and in CTranslate2."""
    cls = KINDS.get(kind, Seq2seq)
    return cls(str(folder), device="cpu", dtype="fp32", **fields), cls(str(folder), backend="ctranslate2", **fields)


def copy_with_settings(folder: Path, tmp_path: Path, name: str = "config.json", **settings: Any) -> Path:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    (copy / name).write_text(json.dumps(json.loads((copy / name).read_text()) | settings))
    return copy


@pytest.mark.parametrize("kind", [*KINDS, "tied"])
def test_replies_are_those_of_torch(kind: str, folders: dict[str, Path]) -> None:
    torch_reader, reader = both(kind, folders[kind])
    requests: list[Any] = [Generate(text, length) for text in TEXT for length in (1, 12)]
    requests += [Generate("", 5), Generate(" ".join(TEXT * 4), 6), Generate(TEXT[1], 9, n=3)]
    requests += [Generate(text, 12, stop=("e", "o")) for text in TEXT]
    replies = reader.reply(requests)
    assert replies == torch_reader.reply(requests)
    assert replies == [reader.reply([request])[0] for request in requests]
    assert len({reply.value for reply in replies[1 : 2 * len(TEXT) : 2]}) > 1


@pytest.mark.parametrize("kind", [*KINDS, "tied"])
def test_beams_are_those_of_torch(kind: str, folders: dict[str, Path]) -> None:
    torch_reader, reader = both(kind, folders[kind], num_beams=3, length_penalty=0.6)
    requests = [Generate(text, 10, n=n) for text in TEXT for n in (1, 2)]
    assert reader.reply(requests) == torch_reader.reply(requests)


@pytest.mark.parametrize("kind", [*KINDS, "tied"])
def test_scores_are_those_of_torch(kind: str, folders: dict[str, Path]) -> None:
    torch_reader, reader = both(kind, folders[kind])
    requests = [Score(text, end) for text in (QUESTION, TEXT[2], "") for end in ("A lamp for Tom", "No", "")]
    for reply, expected in zip(reader.reply(requests), torch_reader.reply(requests), strict=True):
        assert reply.value == pytest.approx(expected.value, abs=1e-4)
        assert (reply.tokens_in, reply.tokens_out) == (expected.tokens_in, expected.tokens_out)
        assert reply.greedy is None


def test_outputs_end_at_the_same_end_tokens(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = copy_with_settings(folders["t5"], tmp_path, "generation_config.json", eos_token_id=[1, *range(10, 60, 2)])
    torch_reader, reader = both("t5", folder)
    requests = [Generate(text, length) for text in TEXT for length in (1, 2, 3, 30)]
    replies = reader.reply(requests)
    assert replies == torch_reader.reply(requests)
    assert {reply.finish_reason for reply in replies} == {"stop", "length"}


def test_no_repeat_ngram_size_of_a_model_works_as_in_torch(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = copy_with_settings(folders["bart"], tmp_path, "generation_config.json", no_repeat_ngram_size=2)
    torch_reader, reader = both("bart", folder)
    requests = [Generate(text, 25) for text in TEXT]
    assert reader.reply(requests) == torch_reader.reply(requests)
    assert reader.reply(requests) != both("bart", folders["bart"])[1].reply(requests)


@pytest.mark.parametrize("kind", ["t5", "qwen"])
def test_int8_answers_the_same_requests(kind: str, folders: dict[str, Path]) -> None:
    reader = KINDS[kind](str(folders[kind]), backend="ctranslate2", dtype="int8")
    requests = [Generate(text, 8) for text in TEXT]
    replies = reader.reply(requests)
    assert replies == [reader.reply([request])[0] for request in requests]
    assert all(reply.error is None and 1 <= reply.tokens_out <= 8 for reply in replies)
    exact, near = (
        either.reply([Score(QUESTION, "A lamp")])[0].value for either in (both(kind, folders[kind])[1], reader)
    )
    assert exact != near < 0


def test_a_run_records_the_backend(folders: dict[str, Path]) -> None:
    torch_reader, reader = both("t5", folders["t5"])
    facts = reader.resolve()
    assert (facts["backend"], facts["dtype"], facts["device"], facts["batch_tokens"]) == (
        "ctranslate2",
        "fp32",
        "cpu",
        None,
    )
    assert facts["threads"] >= 1
    assert facts["versions"]["ctranslate2"].count(".") == 2
    assert not {"backend", "threads"} & set(torch_reader.resolve())
    assert Seq2seq(str(folders["t5"]), backend="ctranslate2", dtype="int8").resolve()["dtype"] == "int8"
    assert "backend" not in describe(torch_reader)
    assert describe(reader)["backend"] == "ctranslate2"
    assert reader.supports == {Generate, Score}
    with pytest.raises(UserError, match="answers Generate and Score, not Fuse"):
        reader.reply([Fuse(("a", "b"), 3)])


REFUSED = [
    ({"device": "cuda"}, "computes on the CPU: drop device='cuda'"),
    ({"dtype": "bf16"}, "computes in fp32 or int8: drop dtype='bf16'"),
    ({"dtype": "int8", "deterministic": True}, 'computes in fp32; drop dtype="int8"'),
    ({"options": {"attn_implementation": "eager"}}, "drop attn_implementation"),
    ({"do_sample": True}, "drop do_sample"),
    ({"repetition_penalty": 1.2}, "drop repetition_penalty"),
    ({"min_new_tokens": 2}, "drop min_new_tokens"),
    ({"no_repeat_ngram_size": 2}, "drop no_repeat_ngram_size"),
]


@pytest.mark.parametrize(("fields", "message"), REFUSED)
def test_unsupported_fields_are_refused_before_any_weights_are_read(
    fields: dict[str, Any], message: str, folders: dict[str, Path]
) -> None:
    with pytest.raises(UserError, match=message):
        Seq2seq(str(folders["t5"]), backend="ctranslate2", **fields)


def test_unsupported_models_are_refused(folders: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"cannot compute led models \(only bart, mt5, pegasus, t5, umt5\): leave it out"
    ):
        Seq2seq(str(tiny_models.led(tmp_path / "led")), backend="ctranslate2")
    with pytest.raises(UserError, match="no sliding window: set max_input_tokens=16"):
        Causal(str(tiny_models.mistral(tmp_path / "mistral")), backend="ctranslate2")
    with pytest.raises(UserError, match="one at a time: drop batch_tokens"):
        Causal(str(folders["llama"]), backend="ctranslate2", batch_tokens=64)
    with pytest.raises(UserError, match='"int8" is for backend=ctranslate2, in readers that generate'):
        Causal(str(folders["llama"]), device="cpu", dtype="int8")


SMALL = {"vocab_size": 99, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32, "pad_token_id": 0}
SMALL |= {"intermediate_size": 64, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 96}
IDS = {"decoder_start_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "MT5": ("ForConditionalGeneration", {"vocab_size": 99, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2}),
    "UMT5": ("ForConditionalGeneration", {"vocab_size": 99, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2}),
    "Pegasus": ("ForConditionalGeneration", {"vocab_size": 99, **tiny_models._pegasus_settings(), "init_std": 0.3}),
    "Qwen3": ("ForCausalLM", SMALL),
    "Mistral": ("ForCausalLM", {**SMALL, "sliding_window": None}),
    "Gemma": ("ForCausalLM", SMALL),
    "GPT2": ("LMHeadModel", {"vocab_size": 99, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 96}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", OTHERS)
def test_every_supported_kind_is_converted_to_the_same_network(kind: str, tmp_path: Path) -> None:
    import transformers

    library: Any = transformers
    head, settings = OTHERS[kind]
    config = getattr(library, f"{kind}Config")(**IDS | settings)
    tiny_models._save_network(tiny_models._randomized(getattr(library, kind + head), config), tmp_path / "published")
    network_type = EncoderDecoder if config.is_encoder_decoder else Decoder
    network: Any = network_type.load(
        tmp_path / "published", "fp32", "cpu", *([1] if config.is_encoder_decoder else []), {}
    )
    description = conversion.convert(network, tmp_path / "published", tmp_path / "converted")
    assert (description["seq2seq"], description["ends"]) == (config.is_encoder_decoder, [config.eos_token_id])
    assert config.model_type in conversion.SEQ2SEQ | conversion.CAUSAL


def test_decoding_settings_of_a_model_that_ctranslate2_does_differently_are_refused(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = copy_with_settings(folders["llama"], tmp_path, "generation_config.json", repetition_penalty=1.1)
    with pytest.raises(UserError, match=r"repetition_penalty=1\.1, which CTranslate2 does differently"):
        Causal(str(folder), backend="ctranslate2").resolve()


def test_a_network_that_is_converted_wrongly_is_not_used(folders: dict[str, Path], tmp_path: Path) -> None:
    scaled = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0}
    scaled |= {"high_freq_factor": 4.0, "original_max_position_embeddings": 32}
    folder = copy_with_settings(folders["llama"], tmp_path, rope_parameters=scaled)
    with pytest.raises(UserError, match="log-probabilities of this model differ from transformers' by"):
        Causal(str(folder), backend="ctranslate2").resolve()


def record_conversions(monkeypatch: pytest.MonkeyPatch, cache: Path) -> list[Path]:
    """Set an empty cache, and return a list to which each conversion adds its folder."""
    monkeypatch.setenv("LONGDOC_CACHE", str(cache))
    folders: list[Path] = []
    real = conversion.convert

    def convert(network: Any, source: Path, folder: Path) -> dict[str, Any]:
        folders.append(folder)
        return real(network, source, folder)

    monkeypatch.setattr(conversion, "convert", convert)
    return folders


def answer(folder: Path, **fields: Any) -> Any:
    return Seq2seq(str(folder), backend="ctranslate2", **fields).reply([Generate(QUESTION, 5)])[0].value


def test_a_network_is_converted_once_and_anew_where_its_files_were_damaged(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversions = record_conversions(monkeypatch, tmp_path / "cache")
    first = answer(folders["t5"])
    assert (answer(folders["t5"]), len(conversions)) == (first, 1)
    answer(folders["t5"], dtype="int8")
    assert len(conversions) == 1
    (network,) = (tmp_path / "cache" / "converted").glob("*/model.bin")
    whole = network.read_bytes()
    network.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert (answer(folders["t5"]), len(conversions), network.read_bytes()) == (first, 2, whole)
    (network.parent / converted_models.DESCRIPTION).unlink()
    assert (answer(folders["t5"]), len(conversions)) == (first, 3)
    answer(copy_with_settings(folders["t5"], tmp_path, "generation_config.json", max_length=9))
    assert len(conversions) == 4


def test_two_threads_at_once_convert_a_network_once(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversions = record_conversions(monkeypatch, tmp_path / "cache")
    answers: list[str] = []
    threads = [threading.Thread(target=lambda: answers.append(answer(folders["t5"]))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(conversions), len(answers), len(set(answers))) == (1, 2, 1)


def test_a_cache_that_cannot_be_written_is_reported_and_a_whole_copy_in_it_is_used(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversions = record_conversions(monkeypatch, tmp_path / "cache")
    first = answer(folders["t5"])

    def full(folder: Path) -> None:
        raise OSError(28, "No space left on device", str(folder))

    monkeypatch.setattr(converted_models.tempfile, "mkdtemp", lambda **_: full(tmp_path))
    assert answer(folders["t5"]) == first
    with pytest.raises(UserError, match=r"cannot keep the converted model in .*No space left.*set LONGDOC_CACHE"):
        answer(folders["tied"])
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "file"))
    with pytest.raises(UserError, match="cannot keep the converted model in"):
        answer(folders["t5"])
    assert len(conversions) == 1


def test_nothing_unfinished_is_left_where_writing_failed(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))

    def full(_: Any, __: Path, folder: Path) -> dict[str, Any]:
        (folder / "model.bin").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(conversion, "convert", full)
    with pytest.raises(UserError, match="No space left on device; set LONGDOC_CACHE"):
        answer(folders["t5"])
    assert not [path for path in (tmp_path / "cache" / "converted").iterdir() if path.is_dir()]


def test_training_is_refused(folders: dict[str, Path]) -> None:
    with pytest.raises(UserError, match="cannot be trained: leave it out"):
        Seq2seq(str(folders["t5"]), backend="ctranslate2").network()
