"""The figures of a wording on questions of a task: a usual run, but with a model whose replies are kept."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pipelines
from benchmarks.results import prompt_files, score_with_interval
from benchmarks.wordings import rows as question_sets
from benchmarks.wordings.replies import RecordedModel, Replies
from benchmarks.wordings.rows import QuestionSet
from models import Generate
from models.refusals import refuses
from pipelines.records import Example, Prediction
from pipelines.results.result import Result
from pipelines.tasks import Task

OURS = "longdoc"
MARKED = "longdoc, some unanswerable"  # own rows, some of which say that they have no answer
REPORTED = 1  # the half of the documents
PLAIN = "{document}\n\nQuestion: {query}\nAnswer:"  # as lm-evaluation-harness asks SCROLLS' questions
OPEN = ("hotpotqa", "qa", "qasper", "narrativeqa", "loogle/shortdep_qa")  # answers are not of a closed set
LONGBENCH = {"hotpotqa": "hotpotqa", "qasper": "qasper", "narrativeqa": "narrativeqa"}  # its task for ours


@dataclass(frozen=True)
class Figures:
    """The row of the table, the requests without a kept reply by digest, and the keys of the replies that were used."""

    row: list[str]
    missing: Mapping[str, Generate]
    used: set[tuple[str, str]]


def reported_questions(folder: Path, name: str) -> QuestionSet:
    """The questions of a task that are reported."""
    return question_sets.ALL[name](folder).half(REPORTED)


def wordings_of(name: str) -> Sequence[str]:
    """The wordings that a task's questions are asked in."""
    marked = [MARKED] if name == "qa" else []
    rivals = ["plain"] if name in OPEN else []
    return [OURS, *marked, *rivals, *(["LongBench"] if name in LONGBENCH and _longbench() else [])]


def figures(question_set: QuestionSet, wording: str, model: str, kept_replies: Replies) -> Figures:
    """The figures of a wording; a missing reply counts as empty."""
    if wording == MARKED:
        question_set = replace(question_set, task=_saying_what_to_write(question_set.task))
    arguments = {} if wording in (OURS, MARKED) else {"prompt": _rival(question_set.name, wording)}
    result, reader = _run(
        question_set, question_set.examples, {**question_set.arguments, **arguments}, model, kept_replies
    )
    row = [
        question_set.name,
        wording,
        model,
        str(len(question_set.examples)),
        score_with_interval(result.scores, question_set.metric.partition(":")[0]),
    ]
    row += [str(_refusals(result.predictions)), str(_yes_or_no(result.predictions))]
    if not question_set.twins or wording != _for_twins(question_set.name):
        return Figures([*row, "–", "–"], reader.missing, reader.used)
    twin_result, twin_reader = _run(question_set, question_set.twins, question_set.twin_arguments, model, kept_replies)
    row += [str(len(question_set.twins)), str(_refusals(twin_result.predictions))]
    return Figures(row, {**reader.missing, **twin_reader.missing}, reader.used | twin_reader.used)


def _run(
    question_set: QuestionSet,
    examples: Sequence[Example],
    arguments: Mapping[str, Any],
    model: str,
    kept_replies: Replies,
) -> tuple[Result, RecordedModel]:
    """The result of a run on examples of the set, and its model, which answers with kept replies."""
    reader = RecordedModel(model, kept_replies)
    with TemporaryDirectory() as folder:
        settings = {"data": list(examples), "model": reader, "metrics": [question_set.metric], "report": False}
        result = pipelines.run(question_set.task, **settings, **arguments, out=Path(folder) / "run")
        list(result.predictions)  # read while the folder is there
    return result, reader


def _refusals(predictions: Sequence[Prediction]) -> int:
    return sum(refuses(prediction.prediction) for prediction in predictions)


def _yes_or_no(predictions: Sequence[Prediction]) -> int:
    return sum(prediction.prediction.strip(" .").lower() in ("yes", "no") for prediction in predictions)


def _for_twins(name: str) -> str:
    """The wording that is tried on twins: the one that says what to write where there is no answer."""
    return MARKED if name == "qa" else OURS


def _saying_what_to_write(task: Task) -> Task:
    """The task of own rows, with the words that it has where some row is marked as unanswerable."""
    assert task.chat is not None
    return replace(task, chat=replace(task.chat, answers="short"))


def _rival(name: str, wording: str) -> str:
    return PLAIN if wording == "plain" else _longbench()[LONGBENCH[name]]


@cache
def _longbench() -> Mapping[str, str]:
    """LongBench's own prompts by task, with longdoc's placeholders; empty where its file is not at hand."""
    folder = prompt_files()
    if folder is None:
        return {}
    texts = json.loads((folder / "longbench/LongBench/config/dataset2prompt.json").read_text(encoding="utf-8"))
    return {name: text.replace("{context}", "{document}").replace("{input}", "{query}") for name, text in texts.items()}
