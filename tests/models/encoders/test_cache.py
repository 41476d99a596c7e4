import multiprocessing
import os
import resource

import numpy as np
import pytest

from longdoc.errors import UserError
from models.encoders import _cache
from models.encoders._cache import cached_vectors

TEXTS = [f"text {n}" for n in range(12)]


class Counted:
    """A vector for each text that depends on the text alone; remembers what it was asked for."""

    def __init__(self, dimension=4):
        self.asked, self.dimension = [], dimension

    def __call__(self, texts):
        self.asked += texts
        seeds = [sum(text.encode("utf-8", "surrogatepass")) for text in texts]
        rows = [np.random.default_rng(seed).standard_normal(self.dimension) for seed in seeds]
        return np.array(rows, np.float32)


def vectors(texts, identity=None, dimension=4):
    """As a process would get them that has just begun, and what it computed."""
    _cache._store.cache_clear()
    compute = Counted(dimension)
    return cached_vectors({"model": "m"} if identity is None else identity, texts, compute), compute.asked


def files(folder):
    return sorted(folder.rglob("*.vectors"))


def test_vectors_are_computed_once_each(own_cache):
    first, asked = vectors(["a", "b", "a"])
    assert asked == ["a", "b"] and np.array_equal(first, Counted()(["a", "b", "a"]))
    again, asked = vectors(["b", "c", "a"])
    assert asked == ["c"] and np.array_equal(again, Counted()(["b", "c", "a"]))
    assert len(files(own_cache)) == 1


def test_in_one_process_too(own_cache):
    compute = Counted()
    for texts in (["a", "b"], ["b", "a"], ["a", "c"]):
        assert np.array_equal(cached_vectors({}, texts, compute), Counted()(texts))
    assert compute.asked == ["a", "b", "c"]


@pytest.mark.parametrize("texts", [["ab", ""], ["", "ab"], ["a\ud800"]])
def test_each_text_is_itself(own_cache, texts):
    vectors(["a", "b"])
    found, asked = vectors(texts)
    assert asked == texts and np.array_equal(found, Counted()(texts))


def test_another_encoder_has_vectors_of_its_own(own_cache):
    vectors(["a"])
    assert vectors(["a"], {"model": "n"})[1] == ["a"] and len(files(own_cache)) == 2


def test_a_flipped_byte_anywhere_changes_no_vector(own_cache, capsys):
    few = TEXTS[:3]
    wanted, _ = vectors(few)
    (file,) = files(own_cache)
    whole = file.read_bytes()
    for at in range(len(whole)):
        for path in files(own_cache):
            path.unlink()
        file.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        found, asked = vectors(few)
        assert np.array_equal(found, wanted), f"byte {at}"
        assert len(asked) in (1, len(few)), f"byte {at} went unseen"
        assert capsys.readouterr().err.count("computed again") == 1, f"byte {at} was not named"
        assert vectors(few)[1] == [] and not capsys.readouterr().err, f"byte {at} was not mended"


def test_a_zeroed_tail_is_computed_anew_and_named(own_cache, capsys):
    wanted, _ = vectors(TEXTS)
    (file,) = files(own_cache)
    size = file.stat().st_size
    os.truncate(file, size - 60)
    os.truncate(file, size)
    found, asked = vectors(TEXTS)
    assert np.array_equal(found, wanted) and asked == TEXTS[-2:]
    assert "entries in it are damaged" in capsys.readouterr().err


@pytest.mark.parametrize("lost", [1, 47, 48, 60, 200, 570, 639])
def test_a_file_that_was_cut_short_gives_what_is_whole(own_cache, lost):
    wanted, _ = vectors(TEXTS)
    (file,) = files(own_cache)
    os.truncate(file, file.stat().st_size - lost)
    found, asked = vectors(TEXTS)
    assert np.array_equal(found, wanted) and asked == TEXTS[len(TEXTS) - len(asked) :] and asked
    assert vectors(TEXTS)[1] == []


