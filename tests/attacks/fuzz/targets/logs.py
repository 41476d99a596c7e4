"""Readers of other harnesses' logs: inspect_ai, lm-evaluation-harness, HELMET, Every Eval Ever, tables of scores."""

from contextlib import suppress
from itertools import islice
from pathlib import Path

from tests import foreign_files
from tests.attacks.fuzz.harness import choose, pack, sections, target
from tests.foreign_files import DEFLATED, STORED, ZSTD

COMPRESSIONS = (STORED, DEFLATED, ZSTD)
NAMES = ("samples_qa.jsonl", "qa_samples.jsonl", "nq.json", "log.json", "scores.csv")


def _read(path: Path) -> None:
    from pipelines.plugins.study.logs import formats

    log = formats.read(path, keeps_texts=True)
    assert all(len(column) == len(log.sample_of) for column in log.scores.values()), "columns"
    assert len(log.texts) == len(log.numbers), "texts"


@target(
    *(
        bytes([number]) + pack({name: text.encode() for name, text in foreign_files.eval_members({"a": 1}).items()})
        for number in range(len(COMPRESSIONS))
    ),
    *(b"\0" + foreign_files.zipped(foreign_files.eval_members({"a": 1}), compression) for compression in COMPRESSIONS),
    longest=6000,
)
def eval_archive(data: bytes, folder: Path) -> None:
    """The members of a `.eval`, zipped as the first byte says; else the bytes of one."""
    compression, rest = choose(data, COMPRESSIONS)
    members = {name.replace("\0", "") or "x": content for name, content in islice(sections(rest).items(), 12)}
    path = folder / "log.eval"
    path.write_bytes(rest)
    if members:
        with suppress(ValueError):  # names that no zip can have
            path.write_bytes(foreign_files.zipped(members, compression))
    _read(path)


@target(
    b"\0" + foreign_files.lm_eval_samples(),
    b"\1" + foreign_files.every_eval_ever_samples(),
    b"\2" + foreign_files.helmet_outputs(),
    b"\3" + foreign_files.eval_log_json(),
    b"\4id,f1\n1,0.5\n2,nan\n",
    b"\4id,f1\n1," + b"9" * 400 + b"\n",
    longest=6000,
)
def harness_log(data: bytes, folder: Path) -> None:
    name, rest = choose(data, NAMES)
    (folder / name).write_bytes(rest)
    _read(folder / name)
