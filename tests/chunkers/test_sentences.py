import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sentencex

from chunkers.sentences import Sentences
from chunkers.shared import boundaries
from chunkers.shared.boundaries import clauses, ends_of_sentencex, sentences
from longdoc.errors import UserError
from tests.turns import for_each


def sentences_of(text: str, language: str = "en") -> list[str]:
    return [text[start:end] for start, end in sentences(text, language)]


@for_each(
    "expected",
    [
        ["Dr. Smith met Mr. Jones at 5 p.m. today.", "They left."],
        ["He arrived at 5 p.m.", "She left at 6 a.m. by train."],
        ["I like fruit, e.g. apples and i.e. pears.", "Fine."],
        ["He lives in the U.S.A. and works.", "The U.S.A. is big.", "The U.S. Army came."],
        ["J. R. R. Tolkien wrote it.", "J.R.R. Tolkien too.", "George W. Bush did not."],
        ['"Stop!" he cried.', '"Why?" she asked.', "He left."],
        ["“Stop!” he cried.", "“Why?” she asked.", "“I don’t know.”", "He left."],
        ["“I am here. You are there,” he said.", "“No.”"],
        ["Well... I don't know...", "Maybe.", "And then … nothing."],
        ["Pi is 3.14 and e is 2.71.", "It cost $3.50."],
        ["See Fig. 3 and Sec. 4.2 for more.", "Prof. X et al. agree.", "No. 5 is alive."],
        ["Is it?", "Yes!", "No!!", "What?!", "Ok."],
        ["😀 Hello.", "e\u0301 follows.", "日本。", "OK."],
        ["She works at Acme Inc.", "He lives on St. James St. too."],
        ["He came (see above. Also this.) and left.", "She stayed."],
    ],
)
def test_sentences_end_where_a_reader_ends_them(expected: list[str]) -> None:
    assert sentences_of(" ".join(expected)) == expected


@pytest.mark.parametrize("expected", [
    ["As Vol. 3 says, vols. 4-5 do not.", "Next."],
    ["By Eq. (3) and Eqs. (4), Thm. 2 holds.", "See Chs. 1 and 2."],
    ["In Chap. IV he dies.", "In Chap. V. she does."],
])  # fmt: skip
def test_an_abbreviation_before_a_number_does_not_end_a_sentence(expected: list[str]) -> None:
    assert sentences_of(" ".join(expected)) == expected


@pytest.mark.parametrize("expected", [
    ["鲸鱼是哺乳动物。", "它们生活在海里！", "你知道吗？"],
    ["यह एक किताब है।", "वह पढ़ता है।", "क्या?"],
    ["သူ သွားတယ်။", "ဟုတ်တယ်။"],
    ["ខ្ញុំអានសៀវភៅ។", "គាត់ទៅផ្សារ។", "បាទ"],
    ["ปลาวาฬเป็นสัตว์", "มันอาศัยอยู่ในทะเล ๒ แห่ง", "เด็ก ๆ ไป"],
    ["ປາວານແມ່ນສັດ", "ມັນຢູ່ທະເລ"],
    ["الحوت حيوان.", "هل تعلم؟", "نعم."],
    ["ዓሣ ነው።", "እሺ።"],
    ["འདི་ནི་དེབ་ཡིན།", "ང་ཚོ་འགྲོ།"],
])  # fmt: skip
def test_sentences_end_in_any_script_without_naming_the_language(expected: list[str]) -> None:
    assert sentences_of(" ".join(expected)) == expected


def test_a_long_sentence_of_any_script_is_cut_at_the_stops_inside_its_quotations() -> None:
    text = "「はい。そうです。」"
    assert [text[start:end] for start, end in clauses(text)] == ["「はい。", "そうです。」"]
    text = "“एक। दो॥ तीन؟”"
    assert [text[start:end] for start, end in clauses(text)] == ["“एक।", "दो॥", "तीन؟”"]


def test_a_full_stop_inside_a_word_does_not_end_a_sentence() -> None:
    assert sentences_of("See paragraph 1.E below. Go to www.Example.org now.") == [
        "See paragraph 1.E below.", "Go to www.Example.org now.",
    ]  # fmt: skip


def test_an_abbreviation_can_end_a_sentence() -> None:
    assert sentences_of("He read the vol. Then he slept.") == ["He read the vol.", "Then he slept."]


@pytest.mark.parametrize("expected", [
    ['I can\'t believe it!" said Tom.', '"Me neither."'],
    ['and so it ended."', '"Not for me."'],
    ["He looked at the dogs' tails.", "'Twas late."],
    ["“He went on.", "And on.", "Never stop.", "He did"],
])  # fmt: skip
def test_a_quotation_mark_stays_with_the_words_it_touches(expected: list[str]) -> None:
    assert sentences_of(" ".join(expected)) == expected


def test_a_heading_without_a_full_stop_ends_at_the_blank_line() -> None:
    assert sentences_of("CHAPTER ONE\n \nIt was dark.\r\n\r\nThe End") == ["CHAPTER ONE", "It was dark.", "The End"]


def test_a_line_break_does_not_end_a_sentence() -> None:
    assert sentences_of("The ship\nsailed with Mr.\nSmith.\nIt sank.") == [
        "The ship\nsailed with Mr.\nSmith.",
        "It sank.",
    ]


def test_other_languages_have_their_own_rules() -> None:
    assert sentences_of("Das ist z. B. gut. Am 3. Mai kam er.", "de") == ["Das ist z. B. gut.", "Am 3. Mai kam er."]
    assert sentences_of("船は海を渡った。はい。", "ja") == ["船は海を渡った。", "はい。"]


