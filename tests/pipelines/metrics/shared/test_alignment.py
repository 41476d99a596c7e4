from pipelines.metrics.shared.alignment import align, chunks


def first_letter(word: str) -> str:
    return word[0]


def test_equal_words_come_first_then_equal_stems_then_synonyms_of_stems() -> None:
    synonyms = {"x": ["y"]}
    pairs = align(["ab", "xb", "ac"], ["ac", "yb", "ad"], first_letter, lambda stem: synonyms.get(stem, []))
    assert pairs == [(0, 2), (1, 1), (2, 0)]


def test_without_synonyms_there_are_two_stages() -> None:
    assert align(["xb"], ["yb"], first_letter, None) == []


def test_the_last_hypothesis_word_takes_the_last_free_place() -> None:
    assert align(["a", "a"], ["a", "b", "a", "a"], str, None) == [(0, 2), (1, 3)]


def test_among_synonyms_the_last_place_is_taken() -> None:
    assert align(["a"], ["c", "b"], str, lambda word: ["b", "c"]) == [(0, 1)]


def test_a_word_is_matched_once() -> None:
    assert align(["a", "a", "a"], ["a"], str, lambda word: ["a"]) == [(2, 0)]


def test_chunks_are_runs_adjacent_in_both_texts() -> None:
    assert chunks([]) == 0
    assert chunks([(0, 0), (1, 1), (2, 2)]) == 1
    assert chunks([(0, 1), (1, 0)]) == 2
    assert chunks([(0, 0), (2, 1), (3, 2), (4, 4)]) == 3
