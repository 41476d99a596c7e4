"""Lengths, duplicates, and evidence beyond a limit, counted by hand."""

from pathlib import Path

import pytest

import pipelines
from longdoc.errors import UserError
from pipelines.plugins.study.analysis import lengths as lengths_module
from pipelines.records import Document, Example

NUMBERED = " ".join(f"w{i:04}" for i in range(2_000))  # word i is at 6 i … 6 i + 5


def example(name: str, text: str = "a b c d", document: str = "d", **fields: object) -> Example:
    return Example(name, Document(document, text), **fields)  # type: ignore[arg-type]


def word(first: int, last: int) -> tuple[int, int]:
    return 6 * first, 6 * last + 5


def test_an_input_is_question_options_and_document_and_every_reference_an_output() -> None:
    lengths = pipelines.lengths(
        "scrolls/quality",
        data=[
            example("a", query="Who is it?", options=("Anna B.", "Bert"), references=("Bert",)),
            example("b", references=("one two three", "")),
        ],
    )
    assert lengths.values == {"input words": [4 + 3 + 3, 4], "output words": [1, 3, 0]}
    assert (lengths.examples, lengths.documents, lengths.shared, lengths.duplicates) == (2, 1, 1, 0)


def test_duplicate_documents_are_those_with_the_text_of_another() -> None:
    texts = [("1", "a b c"), ("2", "a  b\nc"), ("3", "a b d"), ("4", "a b c ")]
    lengths = pipelines.lengths("scrolls/gov_report", data=[example(n, text, n) for n, text in texts])
    assert (lengths.documents, lengths.duplicates, lengths.shared) == (4, 2, 0)


def test_evidence_beyond_the_first_words_of_the_input() -> None:
    data = [
        example("near", NUMBERED, evidence=(word(0, 9),)),
        example("edge", NUMBERED, query="one two", evidence=(word(509, 509), word(510, 510))),  # 512 = 2 + 510
        example("far", NUMBERED, evidence=(word(1_500, 1_600),)),
        example("none", NUMBERED),
    ]
    lengths = pipelines.lengths("scrolls/qasper", data=data)
    assert lengths.with_evidence == 3
    first, second, *rest = lengths.beyond
    assert (first.limit, first.evidence) == (512, pytest.approx((0 + 50 + 100) / 3))
    assert (first.some, first.all) == (pytest.approx(200 / 3), pytest.approx(100 / 3))
    assert (second.limit, second.evidence, second.all) == (1_024, pytest.approx(100 / 3), pytest.approx(100 / 3))
    assert [(one.limit, one.evidence) for one in rest] == [(4_096, 0.0), (16_384, 0.0)]


def test_evidence_that_is_cut_counts_by_its_characters() -> None:
    lengths = pipelines.lengths("scrolls/qasper", data=[example("a", NUMBERED, evidence=(word(511, 512),))])
    assert lengths.beyond[0].evidence == pytest.approx(100 * 6 / 11)  # "w0511 w0512": the space and the second word


def test_tokens_are_counted_beside_words(tiny_t5: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_t5)
    text, query, answer = "the old house by the sea was empty", "who was there", "nobody at all"

    def count(part: str) -> int:
        return len(tokenizer(part, add_special_tokens=False)["input_ids"])

    lengths = pipelines.lengths(
        "scrolls/qasper", data=[example("a", text, query=query, references=(answer,))], tokenizer=str(tiny_t5)
    )
    assert lengths.values["input words"] == [11]
    assert lengths.values["input tokens"] == [count(query) + count(text)]
    assert lengths.values["output tokens"] == [count(answer)]


def test_a_record_prints_and_becomes_plain_values() -> None:
    lengths = pipelines.lengths("scrolls/qasper", data=[example("a", NUMBERED, evidence=(word(600, 700),))])
    assert "scrolls/qasper, validation: 1 example over 1 document" in str(lengths)
    rows = [line.split() for line in str(lengths).splitlines()]
    assert ["512", "100.0", "100.0", "100.0"] in rows and ["1,024", "0.0", "0.0", "0.0"] in rows
    plain = lengths.to_dict()
    assert plain["lengths"]["input words"]["median"] == 2_000
    assert plain["beyond"][1] == {"limit": 1_024, "evidence": 0.0, "some": 0.0, "all": 0.0}


def test_a_task_without_evidence_says_nothing_of_it() -> None:
    lengths = pipelines.lengths("scrolls/gov_report", data=[example("a")])
    assert (lengths.with_evidence, lengths.beyond) == (0, [])
    assert "evidence" not in str(lengths)


def test_an_unknown_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere' is not \"words\", and no tokenizer of that name can be loaded"):
        lengths_module.lengths("scrolls/qasper", data=[example("a")], tokenizer=str(tmp_path / "nowhere"))
