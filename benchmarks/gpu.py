"""On a machine with a CUDA GPU: dense search with every available backend, encoding, generation."""

import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.generate import HEAD, gpu_rows
from benchmarks.results import publish, table

CHUNKS, QUERIES, SIZE, K = 200_000, 1_000, 384, 10


def seconds(work: Callable[[], object], times: int = 5) -> float:
    """The best of a few runs after a warm-up."""
    work()
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def search_rows() -> list[list[str]]:
    """Exact inner product over a large random matrix: faiss on the CPU and, if available, on the GPU; torch."""
    import faiss
    import torch

    generator = np.random.default_rng(0)
    matrix = generator.standard_normal((CHUNKS, SIZE), dtype=np.float32)
    queries = generator.standard_normal((QUERIES, SIZE), dtype=np.float32)
    flat = faiss.IndexFlatIP(SIZE)
    flat.add(matrix)
    matrix_gpu, queries_gpu = torch.from_numpy(matrix).cuda(), torch.from_numpy(queries).cuda()
    searches: dict[str, Callable[[], np.ndarray]] = {
        "faiss, CPU": lambda: flat.search(queries, K)[1],
        "torch, GPU": lambda: torch.topk(queries_gpu @ matrix_gpu.T, K).indices.cpu().numpy(),
    }
    if hasattr(faiss, "StandardGpuResources") and faiss.get_num_gpus():
        gpu_index = faiss.index_cpu_to_gpu(faiss.StandardGpuResources(), 0, flat)
        searches["faiss, GPU"] = lambda: gpu_index.search(queries, K)[1]
    truth = searches["faiss, CPU"]()
    slowest = seconds(searches["faiss, CPU"], 1)
    rows = []
    for name, work in searches.items():
        taken = slowest if name == "faiss, CPU" else seconds(work)
        rows.append([name, f"{1000 * taken:.1f}", f"{slowest / taken:.1f}", f"{100 * np.mean(work() == truth):.2f} %"])
    return rows


def encoding_row() -> list[str]:
    """Chunks of 200 tokens per second with the embedded encoder on the GPU."""
    from models import encoders

    encoder = encoders.get("minilm", device="cuda", cache=False)
    texts = [" ".join(f"word{(i * 7 + j) % 997}" for j in range(120)) for i in range(4096)]
    return ["minilm", f"{len(texts) / seconds(lambda: encoder.encode(texts, 'passage'), 2):,.0f}"]


def main() -> None:
    import torch

    if not torch.cuda.is_available():
        sys.exit("no CUDA GPU on this machine: run `make bench-gpu` on one with a GPU")
    head = f"{torch.cuda.get_device_name()}; {CHUNKS:,} chunks × {QUERIES:,} queries, {SIZE} dimensions, k = {K}\n\n"
    search = table(["search", "ms", "times faiss CPU", "same neighbours"], search_rows())
    encoding = table(["encoder", "chunks a second"], [encoding_row()])
    publish("gpu", "\n\n".join([head + search, encoding, table(HEAD, gpu_rows())]))


if __name__ == "__main__":
    main()
