"""Locks of folders: one holder, and looking at a lock disturbs nobody."""

import threading

from filelock import FileLock

from longdoc import locks


def test_a_lock_has_one_holder(tmp_path):
    lock = locks.locked(tmp_path)
    assert locks.is_locked(tmp_path)
    assert locks.locked(tmp_path) is None
    lock.release()
    assert not locks.is_locked(tmp_path)
    locks.locked(tmp_path).release()


def test_who_only_looks_does_not_keep_others_from_a_lock(tmp_path):
    look = FileLock(tmp_path / ".lock", thread_local=False)
    look.acquire()
    threading.Timer(0.1, look.release).start()
    lock = locks.locked(tmp_path)
    assert lock is not None
    lock.release()


def test_a_folder_without_a_lock_is_free_and_gets_none(tmp_path):
    assert not locks.is_locked(tmp_path)
    assert list(tmp_path.iterdir()) == []
