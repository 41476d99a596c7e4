"""Exact inner-product search in float32: FAISS or torch, on a GPU or the CPU.

These only find candidates; `retrievers.dense` scores and orders them, so that every backend gives the same ranking.
"""

from functools import lru_cache
from importlib.util import find_spec
from threading import Lock
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from longdoc.errors import UserError
from longdoc.optional import check, need
from retrievers import Ids, Scores

Backend = Literal["auto", "faiss", "torch"]
Vectors = npt.NDArray[np.float32]


class Neighbours(Protocol):
    """Searches vectors by inner product."""

    def nearest(self, queries: Vectors, k: int) -> tuple[Scores, Ids]:
        """The k largest inner products of each query, largest first, and their row numbers; ties in any order."""
        ...


def neighbours(vectors: Vectors, backend: Backend, device: str | None) -> Neighbours:
    """The search of `backend`; "auto" is the first available of FAISS on a GPU, torch on a GPU, FAISS, torch.

    Raises `UserError` if what is requested is not installed, for "auto" if neither FAISS nor torch is.
    """
    faiss = need_faiss() if backend == "faiss" else _faiss() if backend == "auto" else None
    gpu = device is None or device.startswith("cuda")
    if faiss is not None and gpu and faiss.get_num_gpus() > 0:
        return GpuFaiss(vectors, device)
    if backend == "faiss" or (faiss is not None and not (gpu and _torch_sees_gpu())):
        return CpuFaiss(vectors)
    check(("torch",), "neural", "dense search without FAISS")
    return Torch(vectors, device)


def need_faiss() -> Any:
    """The module faiss, or `UserError` with the pip line that installs it."""
    return need("faiss", "faiss", 'backend="faiss"')


class CpuFaiss:
    """A flat FAISS index in memory."""

    def __init__(self, vectors: Vectors) -> None:
        self._index = _flat(vectors)

    def nearest(self, queries: Vectors, k: int) -> tuple[Scores, Ids]:
        """The k largest inner products of each query, largest first, and their rows."""
        scores, ids = self._index.search(queries, k)
        return scores, ids


class GpuFaiss:
    """A flat FAISS index on a GPU; more neighbours than its kernels can hold are searched by torch."""

    most = 2048

    def __init__(self, vectors: Vectors, device: str | None) -> None:
        self._vectors, self._device = vectors, device
        with _gpu:
            self._index = need_faiss().index_cpu_to_gpu(_resources(), _gpu_number(device), _flat(vectors))

    def nearest(self, queries: Vectors, k: int) -> tuple[Scores, Ids]:
        """The k largest inner products of each query, largest first, and their rows."""
        if k > self.most:
            return Torch(self._vectors, self._device).nearest(queries, k)
        with _gpu:
            scores, ids = self._index.search(queries, k)
        return scores, ids


class Torch:
    """One matrix product and a partial sort."""

    def __init__(self, vectors: Vectors, device: str | None) -> None:
        import torch

        if device is not None and device.startswith("cuda") and not torch.cuda.is_available():
            raise UserError(f"device={device!r}, but torch sees no GPU here; use device=cpu or leave it out")
        place = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self._vectors = torch.from_numpy(vectors).to(place)

    def nearest(self, queries: Vectors, k: int) -> tuple[Scores, Ids]:
        """The k largest inner products of each query, largest first, and their rows."""
        import torch

        products = torch.from_numpy(queries).to(self._vectors.device) @ self._vectors.T
        scores, ids = torch.topk(products, k, dim=1)
        return scores.cpu().numpy(), ids.cpu().numpy()


_gpu = Lock()  # FAISS lets one thread at a time use a GPU's resources


@lru_cache(maxsize=1)
def _resources() -> Any:
    return need_faiss().StandardGpuResources()  # reserves memory, so there is one for all documents


def _gpu_number(device: str | None) -> int:
    return int((device or "").partition(":")[2] or 0)


def _flat(vectors: Vectors) -> Any:
    index = need_faiss().IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return index


def _faiss() -> Any:
    """The module faiss, None where it is not installed."""
    try:
        return need_faiss()
    except UserError:
        return None


def _torch_sees_gpu() -> bool:
    if find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()
