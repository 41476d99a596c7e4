"""What became of the mutants, and the tables about it."""

import json
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from scipy.stats import binomtest

from benchmarks.results import table
from tests.mutants.sample import GROUPS, Mutant
from tests.mutants.selection import MOST_SECONDS

HERE = Path(__file__).parent
JUDGED = HERE / "equivalent.toml"
LONGEST = 90  # characters of a change that are shown


@dataclass(frozen=True)
class Result:
    """`outcome` is failed (a test failed), crashed, timeout or passed; `by` the test that noticed it.

    `code` and `tests` are hashes of what was run: of the changed file, and of the tests where none noticed it.
    """

    outcome: str
    by: str
    message: str
    seconds: float
    code: str
    tests: str


class Kept:
    """The results of earlier runs, by the key of a mutant."""

    def __init__(self, file: Path) -> None:
        self._file = file
        rows = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        self.results = {key: Result(**row) for key, row in rows.items()}

    def add(self, mutant: Mutant, result: Result) -> None:
        """Keep one more."""
        self.results[mutant.key] = result
        self._file.parent.mkdir(parents=True, exist_ok=True)
        rows = {key: asdict(one) for key, one in self.results.items()}
        self._file.write_text(json.dumps(rows, indent=0, ensure_ascii=False), encoding="utf-8")

    def holds(self, mutant: Mutant, tests: str) -> bool:
        """Whether its result is still that of the code and the tests of today: new tests only add to what is killed."""
        kept = self.results.get(mutant.key)
        return kept is not None and (kept.outcome != "passed" or kept.tests == tests)


def equivalents(file: Path = JUDGED) -> dict[str, str]:
    """The mutants judged to be equivalent, by their keys, each with the reason."""
    rows = tomllib.loads(file.read_text(encoding="utf-8")).get("mutant", [])
    return {row["key"]: row["reason"] for row in rows}


def report(mutants: list[Mutant], results: dict[str, Result], population: int, seed: int) -> str:
    """The tables: by group, and the survivors. What was not run is left out, and said."""
    sample, mutants = len(mutants), [mutant for mutant in mutants if mutant.key in results]
    judged = equivalents()
    alive = [mutant for mutant in mutants if results[mutant.key].outcome == "passed"]
    equal = [mutant for mutant in alive if mutant.key in judged]
    rows = [_row(group, [one for one in mutants if one.group == group], results, judged) for group in GROUPS]
    rows.append(_row("all", mutants, results, judged))
    head = ["modules", "mutants", "killed by a test", "timeout", "survived", "of them equivalent", "killed"]
    head += ["95% interval", "without the equivalent", "95% interval"]
    left = [mutant for mutant in alive if mutant.key not in judged]
    return "\n\n".join(
        [
            f"{sample} of the {population:,} mutants of the five groups of modules (seed {seed}; each group by its "
            f"share), of which {len(mutants)} were run. Each is run against the tests of its group and the laws that "
            "execute the changed statement: those of the file that mirrors its module, then others that take "
            f"{MOST_SECONDS:.0f} s in all, the cheapest file first. Tests were written for survivors of this sample, "
            "so a sample of another seed has more of them. Intervals are Wilson's.",
            table(head, rows),
            _listed(f"Survivors: {len(left)}.", left, {}),
            _listed(f"Judged by hand to be equivalent: {len(equal)}.", equal, judged),
        ]
    )


def _row(name: str, mutants: list[Mutant], results: dict[str, Result], judged: dict[str, str]) -> list[str]:
    outcomes = [results[mutant.key].outcome for mutant in mutants]
    late, alive = outcomes.count("timeout"), outcomes.count("passed")
    equal = sum(results[one.key].outcome == "passed" and one.key in judged for one in mutants)
    killed = len(mutants) - alive
    counts = [len(mutants), killed - late, late, alive, equal]
    return [name, *map(str, counts), *_rate(killed, len(mutants)), *_rate(killed, len(mutants) - equal)]


def _rate(killed: int, of: int) -> list[str]:
    if not of:
        return ["–", "–"]
    found = binomtest(killed, of).proportion_ci(method="wilson")
    return [f"{100 * killed / of:.1f}%", f"[{100 * found.low:.1f}, {100 * found.high:.1f}]"]


def _listed(title: str, mutants: list[Mutant], reasons: dict[str, str]) -> str:
    if not mutants:
        return title
    lines = []
    for one in sorted(mutants, key=lambda one: (GROUPS.index(one.group), one.file, one.lines)):
        reason = f" – {reasons[one.key]}" if one.key in reasons else ""
        lines.append(f"- `{one.file}:{one.lines[0]}` {one.kind}: {_code(one.before)} → {_code(one.after)}{reason}")
    return title + "\n\n" + "\n".join(lines)


def _code(text: str) -> str:
    text = " ".join(text.split()).replace("`", "'")
    return f"`{text if len(text) <= LONGEST else text[: LONGEST - 1] + '…'}`"
