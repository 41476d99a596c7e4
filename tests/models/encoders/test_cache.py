import multiprocessing
import os
import resource

import numpy as np
import pytest

from longdoc.errors import UserError
from models.encoders import _cache
from models.encoders._cache import cached_vectors

TEXTS = [f"text {n}" for n in range(12)]


class CountingEncoder:
    """Computes a vector for each text, from the text alone; `texts` has all that it computed."""

    def __init__(self, dimension=4):
        self.texts, self.dimension = [], dimension

    def __call__(self, texts):
        self.texts += texts
        seeds = [sum(text.encode("utf-8", "surrogatepass")) for text in texts]
        rows = [np.random.default_rng(seed).standard_normal(self.dimension) for seed in seeds]
        return np.array(rows, np.float32)


def vectors_and_computed(texts, identity=None, dimension=4):
    """The vectors that a new process gets, and the texts for which it computed them."""
    _cache._store.cache_clear()
    compute = CountingEncoder(dimension)
    return cached_vectors({"model": "m"} if identity is None else identity, texts, compute), compute.texts


def files(folder):
    return sorted(folder.rglob("*.vectors"))


def test_vectors_are_computed_once_each(own_cache):
    first, computed = vectors_and_computed(["a", "b", "a"])
    assert computed == ["a", "b"] and np.array_equal(first, CountingEncoder()(["a", "b", "a"]))
    again, computed = vectors_and_computed(["b", "c", "a"])
    assert computed == ["c"] and np.array_equal(again, CountingEncoder()(["b", "c", "a"]))
    assert len(files(own_cache)) == 1


def test_vectors_are_computed_once_each_within_a_process(own_cache):
    compute = CountingEncoder()
    for texts in (["a", "b"], ["b", "a"], ["a", "c"]):
        assert np.array_equal(cached_vectors({}, texts, compute), CountingEncoder()(texts))
    assert compute.texts == ["a", "b", "c"]


@pytest.mark.parametrize("texts", [["ab", ""], ["", "ab"], ["a\ud800"]])
def test_empty_joined_and_broken_texts_have_vectors_of_their_own(own_cache, texts):
    vectors_and_computed(["a", "b"])
    vectors, computed = vectors_and_computed(texts)
    assert computed == texts and np.array_equal(vectors, CountingEncoder()(texts))


def test_another_encoder_has_vectors_of_its_own(own_cache):
    vectors_and_computed(["a"])
    assert vectors_and_computed(["a"], {"model": "n"})[1] == ["a"] and len(files(own_cache)) == 2


def test_a_flipped_byte_anywhere_changes_no_vector(own_cache, capsys):
    few = TEXTS[:3]
    expected, _ = vectors_and_computed(few)
    (file,) = files(own_cache)
    whole = file.read_bytes()
    for at in range(len(whole)):
        for path in files(own_cache):
            path.unlink()
        file.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        vectors, computed = vectors_and_computed(few)
        assert np.array_equal(vectors, expected), f"byte {at}"
        assert len(computed) in (1, len(few)), f"byte {at} went unseen"
        assert capsys.readouterr().err.count("computed again") == 1, f"byte {at} was not named"
        assert vectors_and_computed(few)[1] == [] and not capsys.readouterr().err, f"byte {at} was not mended"


def test_a_zeroed_tail_is_computed_anew_and_named(own_cache, capsys):
    expected, _ = vectors_and_computed(TEXTS)
    (file,) = files(own_cache)
    size = file.stat().st_size
    os.truncate(file, size - 60)
    os.truncate(file, size)
    vectors, computed = vectors_and_computed(TEXTS)
    assert np.array_equal(vectors, expected) and computed == TEXTS[-2:]
    assert "entries in it are damaged" in capsys.readouterr().err


@pytest.mark.parametrize("lost", [1, 47, 48, 60, 200, 570, 639])
def test_a_file_that_was_cut_short_gives_its_whole_entries(own_cache, lost):
    expected, _ = vectors_and_computed(TEXTS)
    (file,) = files(own_cache)
    os.truncate(file, file.stat().st_size - lost)
    vectors, computed = vectors_and_computed(TEXTS)
    assert np.array_equal(vectors, expected) and computed == TEXTS[len(TEXTS) - len(computed) :] and computed
    assert vectors_and_computed(TEXTS)[1] == []


@pytest.mark.parametrize("broken", [b"", b"no vectors", b"longvecs" + bytes(200)])
def test_a_broken_file_is_named_and_written_anew(own_cache, broken, capsys):
    expected, _ = vectors_and_computed(TEXTS)
    (file,) = files(own_cache)
    file.write_bytes(broken)
    assert np.array_equal(vectors_and_computed(TEXTS)[0], expected)
    warning = capsys.readouterr().err
    assert str(file) in warning and warning.count("\n") == 1
    assert vectors_and_computed(TEXTS)[1] == []


