"""The tasks of SCROLLS (Shaham et al. 2022): section 3 says what they are, section 5 how they are run.

The inputs are truncated at the reader's own limit: the chunker `whole` under a limit on the prompt, whose document is
cut at its tail, after a token as in the published code. The prompt is the published input, which holds no instruction;
chat models get one in our own words.

One zip per task; counts are those of Table 3. Where an input has several accepted outputs (Qasper, NarrativeQA) the
table counts the rows of training and validation, not the inputs; there, only the count of the test split, whose outputs
are kept apart, is one of examples. The floors are those of section 5.1.
"""

from pipelines.benchmarks.scrolls.cleansing import Rules
from pipelines.metrics import EVIDENCE_NAMES
from pipelines.prompts.chat_words import CHAT
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.evidence_kinds import EVIDENCE

NOTES = (
    "The test split has no labels, so validation is scored. The paper gives no output length; 1,024 tokens is its"
    " published code's. It fine-tunes LED-base and BART-base on each task, and does not publish those weights: "
    "give yours by `--model`. `--chunker truncate:1024` cuts the inputs earlier, as in the paper's comparison. "
    "Chat models get a prompt in longdoc's words, with `--prompt tags` one that asks for tags around the answer; "
    "their scores are marked."
)

SPLITS = ("train", "validation", "test")
LABELS = ("Entailment", "Contradiction", "Not mentioned")


def _dataset(
    name: str,
    counts: dict[str, int],
    *originals: str,
    layout: str = "scrolls",
    has_query: bool = True,
    options: tuple[str, ...] = (),
    cleansing: Rules | None = None,
) -> DatasetInfo:
    files = {split: (f"{name}.zip::{name}/{split}.jsonl",) for split in SPLITS}
    return DatasetInfo("tau/scrolls", files, layout, counts, originals, has_query, options, cleansing)


def _counts(*counts: int) -> dict[str, int]:
    return dict(zip(SPLITS, counts, strict=True))


DATASETS = {
    "gov_report": _dataset(
        "gov_report", _counts(17_457, 972, 973), "gov_report", has_query=False, cleansing=Rules("reports")
    ),
    "summ_screen_fd": _dataset("summ_screen_fd", _counts(3_673, 338, 337), "summ_screen", has_query=False),
    "qmsum": _dataset("qmsum", _counts(1_257, 272, 281), "qmsum"),
    "qasper": _dataset("qasper", {"test": 1_399}, "qasper", cleansing=Rules("papers")),
    "narrative_qa": _dataset("narrative_qa", {"test": 10_306}, "narrativeqa", cleansing=Rules("stories")),
    "quality": _dataset("quality", _counts(2_523, 2_086, 2_128), "quality", layout="scrolls_choices"),
    "contract_nli": _dataset("contract_nli", _counts(7_191, 1_037, 2_091), "contract_nli", options=LABELS),
}

# the score that counts, where its name is not the metric's (Shaham et al. 2022, section 3)
SCORES = {"rouge": "geometric_mean"}


def _task(
    name: str,
    summary: str,
    *metrics: str,
    prompt: str = "{query}\n\n{document}",
    labels: tuple[str, ...] = (),
    floor: str = "prefix",
) -> Task:
    return Task(
        name=f"scrolls/{name}",
        summary=summary,
        dataset=DATASETS[name],
        split="validation",
        chunker="whole",
        retriever="all",
        model="allenai/led-base-16384",
        prompt=prompt,
        cut_at="token",
        metrics=metrics,
        max_new_tokens=1_024,
        notes=NOTES,
        floor=floor,
        evidence=EVIDENCE.get(name, ""),
        labels=labels,
        chat=CHAT[name],
        score=SCORES.get(metrics[0], metrics[0]),
    )


TASKS = (
    _task("gov_report", "summaries of reports by government agencies", "rouge", prompt="{document}"),
    _task(
        "summ_screen_fd",
        "recaps of episodes of TV series from their scripts",
        "rouge",
        prompt="{document}",
    ),
    _task("qmsum", "summaries of meetings that answer a query", "rouge", *EVIDENCE_NAMES),
    _task("qasper", "questions about scientific papers", "f1", *EVIDENCE_NAMES),
    _task("narrative_qa", "questions about whole books and film scripts", "f1"),
    _task(
        "quality",
        "multiple-choice questions about stories and articles",
        "exact_match",
        "exact_match_hard",
        prompt="{query}\n\n{options}\n\n{document}",
        floor="majority",
    ),
    _task(
        "contract_nli",
        "whether a contract entails a statement",
        "exact_match",
        *EVIDENCE_NAMES,
        labels=LABELS,
        floor="majority:per=query",
    ),
)
