"""The table of conditions from finished runs and files of predictions: coverage, differences, expenses."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from longdoc.errors import UserError
from longdoc.messages import counted
from pipelines.plugins.versus.condition_scores import scored_condition
from pipelines.plugins.versus.condition_table import ConditionTable
from pipelines.plugins.versus.coverage import ConditionResults, Coverage
from pipelines.records import Prediction
from pipelines.results.ablations.comparison import few_documents_notes, unscored
from pipelines.results.comparisons.runs import Ids, Rows, mismatches, named_score, repeated_runs
from pipelines.results.run_folders.record import signature_suffix
from pipelines.results.run_folders.run import Run
from pipelines.results.run_folders.spec_differences import signatures_in_words
from pipelines.results.scores import Scores
from pipelines.statistics import paired
from pipelines.statistics.bootstrap import LEVEL, RESAMPLES, SEED
from pipelines.statistics.intervals import Difference


def compare_conditions(
    task: str,
    split: str,
    all_results: Sequence[ConditionResults],
    primary_metric: str | None = None,
    folder: Path | None = None,
    notes: Sequence[str] = (),
) -> ConditionTable:
    """The table of conditions. Raises `UserError` for runs of other data, and for a score that no condition has."""
    coverages = _coverages(all_results)
    primary = _primary(primary_metric, coverages)
    metric = _metric_of(primary, coverages)
    compared = _answering_coverages(
        {name: coverage for name, coverage in coverages.items() if metric in coverage.rows.metrics}, primary, metric
    )
    baseline = _baseline(compared)
    _check(compared, baseline, metric)
    common, warnings = _common_ids(compared, metric)
    ids = {id for coverage in coverages.values() for id in coverage.ids}
    documents_by_id = {
        prediction.id: prediction.document for coverage in coverages.values() for prediction in coverage.run.predictions
    }
    repetitions = repeated_runs({name: coverage.run for name, coverage in compared.items()}, baseline)
    differences = _differences(compared, baseline, metric, common, repetitions)
    conditions = [
        scored_condition(
            results, coverages.get(results.name), metric, ids, common if results.name in compared else (),
            differences.get(results.name, {}), repetitions.get(results.name),
        )
        for results in all_results
    ]  # fmt: skip
    documents = len({documents_by_id[id] for id in common})
    warnings += _left_out_warnings(coverages, compared, metric)
    warnings += unscored({name: coverage.run for name, coverage in coverages.items()})
    warnings += few_documents_notes(documents, len(differences)) if documents > 1 and differences else []
    warnings += _baseline_warnings(all_results, compared, baseline)
    return ConditionTable(
        task, split, primary, baseline, conditions, len(ids), len({documents_by_id.get(id, id) for id in ids}),
        len(common), documents, folder, tuple(notes), tuple(warnings),
    )  # fmt: skip


def _coverages(all_results: Sequence[ConditionResults]) -> dict[str, Coverage]:
    """The coverages of the conditions that have a run, by name. Raises `UserError` where none has."""
    coverages = {
        results.name: Coverage(results, results.outcome) for results in all_results if isinstance(results.outcome, Run)
    }
    if not coverages:
        raise UserError(f"none of the ways has a result; the first: {all_results[0].name}: {all_results[0].outcome}")
    _share_documents(list(coverages.values()))
    return coverages


def _share_documents(coverages: Sequence[Coverage]) -> None:
    """Give predictions from files, which may not name the document of an example, the documents that runs name."""
    documents = {
        prediction.id: prediction.document
        for coverage in coverages
        if not coverage.results.is_from_file
        for prediction in coverage.run.predictions
    }
    for coverage in coverages:
        if coverage.results.is_from_file and documents:
            predictions = tuple(
                replace(prediction, document=documents.get(prediction.id, prediction.document))
                for prediction in coverage.run.predictions
            )
            coverage.run = replace(
                coverage.run, loaded=predictions, scores=Scores(signatures=coverage.run.scores.signatures)
            )
            coverage.rows = Rows(coverage.run)


def _primary(primary_metric: str | None, coverages: Mapping[str, Coverage]) -> str:
    """The name of the primary score: `primary_metric`, or the metric's first; by default the first of a shared metric.

    A condition may lack a score of a shared metric, such as that of answered pairs where it answered none.
    """
    scored_coverages = [coverage for coverage in coverages.values() if coverage.rows.ids]
    scores = [coverage.rows.scores(coverage.rows.ids) for coverage in scored_coverages]
    score_names = list(dict.fromkeys(name for names in sorted(scores, key=len, reverse=True) for name in names))
    if not score_names:
        raise UserError("none of the ways has a score: there are no references, or no metric could be computed")
    if primary_metric is None:
        shared_names = (
            name
            for name in score_names
            if all(_metric_of(name, coverages) in coverage.rows.metrics for coverage in scored_coverages)
        )
        return next(shared_names, score_names[0])
    rows = [coverage.rows for coverage in scored_coverages]
    first = next((candidate for candidate in rows if primary_metric in candidate.metrics), rows[0])
    return named_score(primary_metric, score_names, first, first.ids, "score of the ways")


def _metric_of(score: str, coverages: Mapping[str, Coverage]) -> str:
    """The metric that gives a score."""
    return next(
        name
        for coverage in coverages.values()
        for name in coverage.rows.metrics
        if coverage.rows.ids and score in coverage.rows.sample(name, coverage.rows.ids).scores
    )


def _answering_coverages(coverages: Mapping[str, Coverage], score: str, metric: str) -> dict[str, Coverage]:
    """The conditions with an answer that the score counts; all where none has one. Records uncounted examples."""
    for coverage in coverages.values():
        coverage.leave_out(score, metric)
    return {name: coverage for name, coverage in coverages.items() if coverage.counted_ids(metric)} or dict(coverages)


def _left_out_warnings(coverages: Mapping[str, Coverage], compared: Mapping[str, Coverage], metric: str) -> list[str]:
    """A warning for each condition that is not compared, with the reason."""
    return [
        f"{_left_out_reason(coverage, metric)}: it is left out of the comparison"
        for name, coverage in coverages.items()
        if name not in compared
    ]


def _left_out_reason(coverage: Coverage, metric: str) -> str:
    if coverage.rows.ids and metric not in coverage.rows.metrics:
        return f"{coverage.results.name} has no {metric}"
    return f"{coverage.results.name} answered no example that counts"


def _baseline_warnings(
    all_results: Sequence[ConditionResults], compared: Mapping[str, Coverage], baseline: str
) -> list[str]:
    """A warning where the baseline is not the whole document; none where nothing is compared with it."""
    if compared[baseline].results.kind == "whole" or len(compared) < 2:
        return []
    has_whole_document = any(results.kind == "whole" for results in all_results)
    reason = "the whole document has no answers" if has_whole_document else "none of the ways has the whole document"
    return [f"{reason}: the others are compared with {baseline}"]


def _baseline(coverages: Mapping[str, Coverage]) -> str:
    return next(
        (name for name, coverage in coverages.items() if coverage.results.kind == "whole"), next(iter(coverages))
    )


def _check(coverages: Mapping[str, Coverage], baseline: str, metric: str) -> None:
    """Raise `UserError` for a run of other data than the baseline's, or with other settings of the metric."""
    first = coverages[baseline]
    for name, coverage in coverages.items():
        lines = (
            []
            if coverage.results.is_from_file or first.results.is_from_file
            else mismatches(first.run, coverage.run, (baseline, name))
        )
        baseline_signature, signature = (_signature(run, metric) for run in (first.run, coverage.run))
        if baseline_signature and signature and baseline_signature != signature and not lines:
            lines = [f"other metric settings: {metric} ({signatures_in_words(baseline_signature, signature)})"]
        if lines:
            raise UserError(f"{name} cannot be compared with {baseline}: {'; '.join(lines)}")


