"""Plans how many documents and questions show a difference between two systems, and what difference data can show."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines import sources, tasks
from pipelines.engine.planning.given_arguments import name_of_data
from pipelines.plugins.scoring._prediction_run import prediction_run
from pipelines.plugins.study.logs.formats import is_log
from pipelines.plugins.study.logs.log_basis import log_basis
from pipelines.plugins.study.power._power_basis import Basis, check_documents, systems_basis
from pipelines.plugins.study.power._power_checks import check_comparisons, check_numbers, refuse
from pipelines.plugins.study.power.power_records import Design, PowerAnalysis
from pipelines.plugins.study.statistics.power import Spread, detectable, documents_needed, least_documents
from pipelines.plugins.study.statistics.power import power as power_of
from pipelines.results.comparisons.runs import Ids, Rows, check_comparable, common, named_score
from pipelines.results.run_folders.run import finished_run

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
    """One or two finished runs or files of predictions, and notes on them."""
    if task is None:
        refuse("a task's files of predictions, or its data", data=data, split=split)
        return [Rows(finished_run(path)) for path in paths], ()
    chosen_task = tasks.get(task)
    pairs = [prediction_run(chosen_task, path, None, data, split) for path in paths]
    notes = dict.fromkeys(
        f"{scored.system or path}: {warning}"
        for (_, scored), path in zip(pairs, paths, strict=True)
        for warning in scored.warnings
    )
    return [Rows(run) for run, _ in pairs], tuple(notes)


def _runs_basis(
    runs: Sequence[Rows], names: tuple[str, ...], metric: str | None, correlation: float, notes: tuple[str, ...]
) -> Basis:
    """The basis out of two runs, or of one, whose correlation with a second one is assumed to be `correlation`."""
    a, b = runs[0], runs[-1]
    ids = _shared(a, b) if len(runs) == 2 else a.ids
    if not ids:
        raise UserError(f"no example of {names[0]} was scored: start the run again, or give another")
    score, metric_name = _score_and_metric(metric, a, b, ids)
    ids_of_b = set(b.ids_with_row(metric_name, ids))
    ids = tuple(example_id for example_id in a.ids_with_row(metric_name, ids) if example_id in ids_of_b)
    check_documents([a.scored[example_id].document for example_id in ids])
    samples = [rows.sample(metric_name, ids) for rows in runs]
    values = [sample.example_values(score) for sample in samples]
    basis = systems_basis(a.run.task, score, names, samples, values, correlation)
    left_out = _left_out_notes(a, b, ids) if len(runs) == 2 else ()
    return replace(basis, notes=(*notes, *basis.notes, *left_out, *_document_notes(a, ids)))


def _shared(a: Rows, b: Rows) -> Ids:
    """The scored examples of both runs. Raises `UserError` where they cannot be compared, or have none in common."""
    if a.run.task != b.run.task or a.run.spec or b.run.spec:
        check_comparable(a.run, b.run)
    if ids := common(a, b):
        return ids
    raise UserError(
        f"{a.run.folder} and {b.run.folder} have no example in common: a difference is taken over the same questions"
    )


def _score_and_metric(name: str | None, a: Rows, b: Rows, ids: Ids) -> tuple[str, str]:
    """A score that both runs have, by its name or its metric's, and the metric that gives it. Raises `UserError`."""
    metrics = {score: metric for metric in a.metrics if metric in b.metrics for score in a.sample(metric, ids).scores}
    if not metrics:
        raise UserError(f"{a.run.folder} has no score to plan with: score it first, longdoc score RUN --metric METRIC")
    if name is None:
        means = (score for score, metric in metrics.items() if a.sample(metric, ids).example_values(score) is not None)
        score = next(means, next(iter(metrics)))
    else:
        score = named_score(name, metrics, a, ids, "score")
    return score, metrics[score]


def _document_notes(a: Rows, ids: Ids) -> tuple[str, ...]:
    """A note where no example names its document: questions are then taken to be independent."""
    if any(a.scored[example_id].document for example_id in ids):
        return ()
    return ("these files name no documents: each question counts as a document of its own; give the data too (data=)",)


def _left_out_notes(a: Rows, b: Rows, ids: Ids) -> tuple[str, ...]:
    missing_count = len({*a.ids, *b.ids}) - len(ids)
    return (f"{counted(missing_count, 'example')} left out: not in both",) if missing_count else ()


def _data_basis(
    task: str | tasks.Task | None, data: Any, split: str | None, sd: float | None, icc: float | None
) -> Basis:
    """The basis of data without runs: their numbers of questions by document, with the spread by `sd` and `icc`."""
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
        raise UserError(f"the data have no example for {chosen_task.name}, split {split or chosen_task.split}")
    check_documents(list(sizes.elements()))
    note = f"given: sd {sd:g}, intraclass correlation {icc:g}"
    spread = Spread.assumed(list(sizes.values()), sd, icc)
    source = "published files" if data is None else name_of_data(data)
    return Basis(chosen_task.name, "", (source,), spread, measured=False, notes=(note,))


def _analysis(basis: Basis, detect: float | None, power: float, alpha: float, comparisons: int) -> PowerAnalysis:
    """The analysis; without `detect` only what these data can show."""
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
        notes=(*basis.notes, *_spread_notes(spread, level), *_family_notes(comparisons)),
    )
    if detect is None:
        return analysis

    def needed(variance: float) -> int:
        """The number of documents that show `detect`."""
        return documents_needed(variance, detect, power, level)

    def design(questions: float | None) -> Design:
        """The design of documents with so many questions each; None for as many as here."""
        spreads = [spread, *(spread.bounds(LEVEL) if basis.measured else ())]
        if questions is not None:
            spreads = [bound.with_questions(questions) for bound in spreads]
        documents, *bounds = (needed(bound.variance) for bound in spreads)
        count = spread.questions if questions is None else questions
        return Design(count, documents, round(documents * count), *bounds)

    analysis = replace(
        analysis,
        detect=detect,
        power_here=power_of(detect, spread.standard_error, spread.documents, level),
        as_here=design(None),
    )
    if spread.sd is None or spread.icc is None:
        return analysis
    return replace(
        analysis,
        designs=[design(questions) for questions in QUESTIONS],
        independent_questions=needed(spread.sd**2),
        least_documents=needed(spread.sd**2 * spread.icc) if spread.icc else None,
    )


def _family_notes(comparisons: int) -> list[str]:
    """A note on how several comparisons are planned for."""
    if comparisons == 1:
        return []
    return [
        f"planned for {comparisons:,} comparisons together: each at alpha / {comparisons:,}, the first step of Holm's "
        "correction; where several of the differences are real, fewer documents are enough"
    ]


def _spread_notes(spread: Spread, alpha: float) -> list[str]:
    """Notes on too few documents, and on a variance below that of independent questions."""
    notes = []
    if spread.documents < (minimum := least_documents(alpha)):
        smallest = 2.0 ** (1 - spread.documents)
        documents = counted(spread.documents, "document")
        notes.append(f"with {documents} no p of longdoc compare can be below {smallest:g}: {minimum} are needed")
    if spread.deff is not None and spread.deff < 1:
        notes.append("a design effect below 1 counts as 1, since it is taken to be chance")
    return notes
