import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import models
from longdoc.errors import UserError
from longdoc.registry import describe
from models import Classify, Generate, Part, Prompt
from models.neural.sequence_classifier import SequenceClassifier
from tests import tiny_models
from tests.tiny_models import TEXT

KINDS = ("bert", "longformer")
LABELS = ("Hero/Protagonist", "Villain/Antagonist")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    import torch

    torch.set_num_threads(1)
    return {kind: getattr(tiny_models, kind)(tmp_path_factory.mktemp(f"tiny_{kind}")) for kind in KINDS}


@pytest.fixture(scope="module")
def readers(folders: dict[str, Path]) -> dict[str, SequenceClassifier]:
    return {kind: SequenceClassifier(str(folder), device="cpu", dtype="fp32") for kind, folder in folders.items()}


def copy_with_settings(folder: Path, tmp_path: Path, **settings: Any) -> Path:
    """A copy of a model folder with other settings; None removes a setting."""
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    config = json.loads((copy / "config.json").read_text()) | settings
    settings_left = {name: value for name, value in config.items() if value is not None}
    (copy / "config.json").write_text(json.dumps(settings_left))
    return copy


def by_hand(folder: Path, text: str, is_longformer: bool) -> list[float]:
    """The probabilities of the folder's network, called directly."""
    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModelForSequenceClassification

    network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    ids = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text).ids
    inputs = {"input_ids": torch.tensor([ids])}
    if is_longformer:
        inputs["global_attention_mask"] = torch.tensor([[1] + [0] * (len(ids) - 1)])
    with torch.inference_mode():
        return torch.softmax(network(**inputs).logits[0], dim=-1).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_the_probabilities_are_those_of_the_network(
    kind: str, folders: dict[str, Path], readers: dict[str, SequenceClassifier]
) -> None:
    assert readers[kind].output_labels == LABELS
    for text in TEXT[:3]:
        (reply,) = readers[kind].reply([Classify(text)])
        assert list(reply.value) == list(LABELS)
        assert list(reply.value.values()) == pytest.approx(by_hand(folders[kind], text, kind == "longformer"), abs=1e-5)
        assert (reply.tokens_in, reply.truncated_tokens) == (readers[kind].count([text])[0], 0)


@pytest.mark.parametrize("kind", KINDS)
def test_texts_read_together_answer_as_one_by_one(kind: str, readers: dict[str, SequenceClassifier]) -> None:
    requests = [Classify(text) for text in (*TEXT, "Tom.", "")]
    together = readers[kind].reply(requests)
    for request, reply in zip(requests, together, strict=True):
        (alone,) = readers[kind].reply([request])
        assert list(alone.value.values()) == pytest.approx(list(reply.value.values()), abs=1e-5)
        assert alone.tokens_in == reply.tokens_in
    assert readers[kind].reply([]) == []


def test_longformers_first_token_attends_to_all_others_and_padding_to_none(folders: dict[str, Path]) -> None:
    reader = SequenceClassifier(str(folders["longformer"]), device="cpu", dtype="fp32")
    calls: list[dict[str, Any]] = []
    reader.network().model.register_forward_pre_hook(lambda _, __, inputs: calls.append(inputs), with_kwargs=True)
    reader.reply([Classify("Tom mended the wheel."), Classify("Tom.")])
    (inputs,) = calls
    assert inputs["global_attention_mask"].tolist() == [[1] + [0] * (inputs["input_ids"].shape[1] - 1)] * 2
    assert inputs["input_ids"].shape[1] % 8 == 0  # whole windows, or the network says on stderr that it pads
    lengths = [reader.count([text])[0] + 2 for text in ("Tom mended the wheel.", "Tom.")]
    assert inputs["attention_mask"].sum(dim=1).tolist() == lengths


@pytest.mark.parametrize("kind", KINDS)
def test_the_limit_is_the_models_positions_and_a_longer_prompt_is_cut(
    kind: str, readers: dict[str, SequenceClassifier]
) -> None:
    reader = readers[kind]
    assert reader.max_prompt_tokens == 62  # 64 with the special tokens
    assert reader.resolve()["max_input_tokens"] == 64
    text = " ".join(TEXT)
    prompt = Prompt((Part("query", "Anna: "), Part("document", text, 0, len(text))))
    (reply,) = reader.reply([Classify(prompt)])
    assert 55 < reply.tokens_in <= 62
    assert reply.truncated_tokens == pytest.approx(reader.count([prompt.text])[0] - reply.tokens_in, abs=1)
    (failed,) = reader.reply([Classify(Prompt((Part("query", text),)))])
    assert (failed.value, failed.finish_reason) == (None, "error")


@pytest.mark.parametrize("limit", [None, 30])
def test_a_record_makes_the_same_reader_again(folders: dict[str, Path], limit: int | None) -> None:
    first: Any = models.get(str(folders["bert"]), max_input_tokens=limit)
    second: Any = models.get(describe(first))
    third: Any = models.get(describe(second))
    assert [reader.max_prompt_tokens for reader in (first, second, third)] == [(limit or 64) - 2] * 3
    assert describe(first) == describe(second) == describe(third)
    assert describe(first)["max_input_tokens"] == limit


