"""Laws of every registered strategy, on tiny models with random weights."""

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
from pipelines.engine.inference.inference import Inference
from pipelines.engine.inference.session import Session
from pipelines.records import Prediction
from pipelines.strategies import Job, Strategy
from tests.pipelines.strategies.made import job
from tests.tiny_models import TEXT
from tests.turns import for_each

SPECS = [
    *strategies.names(),
    "authors:paragraphs=1",
    "fuse:overlap=2",
    "iterative:rounds=3,extend=passages",
    "label:by=generation,labels=[positive,negative]",
    "map:by_line=true",
    "pairs:assign=return",
    "vote:by=score",
]
KINDS = ("tiny_t5", "tiny_bart")  # relative positions, and a fixed number of them; test_inputs.py has the other models
LIMIT = 40  # tokens; a prompt with all chunks is longer
LONG_INSTRUCTIONS = {"authors": 400, "numbered_lines": 120, "label:by": 60}  # limits that leave room for them
RELATIVE = ("tiny_t5",)  # they read prompts of any length
WITHOUT_CHUNKS = [spec for spec in SPECS if spec not in ("label", "pairs", "pairs:assign=return")]


class Memory:
    """A log in memory that may start with records of another one."""

    def __init__(self, records: Sequence[dict[str, Any]] = ()) -> None:
        self.records = list(records)

    def entries(self) -> Sequence[tuple[int, dict[str, Any]]]:
        return list(enumerate(self.records))

    def append(self, record: dict[str, Any]) -> int:
        self.records.append(record)
        return len(self.records) - 1

    def read(self, position: int) -> dict[str, Any]:
        return self.records[position]


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def reader(request: pytest.FixtureRequest, kind: str) -> Any:
    folder: Path = request.getfixturevalue(kind)
    seq2seq = Seq2seq(str(folder), device="cpu", deterministic=True, max_input_tokens=LIMIT)
    return adapt(seq2seq, ("positive", "negative"), question="Same?")  # the labels of `share`


def is_too_long(spec: str, kind: str) -> bool:
    """Whether a strategy's instructions are too long for a kind of reader."""
    return kind not in RELATIVE and limit_of(spec) > LIMIT


def limit_of(spec: str) -> int:
    """A limit of tokens that leaves room for a strategy's instructions."""
    return next((limit for start, limit in LONG_INSTRUCTIONS.items() if spec.startswith(start)), LIMIT)


def with_room(spec: str, reader: Any) -> Any:
    """The reader with a limit that leaves room for the strategy's instructions."""
    return replace(reader, reader=replace(reader.reader, max_input_tokens=limit_of(spec)))


def sample_job(selected: Sequence[int], reader: Any) -> Job:
    sample = job(*TEXT[:4], selected=selected, limit=reader.max_prompt_tokens, count=reader.count)
    return replace(sample, search=lambda query, k, before: [sample.chunks[len(query) % 4], *sample.chunks][:k])


def run(spec: str, reader: Any, jobs: Sequence[Job], log: Memory) -> tuple[list[Prediction], int]:
    """Run a strategy on jobs; return the predictions and the number of new requests."""
    session = Session(strategies.get(spec), reader, limit_of(spec), "tiny", log)
    numbered = [replace(job, example=replace(job.example, id=str(i))) for i, job in enumerate(jobs)]
    outcomes = list(Inference(reader, [session]).run(numbered))
    assert [outcome.failure for outcome in outcomes] == [None] * len(jobs)
    predictions = [outcome.prediction for outcome in outcomes if outcome.prediction is not None]
    return sorted(predictions, key=lambda prediction: prediction.id), session.new_requests


@for_each("spec", SPECS)
def test_a_strategy_keeps_the_contract_and_can_be_made_from_its_description(spec: str) -> None:
    strategy = strategies.get(spec)
    assert isinstance(strategy, Strategy)
    assert strategy.needs
    assert strategy.needs <= {Generate, Fuse, Score, Classify, Compare}
    assert strategies.get(describe(strategy)) == strategy


@for_each("spec", SPECS)
def test_a_strategy_makes_only_the_requests_it_needs_and_resumes_from_any_part_of_the_log(
    spec: str, kind: str, reader: Any
) -> None:
    if is_too_long(spec, kind):
        return
    kinds: set[type] = set()
    reader = with_room(spec, reader)

    class Recording(type(reader)):  # type: ignore[misc]
        """The reader, recording the types of its requests."""

        def __init__(self) -> None:
            self.__dict__.update(reader.__dict__)

        def reply(self, requests: Sequence[Any]) -> Any:
            kinds.update(map(type, requests))
            return reader.reply(requests)

    jobs = [sample_job([2, 0, 1], reader), sample_job([3], reader)]
    log = Memory()
    predictions, n = run(spec, Recording(), jobs, log)
    assert all(isinstance(prediction.prediction, str) for prediction in predictions)
    assert kinds == strategies.get(spec).needs
    for count in (n // 2, n):
        again, new_requests = run(spec, reader, jobs, Memory(log.records[:count]))
        assert again == predictions
        assert new_requests == n - count


@for_each("spec", WITHOUT_CHUNKS)
def test_a_strategy_gives_a_prediction_without_chunks(spec: str, kind: str, reader: Any) -> None:
    if is_too_long(spec, kind):
        return
    reader = with_room(spec, reader)
    (prediction,), _ = run(spec, reader, [sample_job([], reader)], Memory())
    assert prediction.shown_spans == ()
