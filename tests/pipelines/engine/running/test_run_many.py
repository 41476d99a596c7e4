"""Several runs made at once: what they have in common is done once, and each is what it would be alone."""

import json
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunkers import Chunk, Chunker
from longdoc.errors import UserError
from models.reader import Reader, StreamingReader
from models.requests import Generate, Reply
from pipelines.engine.engines.local import Local
from pipelines.engine.planning import spec
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.running.execute import execute
from pipelines.engine.running.run_many import RUNS_AT_ONCE, run_many
from pipelines.records import Document, Example
from retrievers import ExactIndex, Retriever

CALLS: dict[str, int] = {}


def count_call(name: str) -> None:
    CALLS[name] = CALLS.get(name, 0) + 1


@pytest.fixture(autouse=True)
def _no_calls_yet() -> None:
    CALLS.clear()


@dataclass(frozen=True)
class Words(Chunker):
    """Chunks of `size` words."""

    size: int = 2

    def split(self, text: str, query: str | None = None) -> list[Chunk]:
        count_call(f"split {self.size}")
        places = [i for i, letter in enumerate(text) if letter == " "]
        edges = [-1, *places[self.size - 1 :: self.size], len(text)]
        pairs = list(pairwise(edges))
        return [Chunk(text[a + 1 : b], a + 1, b) for a, b in pairs if b > a + 1]


class _Index(ExactIndex):
    def __init__(self, chunks: Any) -> None:
        self.places = -np.arange(len(chunks), dtype=np.float32)

    def scores(self, queries: Any) -> Any:
        return np.tile(self.places, (len(queries), 1))


@dataclass(frozen=True)
class InOrder(Retriever):
    """The first chunks first."""

    name: str = "a"
    query_source = "nothing"

    def index(self, chunks: Any) -> _Index:
        count_call(f"index {self.name}")
        if self.name == "broken":
            raise ZeroDivisionError("no index today")
        return _Index(chunks)


@dataclass(frozen=True)
class Last(Reader):
    """Answers with the prompt's last word; `breaks` on prompts that hold this word."""

    breaks: str = "\0"
    supports = frozenset({Generate})
    max_input_tokens: int | None = None
    prices: dict[str, float] = field(default_factory=dict)

    def count(self, texts: Any) -> list[int]:
        return [len(text.split()) for text in texts]

    def reply(self, requests: Any) -> list[Reply]:
        replies = []
        for request in requests:
            words = request.prompt.text.split()
            if self.breaks in words:
                raise RuntimeError("the reader broke")
            count_call("asked")
            replies.append(Reply(words[-1], tokens_in=len(words), tokens_out=1))
        return replies


def examples() -> list[Example]:
    documents = [Document("d1", "one two three four five six"), Document("d2", "uno due tre quattro")]
    return [Example(f"{d.id}-{q}", d, f"what {q}", ("two", "due")) for d in documents for q in ("a", "b")]


def plan(**arguments: Any) -> Plan:
    defaults = {"data": examples(), "chunker": Words(2), "retriever": InOrder(), "k": 1, "model": Last(), "seed": 0}
    return make_plan("qa", **{**defaults, "metrics": ["f1", "exact_match"], **arguments})


def together(tmp_path: Path, *plans: Plan) -> list[Any]:
    folders = {tmp_path / f"run{i}": one for i, one in enumerate(plans)}
    return list(run_many(folders, Local()).values())


def files(folder: Path) -> dict[str, Any]:
    finals = {name: (folder / name).read_text(encoding="utf-8") for name in ("predictions.jsonl", "scores.json")}
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del record["crc32"]
    for start in record["starts"]:
        del start["time"]
    return finals | {"run.json": record}


def test_each_run_has_the_result_that_it_would_have_alone(tmp_path: Path) -> None:
    plans = [plan(k=k, chunker=Words(size)) for k in (1, 2) for size in (1, 2)]
    together(tmp_path, *plans)
    for place, one in enumerate(plans):
        execute(one, tmp_path / f"alone{place}", Local())
        assert files(tmp_path / f"run{place}") == files(tmp_path / f"alone{place}")


