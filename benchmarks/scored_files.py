"""L-Eval's and LiteraryQA's published predictions: the figures of their own scorers, and ours.

Half of each benchmark's documents is at hand. The scorers' figures for these documents, and for all, are those of the
README beside the files. The printed figures are those of L-Eval's repository for GPT-4-32k, over all documents. They
count as equal only where the whole file is at hand.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.results import table
from pipelines import published, score_predictions
from pipelines.display.numbers import MISSING
from pipelines.plugins.scoring._prediction_scores import PredictionScores

Figures = tuple[str, ...]
EXAMS = ("tpo", "quality", "coursera", "topic_retrieval_longchat")
EXAM_FIGURES: Mapping[str, tuple[Figures, Figures]] = {  # by EXAMS: of these documents, of all
    "gpt4-32k": (("84.29", "86.61", "79.59", "94.67"), ("84.39", "82.18", "75.58", "95.33")),
    "Claude-100k": (("87.86", "79.46", "64.80", "68.00"), ("84.01", "73.76", "60.03", "70.67")),
    "turbo-16k-0613": (("78.57", "62.50", "65.56", "82.67"), ("78.44", "61.39", "63.52", "79.33")),
}
OPEN_FIGURES: Mapping[str, tuple[Figures, Figures]] = {  # of Turbo-16k: F1, or ROUGE-1, 2 and L
    "financial_qa": (("41.60",), ("45.37",)),
    "legal_contract_qa": (("26.64",), ("24.87",)),
    "multidoc_qa": (("29.93",), ("31.45",)),
    "news_summ": (("33.62", "7.47", "15.60"), ("35.30", "8.12", "16.06")),
    "patent_summ": (("44.10", "20.23", "29.00"), ("45.98", "20.30", "29.28")),
    "tv_show_summ": (("32.12", "7.16", "16.26"), ("31.97", "5.36", "16.87")),
}
LITERARYQA: Mapping[str, tuple[Figures, Figures]] = {  # exact match, F1 and ROUGE-L
    "meta-llama--Llama-3.1-8B-Instruct": (("17.11", "37.09", "38.69"), ("16.64", "37.85", "39.04")),
    "THUDM--glm-4-9b-chat-1m-hf": (("9.48", "32.23", "32.95"), ("9.09", "32.59", "33.20")),
    "claude-haiku": (("4.15", "27.41", "27.98"), ("4.25", "28.19", "28.61")),
}
MODELS = {"gpt4-32k": "GPT-4-32k"}  # folders of L-Eval's predictions whose model has printed figures
HEAD = [
    "model",
    "task",
    "predictions",
    "printed, all documents",
    "scorer, all",
    "scorer, these",
    "ours, these",
    "equal",
]


@dataclass(frozen=True, slots=True)
class ScoredFile:
    """A file of predictions: the figures of its benchmark's scorer for these documents and for all, and ours.

    `printed` is the figure that the benchmark prints for all documents, "" where it prints none.
    """

    model: str
    task: str
    these: Figures
    all_documents: Figures
    ours: Figures
    predictions: int
    printed: str = ""

    @property
    def equal(self) -> bool:
        """Whether ours are the scorer's to the last digit, for these documents or, of a whole file, for all."""
        return self.ours in (self.these, self.all_documents)

    @property
    def cells(self) -> list[str]:
        """The line of the table."""
        figures = [" / ".join(values) for values in (self.all_documents, self.these, self.ours)]
        equal = "yes" if self.equal else "no"
        return [self.model, self.task, f"{self.predictions:,}", self.printed or MISSING, *figures, equal]


def leval(folder: Path) -> Iterator[ScoredFile]:
    """L-Eval's files that have figures, of those in a folder."""
    printed = {(row.model, row.task): f"{row.value:.2f}" for row in published("leval").rows}
    for model, (these, all_documents) in EXAM_FIGURES.items():
        for number, task in enumerate(EXAMS):
            path = folder / "Predictions" / "exam_eval" / model / f"{task}.pred.jsonl"
            if path.is_file():
                scores = score_predictions(f"leval/{task}", path)
                figures = (these[number],), (all_documents[number],), _figures(scores, 1)
                text = printed.get((MODELS.get(model, ""), f"leval/{task}"), "")
                yield ScoredFile(model, task, *figures, len(scores.predictions), text)
    model = "turbo-16k-0613"
    for task, (these, all_documents) in OPEN_FIGURES.items():
        path = folder / "Predictions" / "ngram_eval" / model / f"{task}.pred.jsonl"
        if path.is_file():
            scores = score_predictions(f"leval/{task}", path)
            yield ScoredFile(model, task, these, all_documents, _figures(scores, len(these)), len(scores.predictions))


def literaryqa(folder: Path) -> Iterator[ScoredFile]:
    """LiteraryQA's files that have figures, of those in a folder."""
    for model, (these, all_documents) in LITERARYQA.items():
        path = folder / "predictions" / f"{model}.jsonl"
        if path.is_file():
            scores = score_predictions("literaryqa", path, metrics=("exact_match", "f1_hotpotqa", "rouge"))
            ours = tuple(f"{scores.scores[name]:.2f}" for name in ("exact_match", "f1_hotpotqa", "rougeL"))
            yield ScoredFile(model, "EM / F1 / ROUGE-L", these, all_documents, ours, len(scores.predictions))


def leval_table(folder: Path) -> str:
    """L-Eval's files, as the report prints them."""
    return _table("L-Eval", list(leval(folder)))


def literaryqa_table(folder: Path) -> str:
    """LiteraryQA's files, as the report prints them."""
    return _table("LiteraryQA", list(literaryqa(folder)))


def _figures(scores: PredictionScores, count: int) -> Figures:
    return tuple(f"{value:.2f}" for value in scores.scores.values())[:count]


def _table(name: str, files: list[ScoredFile]) -> str:
    if not files:
        return ""
    equal = (
        f"{sum(file.equal for file in files)} of {len(files)} files have the figures of its scorer to the last digit."
    )
    return f"{name}, half of its documents. {equal}\n\n{table(HEAD, [file.cells for file in files])}"
