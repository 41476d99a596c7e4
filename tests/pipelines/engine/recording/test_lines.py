"""Lines with checksums: every flipped bit is detected, and the other records are kept."""

import pytest

from longdoc.checked_json import Malformed
from pipelines.engine.recording.lines import decode_line, encode_line, lines, records

RECORDS = [{"id": "ä", "text": "one\u2028{}"}, {"id": "b"}, {"id": "c", "value": [1.5, "\ud800"]}]


def accept(record):
    """Accept every record."""


def write_file(path, content):
    path.write_bytes(content)
    return path


def test_a_line_is_json_that_ends_with_the_checksum_of_the_rest():
    assert encode_line({"id": "a"}) == b'{"id":"a","crc32":"143f85da"}\n'
    assert decode_line(b'{"id":"a","crc32":"143f85da"}') == {"id": "a"}


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":"b","crc32":"143f85da"}',
        b'{"id":"a","crc32":"143F85DA"}',
        b'{"id":"a"}',
        b"",
        b'["a","crc32":"af07de33"}',
    ],
)
def test_a_line_with_a_wrong_checksum_has_no_record(line):
    assert decode_line(line) is None


def test_written_records_are_read(tmp_path):
    path = write_file(tmp_path / "j.jsonl", b"".join(map(encode_line, RECORDS)))
    assert list(records(path, accept)) == RECORDS
    assert [line.state for line in lines(path, accept)] == ["whole"] * 3
    assert list(lines(tmp_path / "none.jsonl", accept)) == []


@pytest.mark.parametrize("bit", range(8))
def test_every_flipped_bit_is_detected_and_loses_only_its_own_record(tmp_path, bit):
    content = b"".join(map(encode_line, RECORDS))
    ends = [sum(len(encode_line(one)) for one in RECORDS[: n + 1]) for n in range(len(RECORDS))]
    for place in range(len(content)):
        flipped = bytearray(content)
        flipped[place] ^= 1 << bit
        path = write_file(tmp_path / "j.jsonl", bytes(flipped))
        hit = next(n for n, end in enumerate(ends) if place < end)
        of_the_line_end = place == ends[hit] - 1
        remaining = [one for n, one in enumerate(RECORDS) if n != hit or of_the_line_end]
        assert list(records(path, accept)) == remaining, place
        states = {line.state for line in lines(path, accept)}
        assert ("repaired" if of_the_line_end else "damaged") in states, place


def test_a_file_that_ends_anywhere_keeps_all_complete_records(tmp_path):
    content = b"".join(map(encode_line, RECORDS))
    for length in range(len(content)):
        path = write_file(tmp_path / "j.jsonl", content[:length])
        whole = [
            one for n, one in enumerate(RECORDS) if len(b"".join(map(encode_line, RECORDS[: n + 1]))) - 1 <= length
        ]
        assert list(records(path, accept)) == whole
        assert {line.state for line in lines(path, accept)} <= {"whole", "open", "torn"}


def test_a_record_without_its_fields_is_damaged_and_says_why(tmp_path):
    def reject_b(record):
        if record["id"] == "b":
            raise Malformed("no field 'text'")

    path = write_file(tmp_path / "j.jsonl", b"".join(map(encode_line, RECORDS)))
    assert list(records(path, reject_b)) == [RECORDS[0], RECORDS[2]]
    assert [(line.state, line.why) for line in lines(path, reject_b)][1] == ("damaged", "no field 'text'")


@pytest.mark.parametrize("rubbish", [b"\x00" * 40 + b"\n", b"[" * 100_000 + b"\n", b"\n", b"9" * 5_000 + b"\n"])
def test_rubbish_between_lines_is_damage(tmp_path, rubbish):
    path = write_file(tmp_path / "j.jsonl", encode_line(RECORDS[0]) + rubbish + encode_line(RECORDS[1]))
    assert list(records(path, accept)) == RECORDS[:2]
    assert [line.state for line in lines(path, accept)] == ["whole", "damaged", "whole"]
