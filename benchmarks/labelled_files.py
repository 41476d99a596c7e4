"""The labels of FinanceBench's and AA-LCR's published answers, beside the figures of the whole files.

FinanceBench's authors label by hand; AA-LCR's runs have a judge's verdicts. A part of the files can be at hand: its
figures are those of its own questions, and equal the printed ones only where as many are there.
"""

from pathlib import Path

from benchmarks.results import interval, table
from pipelines import score_predictions
from pipelines.display.numbers import MISSING
from pipelines.plugins.scoring._prediction_scores import PredictionScores

FINANCEBENCH = {  # of the 150 answers of results/NAME.jsonl (commit cc39aeb): correct, incorrect, refused
    "gpt-4-1106-preview_closedBook": (14, 5, 131),
    "gpt-4-1106-preview_singleStore": (75, 17, 58),
    "gpt-4-1106-preview_sharedStore": (29, 20, 101),
    "gpt-4-1106-preview_inContext": (37, 54, 59),
    "gpt-4-1106-preview_inContext_reverse": (118, 26, 6),
    "gpt-4-1106-preview_oracle": (128, 22, 0),
}
AA_LCR = {  # the correct of 100 of predictions/NAME.jsonl (github.com/runshengdu/aa_lcr_exp, commit 104fc70)
    "deepseek-reasoner/20260204_124703": 66,
    "deepseek-reasoner/20260204_134753": 68,
    "doubao-seed-1-8-251228/20260204_122351": 70,
    "doubao-seed-1-8-251228/20260204_125706": 70,
    "doubao-seed-1-8-251228/20260204_133224": 70,
    "doubao-seed-2-0-pro-260215/20260302_115105": 72,
    "doubao-seed-2-0-pro-260215/20260302_125312": 68,
    "doubao-seed-2-0-pro-260215/20260302_132745": 73,
}


def financebench_table(folder: Path) -> str:
    """The labels by hand of every file of results."""
    rows = []
    for path in sorted(folder.glob("results/*.jsonl")):
        scores = score_predictions("financebench", path, metrics=["labels"])
        printed = FINANCEBENCH.get(path.stem)
        whole = MISSING if printed is None else f"{' / '.join(map(str, printed))} of {sum(printed)}"
        rows.append([path.stem, _counts(scores), _share(scores), whole])
    head = ["results", "correct / incorrect / refused", "correct, %", "of the whole file"]
    return f"FinanceBench, labelled by hand.\n\n{table(head, rows)}" if rows else ""


def aa_lcr_table(folder: Path) -> str:
    """The judge's verdicts of every run."""
    rows = []
    for path in sorted(folder.glob("predictions/*/*.jsonl")):
        scores = score_predictions("aa_lcr", path, metrics=["labels"])
        name = f"{path.parent.name}/{path.stem}"
        count = f"{scores.label_counts['correct']} of {len(scores.predictions)}"
        rows.append([name, count, _share(scores), f"{AA_LCR[name]} of 100" if name in AA_LCR else MISSING])
    head = ["run", "correct", "correct, %", "of the whole file"]
    return f"AA-LCR, with the verdicts of the runs' judge.\n\n{table(head, rows)}" if rows else ""


def _counts(scores: PredictionScores) -> str:
    return f"{' / '.join(map(str, scores.label_counts.values()))} of {len(scores.predictions)}"


def _share(scores: PredictionScores) -> str:
    return f"{scores.scores['label_correct']:.2f} {interval(scores.scores.intervals.get('label_correct'))}"
