"""The commands that are killed: runs by every strategy and engine, shards and merges, ablations, tables, questions."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pipelines
from longdoc.files import write_whole
from pipelines import strategies
from tests.attacks.faults.killing.components import (
    BATCH,
    IN_FLIGHT,
    HashEncoder,
    NotingReader,
    NotingStreamingReader,
    answer_of,
    examples,
    note,
)
from tests.attacks.faults.killing.moments import RANDOM
from tests.attacks.faults.killing.trial import Command
from tests.batch_server import read_requests

RECIPE = {"chunker": "sentences:2", "retriever": "bm25", "k": 3, "metrics": ["f1"]}
STRATEGIES_WITH_OPTIONS = (
    "fuse:overlap=2",
    "iterative:rounds=3,extend=passages",
    "label:by=generation,labels=[positive,negative]",
    "map:by_line=true",
    "vote:by=score",
)
# of moments, for runs that are killed elsewhere too
KINDS_OF_MANY_RUNS = ("ablation record", "request log", "journal", "report", RANDOM)
VECTORS = ("*.vectors",)  # named by the time
UNFINISHED = ("*.part",)  # which others may be writing: they are deleted an hour later
DENSE = {"name": "dense", "model": HashEncoder()}


def commands(asked_file: Path, url: str) -> list[Command]:
    """All commands on this machine; `asked` is the file of the requests' keys, `url` that of a paid server."""
    return [*of_many_runs(asked_file, url), *with_caches(asked_file), *paid(asked_file, url), *by_strategy(asked_file)]


def by_strategy(asked_file: Path) -> list[Command]:
    """A run by every registered strategy, and further ways of some."""
    return [
        Command(f"run, {name}", partial(run, NotingReader(str(asked_file)), strategy=name), BATCH)
        for name in (*strategies.names(), *STRATEGIES_WITH_OPTIONS)
    ]


def paid(asked_file: Path, url: str) -> list[Command]:
    """Runs by readers behind an API: streamed replies, a server on this machine, batch files, a judge."""
    reader = api_reader(url)
    streaming = NotingStreamingReader(str(asked_file))
    return [
        Command("run, streamed, stuff", partial(run, streaming), IN_FLIGHT),
        Command("run, streamed, map_reduce", partial(run, streaming, strategy="map_reduce"), IN_FLIGHT),
        Command("run, API, stuff", partial(run, reader), IN_FLIGHT),
        Command("run, API, refine", partial(run, reader, strategy="refine"), IN_FLIGHT),
        Command("run, API, vote", partial(run, reader, strategy="vote"), IN_FLIGHT),
        Command("run and judge", partial(run, reader, judge=reader), IN_FLIGHT),
        Command(
            "run by batch files",
            partial(run, reader, strategy="map_reduce"),
            0,
            engines=("batch:files",),
            provide=partial(answer_batches, asked_file),
            not_compared=("requests-*", "replies-*", "batch.json"),  # which requests share a file depends on the kills
        ),
    ]


def with_caches(asked_file: Path) -> list[Command]:
    """Runs and questions with caches: vectors, replies that runs share, texts of files."""
    reader = NotingReader(str(asked_file))
    return [
        Command("run, dense", partial(run, reader, retriever=DENSE), BATCH, not_compared=VECTORS),
        Command("run, processes", partial(run, "extractive"), 0, ("local:processes=1", "local:processes=2", "local")),
        Command("ask", partial(question, reader), 1, prepare=write_documents, not_compared=(*VECTORS, *UNFINISHED)),
    ]


def of_many_runs(asked_file: Path, url: str) -> list[Command]:
    """Shards and their merge, ablations, comparisons, tables of evidence, several tasks."""
    reader, paid_reader = NotingReader(str(asked_file)), NotingStreamingReader(str(asked_file))
    axes = {"retriever": ["bm25", "first"], "k": [1, 2]}
    arguments = {"task": ["narrativeqa", "hotpotqa"], "data": "sample", "limit": 2, "model": reader, "out": "tasks"}
    return [
        Command("run of 3 shards", partial(shards, reader), BATCH),
        Command("merge of 3 shards", merge, 0, prepare=partial(shards, reader, "local")),
        Command("shards and merge", partial(shards_and_merge, reader), BATCH),
        Command("ablation", partial(run_many, "ablate", paid_reader, axes), IN_FLIGHT),
        Command(
            "ablation, API", partial(run_many, "ablate", api_reader(url), axes), IN_FLIGHT, kinds=KINDS_OF_MANY_RUNS
        ),
        Command(
            "ablation of shards and merge",
            partial(ablation_shards, paid_reader, axes),
            IN_FLIGHT,
            kinds=(*KINDS_OF_MANY_RUNS, "merge"),
        ),
        Command(
            "versus",
            partial(run_many, "versus", paid_reader, {"retriever": "bm25", "k": [1, 2]}),
            IN_FLIGHT,
            kinds=(*KINDS_OF_MANY_RUNS, "versus record"),
        ),
        Command("evidence", evidence, 0),
        Command("several tasks", partial(tasks, arguments), BATCH),
    ]


