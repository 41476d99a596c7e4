"""Where a run's gold evidence is lost: in the document, by chunking, a small budget, ranking, a cut or truncation.

Everything is read from the run's predictions, in which preparing wrote how much of the evidence each stage left
(`Prediction.evidence`); the documents are not needed.
"""

import json
from collections.abc import Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from longdoc.links import check_files
from pipelines.records import Prediction
from pipelines.results.lost_evidence.stages import (
    ANSWER_STAGE,
    LOSSES,
    PARTS,
    STAGES,
    TEXT_STAGE,
    AnswerGroup,
    AnswerText,
    Blame,
    LosingExample,
    RunStages,
    Stage,
)
from pipelines.results.run_folders.record import ABLATION
from pipelines.results.run_folders.run import Run

LIMIT = 5
RIGHT = 100.0
COUNT_FIELDS = {"chunks": "in_chunks", "selected": "selected", "shown": "shown"}  # fields of the counts
Scores = Mapping[str, float | None]  # by example


def blame_runs(runs: Sequence[Run], stage: str | None, limit: int, primary_metric: str | None) -> Blame:
    """Where runs lose gold evidence; the arguments are those of `pipelines.blame`.

    Raises `UserError` for an unknown stage, a negative limit, and a run that did not record the stages.
    """
    if stage is not None and stage not in LOSSES:
        raise unknown("stage", stage, LOSSES)
    if limit < 0:
        raise UserError(f"limit must be at least 0, got {limit}")
    return Blame(tuple(_with_stages(run, stages_of(run, stage, limit, primary_metric)) for run in runs))


def stages_of(
    run: Run, stage: str | None = None, limit: int | None = None, primary_metric: str | None = None
) -> RunStages:
    """The stages of one run; none if its predictions have no counts of evidence."""
    score_name, scores = _primary_scores(run, primary_metric)
    predictions = [prediction for prediction in run.predictions if has_evidence(prediction)]
    without_evidence = [prediction for prediction in run.predictions if not has_evidence(prediction)]
    located_predictions = [prediction for prediction in predictions if prediction.evidence.get("characters")]
    answer_recall = {prediction.id: _answer_row(prediction).get("answer_recall") for prediction in run.predictions}
    losing_examples = [
        example
        for name in ([stage] if stage else LOSSES)
        for example in _losing_examples(name, predictions, without_evidence, scores)[:limit]
    ]
    return RunStages(
        run=run,
        with_evidence=len(predictions),
        missing=sum(prediction.evidence.get("missing", 0) for prediction in predictions),
        primary_metric=score_name,
        stages=[_stage(name, predictions, located_predictions) for name in STAGES] if predictions else (),
        answers=_groups(predictions, scores, answer_recall) if predictions else (),
        text=_answer_text(without_evidence, scores, answer_recall),
        further=sum(
            prediction.evidence["shown"] > prediction.evidence["selected"] for prediction in located_predictions
        ),
        losing=losing_examples,
    )


def has_evidence(prediction: Prediction) -> bool:
    """Whether an example has gold evidence other than white space, found in its document or not."""
    return bool(prediction.evidence.get("characters") or prediction.evidence.get("missing"))


def stages_losing(prediction: Prediction) -> list[str]:
    """The names of the stages at which an example loses evidence."""
    return [name for name in STAGES if _characters_lost(name, prediction.evidence)] if has_evidence(prediction) else []


def shows_all(prediction: Prediction) -> bool:
    """Whether an example has gold evidence, and all of it was shown."""
    return has_evidence(prediction) and _is_complete("shown", prediction.evidence)


def run_folder(folder: Path) -> Path:
    """The folder itself. Raises `UserError` if it is that of an ablation, naming one of its runs."""
    file = folder / ABLATION
    check_files(folder)
    if (folder / "run.json").is_file() or not file.is_file():
        return folder
    try:
        cells = [cell["folder"] for cell in json.loads(file.read_text(encoding="utf-8"))["cells"] if cell["folder"]]
        cell_folder = str(folder / cells[0])
    except (ValueError, LookupError, TypeError):
        cell_folder = str(folder / "runs" / "…")
    raise UserError(
        f"{folder} is an ablation: name one of its runs, as longdoc blame {cell_folder}; "
        f"all of them are in longdoc report {folder}"
    )


def _with_stages(run: Run, stages: RunStages) -> RunStages:
    """The stages of a run. Raises `UserError`, saying what is missing, if there are none."""
    if stages.stages or stages.text:
        return stages
    recall_rows = (prediction.statistics.get("evidence_recall", {}) for prediction in run.predictions)
    if any(row.get("has_evidence") for row in recall_rows):
        raise UserError(
            f"the run in {run.folder} does not record where evidence is lost: an older longdoc wrote it; run it again "
            "in another folder, with out="
        )
    raise UserError(
        f"no example of the run in {run.folder} has gold evidence, and it has no answer_recall: "
        f"longdoc score {run.folder} --metric answer_recall adds it"
    )


def _primary_scores(run: Run, primary_metric: str | None) -> tuple[str, Scores]:
    """The name of the score of answers ("" if there is none), and its value for each example."""
    scores_by_name = run.answer_scores(primary_metric)
    if primary_metric is not None and primary_metric not in scores_by_name:
        raise unknown("score of single examples", primary_metric, scores_by_name)
    name = primary_metric or next(iter(scores_by_name), "")
    values: Sequence[float | None] = scores_by_name.get(name, [None] * len(run.predictions))
    return name, {prediction.id: value for prediction, value in zip(run.predictions, values, strict=True)}


