"""DatasetInfo about ∞Bench's published files; counts of the table in its repository's README."""

from pipelines.sources import DatasetInfo

REPOSITORY = "xinrongzhang2022/InfiniteBench"


def _dataset(name: str, count: int, has_query: bool = True) -> DatasetInfo:
    return DatasetInfo(
        REPOSITORY, {"test": (f"{name}.jsonl",)}, "infinitebench", {"test": count}, has_query=has_query,
        count_source="the README's table",
    )  # fmt: skip


DATASETS = {
    "en_qa": _dataset("longbook_qa_eng", 351),
    "en_mc": _dataset("longbook_choice_eng", 229),
    "en_sum": _dataset("longbook_sum_eng", 103, has_query=False),
    "en_dia": _dataset("longdialogue_qa_eng", 200),
}
