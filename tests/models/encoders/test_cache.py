import numpy as np
import pytest

from longdoc.errors import UserError
from models.encoders._cache import kept

VECTORS = np.arange(6, dtype=np.float32).reshape(2, 3)


class Counted:
    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return VECTORS


def test_vectors_are_computed_once(own_cache):
    compute = Counted()
    for _ in range(3):
        assert np.array_equal(kept({"model": "m"}, ["a", "b"], compute), VECTORS)
    assert compute.calls == 1
    assert [file.suffix for file in own_cache.iterdir()] == [".npy"]


@pytest.mark.parametrize(
    ("identity", "texts"),
    [
        ({"model": "n"}, ["a", "b"]),
        ({"model": "m"}, ["b", "a"]),
        ({"model": "m"}, ["ab", ""]),
        ({"model": "m"}, ["", "ab"]),
    ],
)
def test_another_model_or_other_texts_are_computed_anew(identity, texts):
    compute = Counted()
    kept({"model": "m"}, ["a", "b"], compute)
    kept(identity, texts, compute)
    assert compute.calls == 2


@pytest.mark.parametrize("broken", [b"", b"not an array", b"\x93NUMPY\x01\x00"])
def test_a_broken_file_is_computed_anew_and_mended(own_cache, broken):
    kept({}, ["a", "b"], Counted())
    (file,) = own_cache.iterdir()
    file.write_bytes(broken)
    compute = Counted()
    kept({}, ["a", "b"], compute)
    assert compute.calls == 1 and np.array_equal(np.load(file), VECTORS)


def test_a_file_cut_short_is_computed_anew(own_cache):
    kept({}, ["a", "b"], Counted())
    (file,) = own_cache.iterdir()
    file.write_bytes(file.read_bytes()[:-4])
    compute = Counted()
    kept({}, ["a", "b"], compute)
    assert compute.calls == 1


@pytest.mark.parametrize("other", [VECTORS[:1], VECTORS.astype(np.float64), VECTORS[0]])
def test_a_file_of_another_shape_or_type_is_computed_anew(own_cache, other):
    kept({}, ["a", "b"], Counted())
    (file,) = own_cache.iterdir()
    np.save(file, other)
    compute = Counted()
    assert np.array_equal(kept({}, ["a", "b"], compute), VECTORS)
    assert compute.calls == 1


def test_a_cache_that_cannot_be_written_names_the_way_out(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "file"))
    compute = Counted()
    with pytest.raises(UserError, match="LONGDOC_CACHE"):
        kept({}, ["a", "b"], compute)
    assert compute.calls == 0, "what cannot be kept is told before the work"


def test_a_computation_that_fails_leaves_nothing_and_keeps_its_own_error(own_cache):
    def fail():
        raise OSError("no weights")

    with pytest.raises(OSError, match="no weights"):
        kept({}, ["a"], fail)
    assert list(own_cache.iterdir()) == []
