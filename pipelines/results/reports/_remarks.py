"""What runs say beside their figures, each thing once, with the names of those that say it unless all do."""

from collections.abc import Iterable

from pipelines.results.reports.content import Content

NAMED = 3  # runs that are named; of more the others are counted


def warnings_of(content: Content) -> list[str]:
    """The warnings of the report and of its runs."""
    said = ((run.label, warning) for run in content.runs for warning in run.warnings)
    return list(dict.fromkeys([*content.warnings, *_once(said, len(content.finished))]))


def failed(content: Content) -> list[str]:
    """The errors of the runs that failed."""
    said = ((run.label, f"failed: {run.error}") for run in content.runs if run.error is not None)
    return _once(said, len(content.runs))


def not_computed(content: Content) -> list[str]:
    """The figures that could not be computed, those of one reason together."""
    said: dict[tuple[str, str], list[str]] = {}
    for run in content.runs:
        for name, reason in run.not_computed.items():
            said.setdefault((run.label, reason), []).append(name)
    told = ((who, f"{', '.join(names)}: {reason}") for (who, reason), names in said.items())
    return _once(told, len(content.finished))


def _once(said: Iterable[tuple[str, str]], everyone: int) -> list[str]:
    by: dict[str, list[str]] = {}
    for who, text in said:
        by.setdefault(text, []).append(who)
    return [text if len(who) == everyone else f"{_names(who)}: {text}" for text, who in by.items()]


def _names(who: list[str]) -> str:
    more = f" and {len(who) - NAMED} more" if len(who) > NAMED else ""
    return "; ".join(who[:NAMED]) + more
