"""Read the folders to merge, and check that they hold all shards of one run, each once and finished."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError, listed
from longdoc.files import is_locked
from pipelines.engine.planning.shard import Shard
from pipelines.engine.recording import shard_file
from pipelines.results.final_files import FILE, read_scores
from pipelines.results.run_folders import resuming
from pipelines.results.run_folders.run import run_record
from pipelines.results.run_folders.spec_differences import differences_in_words, signatures_in_words

MAX_SHOWN = 4  # differences of another run that are named
MAX_LISTED = 10  # missing shards that are named


@dataclass(frozen=True, slots=True)
class ShardRun:
    """A finished shard: its folder, its `run.json` and `scores.json`."""

    folder: Path
    record: Mapping[str, Any]
    scored: Mapping[str, Any]
    shard: Shard

    @property
    def signatures(self) -> Mapping[str, str]:
        """The signatures of the metrics at the last start."""
        signatures: Mapping[str, str] = self.record["starts"][-1].get("signatures", {})
        return signatures

    @property
    def prices(self) -> Mapping[str, float]:
        """The prices of the reader at the last start; may be empty."""
        prices: Mapping[str, float] = self.record["starts"][-1].get("environment", {}).get("prices") or {}
        return prices

    @property
    def _identity(self) -> str:
        """A text that is equal for shards of one run with the same limit."""
        return json.dumps([self.record["spec"], self.record.get("limit"), self.shard.count], sort_keys=True)


def shard_runs(folders: Sequence[Path]) -> list[ShardRun]:
    """The shards in some folders, in order. Raises one `UserError` with all problems."""
    problems: list[str] = []
    shards: list[ShardRun] = []
    seen: set[Path] = set()
    for folder in folders:
        if folder.resolve() in seen:
            problems.append(f"{folder} is given twice")
            continue
        seen.add(folder.resolve())
        try:
            shards.append(_read(folder))
        except UserError as error:
            problems.append(str(error))
    if not shards:
        raise UserError("; ".join(problems) or "no run was named: give the folders of a run's shards")
    counts = Counter(shard._identity for shard in shards)
    first = next(shard for shard in shards if shard._identity == max(counts, key=counts.__getitem__))
    problems += [line for shard in shards for line in _differences(first, shard)]
    own_shards = [shard for shard in shards if shard._identity == first._identity]
    problems += [*_repeated(own_shards), *_missing(first.shard.count, shards)]
    problems += [line for shard in own_shards for line in _unfit(shard)]
    if problems:
        raise UserError(f"these are not all shards of one run, each once and finished: {'; '.join(problems)}")
    return sorted(own_shards, key=lambda shard: shard.shard.number)


def _read(folder: Path) -> ShardRun:
    """The shard in a folder, finished or not. Raises `UserError` for a folder without a shard."""
    record = run_record(folder)
    if "shard" not in record:
        raise UserError(f"{folder} holds a whole run, not a shard: give the folders of runs with --shard")
    done = (folder / "scores.json").is_file() and (folder / FILE).is_file()
    return ShardRun(folder, record, read_scores(folder) if done else {}, Shard.of(record["shard"]))


def _differences(first: ShardRun, other: ShardRun) -> Iterator[str]:
    """The ways in which a shard differs from the others: in its run, count, limit, metrics or their settings."""
    record, spec = other.record, first.record["spec"]
    if differences := differences_in_words(spec, record["spec"]):
        yield f"{other.folder} is of another run ({'; '.join(map(str, differences[:MAX_SHOWN]))})"
        return
    if other.shard.count != first.shard.count:
        yield f"{other.folder} is shard {other.shard}, but others are shards of {first.shard.count}"
        return
    if record.get("limit") != first.record.get("limit"):
        limits = [str(shard.record.get("limit") or "none") for shard in (other, first)]
        text = "without --limit" if limits[1] == "none" else f"with --limit {limits[1]}"
        yield f"{other.folder} has another limit ({limits[0]}, others {limits[1]}): start it again {text}"
    if record["metrics"] != first.record["metrics"]:
        names = [", ".join(shard.record["metrics"]) for shard in (other, first)]
        difference = f" ({names[0]}; others {names[1]})" if names[0] != names[1] else ""
        yield f"{other.folder} has other metrics{difference}: start it again with those"
    elif differing_signatures := [
        f"{name}: {signatures_in_words(signature, other.signatures[name])}"
        for name, signature in first.signatures.items()
        if other.signatures.get(name, signature) != signature
    ]:
        note = "; ".join(differing_signatures)
        yield f"{other.folder} was scored differently ({note}): start it again, which scores it"


def _repeated(shards: Sequence[ShardRun]) -> Iterator[str]:
    """A problem for each shard that is in several folders."""
    by_number: dict[int, list[ShardRun]] = {}
    for shard in shards:
        by_number.setdefault(shard.shard.number, []).append(shard)
    for namesakes in by_number.values():
        if len(namesakes) > 1:
            folders = " and ".join(str(shard.folder) for shard in namesakes)
            yield f"shard {namesakes[0].shard} is given twice, in {folders}"


def _missing(count: int, shards: Sequence[ShardRun]) -> Iterator[str]:
    """The problem that shards of a run are missing, if any are."""
    present = {shard.shard.number for shard in shards if shard.shard.count == count}
    missing = [number for number in range(1, count + 1) if number not in present]
    if missing:
        listing = listed((f"{number}/{count}" for number in missing), MAX_LISTED)
        noun, verb, etc = ("shard", "is", "") if len(missing) == 1 else ("shards", "are", " …")
        yield f"{noun} {listing} {verb} missing: the same command with --shard {missing[0]}/{count}{etc}"


def _unfit(shard: ShardRun) -> Iterator[str]:
    """The reason why a shard of the run cannot be merged as it is, if there is one."""
    if is_locked(shard.folder):
        yield f"another process is running in {shard.folder} (shard {shard.shard}): wait for it"
    elif not shard.scored or not (shard.folder / shard_file.FILE).is_file():
        yield f"{shard.folder} (shard {shard.shard}) is not finished: {resuming.run(shard.folder, shard.record)}"
    elif shard.scored.get("judging"):
        text = "longdoc score --judge judges the merged run"
        yield f"{shard.folder} (shard {shard.shard}) was judged by itself: start it again as before; {text}"