def test_documents_are_split_once_per_chunker_and_indexed_once_per_retriever(tmp_path: Path) -> None:
    plans = [plan(k=k, chunker=Words(s), retriever=InOrder(r)) for k in (1, 2) for s in (1, 2) for r in ("a", "b")]
    together(tmp_path, *plans)
    assert {name: times for name, times in CALLS.items() if name != "asked"} == {
        "split 1": 2, "split 2": 2, "index a": 4, "index b": 4,
    }  # fmt: skip


def test_equal_requests_are_made_once_and_every_run_logs_its_replies(tmp_path: Path) -> None:
    first, second, third = together(tmp_path, plan(retriever=InOrder("a")), plan(retriever=InOrder("b")), plan(k=2))
    assert CALLS["asked"] == 8
    assert sorted([first.new_requests, second.new_requests, third.new_requests]) == [0, 4, 4]
    assert first.tokens_in == second.tokens_in > 0
    logs = [(tmp_path / f"run{i}" / "requests.jsonl").read_text().splitlines() for i in (0, 1)]
    assert sorted(logs[0]) == sorted(logs[1])
    assert len(logs[0]) == 4


def test_finished_examples_are_not_run_again_and_a_new_run_uses_their_replies(tmp_path: Path) -> None:
    together(tmp_path, plan(), plan(k=2))
    CALLS.clear()
    results = together(tmp_path, plan(), plan(k=2))
    assert CALLS == {}
    assert [result.resumed for result in results] == [4, 4]
    together(tmp_path, plan(), plan(k=2), plan(k=3))
    assert CALLS["asked"] == 2  # those of k=3 where the document has a third chunk
    CALLS.clear()
    (tmp_path / "run1" / "journal.jsonl").unlink()
    together(tmp_path, plan(), plan(k=2), plan(k=3), plan(k=2, retriever=InOrder("b")))
    assert "asked" not in CALLS  # the log of one run answers another


@pytest.mark.parametrize(
    "broken_part",
    [
        pytest.param({"retriever": InOrder("broken")}, id="retriever"),
        pytest.param({"model": Last(breaks="one")}, id="reader"),
        pytest.param({"chunker": Words(0)}, id="chunker"),
    ],
)
def test_a_run_that_fails_does_not_affect_the_others(broken_part: dict[str, Any], tmp_path: Path) -> None:
    good, bad, other = together(tmp_path, plan(), plan(**broken_part), plan(k=2))
    assert (good.examples, other.examples) == (4, 4)
    assert isinstance(bad, (ZeroDivisionError, RuntimeError, ValueError))
    assert not (tmp_path / "run1" / "scores.json").exists()


def test_a_run_that_cannot_be_fitted_does_not_affect_the_others(tmp_path: Path, monkeypatch: Any) -> None:
    def fit(plan: Plan) -> None:
        if plan.selection.k == 2:
            raise UserError("no training data")

    monkeypatch.setattr("pipelines.engine.training_data.fit", fit)
    good, bad, other = together(tmp_path, plan(), plan(k=2), plan(k=3))
    assert (good.examples, str(bad), other.examples) == (4, "no training data", 4)


def test_only_runs_whose_request_breaks_a_shared_reader_fail(tmp_path: Path) -> None:
    reader = Last(breaks="four")  # in prompts from the second chunk on
    short, long = together(tmp_path, plan(model=reader), plan(model=reader, k=2))
    assert short.examples == 4
    assert isinstance(long, RuntimeError)


@dataclass(frozen=True)
class Purse(Last, StreamingReader):
    """Answers until its bound on prompt tokens is spent."""

    max_tokens: int = 10
    _spent: list[int] = field(default_factory=lambda: [0], init=False, repr=False, compare=False)

    def begin(self, tokens_in: int, tokens_out: int) -> None:
        self._spent[0] = tokens_in

    def stream(self, requests: Any, arrived: Any) -> Any:
        for index, request in enumerate(requests):
            is_spent = self._spent[0] >= self.max_tokens
            (reply,) = [Reply.failed("nothing is left")] if is_spent else Last.reply(self, [request])
            self._spent[0] += reply.tokens_in
            arrived(index, reply)
            yield index, reply


