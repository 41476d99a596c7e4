"""Notes below comparisons."""

from collections.abc import Iterable

SAME_MARK = "= "  # before the name of the run whose requests and predictions a run repeats
DETECTABLE = (
    "detectable: the smallest difference that these examples show with 80% power at alpha 0.05; see longdoc plan"
)
SAME_REQUESTS = "both runs made the same requests: nothing is compared"


def same_runs(names: Iterable[str | None]) -> list[str]:
    """The note on runs that repeat others, given the names of those; empty if none does."""
    if all(name is None for name in names):
        return []
    return [
        f"{SAME_MARK}RUN: the same requests and outputs as that run: not compared, nor counted in Holm's correction"
    ]