def test_vectors_of_another_dimension_are_computed_anew(own_cache, capsys):
    vectors_and_computed(TEXTS[:3], dimension=3)
    vectors, computed = vectors_and_computed(TEXTS, dimension=4)
    assert vectors.shape == (12, 4) and set(computed) == set(TEXTS)
    assert "another dimension" in capsys.readouterr().err
    assert vectors_and_computed(TEXTS)[1] == []


def test_vectors_that_are_not_finite_are_not_kept(own_cache):
    def compute(texts):
        return np.array([[np.nan, 1], [1, 2]], np.float32)

    assert np.isnan(cached_vectors({}, ["a", "b"], compute)[0, 0])
    assert vectors_and_computed(["a", "b"], {}, 2)[1] == ["a"]


def test_a_damaged_entry_is_named_once_and_its_place_used_again(own_cache, capsys):
    vectors_and_computed(TEXTS)
    (file,) = files(own_cache)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    assert vectors_and_computed(TEXTS)[1] == TEXTS[-1:]
    assert file.stat().st_size == len(data)
    assert capsys.readouterr().err.count("entries in it") == 1


def test_files_are_bounded_and_the_oldest_go(own_cache, monkeypatch):
    monkeypatch.setattr(_cache, "SEGMENT", 200)
    monkeypatch.setenv("LONGDOC_CACHE_BYTES", "600")
    for text in TEXTS:
        vectors_and_computed([text])
    assert sum(file.stat().st_size for file in files(own_cache)) <= 600
    assert vectors_and_computed(TEXTS[-2:])[1] == [], "what was kept last is still there"
    assert vectors_and_computed(TEXTS[:1])[1] == TEXTS[:1]


def test_a_bound_that_is_not_a_number_is_refused(own_cache, monkeypatch):
    monkeypatch.setenv("LONGDOC_CACHE_BYTES", "2 GB")
    with pytest.raises(UserError, match="LONGDOC_CACHE_BYTES must be a number of bytes"):
        vectors_and_computed(["a"])


def fill(folder, start):
    os.environ["LONGDOC_CACHE"] = folder
    for at in range(start, start + 20):
        texts = [f"text {at}", f"text {at + 1}"]
        assert np.array_equal(cached_vectors({"model": "m"}, texts, CountingEncoder()), CountingEncoder()(texts))


def test_several_processes_write_at_once(own_cache):
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=fill, args=(str(own_cache.parent), start)) for start in (0, 10, 20)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    texts = [f"text {n}" for n in range(41)]
    vectors, computed = vectors_and_computed(texts)
    assert computed == [] and np.array_equal(vectors, CountingEncoder()(texts))


def write_warnings(capsys):
    return [line for line in capsys.readouterr().err.splitlines() if "cannot write vectors" in line]


@pytest.fixture(autouse=True)
def reset_warnings():
    _cache._warn_unwritable.cache_clear()


def test_without_a_cache_folder_the_run_goes_on_with_one_warning(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "file"))
    for identity in ({"model": "m"}, {"model": "m"}, {"model": "n"}):
        assert np.array_equal(vectors_and_computed(TEXTS, identity)[0], CountingEncoder()(TEXTS))
    assert write_warnings(capsys) == [
        f"longdoc: cannot write vectors to {tmp_path}/file/embeddings (Not a directory); the run goes on without "
        "keeping them. Set LONGDOC_CACHE to a folder that can be written"
    ]


def test_a_disk_that_is_full_stops_no_run(small_disk, monkeypatch, capsys):
    disk = small_disk(16)
    monkeypatch.setenv("LONGDOC_CACHE", str(disk))
    texts = [f"text {n}" for n in range(400)]
    vectors, _ = vectors_and_computed(texts)
    assert np.array_equal(vectors, CountingEncoder()(texts))
    assert ["(No space left on device); the run goes on" in line for line in write_warnings(capsys)] == [True]
    assert (
        np.array_equal(vectors_and_computed(texts)[0], CountingEncoder()(texts))
        and len(vectors_and_computed(texts)[1]) < 400
    ), "what fitted is used"


