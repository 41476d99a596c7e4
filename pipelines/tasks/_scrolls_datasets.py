"""DatasetInfo about SCROLLS' published files: one zip per task; counts of Table 3 in Shaham et al. 2022.

Where an input has several accepted outputs (Qasper, NarrativeQA) the table counts the rows of training and validation,
not the inputs; there, only the count of the test split, whose outputs are kept apart, is one of examples.
"""

from pipelines.sources import DatasetInfo

REPOSITORY = "tau/scrolls"
SPLITS = ("train", "validation", "test")
LABELS = ("Entailment", "Contradiction", "Not mentioned")


def _dataset(
    name: str,
    counts: dict[str, int],
    *originals: str,
    layout: str = "scrolls",
    has_query: bool = True,
    options: tuple[str, ...] = (),
    cleansing: str = "",
) -> DatasetInfo:
    files = {split: (f"{name}.zip::{name}/{split}.jsonl",) for split in SPLITS}
    return DatasetInfo(REPOSITORY, files, layout, counts, originals, has_query, options, cleansing)


def _counts(*counts: int) -> dict[str, int]:
    return dict(zip(SPLITS, counts, strict=True))


DATASETS = {
    "gov_report": _dataset("gov_report", _counts(17_457, 972, 973), "gov_report", has_query=False, cleansing="reports"),
    "summ_screen_fd": _dataset("summ_screen_fd", _counts(3_673, 338, 337), "summ_screen", has_query=False),
    "qmsum": _dataset("qmsum", _counts(1_257, 272, 281), "qmsum"),
    "qasper": _dataset("qasper", {"test": 1_399}, "qasper", cleansing="papers"),
    "narrative_qa": _dataset("narrative_qa", {"test": 10_306}, "narrativeqa", cleansing="stories"),
    "quality": _dataset("quality", _counts(2_523, 2_086, 2_128), "quality", layout="scrolls_choices"),
    "contract_nli": _dataset("contract_nli", _counts(7_191, 1_037, 2_091), "contract_nli", options=LABELS),
}