@pytest.mark.parametrize("broken", [b"", b"no vectors", b"longvecs" + bytes(200)])
def test_a_broken_file_is_named_and_written_anew(own_cache, broken, capsys):
    wanted, _ = vectors(TEXTS)
    (file,) = files(own_cache)
    file.write_bytes(broken)
    assert np.array_equal(vectors(TEXTS)[0], wanted)
    told = capsys.readouterr().err
    assert str(file) in told and told.count("\n") == 1
    assert vectors(TEXTS)[1] == []


def test_vectors_of_another_dimension_are_computed_anew(own_cache, capsys):
    vectors(TEXTS[:3], dimension=3)
    found, asked = vectors(TEXTS, dimension=4)
    assert found.shape == (12, 4) and set(asked) == set(TEXTS)
    assert "another dimension" in capsys.readouterr().err
    assert vectors(TEXTS)[1] == []


def test_vectors_that_are_not_finite_are_not_kept(own_cache):
    def compute(texts):
        return np.array([[np.nan, 1], [1, 2]], np.float32)

    assert np.isnan(cached_vectors({}, ["a", "b"], compute)[0, 0])
    assert vectors(["a", "b"], {}, 2)[1] == ["a"]


def test_a_damaged_entry_is_named_once_and_its_place_used_again(own_cache, capsys):
    vectors(TEXTS)
    (file,) = files(own_cache)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    assert vectors(TEXTS)[1] == TEXTS[-1:]
    assert file.stat().st_size == len(data)
    assert capsys.readouterr().err.count("entries in it") == 1


def test_files_are_bounded_and_the_oldest_go(own_cache, monkeypatch):
    monkeypatch.setattr(_cache, "SEGMENT", 200)
    monkeypatch.setenv("LONGDOC_CACHE_BYTES", "600")
    for text in TEXTS:
        vectors([text])
    assert sum(file.stat().st_size for file in files(own_cache)) <= 600
    assert vectors(TEXTS[-2:])[1] == [], "what was kept last is still there"
    assert vectors(TEXTS[:1])[1] == TEXTS[:1]


def test_a_bound_that_is_no_number_is_refused(own_cache, monkeypatch):
    monkeypatch.setenv("LONGDOC_CACHE_BYTES", "2 GB")
    with pytest.raises(UserError, match="LONGDOC_CACHE_BYTES must be a number of bytes"):
        vectors(["a"])


def fill(folder, start):
    os.environ["LONGDOC_CACHE"] = folder
    for at in range(start, start + 20):
        texts = [f"text {at}", f"text {at + 1}"]
        assert np.array_equal(cached_vectors({"model": "m"}, texts, Counted()), Counted()(texts))


def test_several_processes_write_at_once(own_cache):
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=fill, args=(str(own_cache.parent), start)) for start in (0, 10, 20)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    texts = [f"text {n}" for n in range(41)]
    found, asked = vectors(texts)
    assert asked == [] and np.array_equal(found, Counted()(texts))


def said(capsys):
    return [line for line in capsys.readouterr().err.splitlines() if "cannot write vectors" in line]


@pytest.fixture(autouse=True)
def nothing_said():
    _cache._warn_unwritable.cache_clear()


