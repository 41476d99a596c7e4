"""DatasetInfo about ZeroSCROLLS' published files: one zip per task; counts of Table 1 in Shaham et al. 2023.

The files have changed since: some test splits now carry labels, and Qasper's is shorter. Other counts are reported, not
refused.
"""

from pipelines.sources import DatasetInfo

REPOSITORY = "tau/zero_scrolls"


def _dataset(
    name: str, count: int, *originals: str, has_query: bool = True, cleansing: str = "", builder: str = ""
) -> DatasetInfo:
    files = {split: (f"{name}.zip::{name}/{split}.jsonl",) for split in ("validation", "test")}
    return DatasetInfo(
        REPOSITORY, files, "zero_scrolls", {"test": count}, originals, has_query, cleansing=cleansing, builder=builder
    )


DATASETS = {
    "gov_report": _dataset("gov_report", 500, "gov_report", has_query=False, cleansing="reports"),
    "summ_screen_fd": _dataset("summ_screen_fd", 337, "summ_screen", has_query=False),
    "qmsum": _dataset("qmsum", 281, "qmsum"),
    "squality": _dataset("squality", 260, "squality"),
    "qasper": _dataset("qasper", 500, "qasper", cleansing="papers"),
    "narrative_qa": _dataset("narrative_qa", 500, "narrativeqa", cleansing="stories"),
    "quality": _dataset("quality", 500, "quality"),
    "musique": _dataset("musique", 500, "musique"),
    "space_digest": _dataset("space_digest", 500, has_query=False, builder="space_digest"),
    "book_sum_sort": _dataset("book_sum_sort", 500, has_query=False, builder="book_sum_sort"),
}
