"""What is said below differences of runs that are equal."""

from collections.abc import Iterable

SAME_MARK = "= "  # before the name of the run whose requests and predictions a run repeats
DETECTABLE = "detectable: the least difference that these show with 80 % power at alpha 0.05; longdoc plan says more"
SAME_REQUESTS = "both runs made the same requests: nothing is compared"


def same_runs(names: Iterable[str | None]) -> list[str]:
    """One line where runs repeat others, which is no comparison."""
    if all(name is None for name in names):
        return []
    return [
        f"{SAME_MARK}RUN: the same requests and outputs as that run: not compared, nor counted in Holm's correction"
    ]
