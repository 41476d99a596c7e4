"""How many documents and questions show a difference between two systems, and which difference given data can show."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError, unknown
from longdoc.plurals import counted
from pipelines import sources, tasks
from pipelines.engine.planning.given_arguments import name_of_data
from pipelines.evaluation._power_basis import (
    ALIKE_TEXT,
    Basis,
    assumed_correlation_note,
    check_documents,
    score_correlation,
)
from pipelines.evaluation._power_checks import check_comparisons, check_numbers, refuse
from pipelines.evaluation._prediction_run import prediction_run
from pipelines.evaluation.score_logs.formats import is_log
from pipelines.evaluation.score_logs.log_basis import log_basis
from pipelines.results.comparisons.power_records import Design, PowerAnalysis
from pipelines.results.comparisons.runs import Ids, Rows, check_comparable, common
from pipelines.results.run_folders.run import finished_run
from pipelines.statistics.bootstrap import RESAMPLES, SEED
from pipelines.statistics.power import (
    Spread,
    detectable,
    documents_needed,
    least_documents,
    spread_of_difference,
    spread_of_score,
)
from pipelines.statistics.power import (
    power as power_of,
)

ALPHA, POWER = 0.05, 0.8  # Cohen's conventions
CORRELATION = 0.5  # of two systems' scores on the same question
QUESTIONS = (1, 2, 5, 10, 20, 50)  # a document, of the designs that are shown
LEVEL = 0.95  # of the bounds of a design
GIVE = "give a run's folder or two, or sd=, the standard deviation of a question's difference"


@checks_names
def plan(
    a: str | Path | None = None,
    b: str | Path | None = None,
    *,
    detect: float | None = None,
    metric: str | None = None,
    power: float = POWER,
    alpha: float = ALPHA,
    comparisons: int = 1,
    correlation: float | None = None,
    task: str | tasks.Task | None = None,
    data: Any = None,
    split: str | None = None,
    sd: float | None = None,
    icc: float | None = None,
    cluster: str | None = None,
) -> PowerAnalysis:
    """How many documents and questions show a difference of `detect` points; which difference these data can show.

    Two systems answer the same questions, and their difference is tested over documents, as `compare` does: questions
    of one document are not independent.

    - `a`, `b`: two runs' folders, whose differences are taken; or one, for which `correlation`, that of its scores with
      those of a second system, is assumed (0.5). Or logs of other harnesses, as `compare` takes them.
    - `task`: then `a` and `b` are files of predictions in its benchmark's layout, `FILE::SYSTEM` for one of several,
      `data` and `split` as for `score_predictions`. Without a file the numbers of questions are those of `data`, and
      `sd` and `icc` are given: the standard deviation of the differences of single questions, in points, and how alike
      those of one document are (0: not at all, 1: equal).
    - `detect`: points of the score, 0 to 100; None: only what these data can show.
    - `metric`: the score ("f1", "rouge1"); by default the first that is a mean over examples.
    - `power`, `alpha`: the test is two-sided.
    - `comparisons`: how many differences are tested together, such as those of a grid's cells from its baseline.
      Holm's correction tests the smallest p of them at alpha / comparisons (Bonferroni's level), and this is planned
      for: it is enough even if no other difference of the family is real, and more than enough where others are.

    - `cluster`: of logs, the field that says which samples belong together.

    Raises `UserError`, among others for data of one document only, and for differences that do not vary.
    """
    check_numbers(detect, power, alpha, correlation, sd, icc)
    check_comparisons(comparisons, alpha)
    paths = [path for path in (a, b) if path is not None]
    are_logs = task is None and any(is_log(path) for path in paths)
    if not are_logs:
        refuse("logs of other harnesses", cluster=cluster)
    if not paths:
        refuse("runs or files of predictions", metric=metric, correlation=correlation)
        basis = _data_basis(task, data, split, sd, icc)
    else:
        refuse("data without runs", sd=sd, icc=icc)
        if len(paths) == 2:
            refuse("a single run, of two it is measured", correlation=correlation)
        assumed = CORRELATION if correlation is None else correlation
        names = tuple(map(str, paths))
        if are_logs:
            refuse("a task's files of predictions, or its data", data=data, split=split)
            basis = log_basis(names, metric, assumed, cluster)
        else:
            runs, notes = _runs(paths, task, data, split)
            basis = _runs_basis(runs, names, metric, assumed, notes)
    return _analysis(basis, detect, power, alpha, comparisons)


def _runs(
    paths: Sequence[str | Path], task: str | tasks.Task | None, data: Any, split: str | None
) -> tuple[list[Rows], tuple[str, ...]]:
    """One or two finished runs, or what files of predictions say of as many, and what is to be said of them."""
    if task is None:
        refuse("a task's files of predictions, or its data", data=data, split=split)
        return [Rows(finished_run(path)) for path in paths], ()
    chosen_task = tasks.get(task)
    pairs = [prediction_run(chosen_task, path, None, data, split) for path in paths]
    notes = dict.fromkeys(
        f"{scored.system or path}: {text}"
        for (_, scored), path in zip(pairs, paths, strict=True)
        for text in scored.warnings
    )
    return [Rows(run) for run, _ in pairs], tuple(notes)


def _runs_basis(
    runs: Sequence[Rows], names: tuple[str, ...], metric: str | None, correlation: float, notes: tuple[str, ...]
) -> Basis:
    """The spread of two runs' differences, or of one run's scores, as wide as two such runs' would be."""
    a, b = runs[0], runs[-1]
    ids = _shared(a, b) if len(runs) == 2 else a.ids
    if not ids:
        raise UserError(f"no example of {names[0]} was scored: start the run again, or give another")
    score, name = _score(metric, a, b, ids)
    ids = tuple(text for text in a.ids_with_row(name, ids) if text in set(b.ids_with_row(name, ids)))
    sample, other = a.sample(name, ids), b.sample(name, ids)
    check_documents([a.scored[row_number].document for row_number in ids])
    task = a.run.task
    if len(runs) == 1:
        spread = spread_of_score(sample, score, RESAMPLES, SEED)
        if not spread.variance:
            raise UserError(f"{score} is the same in every document of {names[0]}: {ALIKE_TEXT}")
        return Basis(
            task,
            score,
            names,
            spread.scaled(2 * (1 - correlation)),
            correlation,
            notes=(*notes, assumed_correlation_note(correlation), *_units(a, ids)),
        )
    spread = spread_of_difference(sample, other, score, RESAMPLES, SEED)
    if not spread.variance:
        raise UserError(f"{score} differs in no document between {names[0]} and {names[1]}: {ALIKE_TEXT}")
    left, right = sample.example_values(score), other.example_values(score)
    return Basis(
        task,
        score,
        names,
        spread,
        score_correlation(left, right),
        notes=(*notes, *_left_out_names(a, b, ids), *_units(a, ids)),
    )


