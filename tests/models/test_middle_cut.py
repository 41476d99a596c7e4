"""Cutting in the middle, compared with the benchmarks' recipe: encode the prompt, keep both halves, decode them."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from models import Part, Prompt, TooLong, truncate
from models.tokenizer import Subwords
from tests.tiny_models import TEXT, byte_level, llama_bpe, unigram
from tests.turns import for_each

BOOK = " ".join(TEXT * 40).replace(". ", ".\n\n")
HARD = "Ångström 読む 😀😀 lamps\n\n\tat  the   mill; naïve\u00a0words … " * 30


def roberta() -> Any:
    """A byte-level tokenizer whose offsets leave out spaces, as RoBERTa's."""
    from tokenizers import processors

    tokenizer = byte_level()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=True)
    return tokenizer


def word_piece() -> Any:
    """A tokenizer like BERT's, lower case, `[CLS]` before and `[SEP]` after."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    letters = sorted({letter for text in TEXT for letter in text.lower() if not letter.isspace()})
    pieces = ["[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{one}" for one in letters), "the", "lamp", "mill", "##ed"]
    tokenizer = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.add_special_tokens(["[UNK]", "[CLS]", "[SEP]"])
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return tokenizer


KINDS: dict[str, Callable[[], Any]] = {
    "byte-level": byte_level,
    "byte-level without special tokens": lambda: byte_level(["<end>"]),
    "byte-level with trimmed places": roberta,
    "SentencePiece BPE": llama_bpe,
    "SentencePiece Unigram": unigram,
    "WordPiece": word_piece,
}
JOINED = ("byte-level without special tokens",)  # in the test, their halves have more tokens together than apart
GIVES_TEXT_BACK = [kind for kind in KINDS if kind not in ("SentencePiece Unigram", "WordPiece")]


def recipe_cut(tokenizer: Any, prompt: str, limit: int) -> str:
    """The benchmarks' recipe on token ids, special tokens included (∞Bench, LaRA, LongBench v2; LongBench, even N)."""
    ids = tokenizer.encode(prompt).ids
    if len(ids) <= limit:
        return prompt
    halves = ids[: limit // 2], ids[-(limit - limit // 2) :]
    return "".join(tokenizer.decode(half, skip_special_tokens=True) for half in halves)


def prompt_of(document: str, before: str = "Read this.\n\n", after: str = "\n\nWho came? Answer:") -> Prompt:
    parts = (Part("text", before), Part("document", document, 0, len(document)), Part("query", after))
    return Prompt(parts, cut_side="middle")


def cut(tokenizer: Any, prompt: Prompt, limit: int, joint: bool = True) -> Prompt:
    """The prompt cut to `limit` tokens, the special ones among them, as a run does it."""
    subwords = Subwords(tokenizer)
    room = limit - sum(subwords.special_around)
    return truncate(prompt, room, subwords.count, subwords.ends, subwords, joint)


def check_spans(prompt: Prompt, document: str) -> None:
    assert [document[start:end] for start, end in prompt.spans] == [part.text for part in prompt.passages]
    ends = [at for span in prompt.spans for at in span]
    assert ends == sorted(ends)


@for_each("kind", GIVES_TEXT_BACK)
@for_each("limit", [60, 61, 100, 255, 256, 1001])
def test_the_text_is_that_of_the_two_halves_of_the_tokens(kind: str, limit: int) -> None:
    tokenizer, prompt = KINDS[kind](), prompt_of(BOOK)
    shown = cut(tokenizer, prompt, limit)
    assert shown.text == recipe_cut(tokenizer, prompt.text, limit)
    check_spans(shown, BOOK)
    assert shown.spans[0][0] == 0 and shown.spans[1][1] == len(BOOK) and len(shown.spans) == 2


@pytest.mark.parametrize("kind", ["SentencePiece Unigram", "WordPiece"])
@pytest.mark.parametrize("limit", [120, 121, 256, 1001])
def test_white_space_and_capitals_that_a_tokenizer_loses_come_from_the_document(kind: str, limit: int) -> None:
    tokenizer, prompt = KINDS[kind](), prompt_of(BOOK, TEXT[0] + "\n\n", "\n\n" + TEXT[1])  # no unknown letters
    shown = cut(tokenizer, prompt, limit)
    expected = recipe_cut(tokenizer, prompt.text, limit).replace("##", "").lower()
    assert "".join(shown.text.lower().split()) == "".join(expected.split())
    check_spans(shown, BOOK)
    head, tail = shown.passages
    assert head.text == head.text.rstrip() and tail.text == tail.text.lstrip()


@pytest.mark.parametrize("kind", KINDS)
def test_half_a_character_is_left_out_whole(kind: str) -> None:
    tokenizer, prompt = KINDS[kind](), prompt_of(HARD)
    different = 0
    for limit in range(120, 180):
        shown = cut(tokenizer, prompt, limit)
        check_spans(shown, HARD)
        if kind in GIVES_TEXT_BACK:
            expected = recipe_cut(tokenizer, prompt.text, limit)
            before, after = expected.partition("\ufffd")[0], expected.rpartition("\ufffd")[2]
            assert shown.text.startswith(before) and shown.text.endswith(after)
            assert shown.text == expected or len(before) < len(expected)
            different += len(before) < len(expected)
    assert (different > 0) == (kind in GIVES_TEXT_BACK)


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_that_fits_with_its_special_tokens_is_the_same_object(kind: str) -> None:
    tokenizer, prompt = KINDS[kind](), prompt_of(BOOK)
    tokens = len(tokenizer.encode(prompt.text).ids)
    assert cut(tokenizer, prompt, tokens) is prompt
    shown = cut(tokenizer, prompt, tokens - 1)
    assert shown is not prompt and shown.truncated_tokens >= 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_tokens_that_were_cut_are_counted(kind: str) -> None:
    subwords = Subwords(KINDS[kind]())
    shown = cut(subwords.tokenizer, prompt_of(BOOK), 300)
    assert shown.truncated_tokens == subwords.count([BOOK])[0] - sum(subwords.count([p.text for p in shown.passages]))


@pytest.mark.parametrize("kind", KINDS)
def test_fixed_text_over_a_half_stays_and_the_document_gets_the_rest(kind: str) -> None:
    subwords = Subwords(KINDS[kind]())
    before = " ".join(TEXT * 3)[:700] + "\n\n"
    prompt = prompt_of(BOOK, before)
    fixed = subwords.count([prompt.parts[0].text, prompt.parts[2].text])
    limit = sum(fixed) + 40 + sum(subwords.special_around)
    shown = cut(subwords.tokenizer, prompt, limit)
    assert shown.text.startswith(before) and shown.text.endswith(prompt.parts[2].text)
    ((start, end),) = shown.spans
    assert (end, len(BOOK) - start > 20) == (len(BOOK), True)
    assert limit - 8 <= subwords.count([shown.text])[0] + sum(subwords.special_around) <= limit
    mirrored = cut(subwords.tokenizer, prompt_of(BOOK, "Read.\n", before), limit)
    assert mirrored.text.startswith("Read.\n") and mirrored.text.endswith(before)
    assert len(mirrored.spans) == 1 and mirrored.spans[0][0] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_fixed_text_over_the_limit_is_too_long(kind: str) -> None:
    prompt = prompt_of(BOOK)
    with pytest.raises(TooLong, match="question and instructions alone take"):
        cut(KINDS[kind](), prompt, 12)
    text = prompt.parts[0].text + prompt.parts[2].text
    fixed = len(KINDS[kind]().encode(text).ids)
    assert cut(KINDS[kind](), prompt, fixed).spans == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_without_joint_no_prompt_is_over_the_limit(kind: str) -> None:
    subwords = Subwords(KINDS[kind]())
    special, over, draw = sum(subwords.special_around), 0, random.Random(1)
    for limit in range(80, 140):
        document = BOOK[draw.randrange(400) :] + HARD[draw.randrange(300) :]
        loose, strict = (cut(subwords.tokenizer, prompt_of(document), limit, joint) for joint in (True, False))
        assert subwords.count([strict.text])[0] + special <= limit
        check_spans(strict, document)
        if subwords.count([loose.text])[0] + special > limit:
            over += 1
            assert strict != loose and strict.truncated_tokens >= loose.truncated_tokens
        else:
            assert strict == loose
        cut_again = cut(subwords.tokenizer, loose, limit, joint=False)  # as a reader does whose own limit is no larger
        assert subwords.count([cut_again.text])[0] + special <= limit
        check_spans(cut_again, document)
    assert over or kind not in JOINED


def test_the_joint_has_no_separator_and_no_mark() -> None:
    prompt = Prompt(
        (Part("text", "Q: "), Part("document", BOOK, 5, 5 + len(BOOK), gap=False, title="One", heading=(0, 4))),
        separator="\n---\n",
        cut_side="middle",
    )
    shown = cut(byte_level(), prompt, 100)
    head, tail = shown.passages
    assert shown.text == "Q: One\n" + head.text + tail.text
    assert (head.start, tail.end) == (5, 5 + len(BOOK)) and BOOK[tail.start - 5 : tail.end - 5] == tail.text
    assert (head.title, head.gap, tail.title, tail.heading, tail.gap) == ("One", False, "", None, None)


def test_a_notice_takes_its_tokens_from_the_document() -> None:
    parts = (Part("document", BOOK, 0, len(BOOK)), Part("notice", "... [cut]"), Part("query", "\nWho?"))
    prompt, tokenizer = Prompt(parts, cut_side="middle"), byte_level()
    shown = cut(tokenizer, prompt, 90)
    assert shown.text == recipe_cut(tokenizer, BOOK + "... [cut]\nWho?", 90)


def test_several_passages_are_cut_lowest_rank_first_even_in_the_middle() -> None:
    passages = [Part("document", text, 0, len(text), rank) for rank, text in enumerate(TEXT[:3])]
    subwords = Subwords(byte_level())
    limit = sum(subwords.count(TEXT[:2])) + 4
    tail = truncate(Prompt(tuple(passages)), limit, subwords.count, subwords.ends, subwords)
    middle = truncate(Prompt(tuple(passages), cut_side="middle"), limit, subwords.count, subwords.ends, subwords)
    assert middle.parts == tail.parts and middle.text == tail.text


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


@for_each("limit", range(8, 60))
def test_a_reader_that_counts_words_keeps_the_first_and_the_last_ones(limit: int) -> None:
    document = " ".join(f"w{number}" for number in range(100))
    shown = truncate(prompt_of(document), limit, words, joint=True)
    all_words = prompt_of(document).text.split()
    assert shown.text.split() == all_words[: limit // 2] + all_words[-(limit - limit // 2) :]
    assert shown.truncated_tokens == len(all_words) - limit
    check_spans(shown, document)


def test_estimated_tokens_fill_the_halves_up_to_a_word() -> None:
    def quarter(texts: Sequence[str]) -> list[int]:
        return [-(-len(text) // 4) for text in texts]

    shown = truncate(prompt_of(BOOK), 200, quarter, joint=True)
    check_spans(shown, BOOK)
    head, tail = (shown.text.split(part.text)[0] for part in shown.passages)
    assert 200 - 12 < quarter([shown.text])[0] <= 200
    assert len(shown.passages[0].text + head) <= 400 and len(shown.passages) == 2 and tail


@dataclass
class CountingTokenizer:
    """A tokenizer that counts the characters it encodes."""

    inner: Subwords
    characters: int = 0

    @property
    def special_around(self) -> tuple[int, int]:
        return self.inner.special_around

    def end_of_first(self, text: str, n: int) -> int:
        self.characters += len(text)
        return self.inner.end_of_first(text, n)

    def start_of_last(self, text: str, n: int) -> int:
        self.characters += len(text)
        return self.inner.start_of_last(text, n)


@pytest.mark.parametrize("kind", GIVES_TEXT_BACK)
def test_only_the_edges_of_a_book_are_tokenized(kind: str) -> None:
    tokenizer = KINDS[kind]()
    counting = CountingTokenizer(Subwords(tokenizer))
    book = BOOK * 40
    prompt = prompt_of(book)
    limit = 1000 + sum(counting.special_around)
    shown = truncate(prompt, 1000, counting.inner.count, counting.inner.ends, counting, joint=True)
    assert shown.text == recipe_cut(tokenizer, prompt.text, limit)
    assert counting.characters == 2 * (6 * 500 + 1000)


def test_a_long_text_in_pieces_has_the_halves_of_one_encoding(tiny_bart: Path) -> None:
    tokenizer = Subwords.load(tiny_bart).tokenizer
    prompt = prompt_of(BOOK * 60)
    for limit in (30_000, 30_001):
        assert cut(tokenizer, prompt, limit).text == recipe_cut(tokenizer, prompt.text, limit)