def _stage(name: str, predictions: Sequence[Prediction], located_predictions: Sequence[Prediction]) -> Stage:
    shares = [
        100 * _characters_left(name, prediction.evidence) / prediction.evidence["characters"]
        for prediction in located_predictions
    ]
    return Stage(
        name,
        fsum(shares) / len(shares) if shares else 0.0,
        sum(_characters_left(name, prediction.evidence) for prediction in located_predictions),
        sum(_is_complete(name, prediction.evidence) for prediction in predictions),
        sum(_characters_lost(name, prediction.evidence) > 0 for prediction in predictions),
    )


def _characters_left(stage: str, counts: Mapping[str, int]) -> int:
    """The characters of evidence left at a stage; after ranking no more than the budget can hold."""
    if stage == "budget":  # absent without a budget, and in runs of older versions
        return counts.get("budget", counts.get("in_chunks", 0))
    if stage == "ranked":
        return min(counts.get("ranked", 0), _characters_left("budget", counts))
    return counts.get("characters", 0) if stage == "document" else counts.get(COUNT_FIELDS[stage], 0)


def _is_complete(stage: str, counts: Mapping[str, int]) -> bool:
    return not counts.get("missing") and _characters_left(stage, counts) == counts.get("characters", 0)


def _characters_lost(stage: str, counts: Mapping[str, int]) -> int:
    """The characters of evidence lost at a stage; at the stage "document", the number of spans."""
    if stage == "document":
        return counts.get("missing", 0)
    names = list(STAGES)
    previous = names[names.index(stage) - 1]
    return max(_characters_left(previous, counts) - _characters_left(stage, counts), 0)


def _groups(predictions: Sequence[Prediction], scores: Scores, recall: Scores) -> list[AnswerGroup]:
    groups: dict[str, list[Prediction]] = {name: [] for name in PARTS}
    for prediction in predictions:
        part = "all" if shows_all(prediction) else "part" if _characters_left("shown", prediction.evidence) else "none"
        groups[part].append(prediction)
    return [_group(name, group, scores, recall) for name, group in groups.items()]


def _group(name: str, group: Sequence[Prediction], scores: Scores, recall: Scores) -> AnswerGroup:
    values = _values(group, scores)
    right = sum(value >= RIGHT for value in values) if values else None
    return AnswerGroup(name, len(group), _mean(values), right, _mean(_values(group, recall)))


def _answer_text(predictions: Sequence[Prediction], scores: Scores, recall: Scores) -> AnswerText | None:
    """The counts for examples without evidence; None without such examples, or without answer recall."""
    scored_predictions = [prediction for prediction in predictions if recall.get(prediction.id) is not None]
    if not scored_predictions:
        return None
    shares = [_answer_row(prediction).get("in_document") for prediction in scored_predictions]
    document_shares = [value for value in shares if value is not None]
    predictions_with_answer = [prediction for prediction in scored_predictions if recall[prediction.id]]
    return AnswerText(
        len(scored_predictions),
        _mean(document_shares) if len(document_shares) == len(shares) else None,
        100 * len(predictions_with_answer) / len(scored_predictions),
        sum(map(_loses_answer, scored_predictions)),
        _mean(_values(predictions_with_answer, scores)),
        _mean(_values([prediction for prediction in scored_predictions if not recall[prediction.id]], scores)),
    )


def _answer_row(prediction: Prediction) -> Mapping[str, float]:
    """The row of answer recall, whatever its arguments (`answer_recall:unicode`); empty without one."""
    rows = prediction.statistics.items()
    return next((row for name, row in rows if name.partition(":")[0] == "answer_recall"), {})


def _loses_answer(prediction: Prediction) -> bool:
    """Whether the answer's text is in the document, but was not shown."""
    row = _answer_row(prediction)
    return row.get("in_document") == RIGHT and not row["answer_recall"]


def _losing_examples(
    stage: str, predictions: Sequence[Prediction], without_evidence: Sequence[Prediction], scores: Scores
) -> list[LosingExample]:
    """The examples lost at a stage, the largest loss first, then in the order of the data."""
    if stage == TEXT_STAGE:
        return [_example(stage, prediction, scores) for prediction in without_evidence if _loses_answer(prediction)]
    if stage == ANSWER_STAGE:
        wrong_predictions = [
            prediction for prediction in predictions if shows_all(prediction) and _is_wrong(scores[prediction.id])
        ]
        return sorted(
            (_example(stage, prediction, scores) for prediction in wrong_predictions),
            key=lambda prediction: prediction.score or 0.0,
        )
    examples = [
        _example(stage, prediction, scores)
        for prediction in predictions
        if _characters_lost(stage, prediction.evidence)
    ]
    return sorted(examples, key=lambda example: (-(example.lost or 0.0), -example.missing))


def _is_wrong(score: float | None) -> bool:
    return score is not None and score < RIGHT


def _example(stage: str, prediction: Prediction, scores: Scores) -> LosingExample:
    counts: Mapping[str, Any] = prediction.evidence
    has_length = stage not in ("document", ANSWER_STAGE, TEXT_STAGE)
    return LosingExample(
        stage=stage,
        id=prediction.id,
        document=prediction.document,
        query=prediction.query,
        lost=100 * _characters_lost(stage, counts) / counts["characters"] if has_length else None,
        **{name: counts.get(name, 0) for name in ("missing", "chunks", "best_rank", "worst_rank", "taken")},
        score=scores[prediction.id],
    )


def _values(group: Sequence[Prediction], values: Scores) -> list[float]:
    return [value for prediction in group if (value := values.get(prediction.id)) is not None]


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None
