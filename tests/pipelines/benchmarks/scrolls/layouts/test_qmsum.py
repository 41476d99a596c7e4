"""QMSum's meetings: a line a turn, an example a query, evidence in whole turns."""

import json
from pathlib import Path
from typing import Any

import pytest

from longdoc.errors import UserError
from pipelines import sources

DATASETS = sources.DatasetInfo("", {}, "qmsum", {})
MEETING: dict[str, Any] = {
    "topic_list": [{"topic": "Lamps", "relevant_text_span": [["0", "2"]]}],
    "general_query_list": [{"query": "Summarize the meeting. ", "answer": "They chose a lamp."}],
    "specific_query_list": [
        {"query": "Which lamp?", "answer": "The red one.", "relevant_text_span": [["1", "2"], [3, 3]]},
        {"query": "Who paid?", "answer": "", "relevant_text_span": []},
    ],
    "meeting_transcripts": [
        {"speaker": "Chair", "content": "Hello {disfmarker} all ."},
        {"speaker": "Zoë Ärger", "content": "The red 💡 ."},
        {"speaker": "Chair", "content": ""},
        {"speaker": "Zoë Ärger", "content": "Red , then ."},
    ],
}
TEXT = "Chair: Hello {disfmarker} all .\nZoë Ärger: The red 💡 .\nChair: \nZoë Ärger: Red , then ."


def load(path: Path, rows: list[dict[str, Any]]) -> sources.Dataset:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return sources.load("t", DATASETS, path, "validation")


def test_every_query_of_a_meeting_is_asked_of_its_transcript(tmp_path: Path) -> None:
    general, red, paid, other, *_ = load(tmp_path / "val.jsonl", [MEETING, MEETING]).examples()
    assert general.document is red.document is paid.document
    assert general.document.text == TEXT
    assert (general.id, general.query, general.references) == (
        "va-gq-3",
        "Summarize the meeting.",
        ("They chose a lamp.",),
    )
    assert [dict(one.meta) for one in (general, red)] == [{"kind": "general"}, {"kind": "specific"}]
    spans = [TEXT[start:end] for start, end in red.evidence]
    assert spans == ["Zoë Ärger: The red 💡 .\nChair: ", "Zoë Ärger: Red , then ."]
    assert (general.evidence, paid.evidence, paid.references) == ((), (), ())
    assert [red.id, paid.id, other.id] == ["va-sq-1", "va-sq-2", "va-gq-6"]


def test_the_split_in_an_id_is_that_of_the_file_s_name(tmp_path: Path) -> None:
    for name, split in (("val.jsonl", "va"), ("train.jsonl", "tr"), ("meetings.jsonl", "te")):
        file = tmp_path / name
        file.write_text(json.dumps(MEETING) + "\n")
        data = sources.load("t", DATASETS, file, "test")
        assert [one.id for one in data.examples()] == [f"{split}-gq-3", f"{split}-sq-1", f"{split}-sq-2"]


def test_a_span_without_turns_is_skipped_and_counted(tmp_path: Path) -> None:
    query = {"query": "Which?", "answer": "x", "relevant_text_span": [["0", "0"], ["2", "4"], ["3", "1"]]}
    data = load(tmp_path / "val.jsonl", [{**MEETING, "general_query_list": [], "specific_query_list": [query]}])
    (example,) = data.examples()
    assert example.evidence == ((0, 31),)
    assert data.warnings == [
        "relevant spans skipped, because the meeting has no such turns: 2 "
        "(val.jsonl:1 (2 to 4 of 4), val.jsonl:1 (3 to 1 of 4))"
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"meeting_transcripts": "x"}, "val.jsonl:2: a meeting needs meeting_transcripts with speaker and content"),
        ({"meeting_transcripts": [{"speaker": "x"}]}, "val.jsonl:2: a meeting needs meeting_transcripts"),
        ({"meeting_transcripts": []}, "val.jsonl:2: the document is empty"),
        ({"general_query_list": [{"query": " "}]}, "val.jsonl:2: query 1 of the meeting is empty"),
        ({"specific_query_list": {"query": "x"}}, "val.jsonl:2: specific_query_list must be a list"),
        (
            {"general_query_list": [{"query": "x", "relevant_text_span": [["a", "b"]]}]},
            r"val.jsonl:2: relevant_text_span must be pairs of turn numbers, got \['a', 'b'\]",
        ),
    ],
)
def test_a_malformed_meeting_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    reading = load(tmp_path / "val.jsonl", [MEETING, {**MEETING, **change}]).examples()
    for _ in range(3):
        next(reading)
    with pytest.raises(UserError, match=message):
        list(reading)


def test_the_real_meetings_of_the_validation_split_are_read(realdata: Path) -> None:
    data = sources.load("t", DATASETS, realdata / "qmsum", "validation")
    examples = list(data.examples())
    rows = [json.loads(line) for line in (realdata / "qmsum" / "val.jsonl").read_text(encoding="utf-8").splitlines()]
    assert data.warnings == []
    assert (len(examples), len({one.document.id for one in examples})) == (272, 35)
    first = examples[0]
    assert (first.document.id, len(first.document.text), first.document.text.count("\n")) == (
        "a110757871728cd7",
        95_966,
        880,
    )
    specific = iter([one for one in examples if one.meta["kind"] == "specific"])
    for row in rows:
        turns = [f"{turn['speaker']}: {turn['content']}" for turn in row["meeting_transcripts"]]
        for query in row["specific_query_list"]:
            example = next(specific)
            spans = [(int(start), int(end)) for start, end in query["relevant_text_span"]]
            assert example.references == (query["answer"],)
            assert [example.document.text[start:end] for start, end in example.evidence] == [
                "\n".join(turns[start : end + 1]) for start, end in spans
            ]
    assert next(specific, None) is None
