"""DatasetInfo about LongBench's published files: one zip for all tasks; counts of the table of tasks beside its
code.
"""

from pipelines.sources import DatasetInfo

REPOSITORY = "zai-org/LongBench"


def _dataset(name: str, count: int = 200, has_query: bool = True) -> DatasetInfo:
    files = {"test": (f"data.zip::data/{name}.jsonl",)}
    return DatasetInfo(REPOSITORY, files, "longbench", {"test": count}, has_query=has_query)


DATASETS = {
    "narrativeqa": _dataset("narrativeqa"),
    "qasper": _dataset("qasper"),
    "multifieldqa_en": _dataset("multifieldqa_en", 150),
    "hotpotqa": _dataset("hotpotqa"),
    "2wikimqa": _dataset("2wikimqa"),
    "musique": _dataset("musique"),
    "gov_report": _dataset("gov_report", has_query=False),
    "qmsum": _dataset("qmsum"),
    "multi_news": _dataset("multi_news", has_query=False),
}
