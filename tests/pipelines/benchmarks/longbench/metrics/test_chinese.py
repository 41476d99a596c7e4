"""Chinese text split into words."""

from pathlib import Path

import pytest

from pipelines.benchmarks.longbench.metrics import _chinese as chinese


def test_words_joined_are_the_text() -> None:
    pytest.importorskip("jieba")
    text = " 小明 2023年毕业于\n北京大学。A.B"
    assert "".join(chinese.words(text)) == text
    assert "北京大学" in chinese.words(text)


def test_nothing_is_written_or_read_where_anyone_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jieba")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "jieba.cache").write_bytes(b"not a dictionary")
    chinese._tokenizer.cache_clear()
    assert chinese.words("北京大学") == ["北京大学"]
    assert [path.name for path in tmp_path.iterdir()] == ["jieba.cache"]
    assert capfd.readouterr() == ("", "")
