"""From finished runs and files of predictions to the table of ways: coverage, what all cover, differences, expenses."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, unknown
from longdoc.plurals import counted
from pipelines.records import Prediction
from pipelines.results import selection_counts
from pipelines.results.ablations.comparison import few_documents_notes, unscored
from pipelines.results.comparisons.runs import Ids, Rows, mismatches, request_digests
from pipelines.results.conditions.condition import Condition, ConditionTable
from pipelines.results.conditions.coverage import ConditionResults, Covered
from pipelines.results.run_folders.finished_run import FinishedRun
from pipelines.results.run_folders.record import recipe_of_spec, signature_suffix
from pipelines.results.run_folders.spec_differences import signatures_in_words
from pipelines.statistics import bootstrap, paired
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, SEED
from pipelines.statistics.difference import Difference

NOT_ASKED_TEXT, NO_ROW = "not asked", "missing from the file"
NUMBERS = re.compile(r"\d[\d,.]*")  # what differs between failures of one kind: "5,070 tokens"


def compare_conditions(
    task: str,
    split: str,
    results: Sequence[ConditionResults],
    primary_metric: str | None = None,
    folder: Path | None = None,
    notes: Sequence[str] = (),
) -> ConditionTable:
    """The table of ways. Raises `UserError` where runs are of other data, and for a score that no way has."""
    covereds = {
        results.name: Covered(results, results.found) for results in results if isinstance(results.found, FinishedRun)
    }
    if not covereds:
        raise UserError(f"no way has a result; the first: {results[0].name}: {results[0].found}")
    _share_documents(covereds.values())  # type: ignore[arg-type]
    primary = _primary(primary_metric, covereds)
    metric = _metric_of(primary, covereds)
    compared = _answering_values(
        {name: value for name, value in covereds.items() if metric in value.rows.metrics}, primary, metric
    )
    baseline = _baseline(compared)
    _check(compared, baseline, metric)
    common, warnings = _common(compared, metric)
    silent = [name for name, value in covereds.items() if name not in compared]
    warnings += [f"{_silence(covereds[name], metric)}: it is left out of what all cover" for name in silent]
    names = {id for value in covereds.values() for id in value.ids}
    document = {p.id: p.document for value in covereds.values() for p in value.run.predictions}
    same_values = _same_values(compared, baseline)
    differences = _differences(compared, baseline, metric, common, same_values)
    conditions = [
        _condition(
            results, covereds.get(results.name), metric, names, common if results.name in compared else (),
            differences.get(results.name, {}), same_values.get(results.name),
        )
        for results in results
    ]  # fmt: skip
    warnings += unscored({name: covered_value.run for name, covered_value in covereds.items()})
    documents = len({document[id] for id in common})
    warnings += few_documents_notes(documents, len(differences)) if documents > 1 and differences else []
    if compared[baseline].way.kind != "whole" and len(compared) > 1:
        is_asked_whole = any(results.kind == "whole" for results in results)
        lacks = "the whole document has no answers" if is_asked_whole else "no way has the whole document"
        warnings.append(f"{lacks}: the others are compared with {baseline}")
    return ConditionTable(
        task, split, primary, baseline, conditions, len(names), len({document.get(id, id) for id in names}),
        len(common), documents, folder, tuple(notes), tuple(warnings),
    )  # fmt: skip


def _share_documents(covereds: Sequence[Covered]) -> None:
    """Give predictions from files, which may not say which document an example is about, those that runs know."""
    known_values = {p.id: p.document for value in covereds if not value.way.given for p in value.run.predictions}
    for value in covereds:
        if value.way.given and known_values:
            moved = tuple(replace(p, document=known_values.get(p.id, p.document)) for p in value.run.predictions)
            value.run = replace(value.run, predictions=moved, intervals=None)
            value.rows = Rows(value.run)


def _primary(metric_name: str | None, values: Mapping[str, Covered]) -> str:
    """The name of the score that leads: the given one, a metric's first, else the first of a metric that all ways have.

    A way may lack a score of its metric, as that of answered pairs where it answered none.
    """
    covereds = [value for value in values.values() if value.rows.ids]
    scores = [value.rows.scores(value.rows.ids) for value in covereds]
    known_names = list(dict.fromkeys(name for score in sorted(scores, key=len, reverse=True) for name in score))
    if not known_names:
        raise UserError("no way has a score: there are no references, or no metric could be computed")
    if metric_name is None:
        shared_names = (
            name for name in known_names if all(_metric_of(name, values) in value.rows.metrics for value in covereds)
        )
        return next(shared_names, known_names[0])
    if metric_name in known_names:
        return metric_name
    first = next((value for value in covereds if metric_name in value.rows.metrics), None)
    if first is None:
        raise unknown("score of the ways", metric_name, known_names)
    return next(iter(first.rows.sample(metric_name, first.rows.ids).scores))


def _metric_of(score: str, values: Mapping[str, Covered]) -> str:
    """The metric that gives a score."""
    return next(
        name
        for value in values.values()
        for name in value.rows.metrics
        if value.rows.ids and score in value.rows.sample(name, value.rows.ids).scores
    )


def _answering_values(compared: Mapping[str, Covered], score: str, metric: str) -> dict[str, Covered]:
    """The ways with an answer that the score counts, the others' examples being noted; all where none has one."""
    for value in compared.values():
        value.leave_out(score, metric)
    return {name: value for name, value in compared.items() if value.counted(metric)} or dict(compared)