def run(reader: Any, engine: str, **changes: Any) -> None:
    """A run into the folder `run`."""
    pipelines.run("qa", data=examples(), model=reader, engine=engine, **(RECIPE | {"out": "run"} | changes))


def api_reader(url: str) -> dict[str, Any]:
    """The reader of the paid server."""
    prices = {"input": 1.0, "output": 2.0}
    fields = {"base_url": f"{url}/v1", "concurrency": IN_FLIGHT, "max_retries": 0, "prices": prices}
    return {"name": "openai", "model": "paid", **fields}


def answer_batches(asked_file: Path) -> None:
    """Answer the files of requests that have no replies yet, as a provider does."""
    for file in sorted(Path("files").glob("requests-*.jsonl")):
        replies = file.name.replace("requests", "replies")
        if not file.with_name(replies).exists():
            lines = [_answer(record, asked_file) for record in read_requests(file)]
            write_whole(file.parent, replies, "".join(json.dumps(line) + "\n" for line in lines))


def _answer(record: dict[str, Any], asked_file: Path) -> dict[str, Any]:
    name = record["custom_id"]
    note(str(asked_file), name)
    response = {"status_code": 200, "request_id": name[:8], "body": json.loads(answer_of(record["body"]).body)}
    return {"id": name, "custom_id": name, "response": response, "error": None}


def write_documents() -> None:
    """Files for `ask`, in a form whose texts are kept."""
    Path("files").mkdir()
    for document in {example.document.id: example.document for example in examples()}.values():
        body = "".join(f"<p>{line}</p>" for line in document.text.splitlines())
        Path("files", f"{document.id}.html").write_text(f"<html><body>{body}</body></html>", encoding="utf-8")


def question(reader: Any, engine: str) -> None:
    """A question about files; its answer is written to a file."""
    answer = pipelines.ask("files", examples()[0].query, model=reader, retriever=DENSE, k=3)
    write_whole(Path(), "answer.txt", answer.text)


def shards(reader: Any, engine: str) -> None:
    """The three shards of a run."""
    for number in (1, 2, 3):
        run(reader, engine, shard=f"{number}/3", out=f"shard-{number}")


def merge(engine: str) -> None:
    """Their merge."""
    pipelines.merge("shard-1", "shard-2", "shard-3", out="run")


def shards_and_merge(reader: Any, engine: str) -> None:
    """Both."""
    shards(reader, engine)
    merge(engine)


def run_many(function: str, reader: Any, axes: dict[str, Any], engine: str, **options: Any) -> None:
    """An ablation, or a comparison of the whole document with retrieval."""
    call: Callable[..., Any] = getattr(pipelines, function)
    recipe = {"chunker": "sentences:2", "metrics": ["f1"], "out": function, **axes, **options}
    call("qa", data=examples(), model=reader, engine=engine, **recipe)


def ablation_shards(reader: Any, axes: dict[str, Any], engine: str) -> None:
    """The two shards of an ablation, and their merge."""
    for number in (1, 2):
        run_many("ablate", reader, axes, engine, shard=f"{number}/2", out=f"half-{number}")
    pipelines.merge("half-1", "half-2", out="ablation")


def evidence(engine: str) -> None:
    """A table of how much evidence is selected."""
    ways = {"retriever": ["bm25", "tfidf"], "chunker": ["sentences:2", "lines:1"], "budget": ["10 words", "20 words"]}
    pipelines.evidence("qa", data=examples(), out="evidence", engine=engine, **ways)


def tasks(arguments: dict[str, Any], engine: str) -> None:
    """Several tasks, one after the other."""
    names = arguments["task"]
    pipelines.run_tasks(names, engine=engine, **{name: arguments[name] for name in arguments if name != "task"})
