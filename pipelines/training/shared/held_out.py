"""What a training is validated on: another split, or a share of the training documents."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from longdoc.visible import note
from pipelines.engine.planning.plan import Plan
from pipelines.sources.split_names import NoSplit
from pipelines.training.shared import ranks

HELD_OUT_LIMIT = 0.1  # of the training documents, where the data have no validation split


def say(text: str) -> None:
    """Print a line to stderr."""
    if ranks.is_main():
        note(text)


def validation_of(plan: Plan, wanted_text: str | None) -> tuple[Plan | None, str]:
    """A plan for the validation split and its name; None if a share of the training split is held out instead.

    Raises `UserError` where there is a validation split, and it cannot be read.
    """
    name, share = wanted_text or "validation", f"{HELD_OUT_LIMIT:.0%} of the training documents"
    try:
        data = plan.open_split(name)
        if data.fingerprint == plan.data.fingerprint:
            raise NoSplit(f"the splits {plan.split!r} and {name!r} are the same data")
    except NoSplit as error:
        if wanted_text is not None:
            raise
        say(f"{share} are held out to validate on, since there is no validation split: {error}")
        return None, share
    return replace(plan, data=data, split=name, limit=None, sample=None), name


def held_out_documents(documents: Sequence[str], seed: int) -> set[str]:
    """The tenth of the documents that is held out; none of a single one."""
    distinct = list(dict.fromkeys(documents))
    share = max(1, round(HELD_OUT_LIMIT * len(distinct))) if len(distinct) > 1 else 0
    return set(sorted(distinct, key=lambda name: _draw(seed, name))[:share])


def _draw(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}".encode("utf-8", "surrogatepass")).digest()