def _shared(a: Rows, b: Rows) -> Ids:
    """The scored examples of both runs. Raises `UserError` where they cannot be compared, or have none in common."""
    if a.run.task != b.run.task or a.run.spec or b.run.spec:
        check_comparable(a.run, b.run)
    if ids := common(a, b):
        return ids
    raise UserError(
        f"{a.run.folder} and {b.run.folder} have no example in common: a difference is taken over the same questions"
    )


def _score(wanted_text: str | None, a: Rows, b: Rows, ids: Ids) -> tuple[str, str]:
    """A score that both runs have, and the metric that gives it. Raises `UserError`."""
    metric_values = {score: name for name in a.metrics if name in b.metrics for score in a.sample(name, ids).scores}
    if not metric_values:
        raise UserError(f"{a.run.folder} has no score to plan with: score it first, longdoc score RUN --metric METRIC")
    if wanted_text is None:
        means = (text for text, name in metric_values.items() if a.sample(name, ids).example_values(text) is not None)
        wanted_text = next(means, next(iter(metric_values)))
    elif wanted_text not in metric_values:
        named_names = [score for score, name in metric_values.items() if name == wanted_text]
        if not named_names:
            raise unknown("score", wanted_text, list(metric_values))
        wanted_text = named_names[0]
    return wanted_text, metric_values[wanted_text]


def _units(a: Rows, ids: Ids) -> tuple[str, ...]:
    """What is to be said where no documents are named: questions are taken for independent."""
    if any(a.scored[text].document for text in ids):
        return ()
    return ("these files name no documents: each question counts as a document of its own; give the data too (data=)",)


