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
    "multifieldqa_zh": _dataset("multifieldqa_zh"),
    "hotpotqa": _dataset("hotpotqa"),
    "2wikimqa": _dataset("2wikimqa"),
    "musique": _dataset("musique"),
    "dureader": _dataset("dureader"),
    "gov_report": _dataset("gov_report", has_query=False),
    "qmsum": _dataset("qmsum"),
    "multi_news": _dataset("multi_news", has_query=False),
    "vcsum": _dataset("vcsum", has_query=False),
    "trec": _dataset("trec"),
    "triviaqa": _dataset("triviaqa"),
    "samsum": _dataset("samsum"),
    "lsht": _dataset("lsht"),
    "passage_count": _dataset("passage_count", has_query=False),
    "passage_retrieval_en": _dataset("passage_retrieval_en"),
    "passage_retrieval_zh": _dataset("passage_retrieval_zh"),
    "lcc": _dataset("lcc", 500, has_query=False),
    "repobench-p": _dataset("repobench-p", 500),
}
