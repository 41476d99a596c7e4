"""Laws for strategies: every registered one, over tiny models with random weights."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from longdoc.registry import describe
from models import Classify, Compare, Fuse, Generate, Score
from models.likelihood import adapt
from models.neural.seq2seq import Seq2seq
from pipelines import strategies
from pipelines.engine.inference import Finished, Inference
from pipelines.engine.prepare import Prepared
from pipelines.engine.session import Session
from pipelines.strategies import Job, Strategy
from tests.pipelines.strategies.made import job
from tests.tiny_models import TEXT

SPECS = [
    *strategies.names(),
    "fuse:overlap=2",
    "iterative:rounds=3,extend=passages",
    "map:by_line=true",
    "pairs:assign=return",
    "vote:by=score",
]
KINDS = ("tiny_t5", "tiny_longt5", "tiny_bart", "tiny_led")
LIMIT = 40  # tokens: a prompt of all chunks is cut
OPEN = [spec for spec in SPECS if spec not in ("label", "pairs", "pairs:assign=return")]


class Memory:
    """A log in memory that starts with what another one holds."""

    def __init__(self, records: Sequence[dict[str, Any]] = ()) -> None:
        self.records = list(records)

    @property
    def places(self) -> Sequence[int]:
        return range(len(self.records))

    def append(self, record: dict[str, Any]) -> int:
        self.records.append(record)
        return len(self.records) - 1

    def read(self, place: int) -> dict[str, Any]:
        return self.records[place]


@pytest.fixture(scope="module", params=KINDS)
def reader(request: pytest.FixtureRequest) -> Any:
    folder: Path = request.getfixturevalue(request.param)
    made = Seq2seq(str(folder), device="cpu", deterministic=True, max_input_tokens=LIMIT)
    return adapt(made, ("positive", "negative"), question="Same?")  # the labels of `share`


def asked(selected: Sequence[int], reader: Any) -> Job:
    made = job(*TEXT[:4], selected=selected, limit=reader.max_input_tokens, count=reader.count)
    return replace(made, search=lambda query, k: [made.chunks[len(query) % 4], *made.chunks][:k])


def run(spec: str, reader: Any, jobs: Sequence[Job], log: Memory) -> tuple[list[Finished], int]:
    session = Session(strategies.get(spec), reader, LIMIT, "tiny", log)
    done = list(
        Inference(reader, [session]).run([Prepared(replace(one.example, id=str(i)), one) for i, one in enumerate(jobs)])
    )
    return sorted(done, key=lambda finished: finished.prepared.example.id), session.new_requests


@pytest.mark.parametrize("spec", SPECS)
def test_it_keeps_the_protocol_and_is_its_description(spec: str) -> None:
    strategy = strategies.get(spec)
    assert isinstance(strategy, Strategy)
    assert strategy.needs
    assert strategy.needs <= {Generate, Fuse, Score, Classify, Compare}
    assert strategies.get(describe(strategy)) == strategy


@pytest.mark.parametrize("spec", SPECS)
def test_it_asks_only_what_it_needs_and_resumes_after_any_part_of_the_log(spec: str, reader: Any) -> None:
    kinds: set[type] = set()

    class Noting:
        """The reader, noting what it is asked."""

        def __getattr__(self, name: str) -> Any:
            return getattr(reader, name)

        def reply(self, requests: Sequence[Any]) -> Any:
            kinds.update(map(type, requests))
            return reader.reply(requests)

    jobs = [asked([2, 0, 1], reader), asked([3], reader)]
    log = Memory()
    whole, n = run(spec, Noting(), jobs, log)
    assert [one.failure for one in whole] == [None] * 2
    assert all(isinstance(one.prediction, str) for one in whole)
    assert kinds == strategies.get(spec).needs
    for kept in (n // 2, n):
        again, left = run(spec, reader, jobs, Memory(log.records[:kept]))
        assert again == whole
        assert left == n - kept


@pytest.mark.parametrize("spec", OPEN)
def test_without_chunks_it_ends_all_the_same(spec: str, reader: Any) -> None:
    (finished,), _ = run(spec, reader, [asked([], reader)], Memory())
    assert finished.failure is None
    assert finished.shown_spans == ()
