import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunkers.shared import tokenizer_unit
from chunkers.shared.units import unit_of
from longdoc.characters import encodable
from longdoc.errors import UserError


def test_half_a_surrogate_pair_keeps_its_place() -> None:
    assert encodable("a\ud83d😀") == "a\ufffd😀"


def test_tokens_of_a_long_text_have_the_offsets_of_a_single_encoding(
    word_pieces: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Captain Lacroix counted.\nNobody sailed  at dawn, \r\n\r\n and the crew was 船. " * 9
    monkeypatch.setattr(tokenizer_unit, "PIECE", 50)
    monkeypatch.setattr(tokenizer_unit, "_BATCH", 2)
    unit = unit_of(word_pieces)
    encoding = word_pieces.encode(text)
    spans, before = unit.pieces(text)
    assert spans.tolist() == [list(span) for span in encoding.offsets]
    assert before is not None and before.tolist() == list(range(len(encoding) + 1))
    assert unit.counts([text, "", "dawn"]) == [len(encoding), 0, len(word_pieces.encode("dawn"))]


@pytest.mark.parametrize("cuts_at_spaces", [True, False])
def test_the_pieces_of_a_text_do_not_depend_on_the_texts_before(
    byte_pairs: Any, word_pieces: Any, monkeypatch: pytest.MonkeyPatch, cuts_at_spaces: bool
) -> None:
    monkeypatch.setattr(tokenizer_unit, "PIECE", 40)
    monkeypatch.setattr(tokenizer_unit, "_CACHE_SIZE", 60)
    monkeypatch.setattr(tokenizer_unit, "_cuts_at_spaces", lambda tokenizer: cuts_at_spaces)
    draw = random.Random(5)
    words = [
        "Lacroix",
        " sailed",
        "\nNobody",
        "   ",
        "\n\n",
        "at",
        " 船",
        "\t",
        " dawn.",
        "----",
        "\n---",
        " é",
        "\r\n",
        " 1,000",
    ]
    texts = ["".join(draw.choices(words, k=80)) for _ in range(12)]
    for tokenizer in (with_runs_of_white_space(byte_pairs), word_pieces):
        unit = unit_of(tokenizer)
        for text in texts:
            (spans, before), (fresh_spans, fresh_before) = unit.pieces(text), unit_of(tokenizer).pieces(text)
            assert spans.tolist() == fresh_spans.tolist()
            assert before is not None and fresh_before is not None and before.tolist() == fresh_before.tolist()


def with_runs_of_white_space(byte_pairs: Any) -> Any:
    """A byte-level tokenizer that has tokens of several spaces and line breaks."""
    import tokenizers
    from tokenizers import models, trainers

    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = byte_pairs.pre_tokenizer
    texts = [" " * spaces + "a" + "\n" * breaks + "b" for spaces in range(9) for breaks in range(9)]
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=60, show_progress=False))
    return tokenizer


def test_a_tokenizer_that_splits_at_every_space_is_recognised(byte_pairs: Any, word_pieces: Any) -> None:
    import tokenizers
    from tokenizers import normalizers, pre_tokenizers

    unsplit = tokenizers.Tokenizer.from_str(word_pieces.to_str())
    unsplit.pre_tokenizer = None
    joined = tokenizers.Tokenizer.from_str(word_pieces.to_str())
    joined.normalizer, joined.pre_tokenizer = normalizers.Replace(" ", "_"), pre_tokenizers.WhitespaceSplit()
    cuts = [tokenizer_unit._cuts_at_spaces(tokenizer) for tokenizer in (byte_pairs, word_pieces, unsplit, joined)]
    assert cuts == [True, True, False, False]


def test_words_are_not_cached_where_the_tokenizer_fails() -> None:
    words = tokenizer_unit._WordCache()
    with pytest.raises(ValueError, match="no more"):
        words.lookup([" a", " b"], fail)
    numbers, tokens = words.lookup([" b"], lambda texts: [np.arange(len(text)) for text in texts])
    assert (numbers.tolist(), tokens.counts.tolist(), tokens.offsets.tolist()) == ([0], [2], [0, 1])


def fail(texts: Any) -> Any:
    raise ValueError("no more")


def test_a_unit_can_be_pickled(byte_pairs: Any) -> None:
    unit: Any = pickle.loads(pickle.dumps(unit_of(byte_pairs)))  # noqa: S301  (of this test)
    assert unit.counts(["a b"]) == unit_of(byte_pairs).counts(["a b"])


