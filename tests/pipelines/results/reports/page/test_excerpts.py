"""Parts of documents in a page: each text once, positions in code points."""

from pipelines.results.reports.page.excerpts import CONTEXT, excerpts


def test_touching_windows_are_merged_and_no_text_is_repeated():
    text = "".join(chr(0x4E00 + n) for n in range(5000))
    parts = excerpts(text, [(1000, 1100), (1500, 1600), (4000, 4100)])
    assert [(start, len(part)) for start, part in parts] == [(700, 1200), (3700, 700)]
    assert all(text[start : start + len(part)] == part for start, part in parts)


def test_windows_end_where_the_document_does():
    assert excerpts("short", [(1, 3)]) == [(0, "short")]
    assert CONTEXT == 300


def test_a_lone_surrogate_is_replaced_by_one_character():
    assert excerpts("a\ud83dbc", [(0, 3)]) == [(0, "a\ufffdbc")]
