"""Many runs made at once: documents are read once for all, and what the runs have in common is done once.

Runs with equal readers share one and its replies; runs over the same examples go through the documents together. A run
that fails does not affect the others.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from longdoc.errors import RepliesAwaited, UserError
from longdoc.visible import note
from models.accounting.usage import Usage
from models.reader import StreamingReader
from pipelines.engine import training_data
from pipelines.engine.engines import Engine
from pipelines.engine.inference import shared_replies
from pipelines.engine.inference.active_job import ActiveJob
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.reply_cache import ReplyCache
from pipelines.engine.inference.shared_replies import SharedReplies
from pipelines.engine.planning.plan import Plan
from pipelines.engine.preparation.index_cache import component_key
from pipelines.engine.recording import lines, request_log
from pipelines.engine.running.active_run import ActiveRun
from pipelines.engine.running.execute import counting, total, warn_early
from pipelines.engine.running.execution_options import DEFAULT, ExecutionOptions
from pipelines.engine.running.progress import FITTING, Progress
from pipelines.engine.running.receivers import say_receivers
from pipelines.results.result import Result

RUNS_AT_ONCE = 64  # each has three open files, and systems allow some hundreds


def run_many(
    plans: Mapping[Path, Plan], engine: Engine, options: ExecutionOptions = DEFAULT
) -> dict[Path, Result | Exception]:
    """Make or resume each plan's run in its folder: its result, or the error that ended it. Interrupts are raised."""
    ended_values: dict[Path, Result | Exception] = {}
    shared = share_components(plans)
    _count_spent(shared)
    caches = {id(plan.reader): ReplyCache() for plan in shared.values()}
    with engine, Progress(_total(plans), 0) as progress, shared_replies.opened(options.reply_cache) as replies:
        for folders in _groups(shared):
            group = {folder: shared[folder] for folder in folders}
            ended_values |= _RunGroup(group, engine, progress, caches, replies, options.go_on).ended
        _finish(engine, ended_values)
    return {folder: ended_values[folder] for folder in plans}


def runs_in_turn(
    plans: Mapping[Path, Plan], engine: Engine, options: ExecutionOptions = DEFAULT
) -> Iterator[tuple[Path, Result | Exception]]:
    """The same for plans over different examples, whose runs come one after the other, each when it has ended."""
    shared = share_components(plans)
    _count_spent(shared)
    caches = {id(plan.reader): ReplyCache() for plan in shared.values()}
    with engine, shared_replies.opened(options.reply_cache) as replies:
        for folders in _groups(shared):
            group = {folder: shared[folder] for folder in folders}
            with Progress(_total(group), 0) as progress:
                ended_values = _RunGroup(group, engine, progress, caches, replies, options.go_on).ended
            yield from ((path, end) for path, end in ended_values.items() if not isinstance(end, RepliesAwaited))
        engine.finish()


def _finish(engine: Engine, ended_values: Mapping[Path, Result | Exception]) -> None:
    """Let the engine finish; where that ends the runs for now, errors of single ones are said first."""
    try:
        engine.finish()
    except RepliesAwaited:
        for folder, end in ended_values.items():
            if isinstance(end, Exception) and not isinstance(end, RepliesAwaited):
                note(f"{folder} failed: {end}")
        raise


def share_components(plans: Mapping[Path, Plan]) -> dict[Path, Plan]:
    """The plans with one reader for all whose readers are equal, save readers that each plan has to fit.

    Equal retrievers and equal data are shared likewise.
    """
    readers: dict[str, Any] = {}
    retrievers: dict[str, Any] = {}
    data: dict[str, Any] = {}
    shared = {}
    for folder, plan in plans.items():
        retriever = retrievers.setdefault(component_key(plan.retriever), plan.retriever)
        plan = replace(plan, data=data.setdefault(examples_key(plan), plan.data), retriever=retriever)
        if plan.reader.fitted:
            plan = replace(plan, reader=readers.setdefault(component_key(plan.reader), plan.reader))
        shared[folder] = plan
    return shared


def _count_spent(plans: Mapping[Path, Plan]) -> None:
    """Report the tokens in the logs of all its runs to each reader that has a bound on what it spends."""
    spending: dict[int, tuple[StreamingReader, dict[str, Usage]]] = {}
    for folder, plan in plans.items():
        if isinstance(plan.reader, StreamingReader):
            _, usages = spending.setdefault(id(plan.reader), (plan.reader, {}))
            for record in lines.records(folder / "requests.jsonl", request_log.check):
                if "cached" not in record:  # another run paid for that reply
                    usages[record["key"]] = Usage.of_record(record)
    for reader, usages in spending.values():
        reader.begin(**sum(usages.values(), Usage()).record)


