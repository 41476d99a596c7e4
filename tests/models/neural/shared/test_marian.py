"""Marian's files are read as `transformers` reads them."""

import json
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest

import models
from longdoc.errors import UserError
from models import Generate, Part, Prompt, Score
from models.neural.seq2seq import Seq2seq
from models.neural.shared.marian import load
from tests import tiny_models

LINES = [
    *tiny_models.TEXT,
    *tiny_models.MARIAN_TEXT["target"],
    "  Zoë — “naïve”,   42 € … ﬁn! ",
    "船は海を渡った。",
    "aßb\tc\nd",
    "",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.marian(tmp_path_factory.mktemp("marian"))


@pytest.fixture(scope="module")
def reader(folder: Path) -> Seq2seq:
    return Seq2seq(str(folder), device="cpu", dtype="fp32")


@pytest.fixture(scope="module")
def marian_tokenizer(folder: Path) -> Any:
    from transformers import MarianTokenizer

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MarianTokenizer(*(str(folder / name) for name in ("source.spm", "target.spm", "vocab.json")))


def test_both_languages_are_encoded_as_by_its_own_tokenizer(folder: Path, marian_tokenizer: Any) -> None:
    source, target = load(folder, None)
    for line in LINES:
        assert source.encode(line).ids == marian_tokenizer(line).input_ids
        assert target.encode(line).ids == marian_tokenizer(text_target=line).input_ids
        assert source.count([line]) == [len(marian_tokenizer(line).input_ids) - 1]


def test_pieces_of_both_languages_are_decoded(folder: Path, marian_tokenizer: Any) -> None:
    _, target = load(folder, None)
    for line in tiny_models.TEXT + tiny_models.MARIAN_TEXT["target"]:
        ids = marian_tokenizer(text_target=line).input_ids
        assert target.decode(ids) == marian_tokenizer.decode(ids, skip_special_tokens=True)
    assert target.decode(marian_tokenizer("Anna kept a lamp").input_ids) == "Anna kept a lamp"


def test_a_piece_without_an_id_is_unknown(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    vocabulary = json.loads((copy / "vocab.json").read_text(encoding="utf-8"))
    ids = load(folder, None)[0].encode("Anna").ids
    piece_of_anna = next(piece for piece, number in vocabulary.items() if number == ids[0])
    del vocabulary[piece_of_anna]
    fewer = {piece: number for number, piece in enumerate(vocabulary)}
    (copy / "vocab.json").write_text(json.dumps(fewer), encoding="utf-8")
    assert load(copy, None)[0].encode("Anna").ids[0] == fewer["<unk>"]


def test_output_is_the_networks_best_token_step_by_step(folder: Path, reader: Seq2seq, marian_tokenizer: Any) -> None:
    import torch
    from transformers import MarianMTModel

    network = MarianMTModel.from_pretrained(folder).eval()
    for text in tiny_models.TEXT[:3]:
        ids = torch.tensor([marian_tokenizer(text).input_ids])
        row = [network.config.decoder_start_token_id]
        for _ in range(8):
            with torch.no_grad():
                row.append(int(network(input_ids=ids, decoder_input_ids=torch.tensor([row])).logits[0, -1].argmax()))
        (reply,) = reader.reply([Generate(text, 8)])
        assert reply.value == marian_tokenizer.decode(row[1:], skip_special_tokens=True) != ""


def test_a_score_is_that_of_the_target_language_s_tokens(folder: Path, reader: Seq2seq, marian_tokenizer: Any) -> None:
    import torch
    from transformers import MarianMTModel

    network = MarianMTModel.from_pretrained(folder).eval()
    text, line = tiny_models.TEXT[1], "Anna stellte eine Lampe ins Fenster."
    ids, target_ids = (
        torch.tensor([marian_tokenizer(text).input_ids]),
        marian_tokenizer(text_target=line).input_ids[:-1],
    )
    decoder_ids = torch.tensor([[network.config.decoder_start_token_id, *target_ids[:-1]]])
    with torch.no_grad():
        log_probabilities = torch.log_softmax(network(input_ids=ids, decoder_input_ids=decoder_ids).logits[0], -1)
    expected = sum(float(log_probabilities[i, token]) for i, token in enumerate(target_ids))
    (reply,) = reader.reply([Score(text, line)])
    assert reply.value == pytest.approx(expected, abs=1e-3)
    assert reply.tokens_out == len(target_ids)


def test_instructions_are_dropped(reader: Seq2seq) -> None:
    part = Part("document", "Anna kept a lamp.", 0, 17)
    instructed, bare = reader.reply(
        [
            Generate(Prompt((Part("instruction", "translate English to German: "), part)), 8),
            Generate(Prompt((part,)), 8),
        ]
    )
    assert instructed == bare


def test_the_folder_is_a_reader_s_name(folder: Path) -> None:
    assert models.get(str(folder), device="cpu").max_prompt_tokens == 63


def test_languages_are_the_models_own(folder: Path) -> None:
    with pytest.raises(UserError, match="target_language='de': this Marian model is made for one pair"):
        models.get(str(folder), target_language="de")
    with pytest.raises(UserError, match="source_language='en': a Marian model's source language is fixed"):
        models.get(str(folder), source_language="en")


def test_a_multilingual_model_gets_its_language_as_a_piece_before_the_text(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    vocabulary = json.loads((copy / "vocab.json").read_text(encoding="utf-8"))
    del vocabulary["<pad>"]
    names = [*vocabulary, ">>deu<<", ">>dan<<", "<pad>"]
    (copy / "vocab.json").write_text(json.dumps({piece: i for i, piece in enumerate(names)}), encoding="utf-8")
    with pytest.raises(UserError, match="give target_language, one of dan, deu"):
        models.get(str(copy))
    with pytest.raises(UserError, match="unknown target_language 'de'; did you mean deu"):
        models.get(str(copy), target_language="de")
    source, _ = load(copy, ">>deu<<")
    plain, _ = load(copy, None)
    assert source.encode("Anna").ids == [names.index(">>deu<<"), *plain.encode("Anna").ids]
    assert source.added_tokens == 2


def test_damaged_files_are_refused_by_name(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    (copy / "source.spm").write_bytes(b"\x0a\xff\xff nonsense")
    with pytest.raises(UserError, match=r"cannot read the SentencePiece model .*source\.spm"):
        models.get(str(copy))
    (copy / "vocab.json").write_text("{")
    with pytest.raises(UserError, match=r"cannot read Marian's vocabulary .*vocab\.json"):
        models.get(str(copy))
