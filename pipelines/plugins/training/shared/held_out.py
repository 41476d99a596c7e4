"""Chooses what a training is validated on: another split, or a share of the training documents."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from longdoc.messages import note
from pipelines.engine.planning.plan import Plan
from pipelines.plugins.training.shared import ranks
from pipelines.sources.split_names import NoSplit

HELD_OUT_SHARE = 0.1  # of the training documents, where the data have no validation split


def say(text: str) -> None:
    """Print a line to stderr, in the main process only."""
    if ranks.is_main():
        note(text)


def validation_of(plan: Plan, split: str | None) -> tuple[Plan | None, str]:
    """The plan for the validation split and its name; None, and what takes its place, if there is no such split.

    Raises `UserError` for a validation split that cannot be read, and for an unknown `split`.
    """
    name, share = split or "validation", f"{HELD_OUT_SHARE:.0%} of the training documents"
    try:
        data = plan.open_split(name)
        if data.fingerprint == plan.data.fingerprint:
            raise NoSplit(f"the splits {plan.split!r} and {name!r} are the same data")
    except NoSplit as error:
        if split is not None:
            raise
        say(f"{share} are held out to validate on, since there is no validation split: {error}")
        return None, share
    return replace(plan, data=data, split=name, limit=None, sample=None), name


def held_out_documents(documents: Sequence[str], seed: int) -> set[str]:
    """The tenth of the documents that is held out, chosen by the seed; empty for a single document."""
    distinct = list(dict.fromkeys(documents))
    count = max(1, round(HELD_OUT_SHARE * len(distinct))) if len(distinct) > 1 else 0
    return set(sorted(distinct, key=lambda name: _random_key(seed, name))[:count])


def _random_key(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}".encode("utf-8", "surrogatepass")).digest()
