import json
import random
import shutil
from pathlib import Path

import pytest

from longdoc.errors import UserError
from models.thinking import HARMONY, split
from models.tokenizer import LONG, Subwords
from tests.tiny_models import TEXT, byte_level, llama_bpe

BITS = [
    "Anna",
    " kept",
    " the  ",
    "lamp",
    ".",
    "\n",
    " \n ",
    "\t",
    "   ",
    "\u00a0",
    "\u3000",
    "\x1c",
    "é",
    "読",
    "</s>",
    "<s> ",
    "😀",
]


@pytest.fixture(params=["t5", "bart"])
def folder(request: pytest.FixtureRequest, tiny_t5: Path, tiny_bart: Path) -> Path:
    return tiny_t5 if request.param == "t5" else tiny_bart


def test_long_texts_have_the_tokens_and_spans_of_one_encoding(folder: Path) -> None:
    subwords = Subwords.load(folder)
    draw = random.Random(5)
    for _ in range(5):
        text = "".join(draw.choice(BITS) for _ in range(LONG // 2))
        whole = subwords.tokenizer.encode(text)
        assert len(text) > LONG
        assert subwords.count([text]) == [len(whole.ids) - subwords.added_tokens]
        encoded = subwords.encode(text)
        assert encoded.ids == whole.ids
        assert [place for place, special in zip(encoded.spans, encoded.special, strict=True) if not special] == [
            place for place, special in zip(whole.offsets, whole.special_tokens_mask, strict=True) if not special
        ]
        assert len(encoded.ids) == len(encoded.spans) == len(encoded.special)


def test_only_tokens_that_the_tokenizer_adds_are_special(tiny_bart: Path) -> None:
    encoded = Subwords.load(tiny_bart).encode("Anna</s>")
    assert [encoded.ids[0], *encoded.ids[-2:]] == [0, 2, 2]
    assert [i for i, special in enumerate(encoded.special) if special] == [0, len(encoded.ids) - 1]
    assert encoded.spans[-2:] == [(4, 8), (0, 0)]


def test_counts_are_right_for_any_mixture_of_lengths(folder: Path) -> None:
    subwords = Subwords.load(folder)
    texts = ["", TEXT[0], " ".join(TEXT) * 100, "x", "x" * LONG, TEXT[1]] * 2
    assert subwords.count(texts) == [len(subwords.encode(text).ids) - subwords.added_tokens for text in texts]
    assert subwords.count([]) == []


def test_decoding_leaves_special_tokens_out_and_white_space_as_it_is(tiny_bart: Path) -> None:
    subwords = Subwords.load(tiny_bart)
    assert subwords.decode(subwords.encode(" Anna  kept , a\nlamp").ids) == " Anna  kept , a\nlamp"
    assert subwords.special == {0, 1, 2, 3, 4}


def encode_and_decode(text: str, *special: str) -> str:
    """Encode and decode a text with a tokenizer for which these tokens are special."""
    subwords = Subwords(byte_level(["<|endoftext|>", *special]))
    ids = subwords.encode(text).ids
    assert all(subwords.tokenizer.token_to_id(mark) in ids for mark in special if mark in text)
    return subwords.decode(ids)


def test_marks_of_thinking_that_are_special_tokens_stay_until_the_thinking_is_taken_out() -> None:
    text = encode_and_decode("[THINK]the mill[/THINK]Anna<|endoftext|>", "[THINK]", "[/THINK]")
    assert text == "[THINK]the mill[/THINK]Anna"
    assert split(text) == ("the mill", "Anna")


def test_marks_of_channels_that_are_special_tokens_stay_until_the_thinking_is_taken_out() -> None:
    thought = "<|channel|>analysis<|message|>The mill.<|end|>"
    output = f"{thought}<|start|>assistant<|channel|>final<|message|>Anna<|return|>"
    text = encode_and_decode(output, *HARMONY)
    assert text == output
    assert split(text) == ("The mill.", "Anna")


def test_an_end_token_of_other_families_is_left_out_with_the_other_special_ones() -> None:
    assert encode_and_decode("<|assistant|>Anna<|end|>", "<|assistant|>", "<|end|>") == "Anna"
    assert encode_and_decode("<think>a</think>Anna<|end|>", "<think>", "</think>", "<|end|>") == "<think>a</think>Anna"


def test_a_tokenizer_that_puts_a_space_before_every_text_puts_one_before_a_long_one() -> None:
    tokenizer = llama_bpe()
    subwords = Subwords(tokenizer)
    text = " ".join(TEXT * (LONG // 300))
    assert len(text) > LONG
    whole = tokenizer.encode(text)
    assert subwords.encode(text).ids == whole.ids
    assert subwords.count([text]) == [len(whole.ids) - 1]
    for token, (start, end) in zip(whole.tokens[1:], subwords.encode(text).spans[1:], strict=True):
        assert text[start:end].strip() == token.strip("▁")


def test_folders_with_the_older_byte_level_files_are_read(tiny_led: Path, tmp_path: Path) -> None:
    old = Path(shutil.copytree(tiny_led, tmp_path / "old"))
    model = json.loads((old / "tokenizer.json").read_text())["model"]
    (old / "tokenizer.json").unlink()
    (old / "vocab.json").write_text(json.dumps(model["vocab"]))
    (old / "merges.txt").write_text("#version: 0.2\n" + "\n".join(" ".join(pair) for pair in model["merges"]) + "\n")
    subwords, plain = Subwords.load(old), Subwords.load(tiny_led)
    assert subwords.added_tokens == 2
    for text in TEXT:
        assert subwords.encode(text).ids == plain.encode(text).ids


def test_folders_with_a_sentencepiece_model_only_are_read(tiny_t5: Path, tmp_path: Path) -> None:
    import sentencepiece

    old = Path(shutil.copytree(tiny_t5, tmp_path / "old"))
    (old / "tokenizer.json").unlink()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT),
        model_prefix=str(old / "spiece"),
        vocab_size=80,
        pad_id=0,
        eos_id=1,
        unk_id=2,
        bos_id=-1,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(old / "spiece.model"))
    for text in TEXT:
        assert Subwords.load(old).encode(text).ids == [*pieces.encode(text), 1]


def test_the_error_for_a_folder_without_a_tokenizer_names_the_files_that_it_may_have(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"tokenizer\.json, spiece\.model"):
        Subwords.load(tmp_path)
