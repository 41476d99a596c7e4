"""Laws of shards: a merged run equals the run without shards byte for byte, and can be used like any other."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import pipelines
from longdoc.errors import UserError
from models import Generate, Reader, Reply
from pipelines.records import Document, Example

SENT: list[str] = []  # the prompts of all requests
FILES = ("predictions.jsonl", "scores.json", "report.html")
CASES: dict[str, tuple[int, dict[str, Any]]] = {  # the number of shards, and arguments of the run
    "one shard": (1, {}),
    "three shards": (3, {}),
    "more shards than documents": (7, {}),
    "a limit": (2, {"limit": 11}),
    "a sample": (3, {"sample": 9, "seed": 3}),
    "several requests for an example": (2, {"strategy": "map_reduce", "limit": 6}),
    "several metrics": (2, {"metrics": ["rouge", "evidence_recall", "bleu-4"], "limit": 8}),
    "passages that are drawn": (4, {"strategy": "vote", "retriever": "random", "limit": 8}),
}


@dataclass(frozen=True)
class Last(Reader):
    """Answers with the last words of the prompt, with an error to the question about Room31."""

    supports = frozenset({Generate})
    max_input_tokens: int | None = None
    prices = {"input": 0.15, "output": 0.7}  # noqa: RUF012

    def count(self, texts):
        return [len(text.split()) for text in texts]

    def reply(self, requests):
        SENT.extend(request.prompt.text for request in requests)
        return [self._reply(request.prompt.text) for request in requests]

    def resolve(self):
        return {"prices": self.prices}

    def _reply(self, text: str) -> Reply:
        error = "the server is tired" if "does Room31 hold?" in text else None
        return Reply(" ".join(text.split()[-3:]), tokens_in=len(text.split()), tokens_out=3, error=error)


def examples(documents: int = 5) -> list[Example]:
    """Four examples of each document: the first three of each in order, then the fourth ones from the last document."""
    in_order = []
    for d in range(documents):
        text = " ".join(f"Room{d}{i} holds chest {i * 7 % 11}." for i in range(12))
        document = Document(f"house-{d}", text)
        for q in range(4):
            at = text.index(f"Room{d}{q} ")
            gold = (f"chest {q * 7 % 11}.",) if q != 2 else ()
            query = "Which chest is the same everywhere?" if q == 1 and d != 3 else f"What does Room{d}{q} hold?"
            in_order.append(Example(f"q-{d}-{q}", document, query, gold, evidence=((at, at + 10),)))
    fourth = [example for example in in_order if example.id.endswith("3")]
    return [example for example in in_order if example not in fourth] + fourth[::-1]


def run(out: Path, **arguments: Any) -> Any:
    defaults = {"data": examples(), "chunker": "sentences:3", "retriever": "bm25", "k": 2, "model": Last()}
    return pipelines.run("qa", out=out, **defaults | {"metrics": ["f1"], "report": False} | arguments)


def shards(folder: Path, count: int, **arguments: Any) -> list[Path]:
    """Run all shards, from the last to the first; return their folders."""
    numbers = [*range(count, 0, -2), *range(count - 1, 0, -2)]
    for number in numbers:
        run(folder / str(number), **arguments, shard=f"{number}/{count}")
    return [folder / str(number) for number in numbers]


def files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.mark.parametrize(("count", "arguments"), CASES.values(), ids=CASES)
def test_merged_shards_have_the_files_of_the_run_without_shards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, arguments: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = run(Path("run"), **arguments)
    pipelines.report("run")  # without the data as Python objects, as after a merge
    expected = files(Path("run"))
    Path("run").rename("whole")
    merged = pipelines.merge(*shards(Path("shards"), count, **arguments), out="run")
    assert files(Path("run")) == expected
    for name in ("scores", "signatures", "intervals", "examples", "documents", "failures", "recipe"):
        assert getattr(merged, name) == getattr(whole, name), name
    assert merged.excerpts == whole.excerpts


def test_the_examples_of_these_tests_have_failures_and_unscored_ones(tmp_path: Path) -> None:
    result = run(tmp_path / "run")
    assert list(result.failures) == ["q-3-1"]
    assert (result.examples, result.scored, result.documents) == (19, 14, 5)
    assert result.cost is not None


@pytest.mark.parametrize("strategy", ["stuff", "map_reduce", "vote"])
def test_a_merged_run_continues_without_shards_and_repeats_only_failed_requests(tmp_path: Path, strategy: str) -> None:
    pipelines.merge(*shards(tmp_path / "shards", 3, strategy=strategy, limit=13), out=tmp_path / "run")
    SENT.clear()
    again = run(tmp_path / "run", strategy=strategy, limit=13)
    assert [text for text in SENT if "does Room31 hold?" not in text] == []
    assert again.resumed == again.examples
    whole = run(tmp_path / "whole", strategy=strategy)
    SENT.clear()
    longer = run(tmp_path / "run", strategy=strategy)
    assert (longer.examples, longer.scores, longer.failures) == (whole.examples, whole.scores, whole.failures)
    assert [(tmp_path / name / "predictions.jsonl").read_bytes() for name in ("run", "whole")] == [
        (tmp_path / "whole" / "predictions.jsonl").read_bytes()
    ] * 2


def test_the_merged_log_has_equal_requests_of_several_shards_once(tmp_path: Path) -> None:
    folders = shards(tmp_path / "shards", 5)
    pipelines.merge(*folders, out=tmp_path / "run")
    keys = [json.loads(line)["key"] for line in (tmp_path / "run" / "requests.jsonl").read_text().splitlines()]
    assert len(keys) == len(set(keys))
    keys_of_shards = [json.loads(line)["key"] for folder in folders for line in (folder / "requests.jsonl").open()]
    assert set(keys) == set(keys_of_shards)


def test_the_merged_record_has_the_starts_of_all_shards_and_the_lines_name_theirs(tmp_path: Path) -> None:
    run(tmp_path / "1", shard="1/2", limit=3)
    run(tmp_path / "1", shard="1/2")
    run(tmp_path / "2", shard="2/2")
    pipelines.merge(tmp_path / "2", tmp_path / "1", out=tmp_path / "run")
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    times = [
        start["time"]
        for name in ("1", "2")
        for start in json.loads((tmp_path / name / "run.json").read_text())["starts"]
    ]
    assert [start["time"] for start in record["starts"]] == times
    assert (len(times), record["merged"], "shard" in record) == (3, {"shards": 2}, False)
    assert "shard" not in record["arguments"]
    starts = {}
    for line in (tmp_path / "run" / "journal.jsonl").read_text().splitlines():
        starts[json.loads(line)["id"]] = json.loads(line)["start"]
    assert (starts["q-0-0"], starts["q-2-0"], starts["q-1-0"]) == (0, 1, 2)
    assert record["examples_by_version"]["longdoc"] == {record["starts"][0]["longdoc"]: 19}


@pytest.mark.parametrize("count", [2, 3, 4])
def test_all_examples_of_a_document_are_in_the_same_shard(tmp_path: Path, count: int) -> None:
    documents = []
    for folder in shards(tmp_path, count):
        lines = (folder / "predictions.jsonl").read_text().splitlines()
        documents.append({json.loads(line)["document"] for line in lines})
    assert sorted(name for names in documents for name in names) == [f"house-{d}" for d in range(5)]


def test_the_shard_is_not_part_of_a_runs_spec(tmp_path: Path) -> None:
    records = [json.loads((folder / "run.json").read_text()) for folder in shards(tmp_path, 2)]
    run(tmp_path / "whole")
    whole = json.loads((tmp_path / "whole" / "run.json").read_text())
    assert [record["spec"] for record in records] == [whole["spec"]] * 2
    assert [record["shard"] for record in records] == ["2/2", "1/2"]
    assert "shard" not in whole


def test_if_every_shard_fails_the_merge_says_why_as_the_run_does(tmp_path: Path) -> None:
    for number in (1, 2):
        failing = [example for example in examples() if example.id == "q-3-1"]
        result = run(tmp_path / str(number), data=failing, shard=f"{number}/2")
        assert (result.examples, list(result.failures)) == (0, ["q-3-1"] if number == 1 else [])
    with pytest.raises(UserError, match=r"^no example could be answered; the first, q-3-1: the server is tired$"):
        pipelines.merge(tmp_path / "1", tmp_path / "2", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@dataclass(frozen=True)
class Inconsistent(Last):
    """Gives a different answer each time."""

    def _reply(self, text: str) -> Reply:
        return Reply(f"chest {len(SENT)}", tokens_in=len(text.split()), tokens_out=3)


def test_equal_requests_with_different_replies_in_different_shards_are_counted(tmp_path: Path) -> None:
    first, second = (
        Example(f"q-{d}", Document(f"house-{d}", "A chest."), "Which chest?", ("chest 1",)) for d in (0, 1)
    )
    folders = []
    for number in (1, 2):
        folders.append(tmp_path / str(number))
        run(folders[-1], data=[first, second], model=Inconsistent(), shard=f"{number}/2")
    (warning,) = pipelines.merge(*folders, out=tmp_path / "run").warnings
    assert warning.startswith("1 equal request got other replies in other shards: the reader does not always answer")