def test_where_no_folder_can_be_the_run_goes_on_and_says_so_once(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LONGDOC_CACHE", str(tmp_path / "file"))
    for identity in ({"model": "m"}, {"model": "m"}, {"model": "n"}):
        assert np.array_equal(vectors(TEXTS, identity)[0], Counted()(TEXTS))
    assert said(capsys) == [
        f"longdoc: cannot write vectors to {tmp_path}/file/embeddings (Not a directory); the run goes on without "
        "keeping them. Set LONGDOC_CACHE to a folder that can be written"
    ]


def test_a_disk_that_is_full_stops_no_run(small_disk, monkeypatch, capsys):
    disk = small_disk(16)
    monkeypatch.setenv("LONGDOC_CACHE", str(disk))
    texts = [f"text {n}" for n in range(400)]
    found, _ = vectors(texts)
    assert np.array_equal(found, Counted()(texts))
    assert ["(No space left on device); the run goes on" in line for line in said(capsys)] == [True]
    assert np.array_equal(vectors(texts)[0], Counted()(texts)) and len(vectors(texts)[1]) < 400, "what fitted is used"


@pytest.fixture
def largest_file():
    """Sets how large a file of this process may become: writing more fails as it does on a full disk."""
    known = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, known[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, known)


@pytest.mark.parametrize("size", [0, 10, 64, 100, 300])
def test_a_disk_that_fills_up_stops_no_run_and_what_was_kept_whole_is_used(own_cache, largest_file, capsys, size):
    wanted = Counted()(TEXTS)
    largest_file(size)
    found, asked = vectors(TEXTS)
    largest_file(resource.RLIM_INFINITY)
    assert np.array_equal(found, wanted) and asked == TEXTS
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "(File too large); the run goes on without keeping them" in told
    found, asked = vectors(TEXTS)
    assert np.array_equal(found, wanted) and len(asked) == 12 - max(0, (size - 64) // 48)
    assert vectors(TEXTS)[1] == [], "there is room again"
    assert not capsys.readouterr().err


def test_nothing_more_is_written_to_a_full_disk_by_the_same_process(own_cache, monkeypatch, capsys):
    tried = []

    def full(descriptor):
        tried.append(descriptor)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_cache.os, "fsync", full)
    for texts in (["a"], ["b"], ["c"]):
        cached_vectors({"model": "m"}, texts, Counted())
    assert len(tried) == 1
    assert ["(No space left on device)" in line for line in said(capsys)] == [True]


def test_a_read_only_cache_is_read_and_the_run_goes_on(own_cache, read_only, capsys):
    vectors(TEXTS[:5])
    before = files(own_cache)[0].read_bytes()
    read_only(own_cache.parent)
    found, asked = vectors(TEXTS)
    assert np.array_equal(found, Counted()(TEXTS)) and asked == TEXTS[5:]
    assert files(own_cache)[0].read_bytes() == before
    assert len(said(capsys)) == 1


def test_a_read_only_cache_of_another_dimension_is_not_used(own_cache, read_only):
    vectors(TEXTS[:5], dimension=3)
    read_only(own_cache.parent)
    found, asked = vectors(TEXTS, dimension=4)
    assert np.array_equal(found, Counted()(TEXTS)) and set(asked) == set(TEXTS)


def test_half_vectors_are_rounded_before_their_first_use(own_cache):
    exact = Counted()(TEXTS)
    first = cached_vectors({"model": "m"}, TEXTS, Counted(), half=True)
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


def test_what_was_computed_before_a_failure_is_kept(own_cache, monkeypatch):
    monkeypatch.setattr(_cache, "FIRST_BATCH", 5)
    monkeypatch.setattr(_cache, "QUICK_SECONDS", 0.0)

    def compute(texts):
        if TEXTS[5] in texts:
            raise KeyboardInterrupt
        return Counted()(texts)

    with pytest.raises(KeyboardInterrupt):
        cached_vectors({"model": "m"}, TEXTS, compute)
    assert vectors(TEXTS)[1] == TEXTS[5:]


def test_a_file_that_a_killed_process_left_half_made_is_deleted(own_cache):
    vectors(TEXTS[:5])
    (file,) = files(own_cache)
    file.rename(file.with_suffix(".part"))
    _cache._store.cache_clear()
    vectors(TEXTS)
    assert [path.suffix for path in file.parent.iterdir() if path.name != ".lock"] == [".vectors"]


def test_a_clock_that_is_set_back_loses_no_vector(own_cache, monkeypatch):
    monkeypatch.setattr(_cache, "SEGMENT", 100)
    for number, text in enumerate(TEXTS[:6]):
        monkeypatch.setattr(_cache.time, "time_ns", lambda number=number: 10**18 - number)
        vectors([text])
    assert len(files(own_cache)) > 2
    found, asked = vectors(TEXTS[:6])
    assert asked == [] and np.array_equal(found, Counted()(TEXTS[:6]))
