"""Runs over the same examples, which go through the documents together; an error ends one run and not the others."""

from collections.abc import Iterator, Mapping, Sequence

from longdoc.messages import note
from models.reader import StreamingReader
from pipelines.engine import training_data
from pipelines.engine.engines import Engine, IsWanted
from pipelines.engine.inference.active_job import ActiveJob
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.reply_cache import ReplyCache
from pipelines.engine.inference.work import Work
from pipelines.engine.running.active_run import ActiveRun
from pipelines.engine.running.progress import FITTING, Progress
from pipelines.engine.running.receivers import say_receivers
from pipelines.records import Example
from pipelines.strategies import Job


def say_early(runs: Sequence[ActiveRun], engine: Engine) -> None:
    """Print advice on the runs' plans, and who gets the texts."""
    for advice in dict.fromkeys(advice for run in runs for advice in run.plan.advice):
        note(advice)
    for reader in {id(run.plan.reader): run.plan.reader for run in runs}.values():
        say_receivers(reader, engine=engine)


def say_use(runs: Sequence[ActiveRun]) -> None:
    """Print how well the servers of the runs' readers were used."""
    for reader in {id(run.plan.reader): run.plan.reader for run in runs}.values():
        if isinstance(reader, StreamingReader) and (use := reader.server_use):
            note(use)


def add_predictions(
    runs: Sequence[ActiveRun], engine: Engine, progress: Progress, caches: Mapping[int, ReplyCache] | None = None
) -> None:
    """Predict the examples that runs still want, and log the predictions in their journals.

    An error of one run is its `session.broken`. `caches` has, by the `id` of a reader, the replies of earlier runs;
    None where no more runs will come. Where the data cannot be read further, or a run fails on a document, the jobs
    before that are finished first.
    """
    inferences = _inferences(runs, engine, caches)
    by_session = {run.session: run for run in runs}
    errors: dict[ActiveRun, Exception] = {}
    progress.watch(lambda: sum((inference.work for inference in inferences.values()), Work()))
    _fit_readers(runs, progress)
    try:
        try:
            for run, job in _prepared(runs, engine, progress, errors):
                for finished_job in inferences[id(run.plan.reader)].add(run.session, job):
                    _log(by_session[finished_job.session], finished_job, progress)
        except Exception as error:
            errors |= dict.fromkeys(runs, error) | errors
        for inference in inferences.values():
            for finished_job in inference.finish():
                _log(by_session[finished_job.session], finished_job, progress)
    finally:
        for inference in inferences.values():
            inference.close()
    for run, problem in errors.items():
        run.session.broken = run.session.broken or problem


def _inferences(
    runs: Sequence[ActiveRun], engine: Engine, caches: Mapping[int, ReplyCache] | None
) -> dict[int, Inference]:
    """The inference of each reader, by the reader's `id`, with the sessions of all runs that it reads for."""
    inferences = {}
    for reader_id, reader in {id(run.plan.reader): run.plan.reader for run in runs}.items():
        cache = None if caches is None else caches[reader_id]
        if cache is not None:
            cache.forget_failures()
        sessions = [run.session for run in runs if run.plan.reader is reader]
        inferences[reader_id] = Inference(engine.answering(reader), sessions, cache)
    return inferences


def _fit_readers(runs: Sequence[ActiveRun], progress: Progress) -> None:
    """Fit the readers that are fitted to a run's data."""
    progress.doing = FITTING if any(not run.plan.reader.fitted for run in runs) else ""
    for run in runs:
        try:
            training_data.fit(run.plan)
        except Exception as error:
            run.session.broken = error
    progress.doing = ""


def _prepared(
    runs: Sequence[ActiveRun], engine: Engine, progress: Progress, errors: dict[ActiveRun, Exception]
) -> Iterator[tuple[ActiveRun, Job]]:
    """The jobs of the wanted examples, document by document, until every run has ended.

    A run that fails on a document gets no more jobs: its first error is in `errors`.
    """
    is_wanted = [_is_wanted(run, progress, errors) for run in runs]
    for number, job in engine.prepare_many([run.plan for run in runs], is_wanted):
        run = runs[number]
        if isinstance(job, Exception):
            errors.setdefault(run, job)
        elif run not in errors:
            yield run, job
        if all(run.session.broken is not None or run in errors for run in runs):
            return


def _is_wanted(run: ActiveRun, progress: Progress, errors: Mapping[ActiveRun, Exception]) -> IsWanted:
    """`run.wants`, until the run has an error. Counts the examples that earlier starts have finished as progress."""

    def is_wanted(example: Example) -> bool:
        before = run.resumed
        wants = run.wants(example)
        progress.skip(run.resumed - before)
        return wants and run not in errors

    return is_wanted


def _log(run: ActiveRun, finished_job: ActiveJob, progress: Progress) -> None:
    """Score a finished job and write it into its run's journal; an error ends the run."""
    try:
        prediction = run.add(finished_job)
    except Exception as error:
        run.session.broken = run.session.broken or error
        return
    if prediction is not None:
        progress.advance()
