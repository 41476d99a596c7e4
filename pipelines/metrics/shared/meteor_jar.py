"""The original Meteor 1.5 program, given its jar: a Java process with a line protocol (`-stdio`).

`SCORE ||| reference ||| … ||| hypothesis` is answered with the statistics of the best reference, `EVAL ||| statistics`
with their score and that of their sum. The 23 statistics: lengths and function words of hypothesis and reference; for
each of four stages (exact, stem, synonym, paraphrase) the matched content and function words of both; chunks; matched
words of both. With them (Denkowski and Lavie 2014, section 2, parameters for English; words are weighed by δ for
content and 1 - δ for function words, matches also by their stage):

P and R are weighed matches over weighed length, F = P · R / (α · P + (1 - α) · R), penalty = γ · (chunks / matches)^β,
score = (1 - penalty) · F. Over a corpus the statistics are summed, where the one chunk of a segment that matches whole
is not counted; there the penalty is 0.
"""

import hashlib
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

from longdoc.errors import UserError
from pipelines.metrics import NotComputable, Row

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
WEIGHTS = (1.0, 0.6, 0.8, 0.6)  # of the stages
OPTIONS = ("-", "-", "-stdio", "-l", "en", "-norm")
MEMORY = "-Xmx2G"
SIDES = ("hypothesis", "reference")
STAGES = ("exact", "stem", "synonym", "paraphrase")
NAMES = (
    *SIDES,
    *(f"{side}_function" for side in SIDES),
    *(f"{side}_{stage}_{kind}" for stage in STAGES for kind in ("content", "function") for side in SIDES),
    "chunks",
    *(f"{side}_matches" for side in SIDES),
)
PROBE = ("the grey gulls sat there", "two grey gulls sat on the wall")
NEAR = 1e-6


class Jar:
    """A running jar. Safe to use from several threads; one process for each jar, ended with this one."""

    def __init__(self, path: Path) -> None:
        self.path, self._lock = path, threading.Lock()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the process)
        self._process = self._started()
        self._end = weakref.finalize(self, _end, self._process, self._stderr)

    def row(self, hypothesis: str, references: Sequence[str]) -> dict[str, float]:
        """The statistics of a segment against the best of its references, the one chunk of a whole match not counted.

        Raises `UserError` for a jar that ends, or answers unlike Meteor 1.5.
        """
        text, known_names = _line(hypothesis), [line for line in map(_line, references) if line]
        if text and known_names:
            row = self._scored(text, known_names)
            is_whole = row["chunks"] == 1 and all(_matched(row, side) == row[side] for side in SIDES)
            return row | {"chunks": 0.0} if is_whole else row
        nothing_values = dict.fromkeys(NAMES, 0.0)  # the program would take a reference for the missing text
        if not text and not known_names:
            return nothing_values
        side = "hypothesis" if text else "reference"
        own_values = self._scored(*((text, [text]) if text else (known_names[0], [known_names[0]])))
        return nothing_values | {name: own_values[name] for name in (side, f"{side}_function")}

    def check(self) -> None:
        """Check that its scores are those of the formula. Raises `UserError` for another version or parameters."""
        row = self._scored(PROBE[0], [PROBE[1]])
        statistics = " ".join(str(row[name]) for name in NAMES)
        segment, whole_value = (float(line) for line in self._ask(f"EVAL ||| {statistics}", 2))
        if max(abs(segment - score(row)), abs(whole_value - score(row))) > NEAR:
            raise UserError(
                f"{self.path} is not Meteor 1.5 for English: it gives {whole_value:.6f} for {score(row):.6f}"
            )

    def _scored(self, hypothesis: str, references: Sequence[str]) -> dict[str, float]:
        (line,) = self._ask(" ||| ".join(["SCORE", *references, hypothesis]), 1)
        return self._numbers(line)

    def _numbers(self, line: str) -> dict[str, float]:
        try:
            return dict(zip(NAMES, map(float, line.split()), strict=True))
        except ValueError:
            raise UserError(
                f"{self.path} answers {line[:80]!r}, not the {len(NAMES)} statistics of Meteor 1.5"
            ) from None

    def _ask(self, line: str, answers: int) -> list[str]:
        with self._lock:
            try:
                self._process.stdin.write(line + "\n")
                self._process.stdin.flush()
                entries = [self._process.stdout.readline() for _ in range(answers)]
            except OSError:
                entries = [""]
            if not all(entries):
                running.cache_clear()  # the next call starts it again
                raise UserError(f"the Meteor program {self.path} ended: {self._last_words()}")
            return entries

    def _last_words(self) -> str:
        self._process.wait(timeout=10)
        self._stderr.seek(0)
        lines = self._stderr.read().decode("utf-8", "replace").strip().splitlines()
        return lines[0][:200] if lines else f"exit code {self._process.returncode}, nothing said"

    def _started(self) -> Any:
        if not self.path.is_file():
            raise NotComputable(f"there is no Meteor jar at {self.path}: give meteor:jar=PATH of meteor-1.5.jar")
        java = shutil.which("java")
        if java is None:
            raise NotComputable("java is missing, which Meteor's jar needs: install a Java runtime, or leave jar= out")
        command = [java, MEMORY, "-jar", str(self.path), *OPTIONS]
        pipes: Mapping[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._stderr}
        try:
            # no shell; the jar is the one that the user named (`typed_only`)
            return subprocess.Popen(  # noqa: S603  # nosec B603
                command, encoding="utf-8", errors="replace", cwd=self.path.parent, **pipes
            )
        except OSError as error:
            raise NotComputable(f"cannot start {java}: {error.strerror}") from None


@cache
def running(path: Path) -> Jar:
    """The process of a jar, started and checked once. Raises `NotComputable`, `UserError`."""
    jar = Jar(path)
    jar.check()
    return jar


def version(path: Path) -> str:
    """The beginning of the file's SHA-256, which identifies the jar."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    except OSError:
        return "missing"


def score(row: Row) -> float:
    """The score of one segment's statistics, or of a corpus' (summed, or their mean), 0 to 1."""
    precision, recall = (_weighed_value(row, side) for side in SIDES)
    matches = (row["hypothesis_matches"] + row["reference_matches"]) / 2
    if not precision or not recall or not matches:
        return 0.0
    balanced = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
    return float(max(balanced * (1 - GAMMA * (row["chunks"] / matches) ** BETA), 0.0))


def total(rows: Sequence[Row]) -> dict[str, float]:
    """The statistics of a corpus."""
    return {name: sum(row[name] for row in rows) for name in NAMES}


def _weighed_value(row: Row, side: str) -> float:
    """Precision (of the hypothesis) or recall (of the reference)."""
    length = DELTA * (row[side] - row[f"{side}_function"]) + (1 - DELTA) * row[f"{side}_function"]
    matched = sum(
        weight * (DELTA * row[f"{side}_{stage}_content"] + (1 - DELTA) * row[f"{side}_{stage}_function"])
        for stage, weight in zip(STAGES, WEIGHTS, strict=True)
    )
    return matched / length if length else 0.0


def _matched(row: Row, side: str) -> float:
    return sum(row[f"{side}_{stage}_{kind}"] for stage in STAGES for kind in ("content", "function"))


def _line(text: str) -> str:
    """A text in one line, without what separates the texts."""
    return " ".join(text.replace("|||", " ").split())


def _end(process: Any, stderr: IO[bytes]) -> None:
    process.kill()
    process.wait()
    stderr.close()