def test_positions_up_to_the_padding_token_s_are_not_usable(folders: dict[str, Path]) -> None:
    with pytest.raises(UserError, match="max_input_tokens=65 is over the model's 64 positions"):
        models.get(str(folders["longformer"]), max_input_tokens=65)


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_is_read_by_its_architecture(kind: str, folders: dict[str, Path]) -> None:
    reader = models.get(str(folders[kind]), deterministic=True)
    assert isinstance(reader, SequenceClassifier)
    assert (reader.tokens_per_call, reader.resolve()["dtype"]) == (None, "fp32")
    assert len(reader.resolve()["weights"]) == 16


def test_labels_of_the_user_replace_those_of_the_configuration(folders: dict[str, Path], tmp_path: Path) -> None:
    nameless = copy_with_settings(folders["bert"], tmp_path, id2label=None, label2id=None)
    assert models.get(str(nameless)).output_labels == ("LABEL_0", "LABEL_1")
    named = models.get({"name": "sequence_classifier", "model": str(nameless), "labels": ["a", "b"], "dtype": "fp32"})
    (reply,) = named.reply([Classify(TEXT[0])])
    assert list(reply.value) == ["a", "b"]


@pytest.mark.parametrize("architecture", ["BertModel", "BertForMaskedLM", "BertForPreTraining"])
def test_a_base_model_takes_any_labels_for_a_new_head(
    folders: dict[str, Path], tmp_path: Path, architecture: str
) -> None:
    base = str(copy_with_settings(folders["bert"], tmp_path, architectures=[architecture]))
    labels = ("hero", "villain", "neither")
    assert SequenceClassifier(base, labels=labels).output_labels == labels
    assert SequenceClassifier(base).output_labels == ("LABEL_0", "LABEL_1")
    for wrong in (("one",), ("a", "a")):
        with pytest.raises(UserError, match="two or more labels that differ"):
            SequenceClassifier(base, labels=wrong)


@pytest.mark.parametrize(
    ("settings", "fields", "message"),
    [
        ({}, {"labels": ("a", "b", "c")}, "has 2 classes .* but labels has 3 names"),
        ({}, {"labels": ("a", "a")}, "labels that differ"),
        ({"id2label": {"0": "score"}}, {}, "two or more labels"),
        ({"id2label": {"0": "score"}}, {"labels": ("a", "b")}, "has 1 classes"),
        ({"problem_type": "multi_label_classification"}, {}, "one label per text"),
        ({}, {"batch_tokens": 0}, "at least 1"),
        ({}, {"batch_tokens": 9, "deterministic": True}, "drop batch_tokens"),
        ({}, {"options": {"torch_dtype": "auto"}}, "dtype=…"),
        ({}, {"options": {"trust_remote_code": True}}, "cannot be set"),
        ({}, {"max_input_tokens": 2}, "leaves no room"),
    ],
)
def test_wrong_fields_and_configurations_are_refused(
    folders: dict[str, Path], tmp_path: Path, settings: dict[str, Any], fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        SequenceClassifier(str(copy_with_settings(folders["bert"], tmp_path, **settings)), **fields)


def test_a_model_without_a_trained_head_is_refused(folders: dict[str, Path], tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    bare = copy_with_settings(folders["bert"], tmp_path)
    tensors = load_file(bare / "model.safetensors")
    headless = {name: tensor for name, tensor in tensors.items() if not name.startswith("classifier")}
    save_file(headless, bare / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match="fine-tune it for classification first"):
        models.get(str(bare)).reply([Classify("Tom.")])
    base = copy_with_settings(bare, tmp_path / "base", architectures=["BertForMaskedLM"])
    with pytest.raises(UserError, match="fine-tune it for classification first"):
        SequenceClassifier(str(base), labels=("a", "b", "c")).reply([Classify("Tom.")])


def test_pickled_weights_are_refused_with_the_command_that_converts_them(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    pickled = copy_with_settings(folders["bert"], tmp_path)
    (pickled / "model.safetensors").unlink()
    with pytest.raises(UserError, match="AutoModelForSequenceClassification as M"):
        models.get(str(pickled)).reply([Classify("Tom.")])


def test_a_batch_over_the_memory_is_halved_and_one_impossible_text_fails_alone(
    folders: dict[str, Path], readers: dict[str, SequenceClassifier]
) -> None:
    import torch

    reader = SequenceClassifier(str(folders["bert"]), device="cpu", dtype="fp32")

    def limit_memory(_: Any, __: Any, arguments: dict[str, Any]) -> None:
        rows, width = arguments["input_ids"].shape
        if rows > 2 or width > 60:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")

    reader.network().model.register_forward_pre_hook(limit_memory, with_kwargs=True)
    *replies, failed = reader.reply([Classify(text) for text in (*TEXT[:4], " ".join(TEXT))])
    plain = readers["bert"].reply([Classify(text) for text in TEXT[:4]])
    assert [reply.value[LABELS[0]] for reply in replies] == pytest.approx([reply.value[LABELS[0]] for reply in plain])
    assert failed.value is None and "out of memory on this request alone" in str(failed.error)


def test_other_requests_than_classify_are_refused(readers: dict[str, SequenceClassifier]) -> None:
    with pytest.raises(UserError, match="answers Classify, not Generate"):
        readers["bert"].reply([Generate("a", 1)])
