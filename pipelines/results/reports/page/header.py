"""The head of a page: recipe, data, warnings, failures, versions, specification."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longdoc.messages import counted
from pipelines.display import numbers
from pipelines.results import judge_record, selection_counts
from pipelines.results.reports.content import Content, RunContent

MAX_NAMED = 20  # failures listed by name


@dataclass(frozen=True, slots=True)
class Headline:
    """The recipe and the leading score of a report; `value` is None without a score."""

    recipe: str
    value: float | None = None
    name: str = ""
    note: str = ""


def headline(content: Content) -> Headline:
    """The recipe and the leading score of the best run."""
    name = content.primary_metric
    runs = [run for run in content.finished if name in run.scores]
    if not runs:
        return Headline(content.runs[0].recipe if len(content.runs) == 1 else "")
    best = max(runs, key=lambda run: run.scores[name])
    interval = best.scores.intervals.get(name)
    parts = [f"{100 * interval.level:g}% interval {interval}"] if interval else []
    parts += [f"the best of {len(runs)} runs"] if len(runs) > 1 else []
    return Headline(best.recipe, best.scores[name], name, ", ".join(parts))


def facts(content: Content) -> list[tuple[str, str]]:
    """The known facts about the runs, as (name, text): examples, documents, tokens, data …"""
    runs = content.finished
    lines = [
        ("Baseline", _baseline(content)),
        ("Runs", _runs(content)),
        ("Examples", _examples(content)),
        ("Documents", _range([run.counts.documents for run in runs if run.counts.documents])),
        ("Passages", _passages(runs)),
        ("Prompt tokens", _tokens(runs)),
        ("Judge", _judges_text(runs, judge_record.lines)),
        ("Agreement", _judges_text(runs, judge_record.agreement_lines)),
        ("Data", _data(runs)),
    ]
    return [(name, text) for name, text in lines if text]


def remarks(content: Content) -> list[tuple[str, list[str]]]:
    """The boxes of remarks, as (title, lines): warnings, scores not computed, failures."""
    boxes = [
        ("Warnings", [*content.all_warnings(), *content.failed()]),
        ("Not computed", content.not_computed()),
        ("Failures", _failures(content)),
    ]
    return [(title, lines) for title, lines in boxes if lines]


def versions(content: Content) -> dict[str, list[str]]:
    """The versions of libraries that the runs used."""
    values: dict[str, list[str]] = {}
    for run in content.runs:
        for name, version in run.versions.items():
            if version not in (versions := values.setdefault(name, [])):
                versions.append(version)
    return values


def specification(content: Content) -> str:
    """The JSON of all that determines a single run's scores: spec, metrics, limit; empty for several runs."""
    run = content.runs[0].run
    if len(content.runs) > 1 or run is None or not run.spec:
        return ""
    settings = {"metrics": run.metrics, "limit": run.limit} | ({"shard": run.shard} if run.shard else {})
    return json.dumps({**run.spec, **settings}, indent=2, ensure_ascii=False)


def _prefix(run: RunContent, content: Content) -> str:
    return f"{run.name}: " if len(content.runs) > 1 else ""


def _failures(content: Content) -> list[str]:
    lines = []
    for run in content.runs:
        failure_lines = [
            f"{_prefix(run, content)}example {id}: {reason}" for id, reason in list(run.failures.items())[:MAX_NAMED]
        ]
        more_count = len(run.failures) - len(failure_lines)
        lines += failure_lines + (
            [f"{_prefix(run, content)}{more_count} more examples failed"] if more_count > 0 else []
        )
    return lines


def _baseline(content: Content) -> str:
    """The recipe of an ablation's baseline; empty for runs, whose recipes are beside their scores."""
    return next((run.recipe for run in content.runs if content.axes and run.name == content.baseline), "")


def _runs(content: Content) -> str:
    axes = ", ".join(f"{name} ({len(values)} values)" for name, values in content.axes.items())
    return "" if len(content.runs) == 1 else f"{len(content.runs)}" + (f" over {axes}" if axes else "")


def _examples(content: Content) -> str:
    runs = content.finished
    scored = _range([run.scored for run in runs])
    examples = _range([run.counts.examples for run in runs])
    if scored != examples:
        examples += f", {scored} of them scored"
    return examples + (f" ({content.part})" if content.part else "")


def _passages(runs: Sequence[RunContent]) -> str:
    """The mean numbers of passages selected and read, and of words shown, in words."""
    return selection_counts.describe(*(run.selection for run in runs))


def _tokens(runs: Sequence[RunContent]) -> str:
    tokens_shown = _range([round(run.counts.tokens_shown) for run in runs])
    cut_prompts = max((run.truncated["examples"] for run in runs), default=0)
    costs = [run.counts.cost for run in runs if run.counts.cost is not None]
    parts = [f"{tokens_shown} an example"] if tokens_shown not in ("", "0") else []
    parts += [f"{'up to ' * (len(runs) > 1)}{counted(cut_prompts, 'prompt')} cut"] if cut_prompts else []
    parts += [f"cost {numbers.money(sum(costs))}"] if costs else []
    return "; ".join(parts)


def _judges_text(runs: Sequence[RunContent], lines: Callable[[Mapping[str, Any]], list[str]]) -> str:
    """The lines on the judges of the runs, as one text."""
    pairs = [(run.name, line) for run in runs if run.run is not None for line in lines(run.run.judging)]
    return "; ".join(f"{name}: {line}" if len(runs) > 1 else line for name, line in pairs)


def _data(runs: Sequence[RunContent]) -> str:
    """The data's name, with the beginning of their digest."""
    data: Mapping[str, Any] = next(
        (run.readable_run.spec.get("data", {}) for run in runs if run.readable_run is not None), {}
    )
    if "repository" in data:
        return f"{data['repository']} at {str(data.get('revision'))[:12]}"
    files = [f"{file['name']} (sha256 {str(file.get('sha256'))[:12]})" for file in data.get("files", ())]
    if files:
        return files[0] + (f" and {len(files) - 1} more files" if len(files) > 1 else "")
    return f"sha256 {str(data['sha256'])[:12]}" if "sha256" in data else ""


def _range(numbers: Sequence[int]) -> str:
    if not numbers:
        return ""
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
