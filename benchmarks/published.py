"""Do our scores of published predictions equal the published ones? And what do those files say of retrieval?

Scores the files of predictions that the authors of ∞Bench, NoCha and LaRA publish, in their own layouts. ∞Bench prints
one score a task and model: ours must be equal to its last digit. NoCha's figures are of four books, ours of those whose
claims are there. LaRA's own score needs a judge: ours are F1 and ROUGE-L, of the whole document and of retrieval by the
same model. BABILong's files come without printed scores: ours must count as many right outputs as its own code. Those
of L-Eval and LiteraryQA are in `benchmarks.scored_files`. Run: python -m benchmarks.published [FOLDER]
(LONGDOC_REALDATA); in FOLDER are infinitebench, nocha, lara, babilong, leval, literaryqa,
financebench, aa_lcr.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.labelled_files import aa_lcr_table, financebench_table
from benchmarks.results import INTERVALS_NOTE, interval, publish, realdata, table
from benchmarks.scored_files import leval_table, literaryqa_table
from pipelines import published, score_prediction_files, score_predictions
from pipelines.display.numbers import MISSING
from pipelines.plugins.scoring._prediction_scores import PredictionScores
from pipelines.records import Prediction
from pipelines.tasks import Task, group

MODELS = {  # the folders of ∞Bench's predictions
    "gpt4": "GPT-4",
    "yarn-mistral": "YaRN-Mistral-7B",
    "kimi": "Kimi-Chat",
    "claude2": "Claude 2",
    "yi-6b-200k": "Yi-6B-200K",
    "yi-34b-200k": "Yi-34B-200K",
    "chatglm3": "ChatGLM3-6B-128K",
}
LEAST = 5  # ∞Bench prints lower scores as "< 5%"
NOCHA = {  # pair accuracy, and the pairs that were answered, of the four books
    "gpt4o": (73.3, 15),
    "bm25-gpt4o-top5": (33.3, 63),
    "bm25-gpt4o-top25": (44.4, 63),
    "bm25-gpt4o-top50": (52.4, 63),
}
FOUR_BOOKS = (
    "Accuracy is of the pairs that were answered, by book too. Published are figures of four books: they can be equal "
    "only where as many pairs were answered."
)
PAIRS = "pair_accuracy"
BABILONG = {  # outputs that BABILong's own code (commit 7a6efee) counts as right, by model, task and length
    "Phi-3-mini-128k-instruct": {
        "qa1": {"0k": 97, "8k": 704, "32k": 533, "128k": 1},
        "qa3": {"0k": 32, "8k": 255, "32k": 210, "128k": 4},
    },
    "gemini-3-flash-preview": {"qa1": {"0k": 1000, "8k": 997, "128k": 66}},
}
LEVELS = {"location": "location", "reasoning": "reasoning", "comp": "comparison", "hallu": "hallucination"}  # of LaRA


@dataclass(frozen=True, slots=True)
class Row:
    """A score that ∞Bench prints (None for "< 5%"), and our scores of the same file."""

    model: str
    task: str
    printed: float | None
    ours: PredictionScores

    @property
    def score(self) -> float:
        """The task's score."""
        (score,) = self.ours.scores.values()
        return score

    @property
    def harness(self) -> float | None:
        """The score of lm-evaluation-harness for the same outputs; None of En.Sum, and where it is not installed."""
        try:
            from lm_eval.tasks.infinitebench import utils
        except ImportError:
            return None
        scorers = {
            "infinitebench/en_qa": utils.process_results_qa_en,
            "infinitebench/en_mc": utils.process_results_choice,
            "infinitebench/en_dia": utils.process_results,
        }
        if self.task not in scorers:
            return None
        score, outputs = scorers[self.task], self.ours.predictions
        scores_by_output = [score(_harness_row(output, self.task), [output.prediction]) for output in outputs]
        return 100 * sum(value for scores in scores_by_output for value in scores.values()) / len(scores_by_output)

    @property
    def equal(self) -> bool:
        """Whether our score equals the printed one to its last digit."""
        return self.score < LEAST if self.printed is None else f"{self.score:.2f}" == f"{self.printed:.2f}"


def _harness_row(prediction: Prediction, task: str) -> dict[str, Any]:
    """A row as lm-evaluation-harness scores it; En.MC's options are listed so that the right one has its letter."""
    if not task.endswith("en_mc"):
        return {"answer": list(prediction.references)}
    text, letter = prediction.references
    return {"answer": [text], "options": [text if place == letter else f"not {place}" for place in "ABCD"]}


def infinitebench(folder: Path) -> Iterator[Row]:
    """Every task of every model whose predictions are there."""
    printed = {(row.model, row.task): row.value for row in published("infinitebench").rows}
    for name, model in MODELS.items():
        for task in group("infinitebench"):
            file = folder / name / predictions_of(task)
            if file.is_file():
                yield Row(model, task.name, printed.get((model, task.name)), score_predictions(task, file))


def predictions_of(task: Task) -> str:
    """The name of ∞Bench's files with the predictions for a task."""
    (data,) = task.dataset.files["test"]
    return f"preds_{data}"


def infinitebench_table(folder: Path) -> str:
    rows = list(infinitebench(folder))
    if not rows:
        return ""
    warnings = dict.fromkeys(f"{row.model}, {row.task}: {warning}." for row in rows for warning in row.ours.warnings)
    equal = f"{sum(row.equal for row in rows)} of {len(rows)} are equal to the last digit that is printed."
    head = ["model", "task", "predictions", "published", "ours", "equal", "lm-evaluation-harness"]
    return "\n\n".join(
        [f"∞Bench. {equal}", table(head, list(map(_line, rows))), "\n".join(f"- {warning}" for warning in warnings)]
    )


