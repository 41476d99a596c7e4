from pathlib import Path

import pytest

from longdoc.errors import UserError
from pipelines import documents

SRT = (
    "\ufeff1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Call me</i>\r\nIshmael. 🐳\r\n\r\n"
    "3\r\n01:02:05,000 --> 01:02:06,000\r\n- 5 < 6\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nשלום\r\n\r\n"
)
VTT = "WEBVTT\n\nNOTE no cue\n\n00:01.000 --> 00:02.500 align:start\n<v Bob>Hi &amp; you</v>\n"


def read(path: Path, source: str, name: str) -> documents.Text:
    (path / name).write_bytes(source.encode())
    return documents.read(path / name)


def test_a_cue_is_a_line_and_times_are_the_places(tmp_path: Path) -> None:
    text = read(tmp_path, SRT, "film.srt")
    assert text.text == "Call me Ishmael. 🐳\nשלום\n- 5 < 6"
    assert text.marks == ((0, "00:00:01"), (19, "00:00:03"), (24, "01:02:05"))
    assert documents.location(text.meta, text.text, 0, len(text.text)) == "00:00:01–01:02:05"


def test_web_subtitles_are_read_alike(tmp_path: Path) -> None:
    assert read(tmp_path, VTT, "film.vtt").text == "Bob: Hi & you"


def test_a_file_without_cues_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"film.srt has no subtitles; expected lines such as 00:01:02,500"):
        read(tmp_path, "just words", "film.srt")


def test_identifiers_notes_and_styles_are_no_words_and_numbers_in_a_cue_are(tmp_path: Path) -> None:
    source = (
        "WEBVTT\r\n\r\nSTYLE\r\n::cue {}\r\n\r\nintro-1\r\n00:01.000 --> 00:02.000\r\nIt was in\r\n1984\r\n\r\n"
        "NOTE\r\nof the makers\r\n\r\n\r\n2\r\n00:03.000 --> 00:04.000\r\nor in\r\n1985"
    )
    assert read(tmp_path, source, "film.vtt").text == "It was in 1984\nor in 1985"
    last = "1\n00:00:01,000 --> 00:00:02,000\nin\n1984\n\n2\n00:00:03,000 --> 00:00:04,000\nor in\n1985"
    assert read(tmp_path, last, "film.srt").text == "in 1984\nor in 1985"


def test_a_line_too_long_for_a_screen_is_refused(tmp_path: Path) -> None:
    cue = "1\n00:00:01,000 --> 00:00:02,000\n{}\n\n"
    (tmp_path / "a.srt").write_text(cue.format("{" * 200_000))
    with pytest.raises(
        UserError, match=r"a.srt has a line of more than 10,000 characters, so it is not a subtitle file"
    ):
        documents.read(tmp_path / "a.srt")
    (tmp_path / "b.srt").write_text(cue.format("word " * 1_999))
    assert documents.read(tmp_path / "b.srt").text == ("word " * 1_999).strip()


def test_voices_are_named_and_tags_and_readings_left_out(tmp_path: Path) -> None:
    source = (
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<v.loud Ida Lund>Shut <b.x>the</b> door</v>\n<v Ole Dahl>Why?\n\n"
        "00:02.000 --> 00:03.000\n<c.yellow>The</c> <lang de>Tür</lang> <00:02.500>is 5 < 6 &amp; shut\n\n"
        "00:03.000 --> 00:04.000\n<ruby>水<rt>みず</rt></ruby>\n"
    )
    text = read(tmp_path, source, "film.vtt")
    assert text.text == "Ida Lund: Shut the door Ole Dahl: Why?\nThe Tür is 5 < 6 & shut\n水"


def test_rolling_captions_are_read_once_and_repeated_lines_stay(tmp_path: Path) -> None:
    cue = "00:00:0{}.000 --> 00:00:0{}.000\n{}\n\n"
    cues = [" \nwe<00:00:00.500><c> sail</c>", "we sail\n ", "we sail\nat<00:00:02.500><c> dawn</c>", "at dawn\n "]
    rolling = "WEBVTT\n\n" + "".join(cue.format(n, n + 1, lines) for n, lines in enumerate(cues))
    text = read(tmp_path, rolling, "film.vtt")
    assert (text.text, text.marks) == ("we sail\nat dawn", ((0, "00:00:00"), (8, "00:00:02")))
    repeated = "WEBVTT\n\n" + "".join(
        cue.format(n, n + 1, line) for n, line in enumerate(("No!", "No!", "Why?", "So."))
    )
    assert read(tmp_path, repeated, "film.vtt").text == "No!\nNo!\nWhy?\nSo."


def test_other_forms_of_subtitles_are_read_alike(tmp_path: Path) -> None:
    event = "Dialogue: 0,0:00:0{},0:00:09.00,Default,Ole,0,0,0,,{}\n"
    alpha = (
        "[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, "
        "MarginV, Effect, Text\n" + event.format("1.00", r"{\pos(4,5)}We sail\Nat dawn.")
        + event.format("2.00", r"{\p1}m 0 0 l 10 0") + event.format("3.00", "Why?")
    )  # fmt: skip
    youtube = "0:00:01.000,0:00:02.000\nWe sail\nat dawn.\n\n0:00:03.000,0:00:04.000\nWhy?\n"
    timed = (
        '<tt xmlns="http://www.w3.org/ns/ttml"><head><metadata><title>x</title></metadata></head><body><div>'
        '<p begin="00:00:01.000" end="2s">We <span>sail</span><br/>at dawn.</p><p begin="3s" end="4s">Why?</p>'
        "</div></body></tt>"
    )
    for name, source in (("a.ass", alpha), ("a.sbv", youtube), ("a.ttml", timed), ("a.dfxp", timed)):
        text = read(tmp_path, source, name)
        assert (text.text, text.marks) == ("We sail at dawn.\nWhy?", ((0, "00:00:01"), (17, "00:00:03"))), name


def test_timed_text_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a.ttml cannot be read as XML .*. It is damaged or was cut off; fetch"):
        read(tmp_path, "<tt><body><p>We sail", "a.ttml")
