"""What a long run keeps in memory: rows that many examples share once, and nothing of a log that was taken in."""

import json

from pipelines.engine.recording.journal import Journal
from pipelines.records import prediction_of, shared_rows


def test_equal_rows_are_kept_once_and_written_as_they_were():
    first, second = shared_rows({"f1": {"f1": 0.0}}), shared_rows({"f1": {"f1": 0.0}})
    assert first["f1"] is second["f1"]
    for value in (0.0, 0, -0.0, False):
        assert json.dumps(shared_rows({"f1": {"f1": value}})) == json.dumps({"f1": {"f1": value}})


def test_predictions_that_are_read_share_their_rows():
    record = {
        "document": "d", "query": "", "references": [], "prediction": "", "selected": [], "shown_spans": [],
        "requests": 0, "tokens_in": 0, "tokens_out": 0, "truncated_tokens": 0, "statistics": {"em": {"em": 100.0}},
    }  # fmt: skip
    one, other = (prediction_of(json.loads(json.dumps(record | {"id": id}))) for id in ("a", "b"))
    assert one.statistics["em"] is other.statistics["em"]
    assert one.statistics == {"em": {"em": 100.0}}


def test_a_journal_lets_go_of_its_records_and_still_reads_them(tmp_path):
    path = tmp_path / "log.jsonl"
    first = Journal(path)
    place = first.append({"id": "a"})
    first.close()
    again = Journal(path)
    again.forget()
    assert (again.records, again.positions) == ([], [])
    assert again.read(place) == {"id": "a"}
    again.close()
