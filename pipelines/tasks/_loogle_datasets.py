"""DatasetInfo about LooGLE's published files; counts of its paper's table of tasks, in questions and documents."""

from pipelines.sources import DatasetInfo

REPOSITORY = "bigai-nlco/LooGLE"


def _dataset(file: str, count: int, has_query: bool = True) -> DatasetInfo:
    return DatasetInfo(REPOSITORY, {"test": (f"data/{file}.jsonl",)}, "loogle", {"test": count}, has_query=has_query)


DATASETS = {
    "shortdep_qa": _dataset("shortdep_qa", 1951),
    "longdep_qa": _dataset("longdep_qa", 1101),
    "longdep_summarization": _dataset("summarization", 516, has_query=False),
    "shortdep_cloze": _dataset("shortdep_cloze", 2880),
}
