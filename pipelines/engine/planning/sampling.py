"""The examples of a run: all, the first `limit`, or a random `sample` over documents; and those of a shard."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import islice

from pipelines.engine.planning.plan import Plan
from pipelines.engine.planning.shard import Shard
from pipelines.records import Example
from pipelines.sources import Dataset


@dataclass(frozen=True, slots=True)
class ShardExample(Example):
    """An example of a shard; `position` is its place among the examples of the whole run, from 0."""

    position: int = 0


def sampled_ids(pairs: Iterable[tuple[str, str]], sample: int, seed: int) -> set[str]:
    """The ids of `sample` examples out of (document id, example id) pairs: one per document in each round.

    Documents, and the examples of each, are ordered by a hash of (seed, id), so the order of the data does not matter.
    """
    documents: dict[str, list[str]] = {}
    for document, example in pairs:
        documents.setdefault(document, []).append(example)
    rows = [
        sorted(ids, key=lambda i: _random_key(seed, i))
        for _, ids in sorted(documents.items(), key=lambda d: _random_key(seed, d[0]))
    ]
    rounds = (row[turn] for turn in range(max(map(len, rows), default=0)) for row in rows if turn < len(row))
    return {example for example, _ in zip(rounds, range(sample), strict=False)}


def _random_key(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}".encode("utf-8", "surrogatepass")).digest()


def run_examples(plan: Plan) -> Iterator[Example]:
    """The run's examples: the first `limit`, a random `sample`, or all; of a shard those of its documents."""
    if plan.shard is not None and plan.sample is None:
        part = plan.data.part(plan.shard.number, plan.shard.count, plan.limit)
        if part is not None:
            return (_shard_example(example, position) for position, example in part)
    whole_entries = limited(plan.data, plan.limit, plan.sample, plan.seed)
    return whole_entries if plan.shard is None else shard_examples(whole_entries, plan.shard)


def limited(data: Dataset, limit: int | None, sample: int | None, seed: int) -> Iterator[Example]:
    """The first `limit` examples, a random `sample` of them, or all, in the order of the data."""
    chosen_names: set[str] | None = None
    if sample is not None:
        chosen_names = sampled_ids(((example.document.id, example.id) for example in data.examples()), sample, seed)
    for example in islice(data.examples(), limit):
        if chosen_names is None or example.id in chosen_names:
            yield example


def shard_examples(examples: Iterable[Example], shard: Shard) -> Iterator[ShardExample]:
    """The examples of a shard's documents; one whose examples do not follow each other is in one shard all the same."""
    places: dict[str, int] = {}  # the place of each document's shard, from 0
    for position, example in enumerate(examples):
        place = places.setdefault(example.document.id, len(places) % shard.count)
        if place == shard.number - 1:
            yield _shard_example(example, position)


def _shard_example(example: Example, position: int) -> ShardExample:
    return ShardExample(**{field.name: getattr(example, field.name) for field in fields(Example)}, position=position)


def shown_data(plan: Plan) -> Dataset:
    """The data that a run's page is made from: those of its shard where no others have to be read for them, or all."""
    return (
        plan.data
        if plan.shard is None or plan.sample is not None
        else replace(plan.data, examples=partial(run_examples, plan))
    )