def _left_out_names(a: Rows, b: Rows, ids: Ids) -> tuple[str, ...]:
    missing = len({*a.ids, *b.ids}) - len(ids)
    return (f"{counted(missing, 'example')} left out: not in both",) if missing else ()


def _data_basis(
    task: str | tasks.Task | None, data: Any, split: str | None, sd: float | None, icc: float | None
) -> Basis:
    """The documents and questions of data, with a spread as it was given."""
    if task is None:
        raise UserError(f"there is nothing to plan from: {GIVE} with a task")
    chosen_task = tasks.get(task)
    if sd is None or icc is None:
        missing = "sd" if sd is None else "icc"
        raise UserError(
            f"how much a question's difference varies is not known from data alone ({missing}= is not given): run "
            f"{chosen_task.name} on some documents and give the run's folder, or give sd= and icc=; for "
            "scores of 0 or 100, "
            "sd=50 and icc=0.2 are cautious"
        )
    examples = sources.load(chosen_task.name, chosen_task.dataset, data, split or chosen_task.split).examples()
    sizes = Counter(example.document.id for example in examples)
    if not sizes:
        raise UserError(f"the data hold no example for {chosen_task.name}, split {split or chosen_task.split}")
    check_documents(list(sizes.elements()))
    said_names = (f"given: sd {sd:g}, intraclass correlation {icc:g}",)
    spread = Spread.assumed(list(sizes.values()), sd, icc)
    source = "published files" if data is None else name_of_data(data)
    return Basis(chosen_task.name, "", (source,), spread, measured=False, notes=said_names)


def _analysis(basis: Basis, detect: float | None, power: float, alpha: float, comparisons: int) -> PowerAnalysis:
    spread, level = basis.spread, alpha / comparisons
    analysis = PowerAnalysis(
        task=basis.task,
        metric=basis.metric,
        sources=basis.sources,
        alpha=alpha,
        power=power,
        comparisons=comparisons,
        documents=spread.documents,
        questions=spread.examples,
        standard_error=spread.standard_error,
        detectable=detectable(spread, power, level),
        sd=spread.sd,
        icc=spread.icc,
        design_effect=spread.deff,
        correlation=basis.correlation,
        notes=(*basis.notes, *_spread_names(spread, level), *_family_names(comparisons)),
    )
    if detect is None:
        return analysis

    def needed(variance: float) -> int:
        return documents_needed(variance, detect, power, level)

    def design(questions: float | None) -> Design:
        """Of documents with so many questions each; None: of documents like these."""
        spreads = [spread, *(spread.bounds(LEVEL) if basis.measured else ())]
        question_spreads = [spread if questions is None else spread.with_questions(questions) for spread in spreads]
        documents, *bounds = (needed(value.variance) for value in question_spreads)
        count = spread.questions if questions is None else questions
        return Design(count, documents, round(documents * count), *bounds)

    power_analysis = replace(
        analysis,
        detect=detect,
        power_here=power_of(detect, spread.standard_error, spread.documents, level),
        as_here=design(None),
    )
    if spread.sd is None or spread.icc is None:
        return power_analysis
    return replace(
        power_analysis,
        designs=[design(questions) for questions in QUESTIONS],
        independent_questions=needed(spread.sd**2),
        least_documents=needed(spread.sd**2 * spread.icc) if spread.icc else None,
    )


def _family_names(comparisons: int) -> list[str]:
    """How several comparisons are planned for."""
    if comparisons == 1:
        return []
    return [
        f"planned for {comparisons:,} comparisons together: each at alpha / {comparisons:,}, the first step of Holm's "
        "correction; where several of the differences are real, fewer documents are enough"
    ]


def _spread_names(spread: Spread, alpha: float) -> list[str]:
    """What to know of a variance from few documents, or of one that is less than chance would give."""
    notes = []
    if spread.documents < (minimum := least_documents(alpha)):
        smallest = 2.0 ** (1 - spread.documents)
        documents = counted(spread.documents, "document")
        notes.append(f"with {documents} no p of longdoc compare can be below {smallest:g}: {minimum} are needed")
    if spread.deff is not None and spread.deff < 1:
        notes.append("a design effect below 1 counts as 1: that documents even out is taken for chance")
    return notes
