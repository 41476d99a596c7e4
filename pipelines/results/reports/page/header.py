"""The overview of a page: recipe, data, warnings, failures, versions, specification."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from longdoc.plurals import counted
from pipelines.display import numbers
from pipelines.results import judge_record, selection_counts
from pipelines.results.reports.content import Content, RunContent

MAX_NAMED = 20  # failures listed by name


def facts(content: Content) -> list[tuple[str, str]]:
    """Recipe, examples, documents, tokens and data, as far as they are known."""
    runs = content.finished
    lines = [
        ("Recipe", _recipe(content)),
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
    """Warnings, what was not computed and why, what failed."""
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
    """The spec of a single run, its metrics and limit, which determine its scores, from its `run.json`."""
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
        named_names = [
            f"{_prefix(run, content)}example {id}: {reason}" for id, reason in list(run.failures.items())[:MAX_NAMED]
        ]
        more_count = len(run.failures) - len(named_names)
        lines += named_names + ([f"{_prefix(run, content)}{more_count} more examples failed"] if more_count > 0 else [])
    return lines


def _recipe(content: Content) -> str:
    """The recipe of a single run, or of an ablation's baseline; those of several runs are beside their scores."""
    if len(content.runs) == 1:
        return content.runs[0].recipe
    names = [run.recipe for run in content.runs if content.axes and run.name == content.baseline]
    return f"{names[0]} (the baseline)" if names else ""


def _runs(content: Content) -> str:
    axes = ", ".join(f"{name} ({len(values)} values)" for name, values in content.axes.items())
    return "" if len(content.runs) == 1 else f"{len(content.runs)}" + (f" over {axes}" if axes else "")


def _examples(content: Content) -> str:
    runs = content.finished
    scored = _range([run.scored for run in runs])
    text = _range([run.counts.examples for run in runs])
    if scored != text:
        text += f", {scored} of them scored"
    return text + (f" ({content.part})" if content.part else "")


def _passages(runs: Sequence[RunContent]) -> str:
    """How many passages were selected for an example, how many the model read, and of how many words."""
    return selection_counts.describe(*(run.selection for run in runs))


def _tokens(runs: Sequence[RunContent]) -> str:
    shown_text = _range([round(run.counts.tokens_shown) for run in runs])
    cut = max((run.truncated["examples"] for run in runs), default=0)
    cost = [run.counts.cost for run in runs if run.counts.cost is not None]
    parts = [f"{shown_text} an example"] if shown_text not in ("", "0") else []
    parts += [f"{'up to ' * (len(runs) > 1)}{counted(cut, 'prompt')} cut"] if cut else []
    parts += [f"cost {numbers.money(sum(cost))}"] if cost else []
    return "; ".join(parts)


def _judges_text(runs: Sequence[RunContent], lines: Callable[[Mapping[str, Any]], list[str]]) -> str:
    """What the judges of the runs said and took, or how they agree with scores."""
    pairs = [(run.name, line) for run in runs if run.run is not None for line in lines(run.run.judging)]
    return "; ".join(f"{name}: {line}" if len(runs) > 1 else line for name, line in pairs)


def _data(runs: Sequence[RunContent]) -> str:
    """The data by name, with the beginning of their digest."""
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
