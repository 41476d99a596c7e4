"""Files written whole: what they do not replace."""

import os
from pathlib import Path

import pytest

from longdoc.errors import UserError
from longdoc.files import write_whole


def test_a_device_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(tmp_path, "pipe", "words")
    assert os.read(reading, 100) == b"words"
    os.close(reading)
    assert pipe.is_fifo()


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/file").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to("inner/file")
    write_whole(tmp_path, "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "inner/file").read_text(encoding="utf-8") == "new"


def test_a_place_that_takes_no_files_is_refused():
    with pytest.raises(UserError, match=r"/proc/x\.md cannot be written there: name another place"):
        write_whole(Path("/proc"), "x.md", "words")
