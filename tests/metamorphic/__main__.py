"""Changes that must change no score: `python -m tests.metamorphic [--documents N] [--without CHANGE]`.

Writes its table to benchmarks/RELIABILITY.md: what differs in runs without weights and in fp32 (nothing may), and how
much in bf16, whose rounding depends on the batch.
"""

import argparse
import os
import shlex
import sys
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402

from benchmarks.reliability import publish as publish_reliability
from benchmarks.results import table  # noqa: E402
from tests import tiny_models  # noqa: E402
from tests.metamorphic.changes import (
    BF16,
    CHANGES,
    FP32,
    NETWORK_CHANGES,
    SEED,
    WITHOUT_WEIGHTS,
    changes_of,
    differences_of,
)  # noqa: E402

DOCUMENTS = 4
HEAD = ["run", "change", "examples", "other record", "other prediction", "largest difference of a score"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of three questions each")
    parser.add_argument(
        "--without", choices=sorted(CHANGES | NETWORK_CHANGES), help="leave a change out: Ray takes long"
    )
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folders = {kind: getattr(tiny_models, kind)(Path(temporary) / kind) for kind in ("t5", "bart", "llama")}
        for number, setting in enumerate((*WITHOUT_WEIGHTS, *FP32, *BF16)):
            names = [name for name in changes_of(setting) if name != options.without]
            differences = differences_of(setting, names, options.documents, Path(temporary) / str(number), folders)
            for name, difference in differences.items():
                cells = (difference.examples, difference.records, difference.predictions, f"{difference.score:.2g}")
                rows.append([setting.name, name, *map(str, cells)])
                print(*rows[-1], file=sys.stderr, flush=True)
    text = (
        f"Made documents of all Unicode planes, seed {SEED}; tiny networks with random weights on the CPU. Another "
        "record: anything of an example's line in predictions.jsonl; the scores of halves are those of the rows of "
        f"both.\n\n{table(HEAD, rows)}\n"
    )
    command = "python -m tests.metamorphic" + (f" --without {shlex.quote(options.without)}" if options.without else "")
    publish_reliability("Metamorphic tests", command, text)


if __name__ == "__main__":
    main()
