"""What a long run keeps in memory: rows that many examples share once, and no record of a log."""

import json
import tracemalloc
from dataclasses import dataclass

import pipelines
from models.reader import Reader
from models.requests import Generate, Reply
from pipelines.engine.inference import reply_cache
from pipelines.engine.recording.journal import Journal
from pipelines.records import prediction_of, shared_rows


def test_equal_rows_are_kept_once_and_written_as_they_were():
    first, second = shared_rows({"f1": {"f1": 0.0}}), shared_rows({"f1": {"f1": 0.0}})
    assert first["f1"] is second["f1"]
    for number in (0.0, 0, -0.0, False):
        assert json.dumps(shared_rows({"f1": {"f1": number}})) == json.dumps({"f1": {"f1": number}})


def test_predictions_that_are_read_share_their_rows():
    record = {
        "document": "d", "query": "", "references": [], "prediction": "", "selected": [], "shown_spans": [],
        "requests": 0, "tokens_in": 0, "tokens_out": 0, "truncated_tokens": 0, "statistics": {"em": {"em": 100.0}},
    }  # fmt: skip
    one, other = (prediction_of(json.loads(json.dumps(record | {"id": id}))) for id in ("a", "b"))
    assert one.statistics["em"] is other.statistics["em"]
    assert one.statistics == {"em": {"em": 100.0}}


def test_a_journal_keeps_no_record_in_memory_and_reads_those_that_it_had(tmp_path):
    path = tmp_path / "log.jsonl"
    first = Journal(path)
    place = first.append({"id": "a"})
    first.close()
    again = Journal(path)
    later = again.append({"id": "b"})
    assert list(again.entries()) == [(place, {"id": "a"})]
    assert [again.read(one) for one in (place, later)] == [{"id": "a"}, {"id": "b"}]
    again.close()
    assert again.read(later) == {"id": "b"}


def test_a_run_s_memory_does_not_grow_with_what_its_model_writes(tmp_path, monkeypatch):
    @dataclass(frozen=True)
    class Writes(Reader):
        characters: int = 0
        supports = frozenset({Generate})

        def count(self, texts):
            return [1 for _ in texts]

        def reply(self, requests):
            return [Reply("x" * self.characters + request.prompt.text[-9:]) for request in requests]

    def peak(characters):
        arguments = {"retriever": "first", "k": 1, "metrics": ["exact_match"], "report": False}
        tracemalloc.start()
        pipelines.run("qa", data=data, out=tmp_path / f"run{characters}", model=Writes(characters), **arguments)
        peak_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak_bytes

    monkeypatch.setattr(reply_cache, "RECENT", 5)
    data = tmp_path / "rows.jsonl"
    lines = [{"id": f"q{i}", "document": f"Room {i}.", "question": f"{i}?", "answer": "x"} for i in range(100)]
    data.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    peak(1)
    assert peak(50_000) - peak(2) < 3_000_000  # what is written is 5 MB, in the replies and again in the predictions
