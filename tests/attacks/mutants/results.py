"""What became of the mutants, and the tables about it."""

import json
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.results import table
from tests.attacks.mutants.first_results import FirstResult, FirstResults
from tests.attacks.mutants.sample import GROUPS, Mutant
from tests.attacks.mutants.selection import MAX_SECONDS

HERE = Path(__file__).parent
EQUIVALENT_FILE = HERE / "equivalent.toml"
MAX_CHANGE_CHARACTERS = 90  # characters of a change that are shown


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


class KeptResults:
    """The results of earlier runs, by the key of a mutant."""

    def __init__(self, file: Path) -> None:
        self._file = file
        rows = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        self.results = {key: Result(**row) for key, row in rows.items()}

    def add(self, mutant: Mutant, result: Result) -> None:
        """Keep one more."""
        self.results[mutant.key] = result
        self._file.parent.mkdir(parents=True, exist_ok=True)
        rows = {key: asdict(kept_result) for key, kept_result in self.results.items()}
        self._file.write_text(json.dumps(rows, indent=0, ensure_ascii=False), encoding="utf-8")

    def holds(self, mutant: Mutant, tests: str) -> bool:
        """Whether its result is still that of the code and the tests of today: new tests only add to what is killed."""
        kept = self.results.get(mutant.key)
        return kept is not None and (kept.outcome != "passed" or kept.tests == tests)


def equivalents(file: Path = EQUIVALENT_FILE) -> dict[str, str]:
    """The mutants judged to be equivalent, by their keys, each with the reason."""
    rows = tomllib.loads(file.read_text(encoding="utf-8")).get("mutant", [])
    return {row["key"]: row["reason"] for row in rows}


def report(mutants: list[Mutant], first: FirstResults, now: dict[str, Result]) -> str:
    """The tables: by group what became of the sample at first, then what has become of its survivors since."""
    if first.start is None:
        raise ValueError("the sample was not begun")
    start, rows, judged = first.start, list(first.rows.values()), equivalents()
    present = {mutant.key: mutant for mutant in mutants}
    survivors = [row.key for row in rows if row.outcome == "passed"]
    not_equivalent = [key for key in survivors if key not in judged]
    left = [
        present[key] for key in not_equivalent if key in present and (key not in now or now[key].outcome == "passed")
    ]
    noticed_now = [present[key] for key in not_equivalent if key in present and present[key] not in left]
    no_longer_noticed = [
        present[row.key] for row in rows if row.outcome != "passed" and _passes(now, row.key) and row.key in present
    ]
    head = ["modules", "mutants", "killed by a test", "timeout", "survived", "of them equivalent", "killed"]
    head += ["95% interval", "without the equivalent", "95% interval"]
    body = [_row(group, [row for row in rows if row.group == group], judged) for group in GROUPS]
    parts = [
        f"A sample of {start.count} of the {start.population:,} mutants of all packages (seed "
        f"{start.seed}; each group by its share; {start.left_out} left out, which are in samples of other seeds), of "
        f"which {len(rows)} were run, in random order. Each is run against the tests of the folder that mirrors its "
        "module's and execute the changed statement: those of the file that mirrors the module, then others that take "
        f"{MAX_SECONDS:.0f} s in all, the cheapest file first (with --mirrored the first file alone). A "
        "test that notices a mutant must do so twice, and "
        "pass without the change right after. Intervals are Wilson's.",
        "The rate is that of the first run, before any test was written for a mutant of this sample; tests written "
        "later do not change it. Tests that were not run may notice more: those of other folders, and what these "
        "seconds leave out.",
        table(head, [*body, _row("all", rows, judged)]),
        f"Of the {len(survivors)} survivors {len(survivors) - len(not_equivalent)} were judged equivalent, "
        f"{len(noticed_now)} have tests that notice them now, {len(not_equivalent) - len(noticed_now) - len(left)} are "
        f"in code that has gone, and {len(left)} are left.",
        _list_of(f"Left: {len(left)}.", left, {}).replace("\n\n- ", " ").replace("\n- ", "; "),  # in the summary too
        _list_of(
            f"Survived at first, and have a test now: {len(noticed_now)}.",
            noticed_now,
            {key: now[key].by for key in not_equivalent if key in now},
        ),
        _list_of(
            f"Judged by hand to be equivalent: {len(survivors) - len(not_equivalent)}.",
            [present[key] for key in survivors if key in judged and key in present],
            judged,
        ),
    ]
    if no_longer_noticed:
        parts.append(_list_of(f"Noticed at first, and not now: {len(no_longer_noticed)}.", no_longer_noticed, {}))
    return "\n\n".join(parts)


def _passes(now: dict[str, Result], key: str) -> bool:
    return key in now and now[key].outcome == "passed"


def _row(name: str, rows: list[FirstResult], judged: dict[str, str]) -> list[str]:
    survivors = sum(row.outcome == "passed" for row in rows)
    timeouts = sum(row.outcome == "timeout" for row in rows)
    equivalent = sum(row.outcome == "passed" and row.key in judged for row in rows)
    killed = len(rows) - survivors
    counts = [len(rows), killed - timeouts, timeouts, survivors, equivalent]
    return [name, *map(str, counts), *_rate(killed, len(rows)), *_rate(killed, len(rows) - equivalent)]


def _rate(killed: int, total: int) -> list[str]:
    if not total:
        return ["–", "–"]
    from scipy.stats import binomtest  # a second, which collecting the tests should not take

    interval = binomtest(killed, total).proportion_ci(method="wilson")
    return [f"{100 * killed / total:.1f}%", f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]"]


def _list_of(title: str, mutants: list[Mutant], reasons: dict[str, str]) -> str:
    if not mutants:
        return title
    lines = []
    for mutant in sorted(mutants, key=lambda mutant: (GROUPS.index(mutant.group), mutant.file, mutant.lines)):
        reason = f" – {reasons[mutant.key]}" if mutant.key in reasons else ""
        lines.append(
            f"- `{mutant.file}:{mutant.lines[0]}` {mutant.kind}: {_code(mutant.before)} → {_code(mutant.after)}{reason}"
        )
    return title + "\n\n" + "\n".join(lines)


def _code(text: str) -> str:
    text = " ".join(text.split()).replace("`", "'")
    return f"`{text if len(text) <= MAX_CHANGE_CHARACTERS else text[: MAX_CHANGE_CHARACTERS - 1] + '…'}`"