def examples_key(plan: Plan) -> str:
    """A key that is equal for plans over the same examples."""
    sampled = [plan.sample, plan.seed] if plan.sample is not None else None
    shard = None if plan.shard is None else str(plan.shard)
    return json.dumps([dict(plan.data.fingerprint), plan.split, plan.limit, sampled, shard], sort_keys=True)


def _groups(plans: Mapping[Path, Plan]) -> Iterator[list[Path]]:
    """The folders of plans over the same examples; plans with equal chunkers and retrievers are neighbours."""
    by_examples: dict[str, list[Path]] = {}
    for folder, plan in plans.items():
        by_examples.setdefault(examples_key(plan), []).append(folder)
    for folders in by_examples.values():
        rest = iter(sorted(folders, key=lambda folder: _component_keys(plans[folder])))
        while group := list(islice(rest, RUNS_AT_ONCE)):
            yield group


def _component_keys(plan: Plan) -> tuple[str, str]:
    return component_key(plan.chunker, plan.chunker_record), component_key(plan.retriever)


def _total(plans: Mapping[Path, Plan]) -> int | None:
    counts: dict[str, int | None] = {}
    for plan in plans.values():
        if (key := examples_key(plan)) not in counts:
            try:
                counts[key] = total(plan)
            except UserError:  # reported when these data are read
                return None
    each_counts = [counts[examples_key(plan)] for plan in plans.values()]
    return None if None in each_counts else sum(count or 0 for count in each_counts)


class _RunGroup:
    """Some runs over the same examples, from their first document to their final files."""

    def __init__(
        self,
        plans: Mapping[Path, Plan],
        engine: Engine,
        progress: Progress,
        caches: Mapping[int, ReplyCache],
        replies: SharedReplies | None,
        go_on: bool = False,
    ) -> None:
        self.ended: dict[Path, Result | Exception] = {}
        self._progress, self._caches, self._replies, self._go_on = progress, caches, replies, go_on
        runs: dict[Path, ActiveRun] = {}
        try:
            for folder, plan in plans.items():
                self._open(runs, folder, plan, engine)
            if runs:
                warn_early(list(runs.values()))
                self._make(list(runs.values()), engine)
            for folder, run in runs.items():
                self.ended[folder] = _result(run)
        finally:
            for run in runs.values():
                run.close()

    def _open(self, runs: dict[Path, ActiveRun], folder: Path, plan: Plan, engine: Engine) -> None:
        try:
            runs[folder] = ActiveRun(engine.placed(plan), folder, self._replies, self._go_on)
        except Exception as error:
            self.ended[folder] = error

    def _make(self, runs: Sequence[ActiveRun], engine: Engine) -> None:
        by_session = {run.session: run for run in runs}
        readers = {id(run.plan.reader): run.plan.reader for run in runs}
        inferences = {}
        for name, reader in readers.items():
            self._caches[name].forget_failures()
            sessions = [run.session for run in runs if run.plan.reader is reader]
            say_receivers(reader, engine=engine)
            inferences[name] = Inference(engine.answering(reader), sessions, self._caches[name])
        self._progress.doing = FITTING if any(not run.plan.reader.fitted for run in runs) else ""
        for run in runs:
            _fit(run)
        self._progress.doing = ""
        broken_error: Exception | None = None
        try:
            wanted_entries = [counting(run, self._progress) for run in runs]
            for number, job in engine.prepare_many([run.plan for run in runs], wanted_entries):
                session = runs[number].session
                if isinstance(job, Exception):
                    session.broken = session.broken or job
                    continue
                for finished in inferences[id(runs[number].plan.reader)].add(session, job):
                    self._add(by_session[finished.session], finished)
        except Exception as error:
            broken_error = error
        for inference in inferences.values():  # also where the data break off: what came before is not lost
            for finished in inference.finish():
                self._add(by_session[finished.session], finished)
        for run in runs:
            run.session.broken = run.session.broken or broken_error

    def _add(self, run: ActiveRun, finished: ActiveJob) -> None:
        try:
            prediction = run.add(finished)
        except Exception as error:
            run.session.broken = run.session.broken or error
            return
        if prediction is not None:
            self._progress.advance(prediction.document, prediction.tokens_in + prediction.tokens_out)


def _fit(run: ActiveRun) -> None:
    try:
        training_data.fit(run.plan)
    except Exception as error:
        run.session.broken = error


def _result(run: ActiveRun) -> Result | Exception:
    if run.session.broken is not None:
        return run.session.broken
    try:
        return run.result()
    except Exception as error:
        return error
