"""The tasks of ZeroSCROLLS (Shaham et al. 2023): section 3 says what they are, section 4 how they are run.

One zip per task; counts are those of Table 1. The files have changed since: some test splits now carry labels, and
Qasper's is shorter. Other counts are reported, not refused.

The floors are those of section 4.1, whose random spans are of words; it leaves open how often Qasper's floor is a fixed
choice, here half of the time.
"""

from pipelines.benchmarks.scrolls.cleansing import Rules
from pipelines.benchmarks.zero_scrolls.prompts import WORDING
from pipelines.metrics import EVIDENCE_NAMES
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.evidence_kinds import EVIDENCE

NOTES = (
    "Output lengths are those of the published code for chat models and APIs; T5 models get 1,024 tokens there. "
    "The paper reads up to 8,192 tokens of a prompt. The prompt is that of each row; `--prompt chat` is the form "
    "for chat models, and `--prompt tags` asks for tags around the answer. Where published rows have labels, they"
    " are scored. Rows of original releases have no prompt and get longdoc's; their scores are marked."
)


def _dataset(
    name: str, count: int, *originals: str, has_query: bool = True, cleansing: Rules | None = None, builder: str = ""
) -> DatasetInfo:
    files = {split: (f"{name}.zip::{name}/{split}.jsonl",) for split in ("validation", "test")}
    return DatasetInfo(
        "tau/zero_scrolls",
        files,
        "zero_scrolls",
        {"test": count},
        originals,
        has_query,
        cleansing=cleansing,
        builder=builder,
    )


# the score that counts, where its name is not the metric's (Shaham et al. 2023, section 3.3)
SCORES = {"rouge": "geometric_mean", "choice_accuracy": "accuracy"}
FLOORS = {
    "gov_report": "naive:random,words=500",
    "summ_screen_fd": "naive:random,words=200",
    "qmsum": "naive:random,words=50",
    "squality": "naive:random,words=120",
    "qasper": "random_choice:texts=[Yes,No,Unanswerable],words=15",
    "narrative_qa": "naive:random,words=4",
    "quality": "random_choice:texts=[A,B,C,D]",
    "musique": "constant:unanswerable",
    "space_digest": "constant:50%",
    "book_sum_sort": "order:identity",
}
DATASETS = {
    "gov_report": _dataset("gov_report", 500, "gov_report", has_query=False, cleansing=Rules("reports")),
    "summ_screen_fd": _dataset("summ_screen_fd", 337, "summ_screen", has_query=False),
    "qmsum": _dataset("qmsum", 281, "qmsum"),
    "squality": _dataset("squality", 260, "squality"),
    "qasper": _dataset("qasper", 500, "qasper", cleansing=Rules("papers")),
    "narrative_qa": _dataset("narrative_qa", 500, "narrativeqa", cleansing=Rules("stories")),
    "quality": _dataset("quality", 500, "quality"),
    "musique": _dataset("musique", 500, "musique"),
    "space_digest": _dataset("space_digest", 500, has_query=False, builder="space_digest"),
    "book_sum_sort": _dataset("book_sum_sort", 500, has_query=False, builder="book_sum_sort"),
}


def _task(name: str, summary: str, length: int, *metrics: str) -> Task:
    return Task(
        name=f"zero_scrolls/{name}",
        summary=summary,
        dataset=DATASETS[name],
        chunker="truncate:8192",
        retriever="all",
        model="flan-t5-base",
        prompt="row",
        metrics=metrics,
        max_new_tokens=length,
        notes=NOTES,
        floor=FLOORS[name],
        evidence=EVIDENCE.get(name, ""),
        row_wording=WORDING[name],
        score=SCORES.get(metrics[0], metrics[0]),
    )


TASKS = (
    _task("gov_report", "zero-shot summaries of reports by government agencies", 1_024, "rouge"),
    _task("summ_screen_fd", "zero-shot recaps of episodes of TV series from their scripts", 512, "rouge"),
    _task("qmsum", "zero-shot summaries of meetings that answer a query", 512, "rouge", *EVIDENCE_NAMES),
    _task("squality", "zero-shot summaries of stories that answer a question", 512, "rouge"),
    _task("qasper", "zero-shot questions about scientific papers", 128, "f1_ascii", *EVIDENCE_NAMES),
    _task("narrative_qa", "zero-shot questions about whole books and film scripts", 64, "f1_ascii"),
    _task("quality", "zero-shot multiple-choice questions about stories and articles", 10, "choice_accuracy"),
    _task("musique", "zero-shot multi-hop questions over twenty paragraphs", 32, "f1_ascii", *EVIDENCE_NAMES),
    _task(
        "space_digest",
        "the percentage of a hotel's reviews that are positive",
        36,
        "exponential_similarity",
    ),
    _task(
        "book_sum_sort",
        "the order of shuffled summaries of a book's chapters",
        256,
        "concordance_index",
    ),
)
