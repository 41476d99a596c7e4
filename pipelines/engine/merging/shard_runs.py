"""The folders that are to be merged: whether they hold all shards of one run, each once and finished."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longdoc.errors import UserError
from longdoc.locks import is_locked
from pipelines.engine.planning.shard import Shard
from pipelines.engine.recording import shard_file
from pipelines.results.final_files import FILE, read_scores
from pipelines.results.run_folders import resuming
from pipelines.results.run_folders.run import run_record
from pipelines.results.run_folders.spec_differences import differences_in_words, signatures_in_words

MAX_SHOWN = 4  # differences of another run that are named
LISTED = 10  # missing shards that are named


@dataclass(frozen=True, slots=True)
class ShardRun:
    """A finished shard: its folder, its `run.json` and `scores.json`."""

    folder: Path
    record: Mapping[str, Any]
    scored: Mapping[str, Any]
    shard: Shard

    @property
    def signatures(self) -> Mapping[str, str]:
        """The signatures of its metrics, as of its last start."""
        signatures: Mapping[str, str] = self.record["starts"][-1].get("signatures", {})
        return signatures

    @property
    def prices(self) -> Mapping[str, float]:
        """The prices of its reader, as of its last start; empty where there are none."""
        prices: Mapping[str, float] = self.record["starts"][-1].get("environment", {}).get("prices") or {}
        return prices

    @property
    def _kind(self) -> str:
        """Equal for shards of one run that were asked for the same."""
        return json.dumps([self.record["spec"], self.record.get("limit"), self.shard.count], sort_keys=True)


def shard_runs(folders: Sequence[Path]) -> list[ShardRun]:
    """The shards in folders, in their order. Raises one `UserError` with all that is wrong with them."""
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
    kinds_values = Counter(shard._kind for shard in shards)
    first = next(shard for shard in shards if shard._kind == max(kinds_values, key=kinds_values.__getitem__))
    problems += [line for shard in shards for line in _foreign_names(first, shard)]
    own_shards = [shard for shard in shards if shard._kind == first._kind]
    problems += [*_doubled(own_shards), *_missing(first.shard.count, shards)]
    problems += [line for shard in own_shards for line in _unfit(shard)]
    if problems:
        raise UserError(f"these are not all shards of one run, each once and finished: {'; '.join(problems)}")
    return sorted(own_shards, key=lambda shard: shard.shard.number)


def _read(folder: Path) -> ShardRun:
    """A shard in whatever state. Raises `UserError` for what is none."""
    record = run_record(folder)
    if "shard" not in record:
        raise UserError(f"{folder} holds a whole run and no shard of one: give the folders of runs with --shard")
    done = (folder / "scores.json").is_file() and (folder / FILE).is_file()
    return ShardRun(folder, record, read_scores(folder) if done else {}, Shard.of(record["shard"]))


def _foreign_names(first: ShardRun, other: ShardRun) -> Iterator[str]:
    """How a shard is of another run than most, or was asked for something else."""
    record, spec = other.record, first.record["spec"]
    if differing_entries := differences_in_words(spec, record["spec"]):
        yield f"{other.folder} is of another run ({'; '.join(map(str, differing_entries[:MAX_SHOWN]))})"
        return
    if other.shard.count != first.shard.count:
        yield f"{other.folder} is shard {other.shard}, and others are shards of {first.shard.count}"
        return
    if record.get("limit") != first.record.get("limit"):
        limits = [str(shard.record.get("limit") or "none") for shard in (other, first)]
        text = "without --limit" if limits[1] == "none" else f"with --limit {limits[1]}"
        yield f"{other.folder} has another limit ({limits[0]}, others {limits[1]}): start it again {text}"
    if record["metrics"] != first.record["metrics"]:
        names = [", ".join(shard.record["metrics"]) for shard in (other, first)]
        names_text = f" ({names[0]}; others {names[1]})" if names[0] != names[1] else ""
        yield f"{other.folder} has other metrics{names_text}: start it again with those"
    elif differing_signatures := [
        f"{name}: {signatures_in_words(signature, other.signatures[name])}"
        for name, signature in first.signatures.items()
        if other.signatures.get(name, signature) != signature
    ]:
        note = "; ".join(differing_signatures)
        yield f"{other.folder} is scored in another way ({note}): start it again, which scores it"


def _doubled(shards: Sequence[ShardRun]) -> Iterator[str]:
    by_number: dict[int, list[ShardRun]] = {}
    for shard in shards:
        by_number.setdefault(shard.shard.number, []).append(shard)
    for several_shards in by_number.values():
        if len(several_shards) > 1:
            folders = " and ".join(str(shard.folder) for shard in several_shards)
            yield f"shard {several_shards[0].shard} is given twice, in {folders}"


def _missing(count: int, shards: Sequence[ShardRun]) -> Iterator[str]:
    numbers = {shard.shard.number for shard in shards if shard.shard.count == count}
    missing = [number for number in range(1, count + 1) if number not in numbers]
    if missing:
        named_text = ", ".join(f"{number}/{count}" for number in missing[:LISTED])
        more_text = f" and {len(missing) - LISTED:,} more" if len(missing) > LISTED else ""
        are, text = ("is", f"--shard {named_text}") if len(missing) == 1 else ("are", f"--shard {missing[0]}/{count} …")
        noun = "shard" if len(missing) == 1 else "shards"
        yield f"{noun} {named_text}{more_text} {are} missing: the same command with {text}"


def _unfit(shard: ShardRun) -> Iterator[str]:
    """Why a shard of the run cannot be merged as it is."""
    if is_locked(shard.folder):
        yield f"another process is running in {shard.folder} (shard {shard.shard}): wait for it"
    elif not shard.scored or not (shard.folder / shard_file.FILE).is_file():
        yield f"{shard.folder} (shard {shard.shard}) is not finished: {resuming.run(shard.folder, shard.record)}"
    elif shard.scored.get("judging"):
        text = "longdoc score --judge judges the merged run"
        yield f"{shard.folder} (shard {shard.shard}) was judged by itself: start it again as before; {text}"
