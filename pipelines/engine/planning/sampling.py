"""The examples of a run: all, the first `limit`, or a random `sample` spread over documents; or a shard of these."""

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
    by_document: dict[str, list[str]] = {}
    for document, example in pairs:
        by_document.setdefault(document, []).append(example)
    documents = [
        sorted(by_document[document], key=lambda example: _random_key(seed, example))
        for document in sorted(by_document, key=lambda document: _random_key(seed, document))
    ]
    rounds = (ids[turn] for turn in range(max(map(len, documents), default=0)) for ids in documents if turn < len(ids))
    return set(islice(rounds, sample))


def _random_key(seed: int, name: str) -> bytes:
    """A key to sort by, which orders names at random for each seed."""
    return hashlib.sha256(f"{seed}:{name}".encode("utf-8", "surrogatepass")).digest()


def run_examples(plan: Plan) -> Iterator[Example]:
    """The run's examples: the first `limit`, a random `sample`, or all; of these only the shard's where it has one."""
    if plan.shard is not None and plan.sample is None:
        part = plan.data.part(plan.shard.number, plan.shard.count, plan.limit)
        if part is not None:
            return (_shard_example(example, position) for position, example in part)
    examples = limited_examples(plan.data, plan.limit, plan.sample, plan.seed)
    return examples if plan.shard is None else shard_examples(examples, plan.shard)


def limited_examples(data: Dataset, limit: int | None, sample: int | None, seed: int) -> Iterator[Example]:
    """The first `limit` examples, a random `sample` of them, or all, in the order of the data."""
    chosen_ids: set[str] | None = None
    if sample is not None:
        chosen_ids = sampled_ids(((example.document.id, example.id) for example in data.examples()), sample, seed)
    for example in islice(data.examples(), limit):
        if chosen_ids is None or example.id in chosen_ids:
            yield example


def shard_examples(examples: Iterable[Example], shard: Shard) -> Iterator[ShardExample]:
    """The examples of a shard's documents. All examples of a document are in one shard, neighbours or not."""
    shard_numbers: dict[str, int] = {}  # from 1, by document
    for position, example in enumerate(examples):
        number = shard_numbers.setdefault(example.document.id, len(shard_numbers) % shard.count + 1)
        if number == shard.number:
            yield _shard_example(example, position)


def _shard_example(example: Example, position: int) -> ShardExample:
    return ShardExample(**{field.name: getattr(example, field.name) for field in fields(Example)}, position=position)


def shown_data(plan: Plan) -> Dataset:
    """The data that a run's page is made from: its shard's, or all where a sample has to read all of them anyway."""
    if plan.shard is None or plan.sample is not None:
        return plan.data
    return replace(plan.data, examples=partial(run_examples, plan))
