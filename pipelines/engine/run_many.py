"""Many runs made as one: the documents are read once for all, and what the runs have in common is done once.

Runs of equal readers share one and its replies; those over the same examples walk through the documents side by side. A
run that fails leaves the others alone.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from pipelines.engine import lines, request_log, training_data
from pipelines.engine.active_run import ActiveRun
from pipelines.engine.engines.local import Local
from pipelines.engine.execute import total, warn_early
from pipelines.engine.inference import Finished, Inference, ReplyCache
from pipelines.engine.plan import Plan
from pipelines.engine.prepare import component_key
from pipelines.engine.progress import Progress
from pipelines.results.records import Result

AT_ONCE = 64  # runs that are open together: each holds three files, and systems allow some hundreds


def run_many(plans: Mapping[Path, Plan], engine: Local) -> dict[Path, Result | Exception]:
    """Run each plan in its folder, resuming what is there: the result, or what ended it. Interrupts go through."""
    ended: dict[Path, Result | Exception] = {}
    shared = share_components(plans)
    _begin(shared)
    known = {id(plan.reader): ReplyCache() for plan in shared.values()}
    with Progress(_total(plans), 0) as progress:
        for folders in _side_by_side(shared):
            ended |= _RunGroup({folder: shared[folder] for folder in folders}, engine, progress, known).ended
    return {folder: ended[folder] for folder in plans}


def share_components(plans: Mapping[Path, Plan]) -> dict[Path, Plan]:
    """The plans with one reader for all that are described alike; one that each plan fits anew stays its own.

    So with retrievers, and with the data of those that read the same.
    """
    readers: dict[str, Any] = {}
    retrievers: dict[str, Any] = {}
    data: dict[str, Any] = {}
    shared = {}
    for folder, plan in plans.items():
        retriever = retrievers.setdefault(component_key(plan.retriever), plan.retriever)
        plan = replace(plan, data=data.setdefault(examples_key(plan), plan.data), retriever=retriever)
        if not _fitted_anew(plan):
            plan = replace(plan, reader=readers.setdefault(component_key(plan.reader), plan.reader))
        shared[folder] = plan
    return shared


def _begin(plans: Mapping[Path, Plan]) -> None:
    """Tell each reader that counts what it spends what the logs of all its runs hold: its bound is for all of them."""
    known: dict[int, tuple[Any, dict[str, tuple[int, int]]]] = {}
    for folder, plan in plans.items():
        if hasattr(plan.reader, "begin"):
            _, spent = known.setdefault(id(plan.reader), (plan.reader, {}))
            for record in lines.records(folder / "requests.jsonl", request_log.check):
                spent[record["key"]] = (record["tokens_in"], record["tokens_out"])
    for reader, spent in known.values():
        reader.begin(sum(tokens for tokens, _ in spent.values()), sum(tokens for _, tokens in spent.values()))


def _fitted_anew(plan: Plan) -> bool:
    return hasattr(plan.reader, "fit") and not getattr(plan.reader, "fitted", False)


def examples_key(plan: Plan) -> str:
    """What plans over the same examples have in common."""
    drawn = [plan.sample, plan.seed] if plan.sample is not None else None
    return json.dumps([dict(plan.data.fingerprint), plan.split, plan.limit, drawn], sort_keys=True)


def _side_by_side(plans: Mapping[Path, Plan]) -> Iterator[list[Path]]:
    """The folders of plans that walk together: over the same examples, those with most in common next to each other."""
    groups: dict[str, list[Path]] = {}
    for folder, plan in plans.items():
        groups.setdefault(examples_key(plan), []).append(folder)
    for folders in groups.values():
        alike = sorted(folders, key=lambda folder: _parts(plans[folder]))
        rest = iter(alike)
        while part := list(islice(rest, AT_ONCE)):
            yield part


def _parts(plan: Plan) -> tuple[str, str]:
    return component_key(plan.chunker, plan.chunker_record), component_key(plan.retriever)


def _total(plans: Mapping[Path, Plan]) -> int | None:
    counts: dict[str, int | None] = {}
    for plan in plans.values():
        if (key := examples_key(plan)) not in counts:
            try:
                counts[key] = total(plan)
            except UserError:  # of these data alone, and said when they are read
                return None
    found = [counts[examples_key(plan)] for plan in plans.values()]
    return None if None in found else sum(count or 0 for count in found)


class _RunGroup:
    """Some runs over the same examples, from their first document to their final files."""

    def __init__(
        self, plans: Mapping[Path, Plan], engine: Local, progress: Progress, known: Mapping[int, ReplyCache]
    ) -> None:
        self.ended: dict[Path, Result | Exception] = {}
        self._progress, self._known = progress, known
        runs: dict[Path, ActiveRun] = {}
        try:
            for folder, plan in plans.items():
                self._open(runs, folder, plan)
            if runs:
                warn_early(list(runs.values()))
                self._go(list(runs.values()), engine)
            for folder, run in runs.items():
                self.ended[folder] = _outcome(run)
        finally:
            for run in runs.values():
                run.close()

    def _open(self, runs: dict[Path, ActiveRun], folder: Path, plan: Plan) -> None:
        try:
            runs[folder] = ActiveRun(plan, folder)
        except Exception as error:
            self.ended[folder] = error

    def _go(self, runs: Sequence[ActiveRun], engine: Local) -> None:
        by_session = {run.session: run for run in runs}
        readers = {id(run.plan.reader): run.plan.reader for run in runs}
        inferences = {}
        for name, reader in readers.items():
            self._known[name].forget_failures()
            sessions = [run.session for run in runs if run.plan.reader is reader]
            inferences[name] = Inference(reader, sessions, self._known[name])
        for run in runs:
            _fit(run)
        self._progress.advance("", 0, sum(run.resumed for run in runs))
        broken: Exception | None = None
        try:
            for place, item in engine.prepare_many([run.plan for run in runs], [c.wanted for c in runs]):
                session = runs[place].session
                if isinstance(item, Exception):
                    session.broken = session.broken or item
                    continue
                for finished in inferences[id(runs[place].plan.reader)].add(session, item):
                    self._take(by_session[finished.session], finished)
        except Exception as error:
            broken = error
        for inference in inferences.values():  # where the data break off, what came before is not lost
            for finished in inference.finish():
                self._take(by_session[finished.session], finished)
        for run in runs:
            run.session.broken = run.session.broken or broken

    def _take(self, run: ActiveRun, finished: Finished) -> None:
        try:
            prediction = run.take(finished)
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


def _outcome(run: ActiveRun) -> Result | Exception:
    if run.session.broken is not None:
        return run.session.broken
    try:
        return run.result()
    except Exception as error:
        return error
