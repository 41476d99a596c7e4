"""Subtitles and their times."""

import pytest

from longdoc.errors import UserError
from pipelines.sources.own_data._subtitles import Cue, align, cues


def cue_list(*times: tuple[int, int, str]) -> list[Cue]:
    return [Cue(start, end, text) for start, end, text in times]


def test_a_cue_is_one_line_without_tags() -> None:
    text = (
        '1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Hello,</i>\r\n{\\an8}<font color="#fff">Tom</font> < Anna.\r\n\r\n'
        "2\r\n01:02:03.5 --> 01:02:04,050  X1:10 X2:20\r\n- Yes?\r\n- No.\r\n"
    )
    assert cues(text, "film.srt") == cue_list((1000, 2500, "Hello, Tom < Anna."), (3723500, 3724050, "- Yes? - No."))
    assert cues(text, "film.srt")[1].time == "01:02:03,500"


def test_numbers_and_blank_lines_may_be_missing_and_a_text_may_be_a_number() -> None:
    text = (
        "00:00:01,000 --> 00:00:02,000\nOne\n\nmore\n2\n00:00:03,000 --> 00:00:04,000\n1984\n\n"
        "3\n00:00:05,000 --> 00:00:06,000\n\n\n4\n00:00:07,000 --> 00:00:08,000\n7"
    )
    assert [cue.text for cue in cues(text, "film.srt")] == ["One more", "1984", "7"]


def test_cues_are_sorted_by_time() -> None:
    text = "2\n00:00:03,000 --> 00:00:04,000\nlater\n\n1\n00:00:01,000 --> 00:00:02,000\nsooner\n"
    assert [cue.text for cue in cues(text, "film.srt")] == ["sooner", "later"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Just\ntext\n", r"film\.srt has no subtitles"),
        ("1\n00:00:01 --> soon\nHi\n", r"film\.srt:2: expected times such as .* got '00:00:01 --> soon'"),
        ("1\n00:00:05,000 --> 00:00:01,000\nHi\n", r"film\.srt:2: the subtitle ends before it begins"),
    ],
)
def test_unreadable_subtitles_are_named_with_their_line(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        cues(text, "film.srt")


def test_cues_that_are_shown_together_are_a_line() -> None:
    source = cue_list((0, 10, "a"), (10, 20, "b"), (20, 40, "c"), (50, 60, "d"))
    target = cue_list((1, 11, "A"), (12, 19, "B"), (20, 29, "C1"), (30, 40, "C2"), (51, 62, "D"))
    assert align(source, target) == ([("a", "A"), ("b", "B"), ("c", "C1 C2"), ("d", "D")], [])


def test_overlapping_times_go_to_the_longest_overlap() -> None:
    source = cue_list((0, 10, "a"), (8, 20, "b"))
    target = cue_list((0, 12, "A"), (9, 21, "B"))
    assert align(source, target)[0] == [("a", "A"), ("b", "B")]


def test_cues_without_a_counterpart_are_left_out_and_returned() -> None:
    source = cue_list((0, 10, "a"), (20, 30, "b"), (40, 50, "c"))
    target = cue_list((0, 10, "A"), (40, 50, "C"), (60, 70, "D"))
    assert align(source, target) == ([("a", "A"), ("c", "C")], [source[1], target[2]])


def test_less_than_half_of_the_shorter_ones_time_is_no_counterpart() -> None:
    assert align(cue_list((0, 10, "a")), cue_list((5, 20, "A")))[0] == [("a", "A")]
    assert align(cue_list((0, 10, "a")), cue_list((6, 20, "A")))[0] == []


def test_touching_times_do_not_overlap() -> None:
    assert align(cue_list((0, 10, "a")), cue_list((10, 20, "B"))) == ([], cue_list((0, 10, "a"), (10, 20, "B")))


def test_one_long_cue_takes_all_that_are_shown_within_it() -> None:
    source = cue_list((0, 100, "a"), (100, 110, "b"))
    target = cue_list((0, 30, "1"), (30, 60, "2"), (60, 104, "3"), (104, 112, "4"))
    assert align(source, target)[0] == [("a", "1 2 3"), ("b", "4")]