def _signature(run: Run, metric: str) -> str:
    """The signature of a metric without its part on the prompt, which may differ between conditions."""
    scores = Rows(run).sample(metric, Rows(run).ids).scores if run.predictions else {}
    text = next((run.scores.signatures[name] for name in scores if name in run.scores.signatures), "")
    return text.removesuffix(signature_suffix(run.spec)) if run.spec else text


def _common_ids(coverages: Mapping[str, Coverage], metric: str) -> tuple[Ids, list[str]]:
    """The examples that all conditions answered and whose references are the same in all; and warnings."""
    ordered_coverages = list(coverages.values())
    ids = ordered_coverages[0].counted_ids(metric)
    for coverage in ordered_coverages[1:]:
        counted_ids = set(coverage.counted_ids(metric))
        ids = tuple(id for id in ids if id in counted_ids)
    references = {id: {_references(coverage.rows.scored[id]) for coverage in ordered_coverages} for id in ids}
    shared_ids = tuple(id for id in ids if len(references[id]) == 1)
    warnings = []
    if differing_count := len(ids) - len(shared_ids):
        warnings.append(
            f"{counted(differing_count, 'example')} left out of the comparison: the references differ between the "
            f"ways, as between releases of a data set ({next(id for id in ids if len(references[id]) > 1)} first)"
        )
    if not shared_ids:
        smallest_condition = min(coverages, key=lambda name: len(coverages[name].counted_ids(metric)))
        warnings.append(
            f"no example was answered by every way, so nothing is compared; {smallest_condition} answered the fewest: "
            f"{len(coverages[smallest_condition].counted_ids(metric)):,}"
        )
    return shared_ids, warnings


def _references(prediction: Prediction) -> tuple[str, ...]:
    return tuple(sorted(prediction.references))


def _differences(
    coverages: Mapping[str, Coverage], baseline: str, metric: str, common: Ids, repetitions: Mapping[str, str]
) -> dict[str, dict[str, Difference]]:
    """Each condition's difference to the baseline over the common examples, with Holm's correction."""
    if not common:
        return {}
    first = coverages[baseline].rows.sample(metric, common)
    return paired.corrected(
        {
            name: paired.sample_differences(first, coverage.rows.sample(metric, common), LEVEL, RESAMPLES, SEED)
            for name, coverage in coverages.items()
            if name != baseline and name not in repetitions
        }
    )
