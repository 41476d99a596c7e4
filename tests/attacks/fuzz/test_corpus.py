"""The seeds and the kept inputs of the fuzz targets, none of which may be a finding again; and how findings are told."""

import time

import pytest

from tests.attacks.fuzz import corpus, harness
from tests.turns import for_each

SLOW_TARGETS = (
    *harness.FOLDERS,
    "api_response",
    "chat_template",
    "command_line",
    "kept_split",
    "learned_model",
    "marian",
)  # to import
KEPT_INPUTS = corpus.read()
TARGETS = harness.load()


def _replay(target, folder):
    for data in [*KEPT_INPUTS.get(target, []), *TARGETS[target].seeds[:: 1 + len(TARGETS[target].seeds) // 100]]:
        finding = harness.attempt(TARGETS[target], data, folder / "work")
        assert finding is None, (finding, data)


@for_each("target", sorted(set(TARGETS) - set(SLOW_TARGETS)))
def test_no_kept_input_is_a_finding(target, tmp_path, monkeypatch):
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    _replay(target, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("target", SLOW_TARGETS)
def test_no_kept_input_of_a_slow_target_is_a_finding(target, tmp_path, monkeypatch):
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "cache"))
    _replay(target, tmp_path)


def test_every_kept_input_is_of_a_target_and_the_file_is_small():
    assert set(KEPT_INPUTS) <= set(TARGETS)
    assert corpus.FILE.stat().st_size < 200_000


def test_an_undocumented_exception_is_a_finding_and_a_documented_one_is_none(tmp_path):
    def run(data, folder):
        raise KeyError(data.decode()) if data else ValueError("documented")

    target = harness.Target("made", run, (), (ValueError,))
    assert harness.attempt(target, b"", tmp_path / "work") is None
    finding = harness.attempt(target, b"x", tmp_path / "work")
    assert (finding.kind, finding.where, finding.data) == (
        "KeyError",
        f"tests/attacks/fuzz/test_corpus.py:{run.__code__.co_firstlineno + 1} run",
        b"x",
    )


def test_a_slow_input_is_a_finding(tmp_path, monkeypatch):
    monkeypatch.setattr(harness, "SECONDS", 0.01)

    def run(data, folder):
        begun = time.process_time()
        while time.process_time() - begun < 0.02:
            pass

    assert harness.attempt(harness.Target("made", run, ()), b"", tmp_path / "work").kind == "slow"


def test_inputs_of_several_files_are_read_as_they_are_written():
    files = {"a.txt": b"one\n=== no file", "b/c.json": b"{}\n"}
    assert harness.sections(harness.pack(files)) == {"a.txt": b"one", "no file": b"", "b/c.json": b"{}\n"}
    assert harness.sections(b"no sections") == {}


def test_changed_inputs_are_the_same_for_the_same_seed_and_stay_in_bounds():
    data = b'{"a": [1, "two", null]}'
    mutations = [harness.mutate(data, 100, seed, lambda content, size: content[:size]) for seed in range(200)]
    assert mutations == [harness.mutate(data, 100, seed, lambda content, size: content[:size]) for seed in range(200)]
    assert max(map(len, mutations)) <= 100
    assert len(set(mutations)) > 50