def _silence(value: Covered, metric: str) -> str:
    """Why a way is not among those that are compared."""
    if value.rows.ids and metric not in value.rows.metrics:
        return f"{value.way.name} has no {metric}"
    return f"{value.way.name} answered no example that counts"


def _baseline(compared: Mapping[str, Covered]) -> str:
    return next((name for name, value in compared.items() if value.way.kind == "whole"), next(iter(compared)))


def _check(compared: Mapping[str, Covered], baseline: str, metric: str) -> None:
    """Raise `UserError` for runs of other data than the baseline's, and for another way to compute the score."""
    first = compared[baseline]
    for name, value in compared.items():
        lines = [] if value.way.given or first.way.given else mismatches(first.run, value.run, (baseline, name))
        baseline_signature, signature = (_signature(covered_value.run, metric) for covered_value in (first, value))
        if baseline_signature and signature and baseline_signature != signature and not lines:
            lines = [f"other metric settings: {metric} ({signatures_in_words(baseline_signature, signature)})"]
        if lines:
            raise UserError(f"{name} cannot be compared with {baseline}: {'; '.join(lines)}")


def _signature(run: FinishedRun, metric: str) -> str:
    """The signature of a metric without its part on the prompt, which may differ."""
    scores = Rows(run).sample(metric, Rows(run).ids).scores if run.predictions else {}
    text = next((run.signatures[name] for name in scores if name in run.signatures), "")
    return text.removesuffix(signature_suffix(run.spec)) if run.spec else text


def _common(compared: Mapping[str, Covered], metric: str) -> tuple[Ids, list[str]]:
    """The examples that every way answered and that have the same references everywhere; warnings."""
    covereds = list(compared.values())
    ids = covereds[0].counted(metric)
    for value in covereds[1:]:
        present_names = set(value.counted(metric))
        ids = tuple(id for id in ids if id in present_names)
    references = {id: {_sorted(value.rows.scored[id]) for value in covereds} for id in ids}
    alike_names = tuple(id for id in ids if len(references[id]) == 1)
    warnings = []
    if apart_count := len(ids) - len(alike_names):
        warnings.append(
            f"{counted(apart_count, 'example')} left out of what all cover: the ways' references differ, as those of "
            f"another release ({next(id for id in ids if len(references[id]) > 1)} first)"
        )
    if not alike_names:
        smallest_name = min(compared, key=lambda name: len(compared[name].counted(metric)))
        warnings.append(
            f"no example is answered by every way, so nothing is compared; {smallest_name} answers the fewest, "
            f"{len(compared[smallest_name].counted(metric)):,}"
        )
    return alike_names, warnings


def _sorted(prediction: Prediction) -> tuple[str, ...]:
    return tuple(sorted(prediction.references))


