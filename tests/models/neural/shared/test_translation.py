"""Models that have codes for the languages they read and write."""

import json
from pathlib import Path
from typing import Any

import pytest

import models
from longdoc.errors import UserError
from models import Generate, Part, Prompt, Score
from tests import tiny_models

CODES = {"nllb": ["eng_Latn", "deu_Latn", "dan_Latn"], "mbart": ["en_XX", "de_DE", "nl_XX"]}
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
TEXT = "Anna kept a lamp in the window."


def tokenizer_with(codes: list[str]) -> Any:
    """A tokenizer like the fast ones of these models: codes are special tokens; the template adds the last code."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    text = " ".join(tiny_models.TEXT)
    pieces = sorted({"▁", *text.replace(" ", ""), *(f"▁{word}" for word in text.split())})
    tokenizer = Tokenizer(
        models.Unigram([*((piece, 0.0) for piece in SPECIAL), *((piece, -1.0) for piece in pieces)], 3, False)
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens([*SPECIAL, *codes])
    last = codes[-1]
    tokens = [("</s>", 2), (last, tokenizer.token_to_id(last))]
    tokenizer.post_processor = processors.TemplateProcessing(single=f"$A </s> {last}", special_tokens=tokens)
    return tokenizer


def build_model(folder: Path, kind: str, tokenizer_config: dict[str, Any], **settings: Any) -> Path:
    from transformers import M2M100Config, M2M100ForConditionalGeneration, MBartConfig, MBartForConditionalGeneration

    tokenizer = tokenizer_with(CODES[kind])
    sizes = {"vocab_size": tokenizer.get_vocab_size(), "max_position_embeddings": 64, "tie_word_embeddings": False}
    shape = tiny_models._bart_settings() | sizes | settings
    nllb = kind == "nllb"
    config = M2M100Config(**shape) if nllb else MBartConfig(**shape)
    network = tiny_models._randomized(
        M2M100ForConditionalGeneration if nllb else MBartForConditionalGeneration, config, 0.2
    )
    network.lm_head.weight.data[[0, 1, 3]] = 0  # so that none of these is ever the best output
    tiny_models._save_network(network, folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer_config))
    return folder


def load_tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(folder / "tokenizer.json"))


@pytest.fixture(scope="module")
def nllb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_model(tmp_path_factory.mktemp("nllb"), "nllb", {"tokenizer_class": "NllbTokenizer"})


@pytest.fixture(scope="module")
def mbart50(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_model(tmp_path_factory.mktemp("mbart50"), "mbart", {"tokenizer_class": "MBart50Tokenizer"})


@pytest.fixture(scope="module")
def mbart25(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_model(tmp_path_factory.mktemp("mbart25"), "mbart", {})


def by_hand(folder: Path, ids: list[int], row: list[int], steps: int) -> list[int]:
    import torch
    from transformers import AutoModelForSeq2SeqLM

    network = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    for _ in range(steps):
        with torch.no_grad():
            logits = network(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([row])).logits
        row = [*row, int(logits[0, -1].argmax())]
        if row[-1] == 2:
            break
    return row


@pytest.mark.parametrize(
    ("kind", "source", "target"), [("nllb", "eng_Latn", "deu_Latn"), ("mbart50", "en_XX", "de_DE")]
)
def test_the_source_code_is_read_first_and_the_target_code_written_first(
    kind: str, source: str, target: str, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(kind)
    tokenizer = load_tokenizer(folder)
    reader = models.get(str(folder), source_language=source, target_language=target, device="cpu", dtype="fp32")
    text_ids = tokenizer.encode(TEXT, add_special_tokens=False).ids
    ids, start = [tokenizer.token_to_id(source), *text_ids, 2], [2, tokenizer.token_to_id(target)]
    (reply,) = reader.reply([Generate(TEXT, 7)])
    assert reply.value == tokenizer.decode(by_hand(folder, ids, start, 6)[2:], skip_special_tokens=True) != ""
    assert reply.tokens_in == len(text_ids)
    assert log_probability(folder, ids, start, text_ids) == pytest.approx(
        reader.reply([Score(TEXT, TEXT)])[0].value, abs=1e-3
    )


def test_mbart_25_reads_the_source_code_last_and_starts_from_the_target_code(mbart25: Path) -> None:
    tokenizer = load_tokenizer(mbart25)
    reader = models.get(str(mbart25), target_language="de_DE", device="cpu", dtype="fp32")
    text_ids = tokenizer.encode(TEXT, add_special_tokens=False).ids
    ids, start = [*text_ids, 2, tokenizer.token_to_id("en_XX")], [tokenizer.token_to_id("de_DE")]
    (reply,) = reader.reply([Generate(TEXT, 6)])
    assert reply.value == tokenizer.decode(by_hand(mbart25, ids, start, 6)[1:], skip_special_tokens=True) != ""
    assert log_probability(mbart25, ids, start, text_ids) == pytest.approx(
        reader.reply([Score(TEXT, TEXT)])[0].value, abs=1e-3
    )


def test_the_target_language_changes_what_is_written(nllb: Path) -> None:
    replies = [
        models.get(str(nllb), target_language=code, device="cpu", dtype="fp32").reply([Generate(TEXT, 8)])[0].value
        for code in ("deu_Latn", "dan_Latn")
    ]
    assert replies[0] != replies[1]


def test_a_configuration_that_fixes_the_target_language_is_enough(tmp_path: Path) -> None:
    number = tokenizer_with(CODES["mbart"]).token_to_id("de_DE")
    folder = build_model(tmp_path, "mbart", {}, decoder_start_token_id=number)
    with_language = models.get(str(folder), target_language="de_DE", device="cpu", dtype="fp32")
    assert models.get(str(folder), device="cpu", dtype="fp32").reply([Generate(TEXT, 6)]) == with_language.reply(
        [Generate(TEXT, 6)]
    )


def test_unknown_codes_are_refused_with_those_that_begin_alike(nllb: Path) -> None:
    with pytest.raises(UserError, match=r"unknown target_language 'de'; did you mean deu_Latn\?"):
        models.get(str(nllb), target_language="de")
    with pytest.raises(UserError, match="unknown source_language 'xx'; known: dan_Latn, deu_Latn, eng_Latn"):
        models.get(str(nllb), source_language="xx", target_language="deu_Latn")
    with pytest.raises(UserError, match="this model writes many languages: give target_language, one of dan_Latn"):
        models.get(str(nllb))


def test_a_language_is_refused_for_models_without_codes(tiny_t5: Path) -> None:
    with pytest.raises(
        UserError, match="target_language='de': t5 models have no language codes; leave it out and say it"
    ):
        models.get(str(tiny_t5), target_language="de")


def test_translation_models_drop_instructions_and_others_follow_them(nllb: Path, tiny_t5: Path) -> None:
    part = Part("document", TEXT, 0, len(TEXT))
    instructed = Generate(Prompt((Part("instruction", "The town stood "), part)), 5)
    bare = Generate(Prompt((part,)), 5)
    reader = models.get(str(nllb), target_language="deu_Latn", device="cpu", dtype="fp32")
    assert reader.reply([instructed]) == reader.reply([bare])
    t5 = models.get(str(tiny_t5), device="cpu", dtype="fp32")
    assert t5.reply([instructed])[0].tokens_in > t5.reply([bare])[0].tokens_in


def log_probability(folder: Path, ids: list[int], start: list[int], target_ids: list[int]) -> float:
    """The log-probability of tokens after the decoder's start."""
    import torch
    from transformers import AutoModelForSeq2SeqLM

    network = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    row = torch.tensor([[*start, *target_ids[:-1]]])
    with torch.no_grad():
        log_probabilities = torch.log_softmax(
            network(input_ids=torch.tensor([ids]), decoder_input_ids=row).logits[0], -1
        )
    return sum(float(log_probabilities[len(start) - 1 + i, token]) for i, token in enumerate(target_ids))
