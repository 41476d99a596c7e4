"""Ours beside other libraries on thousands of random cases: `python -m tests.attacks.differential [--cases N]`.

Writes its table to benchmarks/RELIABILITY.md.
"""

import argparse
import sys

from benchmarks.reliability import publish as publish_reliability
from benchmarks.results import table
from tests.attacks.differential import networks, rankings, scorers
from tests.attacks.differential.comparisons import SEED, row

CASES = 1_000
HEAD = ["ours", "theirs", "cases", "different", "largest", "tolerance"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=CASES, help="of each retriever and metric; of networks a tenth")
    cases = parser.parse_args().cases
    rows = []
    for comparisons, n in (
        (rankings.COMPARISONS, cases),
        (scorers.COMPARISONS, cases),
        (networks.COMPARISONS, cases // 10),
    ):
        for comparison in comparisons:
            rows.append(row(comparison, n))
            print(*rows[-1], file=sys.stderr, flush=True)
    text = (
        f"Random cases, seed {SEED}. Different: over the tolerance, which is that of rounding (float32, the guards of "
        "BLEU), or another order or text. Largest: of the others. A case is a document with three queries for "
        "retrievers, a text or a few with their references for metrics, a prompt for networks.\n\n"
        f"{table(HEAD, rows)}\n"
    )
    publish_reliability("Differential tests", "python -m tests.attacks.differential", text)


if __name__ == "__main__":
    main()