def _line(row: Row) -> list[str]:
    return [
        row.model,
        row.task.partition("/")[2],
        f"{len(row.ours.predictions)}",
        printed(row.printed),
        _score(row.ours, next(iter(row.ours.scores))),
        "yes" if row.equal else "no",
        MISSING if (theirs := row.harness) is None else f"{theirs:.2f}",
    ]


def printed(score: float | None) -> str:
    """A score as ∞Bench prints it."""
    return f"< {LEAST}" if score is None else f"{score:.2f}"


def lara_table(folder: Path) -> str:
    """F1 and ROUGE-L of the whole document and of retrieval, by model and level."""
    lines = []
    for model in sorted((folder / "predictions").glob("*/")):
        for level, task in LEVELS.items():
            files = [next(model.glob(f"{way}_*_{level}.jsonl"), None) for way in ("full", "rag")]
            ways = [score_predictions(f"lara/{task}", file) for file in files if file]
            if len(ways) == len(files):
                scores = [_score(one, name) for name in ("f1", "rougeL") for one in ways]
                lines.append([model.name, task, " / ".join(map(_answers, ways)), *scores])
    head = ["model", "level", "predictions", "F1, whole", "F1, retrieval", "ROUGE-L, whole", "ROUGE-L, retrieval"]
    return f"LaRA. The whole document, and retrieval.\n\n{table(head, lines)}" if lines else ""


def _answers(scores: PredictionScores) -> str:
    """The number of answers, and that of questions where some have no answer."""
    answers, refused = len(scores.predictions), sum(scores.refused.values())
    return f"{answers:,} of {answers + refused:,}" if refused else f"{answers:,}"


def _score(scores: PredictionScores, name: str) -> str:
    """A score with its interval; a dash where there is no answer."""
    return (
        f"{scores.scores[name]:.2f} {interval(scores.scores.intervals.get(name))}" if name in scores.scores else MISSING
    )


def nocha_table(folder: Path) -> str:
    """The pair accuracies of all systems: over the pairs that they answered, as published, and over all."""
    claims = folder / "claims.jsonl"
    if not claims.is_file():
        return ""
    systems = score_prediction_files("nocha", [claims]).systems
    titles = list(dict.fromkeys(title for one in systems for title in one.by_document))
    names = [title.replace("_", " ") for title in titles]
    head = ["system", "pairs answered", "pair accuracy", "of all pairs", *names, "published, four books"]
    return f"NoCha. {FOUR_BOOKS}\n\n{table(head, [_pairs(one, titles) for one in systems])}"


def _pairs(scores: PredictionScores, titles: list[str]) -> list[str]:
    """A system's line: coverage, pair accuracy of what was answered and of all, by book, and as published."""
    pairs = (len(scores.predictions) + len(scores.unanswered)) // 2
    answered = round(scores.scores["pair_coverage"] / 100 * pairs)
    shares = [scores.scores.get(PAIRS), scores.scores[f"{PAIRS}_all"]]
    shares += [scores.by_document.get(title, {}).get(PAIRS) for title in titles]
    accuracy, answered_pairs = NOCHA.get(scores.system, (None, 0))
    theirs = MISSING if accuracy is None else f"{accuracy:.1f} of {answered_pairs}"
    return [
        scores.system,
        f"{answered} of {pairs}",
        *(MISSING if share is None else f"{share:.2f}" for share in shares),
        theirs,
    ]


def babilong_table(folder: Path) -> str:
    """The right outputs of each file of predictions, by BABILong's own code and by ours."""
    lines = []
    for model, tasks in BABILONG.items():
        for task, lengths in tasks.items():
            for length, right in lengths.items():
                for file in (folder / "predictions").glob(f"*/{model}/{task}_{length}_*.csv"):
                    lines.append([model, task, length, *_right_outputs(score_predictions("babilong", file), right)])
    head = ["model", "task", "length", "predictions", "right by its own code", "right", "equal", "accuracy"]
    return f"BABILong. Right outputs of the published files.\n\n{table(head, lines)}" if lines else ""


def _right_outputs(scored: PredictionScores, right: int) -> list[str]:
    """The cells of a file: predictions, right ones by the published code and by ours, and the accuracy."""
    name = "babilong_accuracy"
    count = sum(prediction.statistics[name][name] == 100 for prediction in scored.predictions)
    equal = "yes" if count == right else "no"
    return [f"{len(scored.predictions):,}", f"{right:,}", f"{count:,}", equal, _score(scored, name)]


TABLES: dict[str, Callable[[Path], str]] = {
    "infinitebench": infinitebench_table,
    "nocha": nocha_table,
    "lara": lara_table,
    "babilong": babilong_table,
    "leval": leval_table,
    "literaryqa": literaryqa_table,
    "financebench": financebench_table,
    "aa_lcr": aa_lcr_table,
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else realdata()
    folders = {name: folder / name for name in TABLES} if folder else {}
    tables = [TABLES[name](path) for name, path in folders.items() if path.is_dir()]
    parts = list(filter(None, tables))
    if not parts:
        raise SystemExit("no published predictions are here: set LONGDOC_REALDATA, or name the folder that has them")
    publish("published", "\n\n".join([*parts, INTERVALS_NOTE]), arguments=" ".join(sys.argv[1:]))


if __name__ == "__main__":
    main()
