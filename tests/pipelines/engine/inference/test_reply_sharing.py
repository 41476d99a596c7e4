"""What decides a reply beside its request, and readers whose replies are not shared."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import models
from models.likelihood import Likelihood
from models.neural.seq2seq import Seq2seq
from models.reader import Reader
from models.requests import Compare, Generate, Reply
from pipelines.engine.inference import reply_sharing
from pipelines.engine.inference.reply_sharing import not_shared, run_replies
from pipelines.engine.inference.shared_replies import SharedReplies

REQUEST = Generate("a prompt", 5)
GENERATES = frozenset({Generate})


@dataclass(frozen=True)
class Own(Reader):
    """A reader of somebody's own."""

    supports = frozenset({Generate})

    def count(self, texts: Any) -> list[int]:
        return [1 for _ in texts]

    def reply(self, requests: Any) -> list[Reply]:
        return [Reply("x") for _ in requests]


class Unknown(Own):
    """One that is no dataclass of its own parameters."""


def key_of(reader: Reader, folder: Path) -> str:
    replies = SharedReplies(folder)
    try:
        found = run_replies(replies, reader, reader.resolve(), GENERATES)
        assert found is not None
        return found._key("k")
    finally:
        replies.close()


def test_code_of_ones_own_may_change_so_it_is_not_shared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = f"{Own.__module__}:Own"
    assert not_shared(Own()) == f"{name} is code that may change between runs"
    replies = SharedReplies(tmp_path)
    assert run_replies(replies, Own(), {}, GENERATES) is None
    assert run_replies(replies, Own(), {}, GENERATES) is None
    replies.close()
    assert capsys.readouterr().err == (
        f"longdoc: the replies of {name} are not shared (reply_cache): {name} is code that may change between runs\n"
    )


def test_a_reader_around_ones_own_is_not_shared() -> None:
    @dataclass(frozen=True)
    class Scores(Own):
        supports = frozenset({models.Score})

    assert "is code that may change between runs" in str(not_shared(Likelihood(Scores(), ("a", "b"))))


def test_a_reader_that_is_fitted_in_each_run_is_not_shared() -> None:
    assert not_shared(models.get("linear")) == "it is fitted in each run"


def test_an_object_without_a_description_is_not_shared() -> None:
    class Options(dict[str, Any]):
        pass

    reader = models.get("extractive")
    object.__setattr__(reader, "unit", object())
    assert not_shared(reader) == "it holds an object that nothing tells from others of its class"


def test_readers_of_ours_are_shared() -> None:
    for name in ("extractive", "lead", "naive", "copy"):
        assert not_shared(models.get(name)) is None


def test_a_local_model_is_known_by_the_whole_content_of_its_folder(tiny_t5: Path, tmp_path: Path) -> None:
    import shutil

    model = tmp_path / "model"
    shutil.copytree(tiny_t5, model)
    first = key_of(Seq2seq(str(model), device="cpu"), tmp_path / "replies")
    assert key_of(Seq2seq(str(model), device="cpu"), tmp_path / "replies") == first
    weights = model / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-7] ^= 1
    weights.write_bytes(content)
    second = key_of(Seq2seq(str(model), device="cpu"), tmp_path / "replies")
    (model / "notes.txt").write_text("another file\n", encoding="utf-8")
    third = key_of(Seq2seq(str(model), device="cpu"), tmp_path / "replies")
    assert len({first, second, third}) == 3


def test_versions_of_what_computes_are_in_the_key_and_those_of_a_client_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    local, hosted = models.get("extractive"), models.get("openai:gpt-x,base_url=http://127.0.0.1:9/v1")
    before = [key_of(reader, tmp_path) for reader in (local, hosted)]
    monkeypatch.setattr(reply_sharing, "installed_version", lambda library: "99.0")
    after = [key_of(reader, tmp_path) for reader in (local, hosted)]
    assert [one == other for one, other in zip(before, after, strict=True)] == [False, True]


def test_the_source_code_that_makes_replies_is_in_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of(models.get("extractive"), tmp_path)
    monkeypatch.setattr(reply_sharing, "_code", lambda: "another version of the code")
    assert key_of(models.get("extractive"), tmp_path) != before


def test_that_code_is_of_readers_of_chunkers_and_of_what_they_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_sharing, "HOME", tmp_path)
    monkeypatch.setattr(reply_sharing, "LONGDOC", tmp_path / "longdoc")
    for folder in ("longdoc", "models/neural", "chunkers", "pipelines"):
        (tmp_path / folder).mkdir(parents=True)
    changing = {}
    for name in ("longdoc/a.py", "models/neural/a.py", "chunkers/a.py", "pipelines/a.py", "chunkers/a.txt"):
        before = reply_sharing._code.__wrapped__()
        (tmp_path / name).write_text("1", encoding="utf-8")
        changing[name] = reply_sharing._code.__wrapped__() != before
    assert [name for name, changes in changing.items() if changes] == [
        "longdoc/a.py", "models/neural/a.py", "chunkers/a.py",
    ]  # fmt: skip


def test_failed_replies_and_those_to_compare_are_left_out(tmp_path: Path) -> None:
    replies = SharedReplies(tmp_path)
    found = run_replies(replies, models.get("extractive"), {}, GENERATES)
    assert found is not None
    found.put("failed", Reply.failed("no answer"))
    found.put("compared", Reply((0.5, 0.25)))
    found.put("answered", Reply("yes"))
    replies.close()
    again = run_replies(SharedReplies(tmp_path), models.get("extractive"), {}, GENERATES)
    assert again is not None
    assert again.get("failed", REQUEST) is None
    assert again.get("compared", REQUEST) is None
    assert again.get("answered", Compare(("a", "b"), ((0, 1),))) is None
    assert (again.get("answered", REQUEST) or ("",))[0] == Reply("yes")


def test_that_comparisons_are_not_shared_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replies = SharedReplies(tmp_path)
    assert run_replies(replies, models.get("single_author"), {}, frozenset({Compare})) is None
    replies.close()
    assert capsys.readouterr().err == (
        "longdoc: comparisons of pairs of paragraphs are not shared (reply_cache): they are large\n"
    )
