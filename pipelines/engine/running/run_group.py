"""Runs over the same examples go through the documents together; an error ends one of them and not the others."""

from collections.abc import Iterable, Mapping, Sequence

from longdoc.visible import note
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


def say_early(runs: Sequence[ActiveRun], engine: Engine) -> None:
    """Say which prompts suit their readers badly, which retrievers have nothing to rank, and who gets the texts."""
    for advice in dict.fromkeys(advice for run in runs for advice in run.plan.advice):
        note(advice)
    for reader in {id(run.plan.reader): run.plan.reader for run in runs}.values():
        say_receivers(reader, engine=engine)


def say_use(runs: Sequence[ActiveRun]) -> None:
    """Say how well the servers of the runs' readers were used."""
    for reader in {id(run.plan.reader): run.plan.reader for run in runs}.values():
        if isinstance(reader, StreamingReader) and (use := reader.server_use):
            note(use)


def add_predictions(
    runs: Sequence[ActiveRun], engine: Engine, progress: Progress, caches: Mapping[int, ReplyCache] | None = None
) -> None:
    """Prepare and answer what each run still wants, and add the predictions to it; its error is `session.broken`.

    `caches` have, by the id of a reader, the replies of runs that came before; without them no more runs will come.
    Where the data break off, or a run fails on a document, what was prepared before is finished first.
    """
    inferences = _inferences(runs, engine, caches)
    progress.watch(lambda: sum((inference.work for inference in inferences.values()), Work()))
    progress.doing = FITTING if any(not run.plan.reader.fitted for run in runs) else ""
    for run in runs:
        _fit(run)
    progress.doing = ""
    errors: dict[ActiveRun, Exception] = {}
    by_session = {run.session: run for run in runs}

    def add(finished_jobs: Iterable[ActiveJob]) -> None:
        for finished in finished_jobs:
            _add(by_session[finished.session], finished, progress)

    try:
        try:
            wanted = [_counting(run, progress, errors) for run in runs]
            for number, job in engine.prepare_many([run.plan for run in runs], wanted):
                run = runs[number]
                if isinstance(job, Exception):
                    errors.setdefault(run, job)
                elif run not in errors:
                    add(inferences[id(run.plan.reader)].add(run.session, job))
                if all(run.session.broken is not None or run in errors for run in runs):
                    break
        except Exception as error:
            errors |= dict.fromkeys(runs, error) | errors
        for inference in inferences.values():
            add(inference.finish())
    finally:
        for inference in inferences.values():
            inference.close()
    for run, problem in errors.items():
        run.session.broken = run.session.broken or problem


def _inferences(
    runs: Sequence[ActiveRun], engine: Engine, caches: Mapping[int, ReplyCache] | None
) -> dict[int, Inference]:
    """The inference of each reader, by its id, with the sessions of all runs that it reads for."""
    inferences = {}
    for name, reader in {id(run.plan.reader): run.plan.reader for run in runs}.items():
        cache = None if caches is None else caches[name]
        if cache is not None:
            cache.forget_failures()
        sessions = [run.session for run in runs if run.plan.reader is reader]
        inferences[name] = Inference(engine.answering(reader), sessions, cache)
    return inferences


def _counting(run: ActiveRun, progress: Progress, errors: Mapping[ActiveRun, Exception]) -> IsWanted:
    """`run.wanted`, which counts the examples that earlier starts have finished; nothing more after an error."""

    def is_wanted(example: Example) -> bool:
        before = run.resumed
        wants = run.wanted(example)
        progress.skip(run.resumed - before)
        return wants and run not in errors

    return is_wanted


def _fit(run: ActiveRun) -> None:
    try:
        training_data.fit(run.plan)
    except Exception as error:
        run.session.broken = error


def _add(run: ActiveRun, finished: ActiveJob, progress: Progress) -> None:
    try:
        prediction = run.add(finished)
    except Exception as error:
        run.session.broken = run.session.broken or error
        return
    if prediction is not None:
        progress.advance()
