"""Many runs made at once: documents are read once for all, and work that runs have in common is done once.

Runs with equal readers share one and its replies; runs over the same examples go through the documents together. A run
that fails does not affect the others.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from longdoc.errors import RepliesAwaited, UserError
from longdoc.messages import note
from models.accounting import Usage
from models.reader import StreamingReader
from pipelines.engine.engines import Engine
from pipelines.engine.inference.reply_cache import ReplyCache
from pipelines.engine.planning.plan import Plan
from pipelines.engine.preparation.index_cache import component_key
from pipelines.engine.recording import lines, request_log
from pipelines.engine.running.active_run import ActiveRun, with_recorded_date
from pipelines.engine.running.execute import total
from pipelines.engine.running.execution_options import DEFAULT, ExecutionOptions
from pipelines.engine.running.progress import Progress
from pipelines.engine.running.run_group import add_predictions, say_early
from pipelines.results.result import Result

RUNS_AT_ONCE = 64  # each has three open files, and systems allow some hundreds


def run_many(
    plans: Mapping[Path, Plan], engine: Engine, options: ExecutionOptions = DEFAULT
) -> dict[Path, Result | Exception]:
    """Make or resume each plan's run in its folder; its result, or the error that ended it. Interrupts are raised."""
    outcomes: dict[Path, Result | Exception] = {}
    shared = share_components(plans)
    _count_spent(shared)
    caches = {id(plan.reader): ReplyCache() for plan in shared.values()}
    with engine, Progress(_total(plans), 0) as progress:
        for folders in _groups(shared):
            group = {folder: shared[folder] for folder in folders}
            outcomes |= _run_group(group, engine, progress, caches, options.go_on)
        _finish(engine, outcomes)
    return {folder: outcomes[folder] for folder in plans}


def runs_in_turn(
    plans: Mapping[Path, Plan], engine: Engine, options: ExecutionOptions = DEFAULT
) -> Iterator[tuple[Path, Result | Exception]]:
    """Make or resume the runs of plans over different examples, one after the other; each outcome when its run ends."""
    shared = share_components(plans)
    _count_spent(shared)
    caches = {id(plan.reader): ReplyCache() for plan in shared.values()}
    with engine:
        for folders in _groups(shared):
            group = {folder: shared[folder] for folder in folders}
            with Progress(_total(group), 0) as progress:
                outcomes = _run_group(group, engine, progress, caches, options.go_on)
            yield from (
                (path, outcome) for path, outcome in outcomes.items() if not isinstance(outcome, RepliesAwaited)
            )
        engine.finish()


def _finish(engine: Engine, outcomes: Mapping[Path, Result | Exception]) -> None:
    """Let the engine finish; where that ends the runs for now, the errors of single runs are printed first."""
    try:
        engine.finish()
    except RepliesAwaited:
        for folder, outcome in outcomes.items():
            if isinstance(outcome, Exception) and not isinstance(outcome, RepliesAwaited):
                note(f"{folder} failed: {outcome}")
        raise


def share_components(plans: Mapping[Path, Plan]) -> dict[Path, Plan]:
    """The plans, where equal readers become one object, except readers that each plan has to fit.

    So do equal retrievers, and equal data.
    """
    readers: dict[str, Any] = {}
    retrievers: dict[str, Any] = {}
    data: dict[str, Any] = {}
    shared = {}
    for folder, plan in plans.items():
        plan = with_recorded_date(plan, folder)
        retriever = retrievers.setdefault(component_key(plan.retriever), plan.retriever)
        plan = replace(plan, data=data.setdefault(examples_key(plan), plan.data), retriever=retriever)
        if plan.reader.fitted:
            plan = replace(plan, reader=readers.setdefault(component_key(plan.reader), plan.reader))
        shared[folder] = plan
    return shared


def _count_spent(plans: Mapping[Path, Plan]) -> None:
    """Tell each reader that streams the tokens in the logs of all its runs, which count for its limit on tokens."""
    spending: dict[int, tuple[StreamingReader, dict[str, Usage]]] = {}
    for folder, plan in plans.items():
        if isinstance(plan.reader, StreamingReader):
            _, usages = spending.setdefault(id(plan.reader), (plan.reader, {}))
            for record in lines.records(folder / "requests.jsonl", request_log.check):
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
    """The number of examples of all plans together; None where it is not known."""
    counts: dict[str, int | None] = {}
    for plan in plans.values():
        if (key := examples_key(plan)) not in counts:
            try:
                counts[key] = total(plan)
            except UserError:  # reported when these data are read
                return None
    plan_counts = [counts[examples_key(plan)] for plan in plans.values()]
    return None if None in plan_counts else sum(count or 0 for count in plan_counts)


def _run_group(
    plans: Mapping[Path, Plan],
    engine: Engine,
    progress: Progress,
    caches: Mapping[int, ReplyCache],
    go_on: bool,
) -> dict[Path, Result | Exception]:
    """Make runs over the same examples; the result of each, or the error that ended it."""
    outcomes: dict[Path, Result | Exception] = {}
    runs: dict[Path, ActiveRun] = {}
    try:
        for folder, plan in plans.items():
            try:
                runs[folder] = ActiveRun(engine.placed(plan), folder, go_on)
            except Exception as error:
                outcomes[folder] = error
        if runs:
            say_early(list(runs.values()), engine)
            add_predictions(list(runs.values()), engine, progress, caches)
        return outcomes | {folder: _result(run) for folder, run in runs.items()}
    finally:
        for run in runs.values():
            run.close()


def _result(run: ActiveRun) -> Result | Exception:
    """The result of a run that has ended, or its error."""
    if run.session.broken is not None:
        return run.session.broken
    try:
        return run.result()
    except Exception as error:
        return error
