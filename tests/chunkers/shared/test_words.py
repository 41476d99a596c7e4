import random
import re
import sys

import numpy as np
import pytest
import regex

from chunkers.shared import words as words_module
from chunkers.shared.words import count_words, long_words, white_space, word_count, word_spans


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in word_spans(text)]


def test_white_space_is_that_of_python_and_its_regexes() -> None:
    characters = "".join(map(chr, range(sys.maxunicode + 1)))
    assert np.flatnonzero(white_space(characters)).tolist() == [
        i for i, char in enumerate(characters) if char.isspace()
    ]
    assert [match.start() for match in re.finditer(r"\s", characters)] == np.flatnonzero(
        white_space(characters)
    ).tolist()


def test_white_space_of_ascii_alone_is_the_same() -> None:
    letters = "".join(map(chr, range(128)))
    assert white_space(letters).tolist() == list(map(str.isspace, letters))


@pytest.mark.parametrize(
    "text", ["", "a", " ", " a", "a ", "ab  c\n", "\u3000船 \x85é", "😀\x1c😀", "\ud800 a", "— “한국어”"]
)
def test_words_are_the_stretches_without_white_space(text: str) -> None:
    assert word_spans(text).tolist() == [list(match.span()) for match in re.finditer(r"\S+", text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("使うPython3を", "使|う|Python3|を"),
        ("2024年3月", "2024|年|3|月"),
        ("コーヒー", "コ|ー|ヒ|ー"),
        ("ｶﾞﾗｽ", "ｶﾞ|ﾗ|ｽ"),
        ("สัตว์ป่า", "สั|ต|ว์|ป่|า"),
        ("မြန်မာ", "မြ|န်|မာ"),
        ("ភាសាខ្មែរ", "ភា|សា|ខ្|មែ|រ"),
        ("ພາສາລາວ", "ພ|າ|ສ|າ|ລ|າ|ວ"),
        ("हिन्दी में किताब", "हिन्दी|में|किताब"),
        ("한국어 문서", "한국어|문서"),
    ],
)
def test_each_letter_of_a_script_without_spaces_is_a_word(text: str, parts: str) -> None:
    assert words(text) == parts.split("|")
    assert word_count(text) == len(parts.split("|"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("鲸鱼。海！", "鲸|鱼。|海！"),
        ("「はい」と、", "「は|い」|と、"),
        ("『「使」", "『「使」"),
        ("使う（Python、Java）を", "使|う|（Python、Java）|を"),
        ("……使う", "……使|う"),
        ("使👍う", "使👍|う"),
        ("。。。", "。。。"),
    ],
)
def test_marks_go_with_the_letter_before_and_opening_brackets_with_the_one_behind(text: str, parts: str) -> None:
    assert words(text) == parts.split("|")


def test_a_whole_text_of_letters_alone_is_counted_by_its_letters() -> None:
    assert word_count("鲸鱼是哺乳动物。" * 21_753) == 152_271


def _texts() -> list[str]:
    draw = random.Random(0)
    return ["".join(draw.choices("使うab 「(」、.\u0e48ก1é \n", k=draw.randint(0, 40))) for _ in range(100)]


def test_words_over_the_border_of_a_block_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["one two  three\n\nfour é five ", *_texts()]
    whole = [words(text) for text in texts]
    for block in range(1, 9):
        monkeypatch.setattr(words_module, "_BLOCK", block)
        assert [words(text) for text in texts] == whole


def test_words_contain_all_but_white_space_and_a_stretch_of_words_has_as_many() -> None:
    for text in _texts():
        spans = word_spans(text).tolist()
        assert re.sub(r"\s", "", "".join(words(text))) == re.sub(r"\s", "", text)
        for i in range(len(spans)):
            for j in range(i, len(spans)):
                assert word_count(text[spans[i][0] : spans[j][1]]) == j - i + 1


def test_the_counts_of_many_texts_are_those_of_each() -> None:
    texts = _texts()
    assert count_words(texts) == [word_count(text) for text in texts] == [len(words(text)) for text in texts]
    assert count_words(["où", "", "no one"]) == [1, 0, 2]
    assert count_words([]) == []


def test_letters_that_are_words_by_themselves_are_those_of_scripts_without_spaces() -> None:
    characters = [char for char in map(chr, range(sys.maxunicode + 1)) if not char.isspace()]
    starts = set(word_spans(" ".join(char * 2 for char in characters))[:, 0].tolist())
    letters = [char for number, char in enumerate(characters) if 3 * number + 1 in starts]
    scripts = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc\uff70]")
    assert all(scripts.match(char) for char in letters)
    assert {"使", "々", "う", "ｱ", "ー", "ก", "ກ", "ក", "က", "𠮷"} <= set(letters)
    assert not {"๑", "・", "、", "한", "अ", "é"} & set(letters)


def test_very_long_words_get_a_remark() -> None:
    long = "a" + "b" * 200 + " 3" + "c" * 300
    assert long_words(f"Short. {long} words.") == (
        "2 word(s) of over 200 characters, the longest 301; for useful sizes set unit= to a tokenizer"
    )
    assert long_words("a" * 200) is None


@pytest.mark.parametrize(
    "text", ["", "鲸鱼是哺乳动物" * 999, "ปลาวาฬ" * 999, "ကျွန်တော်" * 999, "-" * 999, "a_" + "_" * 999]
)
def test_letters_of_scripts_without_spaces_and_ruled_lines_get_no_remark(text: str) -> None:
    assert long_words(text) is None
