"""Files of other programs with bytes flipped, zeroed, cut off and added, read by the program's own readers."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.results import table as markdown
from longdoc.errors import UserError
from pipelines import documents
from pipelines.plugins.study.logs import formats
from tests.attacks.faults import damage
from tests.attacks.fuzz.targets.documents import DOCX, EPUB, PDF
from tests.foreign_files import (
    DEFLATED,
    STORED,
    ZSTD,
    eval_members,
    every_eval_ever_samples,
    helmet_outputs,
    lm_eval_samples,
    zipped,
)

TITLE = "Damaged files of other programs"
EXPLAINED = (
    "A file that another program wrote is damaged at a place that is drawn by a seed (bits flipped, bytes zeroed, cut "
    "off, rubbish added), and read. Refused: in one line that names the file. Other "
    "values: what was read differs and nothing was said, which only formats without a checksum can do. Wrong: a "
    "traceback, a message of several lines or without the file, or other values in spite of a checksum."
)
OUTCOMES = ("refused", "the same", "other values", "wrong")


@dataclass(frozen=True)
class ForeignFile:
    """A kind of file: its name, what it holds, who reads it, and whether a checksum covers it."""

    name: str
    file: str
    content: Callable[[], bytes]
    read: Callable[[Path], Any]
    has_checksum: bool = False


def log(path: Path) -> Any:
    """The scores and texts of a log."""
    return formats.read(path, keeps_texts=True)


def document(path: Path) -> Any:
    """The text of a document."""
    return documents.read(path, cache=False)


FILES = (
    ForeignFile("inspect_ai .eval, stored", "log.eval", lambda: zipped(eval_members(), STORED), log, True),
    ForeignFile("inspect_ai .eval, deflated", "log.eval", lambda: zipped(eval_members(), DEFLATED), log, True),
    ForeignFile("inspect_ai .eval, zstd", "log.eval", lambda: zipped(eval_members(), ZSTD), log, True),
    ForeignFile("lm-evaluation-harness samples", "samples_qa.jsonl", lm_eval_samples, log),
    ForeignFile("HELMET outputs", "nq.json", helmet_outputs, log),
    ForeignFile("Every Eval Ever samples", "qa_samples.jsonl", every_eval_ever_samples, log),
    ForeignFile("PDF", "a.pdf", lambda: PDF, document),
    ForeignFile("DOCX", "a.docx", lambda: zipped(DOCX), document),
    ForeignFile("EPUB", "a.epub", lambda: zipped(EPUB), document),
)


@dataclass
class Tally:
    """Outcomes by file, and the trials that went wrong."""

    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


def outcome(kind: ForeignFile, path: Path, expected: Any) -> tuple[str, str]:
    """What becomes of a damaged file at `path`, and why it is wrong."""
    try:
        content = kind.read(path)
    except UserError as error:
        is_one_line = len(str(error).splitlines()) == 1 and path.name in str(error)
        return ("refused", "") if is_one_line else ("wrong", f"the message {error}")
    except Exception as error:
        return "wrong", repr(error)
    if content == expected:
        return "the same", ""
    return ("wrong", "other values in spite of a checksum") if kind.has_checksum else ("other values", "")


def attack(quick: bool) -> Tally:
    """All damages of all files."""
    tally = Tally()
    with damage.folders() as folder:
        for kind in FILES:
            path, content = folder / kind.file, kind.content()
            path.write_bytes(content)
            expected = kind.read(path)
            counts = tally.outcomes.setdefault(kind.name, Counter())
            for damage_kind, count in damage.PLACES.items():
                for number in range(max(1, count // damage.QUICK if quick else count)):
                    path.write_bytes(
                        damage.damaged(content, damage_kind, random.Random(f"{kind.name} {damage_kind} {number}"))
                    )
                    name, why = outcome(kind, path, expected)
                    counts[name] += 1
                    if why:
                        tally.wrong.append(f"{kind.name}, {damage_kind} {number}: {why}")
    return tally


def table(quick: bool) -> str:
    """The section's text. Raises `SystemExit` where something was wrong."""
    tally = attack(quick)
    if tally.wrong:
        raise SystemExit("\n".join([f"{len(tally.wrong):,} trials went wrong", *tally.wrong[:20]]))
    rows = [
        [name, *(f"{counts[outcome_name]:,}" for outcome_name in OUTCOMES), f"{counts.total():,}"]
        for name, counts in tally.outcomes.items()
    ]
    return f"{EXPLAINED}\n\n{markdown(['file', *OUTCOMES, 'trials'], rows)}"
