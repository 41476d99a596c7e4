"""DatasetInfo about ∞Bench's published files; counts of its paper's table."""

from pipelines.sources import DatasetInfo

REPOSITORY = "xinrongzhang2022/InfiniteBench"


def _dataset(name: str, count: int, has_query: bool = True) -> DatasetInfo:
    return DatasetInfo(REPOSITORY, {"test": (f"{name}.jsonl",)}, "infinitebench", {"test": count}, has_query=has_query)


DATASETS = {"en_qa": _dataset("longbook_qa_eng", 351)}
