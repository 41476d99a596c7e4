import types

import numpy as np
import pytest

from longdoc.errors import UserError
from retrievers.shared import neighbours as module
from retrievers.shared.neighbours import CpuFaiss, GpuFaiss, Torch, neighbours

RNG = np.random.default_rng(0)
VECTORS = RNG.standard_normal((3000, 8)).astype(np.float32)
QUERIES = RNG.standard_normal((4, 8)).astype(np.float32)


def assert_nearest(result, k):
    """Check for the k largest products, largest first, each with its row; sums may differ in their last bits."""
    scores, ids = result
    products = QUERIES @ VECTORS.T
    assert np.allclose(scores, -np.sort(-products, axis=1)[:, :k], atol=1e-5)
    assert np.allclose(np.take_along_axis(products, ids, axis=1), scores, atol=1e-5)
    assert all(len(set(row)) == k for row in ids.tolist())


class FaissWithGpu(types.SimpleNamespace):
    """FAISS as on a machine with a GPU; the GPU's index is one in memory, and `devices` has those that were used."""

    def __init__(self, faiss):
        super().__init__(IndexFlatIP=faiss.IndexFlatIP, StandardGpuResources=object, devices=[])

    def get_num_gpus(self):
        return 1

    def index_cpu_to_gpu(self, resources, device, index):
        self.devices.append(device)
        return index


@pytest.fixture
def gpu_faiss(monkeypatch):
    faiss = FaissWithGpu(pytest.importorskip("faiss"))
    monkeypatch.setattr(module, "need_faiss", lambda: faiss)
    module._resources.cache_clear()
    yield faiss
    module._resources.cache_clear()


@pytest.mark.parametrize("kind", [CpuFaiss, lambda vectors: Torch(vectors, "cpu")])
@pytest.mark.parametrize("k", [1, 10, 3000])
def test_neighbours_are_the_largest_products(kind, k):
    if kind is CpuFaiss:
        pytest.importorskip("faiss")
    assert_nearest(kind(VECTORS).nearest(QUERIES, k), k)


def test_faiss_on_a_gpu_is_preferred(gpu_faiss):
    assert isinstance(neighbours(VECTORS, "auto", None), GpuFaiss)
    assert isinstance(neighbours(VECTORS, "faiss", "cuda:1"), GpuFaiss)
    assert gpu_faiss.devices == [0, 1]


def test_the_cpu_is_used_where_it_is_requested(gpu_faiss):
    assert isinstance(neighbours(VECTORS, "auto", "cpu"), CpuFaiss)
    assert isinstance(neighbours(VECTORS, "torch", "cpu"), Torch)


@pytest.mark.parametrize("k", [10, 2048, 2049, 3000])
def test_more_neighbours_than_a_gpu_index_gives_are_found_by_torch(gpu_faiss, k):
    assert_nearest(GpuFaiss(VECTORS, None).nearest(QUERIES, k), k)


def test_torch_on_a_gpu_comes_before_faiss_in_memory(monkeypatch):
    pytest.importorskip("faiss")
    devices = []
    monkeypatch.setattr(module, "_torch_sees_gpu", lambda: True)
    monkeypatch.setattr(module, "Torch", lambda vectors, device: devices.append(device))
    neighbours(VECTORS, "auto", None)
    neighbours(VECTORS, "auto", "cuda:1")
    assert devices == [None, "cuda:1"]


def test_without_a_gpu_faiss_is_used_and_without_faiss_torch(monkeypatch):
    pytest.importorskip("faiss")
    monkeypatch.setattr(module, "_torch_sees_gpu", lambda: False)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert isinstance(neighbours(VECTORS, "auto", "cpu"), CpuFaiss)
    assert isinstance(neighbours(VECTORS, "faiss", "cpu"), CpuFaiss)
    monkeypatch.setitem(__import__("sys").modules, "faiss", None)
    assert isinstance(neighbours(VECTORS, "auto", None), Torch)
    with pytest.raises(UserError, match="pip install"):
        neighbours(VECTORS, "faiss", None)


def test_a_gpu_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(UserError, match="torch sees no GPU"):
        Torch(VECTORS, "cuda")
