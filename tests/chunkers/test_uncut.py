import chunkers


def test_the_chunk_is_the_whole_text_and_never_cut():
    chunker = chunkers.get("uncut")
    assert [(chunk.start, chunk.end, chunk.text) for chunk in chunker.split(" A b.\n")] == [(0, 6, " A b.\n")]
    assert (chunker.single_chunk, chunker.cut) == (True, False)


def test_white_space_has_no_chunk():
    assert chunkers.get("uncut").split(" \n") == []
