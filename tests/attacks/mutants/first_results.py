"""What became of a sample when it was first run: one file a seed, a line a mutant, only ever added to.

A test that is written for a survivor says nothing about the next change of the code, so the rate that is published is
the one from before. The file's first line tells with which code and which tests the sample was begun; when either has
changed, the sample is closed: no result is replaced, and what had not been run by then never is.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.attacks.mutants.sample import Mutant, group_of, modules, sample_of

FOLDER = Path(__file__).parent / "first"
OLDER = ((1, 300),)  # seed and count of samples that had tests written for them before first results were kept
OLDER_GROUPS = ("chunkers", "retrievers", "pipelines/metrics", "pipelines/strategies", "pipelines/engine")  # theirs


@dataclass(frozen=True)
class SampleStart:
    """A sample as it was begun: of how many mutants, out of how many, and a hash of the code and of all tests."""

    seed: int
    count: int
    population: int
    left_out: int
    state: str


@dataclass(frozen=True)
class FirstResult:
    """What became of a mutant: failed, timeout, crashed or passed, and the test that noticed it."""

    key: str
    outcome: str
    by: str

    @property
    def group(self) -> str:
        """The group of modules it belongs to, also when the code has gone since."""
        return group_of(self.key.partition(" | ")[0])


class FirstResults:
    """The first results of the sample of one seed, in a folder of such files."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._seed = folder, seed
        self._file = folder / f"seed_{seed}.jsonl"
        self.start: SampleStart | None = None
        self.rows: dict[str, FirstResult] = {}
        if self._file.exists():
            head, *lines = self._file.read_text(encoding="utf-8").splitlines()
            self.start = SampleStart(**json.loads(head))
            self.rows = {row.key: row for row in (FirstResult(**json.loads(line)) for line in lines)}

    def sample(self, population: list[Mutant], count: int, state: str) -> list[Mutant]:
        """The mutants of the sample in the order in which they are run; a new seed's sample begins with this.

        Of a closed one, those that were run and are still in the code. Raises `ValueError` where the sample was begun
        with another count: one that grew after its survivors were seen would be no sample.
        """
        fresh = self._without_others(population)
        if self.start is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self.start = SampleStart(self._seed, count, len(population), len(population) - len(fresh), state)
            self._append(self.start)
        if self.start.count != count:
            raise ValueError(f"the sample of seed {self._seed} has {self.start.count} mutants: take another --seed")
        if self.start.state == state:
            return sample_of(fresh, count, self._seed)
        return [mutant for mutant in population if mutant.key in self.rows]

    def add(self, mutant: Mutant, outcome: str, by: str, state: str) -> None:
        """Keep what became of a mutant, unless it has a first result or the sample is closed."""
        if self.start is not None and self.start.state == state and mutant.key not in self.rows:
            self.rows[mutant.key] = FirstResult(mutant.key, outcome, by)
            self._append(self.rows[mutant.key])

    def of(self, mutant: Mutant) -> str | None:
        """Its first outcome, None where it was not run."""
        row = self.rows.get(mutant.key)
        return None if row is None else row.outcome

    def _append(self, row: SampleStart | FirstResult) -> None:
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")

    def _without_others(self, population: list[Mutant]) -> list[Mutant]:
        """The mutants that no test can have been written for: those that are in no sample of another seed."""
        older = [mutant for mutant in population if mutant.group in OLDER_GROUPS]
        keys_of_others = {
            mutant.key for seed, count in OLDER if seed != self._seed for mutant in sample_of(older, count, seed)
        }
        for file in self._folder.glob("seed_*.jsonl"):
            if file != self._file:
                keys_of_others |= FirstResults(self._folder, int(file.stem.removeprefix("seed_"))).rows.keys()
        return [mutant for mutant in population if mutant.key not in keys_of_others]


def state_of(root: Path) -> str:
    """A hash of the groups' modules and of all tests, helpers included, but for those of mutation testing itself."""
    own = root / "tests" / "attacks" / "mutants"
    tests = sorted((root / "tests").rglob("*.py"))
    files = [*modules(root), *(path for path in tests if own not in path.parents)]
    state = hashlib.sha256()
    for path in files:
        state.update(f"{path.relative_to(root)}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()[:16]