def test_the_bound_on_spending_is_for_all_runs_of_a_reader(tmp_path: Path) -> None:
    def spent() -> list[int]:
        logs = [
            json.loads(line) for file in tmp_path.glob("*/requests.jsonl") for line in file.read_text().splitlines()
        ]
        return list({record["key"]: record["tokens_in"] for record in logs}.values())

    plans = [plan(model=Purse(), limit=limit, k=k) for limit in (1, 3, None) for k in (1, 2)]
    together(tmp_path, *plans)
    first = spent()
    assert 10 <= sum(first) < 10 + max(first)
    requests_made = CALLS["asked"]
    together(tmp_path, *plans)  # the spending of earlier starts counts, in whichever log it is
    assert (spent(), CALLS["asked"]) == (first, requests_made)


def test_runs_over_other_examples_go_one_after_the_other(tmp_path: Path) -> None:
    whole, first = together(tmp_path, plan(), plan(limit=1))
    assert (whole.examples, first.examples) == (4, 1)
    assert CALLS["asked"] == 4  # the later run uses the reply of the earlier one
    execute(plan(limit=1), tmp_path / "alone", Local())
    assert files(tmp_path / "run1") == files(tmp_path / "alone")


def test_more_runs_than_may_be_open_at_once_all_finish(tmp_path: Path) -> None:
    results = together(tmp_path, *(plan(chunker=Words(i + 1)) for i in range(RUNS_AT_ONCE + 2)))
    assert [result.examples for result in results] == [4] * (RUNS_AT_ONCE + 2)


def test_data_that_break_off_end_every_run_and_finished_examples_stay(tmp_path: Path) -> None:
    rows = [{"id": d.id, "document": d.document.text, "question": d.query, "answers": ["x"]} for d in examples()]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in [*rows[:3], rows[0] | {"document": "sei sette"}]))
    errors = together(tmp_path, plan(data=file), plan(data=file, k=2))
    assert [type(error) for error in errors] == [UserError, UserError]
    assert len((tmp_path / "run1" / "journal.jsonl").read_text().splitlines()) >= 2


def test_the_cost_of_a_run_is_that_of_its_own_replies(tmp_path: Path) -> None:
    priced = Last(prices={"input": 1_000_000.0, "output": 2_000_000.0})
    first, second = together(tmp_path, plan(model=priced), plan(model=priced, retriever=InOrder("b")))
    assert first.cost == second.cost == first.tokens_in + 2 * first.tokens_out
    assert json.loads((tmp_path / "run0" / "scores.json").read_text())["usage"] == {
        "requests": 4, "tokens_in": first.tokens_in, "tokens_out": 4, "cost": first.cost,
    }  # fmt: skip


def test_a_reply_from_the_log_of_an_older_version_names_that_version_in_the_other_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(spec, "installed_version", lambda library: "1.0" if library == "torch" else None)
        together(tmp_path, plan())
    monkeypatch.setattr(spec, "installed_version", lambda library: "2.0" if library == "torch" else None)
    first, second = together(tmp_path, plan(), plan(order="document"))
    assert (first.warnings, first.new_requests, second.new_requests) == ((), 0, 0)
    assert second.warnings == ("mixed versions: torch 1.0 (4 examples), 2.0 (4)",)
    record = json.loads((tmp_path / "run1" / "run.json").read_text(encoding="utf-8"))
    assert [start["versions"] for start in record["starts"]] == [{"torch": "2.0"}, {"torch": "1.0"}]
    lines = (tmp_path / "run1" / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["start"] for line in lines} == {1}
    (again,) = run_many({tmp_path / "run1": plan(order="document")}, Local()).values()
    assert (again.warnings, again.resumed) == (second.warnings, 4)