def test_parts_are_cut_before_white_space_and_preferably_at_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tokenizer_unit, "PIECE", 8)

    def parts(text: str) -> list[str]:
        return [text[start:end] for start, end in tokenizer_unit._parts(text)]

    assert parts("one  two  six ten") == ["one  two", "  six", " ten"]
    assert parts("one\r\n\r\ntwo six") == ["one", "\r\n\r\ntwo", " six"]
    assert parts("a" * 20) == ["aaaaaaaa", "aaaaaaaa", "aaaa"]
    assert "".join(parts(" " * 20 + "a" + "\n" * 9)) == " " * 20 + "a" + "\n" * 9


def test_tokens_that_share_a_character_are_one_piece(byte_pairs: Any) -> None:
    spans, before = unit_of(byte_pairs).pieces("a 😀 é")
    assert spans.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert before is not None and before.tolist() == [0, 1, 6, len(byte_pairs.encode("a 😀 é"))]


def test_characters_that_a_normalizer_drops_go_with_the_token_before(word_pieces: Any) -> None:
    import tokenizers
    from tokenizers import normalizers

    tokenizer = tokenizers.Tokenizer.from_str(word_pieces.to_str())
    tokenizer.normalizer = normalizers.Replace("\x00", "")
    assert unit_of(tokenizer).pieces("\x00at \x00\x00 at").spans.tolist() == [[0, 1], [1, 6], [7, 9]]
    assert unit_of(tokenizer).pieces("\x00").spans.tolist() == [[0, 1]]


def test_a_tokenizer_s_truncation_and_padding_are_ignored_and_unchanged(
    word_pieces: Any,
) -> None:
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_str(word_pieces.to_str())
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=20)
    text = "ship ship ship ship ship"
    assert unit_of(tokenizer).count(text) == unit_of(word_pieces).count(text) > 3
    assert unit_of(tokenizer).count("at") < 20
    assert tokenizer.truncation["max_length"] == 3


def test_special_tokens_are_not_counted(word_pieces: Any) -> None:
    import tokenizers
    from tokenizers import processors

    tokenizer = tokenizers.Tokenizer.from_str(word_pieces.to_str())
    tokenizer.post_processor = processors.TemplateProcessing(single="[UNK] $A [UNK]", special_tokens=[("[UNK]", 0)])
    assert len(tokenizer.encode("at").ids) == len(word_pieces.encode("at").ids) + 2
    assert unit_of(tokenizer).count("at") == unit_of(tokenizer).counts(["at"])[0] == len(word_pieces.encode("at").ids)


def test_a_folder_and_a_file_are_tokenizers_too(word_pieces: Any, tmp_path: Path) -> None:
    word_pieces.save(str(tmp_path / "tokenizer.json"))
    for name in (tmp_path, tmp_path / "tokenizer.json"):
        assert unit_of(str(name)).count("the ship") == len(word_pieces.encode("the ship"))


def test_tokenizers_of_transformers_count_without_warnings(
    byte_pairs: Any, capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    from transformers import ByT5Tokenizer, PreTrainedTokenizerFast

    fast = PreTrainedTokenizerFast(tokenizer_object=byte_pairs, model_max_length=5)
    text = "the ship sailed at dawn " * 20
    assert unit_of(fast).count(text) == len(byte_pairs.encode(text))
    slow = ByT5Tokenizer(model_max_length=5)
    assert unit_of(slow).count("é ship") == 7
    assert unit_of(slow).pieces("é ship").spans.tolist() == [[0, 1], [2, 6]]
    assert capfd.readouterr().err == ""
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize("name", ["nobody/no-such-tokenizer", "no such name at all"])
def test_a_missing_tokenizer_is_an_error_with_the_ways_to_get_it(name: str) -> None:
    with pytest.raises(UserError, match=f"Give a folder with its files, or run `longdoc data fetch {name}`"):
        unit_of(name)


def test_a_file_that_is_not_a_tokenizer_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(UserError, match="is not a tokenizer file"):
        unit_of(str(tmp_path))


@pytest.mark.parametrize("result", ["tokens", 1.5, None, {"input_ids": [1]}])
def test_a_function_that_returns_neither_a_number_nor_tokens_is_refused(result: object) -> None:
    with pytest.raises(UserError, match="must return a number of tokens, or the tokens; it returned"):
        unit_of(lambda _: result).count("text")


def test_a_function_may_return_numbers_of_numpy() -> None:
    assert unit_of(lambda text: np.int64(len(text))).count("abc") == 3


def test_a_unit_that_cannot_count_is_refused() -> None:
    with pytest.raises(UserError, match=r"unit must be .* got 7"):
        unit_of(7)
