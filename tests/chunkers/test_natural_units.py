"""Units: what is added to the contract that every chunker is tested for."""

import chunkers
from chunkers.units import LONG, in_turns


def units(of: str, text: str) -> list[chunkers.Chunk]:
    return chunkers.get("units", of=of).split(text)


def test_a_long_sentence_is_split_at_the_full_stops_inside_its_quotations() -> None:
    quoted = 'He wrote: "' + "One two three four five. " * 21 + 'Six." And left.'
    found = [chunk.text for chunk in units("sentence", f"Short one. {quoted}")]
    assert found[:2] == ["Short one.", 'He wrote: "One two three four five.'] and found[-1] == "And left."
    assert max(len(text.split()) for text in found) < LONG


def test_a_long_sentence_without_full_stops_is_kept() -> None:
    text = "word " * (LONG + 50) + "end."
    assert [chunk.text for chunk in units("sentence", text)] == [text]


def test_sentences_and_turns_of_a_conversation_are_told_from_other_texts() -> None:
    talk = "Ann: Shall we start? It is late.\nBen: Yes.\nAnn (laughs): Good."
    assert in_turns(units("sentence", talk)) and in_turns(units("turn", talk))
    assert not in_turns(units("sentence", "A text: of two paragraphs.\n\nNo one speaks."))
    assert not in_turns([])