@pytest.fixture
def largest_file():
    """A function that limits the size of this process's files: writing more fails as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("size", [0, 10, 64, 100, 300])
def test_a_disk_that_fills_up_stops_no_run_and_whole_entries_are_used(own_cache, largest_file, capsys, size):
    expected = CountingEncoder()(TEXTS)
    largest_file(size)
    vectors, computed = vectors_and_computed(TEXTS)
    largest_file(resource.RLIM_INFINITY)
    assert np.array_equal(vectors, expected) and computed == TEXTS
    warning = capsys.readouterr().err
    assert warning.count("\n") == 1 and "(File too large); the run goes on without keeping them" in warning
    vectors, computed = vectors_and_computed(TEXTS)
    assert np.array_equal(vectors, expected) and len(computed) == 12 - max(0, (size - 64) // 48)
    assert vectors_and_computed(TEXTS)[1] == [], "there is room again"
    assert not capsys.readouterr().err


def test_nothing_more_is_written_to_a_full_disk_by_the_same_process(own_cache, monkeypatch, capsys):
    descriptors = []

    def full(descriptor):
        descriptors.append(descriptor)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_cache.os, "fsync", full)
    for texts in (["a"], ["b"], ["c"]):
        cached_vectors({"model": "m"}, texts, CountingEncoder())
    assert len(descriptors) == 1
    assert ["(No space left on device)" in line for line in write_warnings(capsys)] == [True]


def test_a_read_only_cache_is_read_and_the_run_goes_on(own_cache, read_only, capsys):
    vectors_and_computed(TEXTS[:5])
    before = files(own_cache)[0].read_bytes()
    read_only(own_cache.parent)
    vectors, computed = vectors_and_computed(TEXTS)
    assert np.array_equal(vectors, CountingEncoder()(TEXTS)) and computed == TEXTS[5:]
    assert files(own_cache)[0].read_bytes() == before
    assert len(write_warnings(capsys)) == 1


def test_a_read_only_cache_of_another_dimension_is_not_used(own_cache, read_only):
    vectors_and_computed(TEXTS[:5], dimension=3)
    read_only(own_cache.parent)
    vectors, computed = vectors_and_computed(TEXTS, dimension=4)
    assert np.array_equal(vectors, CountingEncoder()(TEXTS)) and set(computed) == set(TEXTS)


def test_half_vectors_are_rounded_before_their_first_use(own_cache):
    exact = CountingEncoder()(TEXTS)
    first = cached_vectors({"model": "m"}, TEXTS, CountingEncoder(), half=True)
    _cache._store.cache_clear()
    again = cached_vectors({"model": "m"}, TEXTS, lambda texts: pytest.fail(f"computed {texts}"), half=True)
    assert np.array_equal(first, exact.astype(np.float16).astype(np.float32)) and not np.array_equal(first, exact)
    assert np.array_equal(first, again) and again.dtype == np.float32
    (file,) = files(own_cache)
    assert file.stat().st_size == 64 + 12 * (32 + 4 * 2)


def test_a_computation_that_fails_leaves_nothing_and_keeps_its_own_error(own_cache):
    def fail(texts):
        raise OSError("no weights")

    with pytest.raises(OSError, match="no weights"):
        cached_vectors({}, ["a"], fail)
    assert files(own_cache) == []


def test_vectors_that_were_computed_before_a_failure_are_kept(own_cache, monkeypatch):
    monkeypatch.setattr(_cache, "FIRST_BATCH", 5)
    monkeypatch.setattr(_cache, "QUICK_SECONDS", 0.0)

    def compute(texts):
        if TEXTS[5] in texts:
            raise KeyboardInterrupt
        return CountingEncoder()(texts)

    with pytest.raises(KeyboardInterrupt):
        cached_vectors({"model": "m"}, TEXTS, compute)
    assert vectors_and_computed(TEXTS)[1] == TEXTS[5:]


def test_a_file_that_a_killed_process_left_half_made_is_deleted(own_cache):
    vectors_and_computed(TEXTS[:5])
    (file,) = files(own_cache)
    file.rename(file.with_suffix(".part"))
    _cache._store.cache_clear()
    vectors_and_computed(TEXTS)
    assert [path.suffix for path in file.parent.iterdir() if path.name != ".lock"] == [".vectors"]


def test_a_clock_that_is_set_back_loses_no_vector(own_cache, monkeypatch):
    monkeypatch.setattr(_cache, "SEGMENT", 100)
    for number, text in enumerate(TEXTS[:6]):
        monkeypatch.setattr(_cache.time, "time_ns", lambda number=number: 10**18 - number)
        vectors_and_computed([text])
    assert len(files(own_cache)) > 2
    vectors, computed = vectors_and_computed(TEXTS[:6])
    assert computed == [] and np.array_equal(vectors, CountingEncoder()(TEXTS[:6]))
