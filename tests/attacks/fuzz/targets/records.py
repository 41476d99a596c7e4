"""Parsers of the program's own files: logs, folders of runs and ablations, shards, batch files, caches."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from longdoc import plain_json
from longdoc.checked_json import Malformed
from longdoc.errors import UserError
from pipelines.engine.recording import lines
from tests.attacks.fuzz.harness import sections, target, write
from tests.resealed import resealed

REPLY = {"key": "a" * 64, "value": "Bob", "tokens_in": 3, "tokens_out": 1, "truncated_tokens": 0, "finish_reason": "stop",
         "error": None, "start": 0, "served": {"models": ["m"]}, "raw": "Bob", "cached": {"longdoc": "0.3.0"}}  # fmt: skip
PREDICTION = {"id": "1", "document": "d", "query": "Who?", "references": ["Bob"], "prediction": "Bob",
              "selected": [[0, 3, 0.5]], "shown_spans": [[0, 3]], "requests": 1, "tokens_in": 3, "tokens_out": 1,
              "truncated_tokens": 0, "notes": {}, "statistics": {"f1": {"f1": 100.0}}, "outputs": {}, "passages": {},
              "request_digest": "e330ed02e6ade4e9", "shown_words": 3,
              "thinking": {"words": 5, "tokens": 7}}  # fmt: skip
LOGS = ("journal.jsonl", "requests.jsonl")


def _encode(record: Any) -> bytes:
    return lines.encode_line(record) if isinstance(record, dict) and record else json.dumps(record).encode() + b"\n"


def _with_checksums(data: bytes) -> bytes:
    """Lines of JSON as lines of a log; others stay as they are."""
    encoded = []
    for line in data.split(b"\n"):
        try:
            record = json.loads(line)
            encoded.append(_encode({name: value for name, value in record.items() if name != "crc32"}))
        except (ValueError, AttributeError, RecursionError):
            encoded.append(line + b"\n")
    return b"".join(encoded)[:-1]


@target(
    _encode({"id": "1"}) * 2,
    _encode(REPLY) + _encode(REPLY)[:40],
    _encode({"id": "1"})[:-1] + _encode({"id": "2"}),
)
def log_lines(data: bytes, folder: Path) -> None:
    """A log is repaired when it is opened: opened again, it has the same records and no damage."""
    from pipelines.engine.recording.journal import Journal

    for content in (data, _with_checksums(data)):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "journal.jsonl").write_bytes(content)
        first = Journal(folder / "journal.jsonl")
        entries = list(first.entries())
        first.close()
        second = Journal(folder / "journal.jsonl")
        assert repr(list(second.entries())) == repr(entries)
        assert not second.damage
        for position, record in entries[:3]:
            assert repr(second.read(position)) == repr(record)
        second.close()


@target(json.dumps(REPLY), json.dumps(REPLY | {"value": [0.5, 0.1], "raw": ["a"]}), json.dumps(REPLY | {"value": {"a": 1.0}}),
        allowed=(Malformed, plain_json.NotJSON))  # fmt: skip
def request_record(data: bytes, folder: Path) -> None:
    from pipelines.engine.recording import request_log

    record = plain_json.loads(data)
    request_log.check(record)
    logged = request_log.record_of(request_log.reply_of(record))
    loaded = plain_json.loads(json.dumps(logged))
    request_log.check(loaded | {"key": record["key"]})
    assert request_log.record_of(request_log.reply_of(loaded)) == logged or "nan" in repr(logged)


@target(json.dumps(PREDICTION), allowed=(Malformed, plain_json.NotJSON))
def prediction_record(data: bytes, folder: Path) -> None:
    from pipelines.records import prediction_of

    prediction_of(plain_json.loads(data))


@target(b'[0,"a"]\n[1,"b"]\n', b'[-1,"a"]\n', allowed=(Malformed,))
def shard_file(data: bytes, folder: Path) -> None:
    from pipelines.engine.recording import shard_file as parser

    (folder / "shard.jsonl").write_bytes(data)
    numbers_and_ids = list(parser.read(folder))
    parser.write(folder, numbers_and_ids)
    assert list(parser.read(folder)) == numbers_and_ids


ANSWER = {
    "custom_id": "a",
    "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "Bob"}}], "model": "m"}},
}
FAILED = {"custom_id": "b", "response": None, "error": {"code": "x", "message": "expired"}}
CLAUDE_ANSWER = {
    "custom_id": "a",
    "result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": "Bob"}]}},
}
CLAUDE_ERROR = {
    "custom_id": "b",
    "result": {"type": "errored", "error": {"error": {"type": "overloaded_error", "message": "m"}}},
}


@target(
    *(
        "".join(json.dumps(line) + "\n" for line in pair)
        for pair in ((ANSWER, FAILED), (CLAUDE_ANSWER, CLAUDE_ERROR), (ANSWER, ANSWER))
    )
)
def batch_replies(data: bytes, folder: Path) -> None:
    from pipelines.plugins.batch.replies import Replies

    (folder / "replies.jsonl").write_bytes(data)
    replies = Replies([folder / "replies.jsonl"], {"a", "b"})
    for id in ("a", "b"):
        if outcome := replies[id]:
            str(outcome.problem), outcome.answered, outcome.passing


REQUESTS = {"files": {"requests-1.jsonl": {"library": "openai", "model": "m", "url": "u", "requests": 1, "after": []}}}


@target("=== batch.json\n" + json.dumps(REQUESTS) + '\n=== requests-1.jsonl\n{"custom_id": "a"}\n')
def batch_requests(data: bytes, folder: Path) -> None:
    from pipelines.plugins.batch import request_files as parser

    files = sections(data)
    write({parser.RECORD if name == "batch.json" else name: content for name, content in files.items()}, folder)
    for request_file in parser.request_files(folder):
        list(request_file.ids())


@cache
def made_folders() -> Path:
    """A finished run, two shards of one, and an ablation, of a document of three lines; the process keeps them."""
    import pipelines

    place = Path(tempfile.mkdtemp(prefix="made-"))
    rows = [{"document": "Ann met Bob.\nHe left.\nCarl came.", "question": q, "answers": [a], "evidence": [[0, 3]]}
            for q, a in (("Who met Bob?", "Ann"), ("Who left?", "Bob"))]  # fmt: skip
    rows += [{**row, "document": row["document"] + " Dora too."} for row in rows]
    (place / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    arguments: dict[str, Any] = {"data": place / "rows.jsonl", "model": "extractive", "metrics": ["f1", "exact_match"]}
    pipelines.run("narrativeqa", out=place / "run", **arguments)
    pipelines.run("narrativeqa", out=place / "other", retriever="bm25", **arguments)
    for number in (1, 2):
        pipelines.run("narrativeqa", out=place / f"shard-{number}", shard=f"{number}/2", report=False, **arguments)
    pipelines.ablate("narrativeqa", k=[1, 2], out=place / "ablation", **arguments)
    return place


def _folders_with(data: bytes, folder: Path, *copied: str) -> Path:
    """A copy of the made folders in which some files are those of an input."""
    originals, place = made_folders(), folder / "made"
    place.mkdir()
    for name in (*copied, "rows.jsonl"):
        copy = shutil.copytree if (originals / name).is_dir() else shutil.copyfile
        copy(originals / name, place / name)
    files = sections(data)
    write(
        {name: _with_checksums(content) if name.endswith(LOGS) else content for name, content in files.items()},
        place,
        3,
    )
    for folder_of_run in (place / "run", *place.glob("shard-*"), place / "ablation", *place.glob("ablation/runs/*")):
        with suppress(Exception):  # what holds no record has no checksum either
            resealed(folder_of_run)
    return place


def _allow_refusals(*calls: Callable[[], object]) -> None:
    """Each of the calls; a refusal of one does not end the others."""
    for call in calls:
        with suppress(UserError):
            call()


@target(longest=12000)
def run_folder(data: bytes, folder: Path) -> None:
    import pipelines
    from pipelines.results.run_folders.run import finished_run

    place = _folders_with(data, folder, "run", "other")
    run = place / "run"
    _allow_refusals(
        lambda: str(pipelines.runs(place)),
        lambda: str(pipelines.show(run, "test-1")),
        lambda: str(pipelines.show(run)),
        lambda: str(pipelines.compare(run, place / "other", resamples=50)),
        lambda: finished_run(run).counts,
        lambda: str(pipelines.blame(run)),
        lambda: str(pipelines.outputs(run)),
    )


@target(longest=12000)
def run_reports(data: bytes, folder: Path) -> None:
    import pipelines

    place = _folders_with(data, folder, "run")
    _allow_refusals(
        lambda: pipelines.report(place / "run", format="html"),
        lambda: pipelines.report(place / "run", format="markdown"),
        lambda: pipelines.view(place, open=False),
    )


@target(longest=12000)
def resumed_run(data: bytes, folder: Path) -> None:
    import pipelines

    place = _folders_with(data, folder, "run")
    _allow_refusals(
        lambda: pipelines.run("narrativeqa", out=place / "run", data=made_folders() / "rows.jsonl", model="extractive",
                              metrics=["f1", "exact_match"], report=False),
        lambda: pipelines.rescore(place / "run"),
    )  # fmt: skip


@target(longest=12000)
def shards(data: bytes, folder: Path) -> None:
    import pipelines

    place = _folders_with(data, folder, "shard-1", "shard-2")
    _allow_refusals(lambda: pipelines.merge(place / "shard-1", place / "shard-2", out=place / "merged", report=False))


@target(longest=12000)
def ablation_folder(data: bytes, folder: Path) -> None:
    import pipelines

    place = _folders_with(data, folder, "ablation")
    _allow_refusals(
        lambda: str(pipelines.runs(place)),
        lambda: pipelines.report(place / "ablation", format="markdown"),
        lambda: pipelines.report(place / "ablation", format="csv"),
    )


@target(json.dumps({"text": "a", "title": "", "kind": "page", "marks": [[0, "1"]], "lined": False, "warnings": []}))
def document_cache(data: bytes, folder: Path) -> None:
    from pipelines import documents

    os.environ["LONGDOC_CACHE"] = str(folder)
    (folder / "page.html").write_text("<p>Hello", encoding="utf-8")
    documents.read(folder / "page.html")
    for cache_file in (folder / "documents").iterdir():
        cache_file.write_bytes(data)
    document = documents.read(folder / "page.html")
    documents.location(document.meta, document.text, 0, 1)


def seeds_of_folders() -> dict[str, list[bytes]]:
    """The seeds of the targets that replace a file of a made folder: that file, as it was made."""
    folders = made_folders()

    def files(*names: str) -> list[bytes]:
        return [f"=== {name}\n".encode() + (folders / name).read_bytes() for name in names]

    run = files("run/run.json", "run/scores.json", "run/predictions.jsonl", "run/journal.jsonl", "run/requests.jsonl")
    cells = sorted(path.relative_to(folders).as_posix() for path in folders.glob("ablation/runs/*/run.json"))
    return {
        "run_folder": run[:4],
        "run_reports": run[:3],
        "resumed_run": run,
        "shards": files(*(f"shard-1/{name}" for name in ("run.json", "shard.jsonl", "journal.jsonl", "requests.jsonl",
                                                         "scores.json"))),
        "ablation_folder": files("ablation/ablation.json", *cells[:1]),
    }  # fmt: skip