def _same_values(compared: Mapping[str, Covered], baseline: str) -> dict[str, str]:
    """The ways that asked and answered what another did: the baseline, else the first of them."""
    first_of: dict[Any, str] = {}
    same_values: dict[str, str] = {}
    for name in sorted(compared, key=lambda name: name != baseline):
        content = request_digests(compared[name].run)
        if content is not None and (first := first_of.setdefault(content, name)) != name:
            same_values[name] = first
    return same_values


def _differences(
    compared: Mapping[str, Covered], baseline: str, metric: str, common: Ids, same_values: Mapping[str, str]
) -> dict[str, dict[str, Difference]]:
    """Each way's scores less the baseline's over what all cover, with Holm's correction over the ways."""
    if not common:
        return {}
    first = compared[baseline].rows.sample(metric, common)
    found_differences = {
        name: paired.sample_differences(first, value.rows.sample(metric, common), LEVEL, RESAMPLES, SEED)
        for name, value in compared.items()
        if name != baseline and name not in same_values
    }
    for score in dict.fromkeys(score for differences in found_differences.values() for score in differences):
        having_entries = [differences for differences in found_differences.values() if score in differences]
        for differences, difference in zip(
            having_entries, paired.holm([differences[score] for differences in having_entries]), strict=True
        ):
            differences[score] = difference
    return found_differences


def _condition(
    results: ConditionResults,
    covered_value: Covered | None,
    metric: str,
    names: set[str],
    common: Ids,
    differences: Mapping[str, Difference],
    same_as: str | None,
) -> Condition:
    condition = Condition(
        results.name,
        results.kind,
        results.line,
        results.amount,
        folder=results.folder,
        source=results.source,
        same_as=same_as,
    )
    if covered_value is None:
        return replace(condition, error=str(results.found))
    run, rows, ids = covered_value.run, covered_value.rows, covered_value.rows.ids
    intervals, lacking_values = run.intervals, run.no_interval
    if intervals is None:
        sample = rows.sample(metric, ids) if metric in rows.metrics else None
        intervals = bootstrap.sample_intervals(sample, LEVEL, RESAMPLES, SEED) if sample else {}
        lacking_values = bootstrap.lacking_intervals(sample) if sample else {}
    made_condition = replace(
        condition,
        scores=rows.scores(ids),
        intervals=intervals,
        no_interval=lacking_values,
        signatures=run.signatures,
        common=rows.scores(common) if metric in rows.metrics else {},
        differences=differences,
        covered=len(run.predictions) - len(covered_value.left_out),
        documents=len(
            {prediction.document for prediction in run.predictions if prediction.id not in covered_value.left_out}
        ),
        missing=_counted_values(
            [
                *covered_value.missing.values(),
                *[NO_ROW if results.given else NOT_ASKED_TEXT] * len(names - covered_value.ids),
            ]
        ),
        cut=sum(prediction.truncated_tokens > 0 for prediction in run.predictions),
        recipe=recipe_of_spec(run.spec) if run.spec else "",
    )
    return made_condition if results.given else _with_expenses(made_condition, results.found, run)  # type: ignore[arg-type]


def _counted_values(reasons: Iterable[str]) -> dict[str, int]:
    """How many examples have a reason; of reasons that differ in their numbers alone the first stands for all."""
    counts: dict[str, int] = {}
    first_of: dict[str, str] = {}
    for reason in reasons:
        shown_text = first_of.setdefault(NUMBERS.sub("", reason), reason)
        counts[shown_text] = counts.get(shown_text, 0) + 1
    return counts


def _with_expenses(condition: Condition, run: FinishedRun, covered_run: FinishedRun) -> Condition:
    """What all requests took, refused ones included; the mean is that of the covered examples."""
    names = ("requests", "tokens_in", "tokens_out")
    total = {name: sum(getattr(prediction, name) for prediction in run.predictions) for name in names}
    read = sum(prediction.tokens_in for prediction in covered_run.predictions)
    return replace(
        condition,
        **total,
        tokens_mean=read / len(covered_run.predictions) if covered_run.predictions else None,
        words_shown=selection_counts.words_shown(covered_run.predictions),
        cost=run.usage.get("cost"),
    )