@pytest.mark.parametrize("language", ["english", "EN", "xx", ""])
def test_a_language_without_rules_is_refused(language: str) -> None:
    with pytest.raises(UserError, match="unknown language of sentences"):
        Sentences(language=language)


def test_a_huge_paragraph_has_the_same_sentences_in_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Dr. Smith sailed at 5 p.m. from Dover. He never came back! Why? Nobody knows it. " * 40
    whole = sentences_of(text)
    assert len(whole) == 160
    monkeypatch.setattr(boundaries, "_BATCH", 0)
    assert sentences_of(text) == whole
    monkeypatch.setattr(boundaries, "_BLOCK", 700)
    assert sentences_of(text) == whole
    monkeypatch.setattr(boundaries, "_BLOCK", 7)
    assert "".join(sentences_of(text)).replace(" ", "") == text.replace(" ", "")


class RecordingSplitter:
    """sentencex; `segmented` and `bounded` have the texts with which each of its functions was called."""

    def __init__(self) -> None:
        self.segmented: list[str] = []
        self.bounded: list[str] = []

    def segment(self, language: str, text: str) -> list[str]:
        self.segmented.append(text)
        segments: list[str] = sentencex.segment(language, text)
        return segments

    def get_sentence_boundaries(self, language: str, text: str) -> list[dict[str, Any]]:
        self.bounded.append(text)
        boundaries: list[dict[str, Any]] = sentencex.get_sentence_boundaries(language, text)
        return boundaries


def test_short_paragraphs_are_read_together_and_a_long_one_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    short = [f"“One {number}!” Two. " * (1 + number % 3) for number in range(300)]
    long = "Three “é”. Four! " * 700
    text = "\n \n".join([*short, long, "Five. Six."])
    splitter = RecordingSplitter()
    monkeypatch.setattr(boundaries, "_sentencex", lambda: splitter)
    together = sentences_of(text)
    assert len(splitter.segmented) < 10 and max(len(part.encode()) for part in splitter.segmented) < 10_240
    assert splitter.bounded == [long.strip()]
    monkeypatch.setattr(boundaries, "_BATCH", 0)
    assert sentences_of(text) == together
    assert len(splitter.bounded) == 1 + len(short) + 2


def test_a_huge_paragraph_without_any_end_is_cut_at_the_last_space_of_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundaries, "_BATCH", 0)
    monkeypatch.setattr(boundaries, "_BLOCK", 12)
    assert sentences_of("one two three four five six") == ["one two", "three four", "five six"]


def test_offsets_are_right_for_any_characters() -> None:
    for seed in range(40):
        text = "".join(random.Random(seed).choices('aB.!?"”“ \n\r\ud800é😀船。\u2028\u0301', k=200))
        spans = sentences(text)
        assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
        assert "".join(text[start:end] for start, end in spans).split() or not text.split()
        assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())


@pytest.mark.parametrize("end", ["", "\n", "\n\n", " \n\n\n ", "\r\n\r\n"])
def test_a_long_text_has_the_same_sentence_ends_in_several_blocks(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n\n".join(f"One {i}. “Two {i}!” Three." for i in range(200)) + end
    whole = ends_of_sentencex(text, "en")
    monkeypatch.setattr(boundaries, "_BLOCK", 100)
    parts = ends_of_sentencex(text, "en")
    spans = [[text[a:b].strip() for a, b in pairwise([0, *ends])] for ends in (whole, parts)]
    assert list(filter(None, spans[0])) == list(filter(None, spans[1]))
    assert parts[-1] == len(text)


@for_each("space", [" ", "\u00a0", "\u1680", "\u2003", "\u202f", "\u3000"])
@for_each("language", ["en", "fr", "ja"])
def test_any_space_may_stand_between_a_single_capital_and_a_full_stop(space: str, language: str) -> None:
    text = f"They met M{space}. Then they left."
    assert "".join(sentences_of(text, language)).replace(" ", "") == text.replace(" ", "")


def test_clauses_end_inside_quotations_too() -> None:
    text = "“I am here. You go!” he said… Then 3.14 (or so.) 船。はい"
    assert [text[a:b] for a, b in clauses(text)] == [
        "“I am here.", "You go!”", "he said…", "Then 3.14 (or so.)", "船。", "はい",
    ]  # fmt: skip


def test_sentences_are_packed_up_to_the_size() -> None:
    text = "One two. Three four five. Six. Seven eight nine ten."
    assert [chunk.text for chunk in Sentences(5).split(text)] == [
        "One two. Three four five.",
        "Six. Seven eight nine ten.",
    ]


def test_a_long_quotation_is_cut_at_the_sentence_ends_inside_it() -> None:
    text = "“One two three. Four five six. Seven eight,” he said."
    assert [chunk.text for chunk in Sentences(5).split(text)] == [
        "“One two three.",
        "Four five six.",
        "Seven eight,” he said.",
    ]


def test_a_long_sentence_without_any_end_is_cut_between_words() -> None:
    assert [chunk.text for chunk in Sentences(3).split("One. a b c d e f g. Two.")] == [
        "One.", "a b c", "d e f", "g.", "Two.",
    ]  # fmt: skip


def test_real_books_are_split_into_whole_sentences(realdata: Path) -> None:
    text = (realdata / "narrativeqa" / "stories" / "2500.txt").read_text(encoding="utf-8")
    chunks = Sentences(200).split(text)
    assert max(len(chunk.text.split()) for chunk in chunks) <= 200
    inside = [a for a, b in pairwise(chunks) if a.text[-1] not in ".!?:\"'*)" and "\n\n" not in text[a.end : b.start]]
    assert len(chunks) > 200
    assert len(inside) <= 2  # in sentences of more than 200 words
