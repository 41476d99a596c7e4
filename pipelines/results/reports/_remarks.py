"""Warnings and errors of the runs of a report, each once, with the names of the runs unless it applies to all."""

from collections.abc import Iterable

from pipelines.results.reports.content import Content

MAX_NAMED = 3  # runs that are named; further ones are counted


def warnings_of(content: Content) -> list[str]:
    """The warnings of the report and of its runs."""
    remarks = ((run.label, warning) for run in content.runs for warning in run.warnings)
    return list(dict.fromkeys([*content.warnings, *_distinct_remarks(remarks, len(content.finished))]))


def failed(content: Content) -> list[str]:
    """The errors of the runs that failed."""
    remarks = ((run.label, f"failed: {run.error}") for run in content.runs if run.error is not None)
    return _distinct_remarks(remarks, len(content.runs))


def not_computed(content: Content) -> list[str]:
    """The scores that could not be computed, grouped by reason."""
    groups: dict[tuple[str, str], list[str]] = {}
    for run in content.runs:
        for name, reason in run.scores.not_computed.items():
            groups.setdefault((run.label, reason), []).append(name)
    remarks = ((label, f"{', '.join(names)}: {reason}") for (label, reason), names in groups.items())
    return _distinct_remarks(remarks, len(content.finished))


def _distinct_remarks(remarks: Iterable[tuple[str, str]], runs: int) -> list[str]:
    """The texts of (label, text), with their labels unless all `runs` have the same text."""
    labels_of: dict[str, list[str]] = {}
    for label, text in remarks:
        labels_of.setdefault(text, []).append(label)
    return [text if len(labels) == runs else f"{_names(labels)}: {text}" for text, labels in labels_of.items()]


def _names(labels: list[str]) -> str:
    more_text = f" and {len(labels) - MAX_NAMED} more" if len(labels) > MAX_NAMED else ""
    return "; ".join(labels[:MAX_NAMED]) + more_text
