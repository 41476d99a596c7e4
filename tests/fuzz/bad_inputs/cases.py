"""The bad inputs, by what is bad about them."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.fuzz.bad_inputs.trials import Case
from tests.fuzz.bad_inputs.world import ESCAPE, FILES, NEWLINE
from tests.resealed import resealed

RUN = ("run", "qa", "--model", "extractive", "--no-report", "--out", "@out")
GOOD = (*RUN, "--data", "good.jsonl")
FINE = frozenset((  # that are no mistakes: they are read as what they are
    "good.jsonl", "mark.jsonl", "utf16.jsonl", "null-question.jsonl", "number-answers.jsonl", "number-document.jsonl", "surrogate.jsonl",
    "zero-document.jsonl", "doc.txt", "doc.md", "latin1.txt", "utf16-lie.html", "span-fraction.jsonl", "columns-twice.csv",
    "no-such-evidence.jsonl", "judge.txt", "open-list.csv", "escape-id.jsonl", "pred-lines.jsonl", "not-json.jsonl", "cyrillic.txt",
))  # fmt: skip
ODD_PATHS = (
    "nowhere", "no-folder/nowhere.jsonl", "", ".", "/", "..", "loop", "loop-1", "dangling", "pipe.jsonl", "/dev/null",
    "/dev/zero", "/dev/full", "/proc/self/mem", "empty-folder", "folder.jsonl", "several", "pickles", ESCAPE, NEWLINE,
    "it's; $(x) & co.jsonl", os.fsdecode(b"\xff\xfe.jsonl"), "a\0b", "x" * 300, "d/" * 2500, "~nobody/x", "-", "--", "%s%n", "☃" * 90,
)  # fmt: skip


def all_cases() -> list[Case]:
    """Every case, by group."""
    return [*_data(), *_documents(), *_paths(), *_commands(), *_numbers(), *_components(), *_pairs(), *_settings(),
            *_damaged(), *_texts()]  # fmt: skip


def _codes(name: str) -> tuple[int, ...]:
    return (0, 2) if name in FINE else (2,)


def _data() -> Iterator[Case]:
    rows = [
        name
        for name in FILES
        if name.endswith((".jsonl", ".json", ".csv", ".tsv", ".gz", ".bz2", ".parquet", ".pkl", ".xlsx", ".xyz"))
    ]
    for name in [*rows, "rows.zip", "cut.zip", "rubbish.zip", "empty.zip", "outward.zip"]:
        yield Case("data", (*RUN, "--data", name), _codes(name))
    for name in ("outward.zip", "cut.zip", "rubbish.zip", "empty.zip", "rows.zip"):
        yield Case("data", ("lengths", "scrolls/qmsum", "--data", name))
    for task, name in (
        ("style_change", "good.jsonl"),
        ("hotpotqa", "text.json"),
        ("vlsp", "good.jsonl"),
        ("opensubtitles", "several"),
        ("scrolls/qasper", "number.json"),
        ("character_types", "muld.jsonl"),
        ("longbench_v2", "good.jsonl"),
        ("nocha", "no-rows.json"),
        ("lara/location", "several"),
        ("chunking_evaluation", "texts"),
    ):
        yield Case("data", ("lengths", task, "--data", name))


def _documents() -> Iterator[Case]:
    endings = (".txt", ".html", ".pdf", ".docx", ".doc", ".srt", ".epub")
    names = [name for name in FILES if name.endswith(endings)]
    made = ["really.epub", "really.docx", "no-spine.epub", "entities.epub", "bomb.docx", "bomb.epub", "laughs.docx", "bomb.txt.bz2",
            "rows.zip", "zeros.jsonl", "rows.xlsx"]  # fmt: skip
    for name in [*names, *made]:
        yield Case("documents", ("ask", name, "Who left?"), _codes(name))
    yield Case("documents", ("ask", "pickles", "Who?"))
    yield Case("documents", ("ask", "doc.txt", ""))
    yield Case("documents", ("ask", "doc.txt", "  "))
    yield Case("documents", ("ask", "Who?"))
    yield Case("documents", ("ask", "doc.txt", "-"), (0, 2), stdin=b"\xff\xfe\0")
    yield Case("documents", ("ask", "doc.txt", "-"), stdin=b" ")
    yield Case("documents", ("ask", "doc.txt", "Who?", "--html", "folder.jsonl"))
    yield Case("documents", ("ask", "doc.txt", "Who?", "--html", "no/where/page.html"))
    yield Case("documents", ("ask", "doc.txt", "Who\x1b[31m left?\x07"), (0,))
    yield Case("documents", ("ask", "doc.txt", "w" * 200_000), (0, 2))
    yield Case("documents", ("index", "doc.txt", "--retriever", "bm25"), (0, 2))
    yield Case("documents", ("ask", "doc.txt", "Who?", "--no-cache", "--interactive"), (0,))


def _paths() -> Iterator[Case]:
    for path in ODD_PATHS:
        yield Case("paths: --data", (*RUN, "--data", path))
        yield (
            Case(
                "paths: a document",
                ("ask", path, "Who left?"),
                (0, 2) if path.endswith(".jsonl") else (2,),
            )
            if path not in ("/", ".", "..")
            else Case("paths: a document", ("ask", path + "/nothing-here", "Who?"))
        )
    for path in ODD_PATHS[:8] + ODD_PATHS[9:10] + ODD_PATHS[14:]:
        yield Case("paths: a run", ("show", path))
    for path in (
        "good.jsonl",
        "good.jsonl/x",
        "/dev/null",
        "/dev/full/x",
        "/proc/x",
        "x" * 300,
        "a\0b",
        "loop",
        "dangling/x",
        "several",
        "",
        "runs/bm25",
        "ablation",
    ):
        yield Case(
            "paths: --out", ("run", "qa", "--data", "good.jsonl", "--model", "extractive", "--no-report", "--out", path)
        )
    for path in ("/dev/full", "/proc/x.md", "no/where.md", "folder.jsonl", "x" * 300 + ".md", "x.xyz", "a\0b.md"):
        yield Case("paths: --out", ("report", "runs/good", "--out", path))


COMMANDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "run": (("run", "narative"), ("run",), ("run", "qa,"), ("run", "qa,narrativeqa", "--data", "good.jsonl"), ("run", "qa", "--nosuch"),
            ("run", "scrolls", "--data", "good.jsonl"), ("run", "qa", "--data", "qa=good.jsonl", "--data", "qa=x"), ("run", "qa", "extra"),
            ("run", "", "--data", "good.jsonl"), ("run", "os:system", "--data", "good.jsonl"), ("run", "nosuchmodule:Task"),
            ("run", "qa", "--split", "tset", "--data", "good.jsonl"), ("run", "qa", "--order", "random", "--data", "good.jsonl"),
            ("run", "qa", "--data", "sample", "--split", "train"), ("run", "qa", "--data", "good.jsonl", "--revision", "main"),
            ("run", "qa", "--config"), ("run", "\x1b[31mqa"), ("run", "qa\nx"), ("run", "q" * 5000)),
    "rerun": (("rerun",), ("rerun", "nowhere"), ("rerun", "good.jsonl"), ("rerun", "runs"), ("rerun", "runs/good", "--k", "many"),
              ("rerun", "runs/good", "--out", "good.jsonl"), ("rerun", "ablation")),
    "merge": (("merge",), ("merge", "runs/good"), ("merge", "runs/shard-1"), ("merge", "runs/shard-1", "runs/shard-1"),
              ("merge", "runs/shard-1", "runs/bm25"), ("merge", "runs/shard-1", "runs/shard-2", "--out", "good.jsonl"),
              ("merge", "nowhere", "runs/shard-1"), ("merge", "runs/unfinished", "runs/shard-2"), ("merge", "ablation", "runs/shard-1")),
    "ask": (("ask",), ("ask", "doc.txt", "Who?", "-k", "0"), ("ask", "doc.txt", "Who?", "--model", "nosuch/model")),
    "index": (("index",), ("index", "nowhere"), ("index", "doc.txt", "--retriever", "nosuch")),
    "ablate": (("ablate",), ("ablate", "qa", "--data", "good.jsonl", "--model", "extractive", "-k", "1,x", "--out", "@out"),
               ("ablate", "qa", "--data", "good.jsonl", "--model", "extractive", "-k", "1,1", "--out", "@out"),
               ("ablate", "qa", "--data", "good.jsonl", "--model", "extractive", "-k", "1,2", "--baseline", "k=9", "--out", "@out"),
               ("ablate", "qa", "--data", "good.jsonl", "--model", "extractive", "-k", "1,2", "--out", "runs/good"),
               ("ablate", "qa", "--data", "good.jsonl", "--model", "extractive", "--retriever", "bm25,,tfidf", "--out", "@out"),
               ("ablate", "qa", "--data", "good.jsonl", "--model", "extractive", "-k", "1,2", "--primary-metric", "nosuch", "--out", "@out"),
               ("ablate", "--grid", "list.yaml"), ("ablate", "--grid", "cyclic.yaml"), ("ablate", "--grid", "nowhere.yaml"),
               ("ablate", "--grid", "binary.jsonl")),
    "versus": (("versus",), ("versus", "qa", "--data", "good.jsonl", "--model", "extractive", "--select", "-5", "--out", "@out"),
               ("versus", "qa", "--predictions", "a=nowhere.jsonl"), ("versus", "qa", "--runs", "nowhere"),
               ("versus", "qa", "--data", "good.jsonl", "--model", "extractive", "--runs", "x=ablation", "--out", "@out")),
    "evidence": (("evidence",), ("evidence", "qa", "--data", "good.jsonl"), ("evidence", "qa", "--data", "nowhere"),
                 ("evidence", "qa", "--data", "good.jsonl", "--select", "nan"), ("evidence", "qa", "--data", "good.jsonl", "--out", "runs/good")),
    "prompt": (("prompt",), ("prompt", "qa"), ("prompt", "qa", "nosuch", "--data", "good.jsonl", "--model", "extractive"),
               ("prompt", "qa", "\x1b[2J", "--data", "good.jsonl", "--model", "extractive")),
    "score": (("score",), ("score", "nowhere"), ("score", "runs/unfinished"), ("score", "runs/good", "--metric", "nosuch"),
              ("score", "rouge-l", "nowhere.jsonl", "good.jsonl"), ("score", "rouge-l", "pred.json", "binary.jsonl"),
              ("score", "rouge-l", "pred.json"), ("score", "rouge-l", "pred.json", "one-list.json"), ("score", "nocha", "good.jsonl"),
              ("score", "lara/location", "pred-lines.jsonl", "--judge", "extractive"), ("score", "longbench/hotpotqa", "empty.jsonl"),
              ("score", "rouge-l", "pred.json", "pred-lines.jsonl", "good.jsonl"), ("score", "qa", "pred-lines.jsonl::x"),
              ("score", "qa", "deep.jsonl"), ("score", "ablation")),
    "view": (("view", "nowhere", "--no-open"), ("view", "good.jsonl", "--no-open"), ("view", "", "--no-open"), ("view", "a\0b", "--no-open")),
    "show": (("show",), ("show", "runs/good", "nosuch"), ("show", "runs/good", "\x1b[31m"), ("show", "runs/unfinished"), ("show", "ablation"),
             ("show", "runs/good", "test-1", "--data", "nowhere"), ("show", "runs/good", "test-1", "--data", "several/a.jsonl")),
    "blame": (("blame",), ("blame", "nowhere"), ("blame", "runs/good", "--stage", "nosuch"), ("blame", "runs/good", "--limit", "-1"),
              ("blame", "runs/good", "--primary-metric", "nosuch"), ("blame", "runs/unfinished")),
    "runs": (("runs", "nowhere"), ("runs", "good.jsonl"), ("runs", "--sort", "size"), ("runs", "--task", "nosuch"), ("runs", "a\0b")),
    "compare": (("compare",), ("compare", "runs/good"), ("compare", "runs/good", "nowhere"), ("compare", "runs/good", "runs/limited"),
                ("compare", "runs/good", "runs/bm25", "--primary-metric", "nosuch"), ("compare", "runs/good", "runs/bm25", "--level", "1.5"),
                ("compare", "runs/good", "runs/bm25", "--level", "nan"), ("compare", "runs/good", "runs/bm25", "--resamples", "0"),
                ("compare", "runs/good", "runs/bm25", "--resamples", "99999999999"), ("compare", "runs/good", "runs/bm25", "--changed", "-1"),
                ("compare", "runs/good", "ablation"), ("compare", "runs/good", "runs/bm25", "--seed", "-1")),
    "plan": (("plan",), ("plan", "nowhere"), ("plan", "qa"), ("plan", "runs/good", "--detect", "0"), ("plan", "runs/good", "--detect", "nan"),
             ("plan", "runs/good", "--power", "1"), ("plan", "runs/good", "--alpha", "0"), ("plan", "runs/good", "--correlation", "2"),
             ("plan", "qa", "--data", "good.jsonl", "--sd", "-1"), ("plan", "qa", "--data", "good.jsonl", "--sd", "10", "--icc", "7"),
             ("plan", "runs/good", "runs/limited", "--detect", "3"), ("plan", "runs/good", "--detect", "1e99")),
    "report": (("report",), ("report", "nowhere"), ("report", "runs/unfinished"), ("report", "runs/good", "--format", "nosuch"),
               ("report", "runs/good", "--primary-metric", "nosuch"), ("report", "good.jsonl"), ("report", "runs/good", "ablation")),
    "outputs": (("outputs",), ("outputs", "nowhere"), ("outputs", "runs/unfinished"), ("outputs", "runs/good", "--plot", "x.xyz"),
                ("outputs", "runs/good", "--plot", "no/where.svg")),
    "tasks": (("tasks", "nosuch"), ("tasks", "\x1b[31m")),
    "components": (("components", "nosuch"), ("components", "bm25:k1=2"), ("components", "")),
    "build": (("build",), ("build", "nosuch", "good.jsonl", "--out", "@out"), ("build", "style_mix", "good.jsonl"),
              ("build", "style_mix", "good.jsonl", "--out", "@out"), ("build", "style_mix", "nowhere", "--out", "@out"),
              ("build", "style_mix", "good.jsonl", "--out", "several"), ("build", "style_mix", "good.jsonl", "--out", "@out", "--set", "low"),
              ("build", "style_mix", "good.jsonl", "--out", "@out", "--set", "low=-1"), ("build", "--manifest", "good.jsonl", "--out", "@out"),
              ("build", "--manifest", "deep.json", "x", "--out", "@out"), ("build", "extend_multihop", "good.jsonl", "--out", "@out"),
              ("build", "character_set", "texts", "--out", "@out"), ("build", "scrolls", "binary.jsonl", "--out", "@out"),
              ("build", "length_filter", "good.jsonl", "--out", "@out", "--set", "task=nosuch")),
    "fetch": (("fetch",), ("fetch", "nosuch/../x"), ("fetch", "narrativeqa", "--split", "nosuch"), ("fetch", "\x1b[31m"), ("fetch", "a\0b")),
    "lengths": (("lengths",), ("lengths", "qa", "--data", "good.jsonl", "--tokenizer", "nosuch/model"), ("lengths", "qa", "--data", "binary.jsonl"),
                ("lengths", "qa", "--data", "good.jsonl", "--plot", "x.xyz")),
    "spread": (("spread",), ("spread", "qa", "--data", "cut.jsonl"), ("spread", "qa")),
    "published": (("published",), ("published", "nosuch")),
    "benchmark": (("benchmark",), ("benchmark", "nosuch"), ("benchmark", "scrolls", "nowhere"), ("benchmark", "scrolls", "runs/good"),
                  ("benchmark", "scrolls", "runs", "--format", "nosuch")),
    "submit": (("submit",), ("submit", "scrolls", "--out", "@out"), ("submit", "muld", "runs/good", "--out", "@out"),
               ("submit", "scrolls", "runs/good", "--out", "@out"), ("submit", "scrolls", "--check", "nowhere.csv"),
               ("submit", "scrolls", "--check", "deep.jsonl"), ("submit", "scrolls", "--check", "deep.json"),
               ("submit", "scrolls", "--check", "open-quote.csv")),
    "agreement": (("agreement",), ("agreement", "qa", "--data", "good.jsonl"), ("agreement", "qa", "--data", "nowhere")),
    "contrapro": (("contrapro",), ("contrapro", "--data", "good.jsonl", "--model", "extractive"), ("contrapro", "--data", "nowhere", "--model", "x")),
    "lm-eval": (("lm-eval",), ("lm-eval", "--model_args", "reader="), ("lm-eval", "--tasks", "nosuch"), ("lm-eval", "--model", "hf")),
    "lm-task": (("lm-task",), ("lm-task", "qa", "--data", "nowhere", "--out", "@out"), ("lm-task", "qa", "--data", "good.jsonl", "--out", "several"),
                ("lm-task", "nosuch", "--out", "@out")),
    "export": (("export",), ("export", "nowhere"), ("export", "runs/good", "--to", "nosuch"), ("export", "runs/good", "--out", "x.xyz"),
               ("export", "runs/unfinished")),
    "train": (("train",), ("train", "qa", "--data", "good.jsonl", "--model", "extractive", "--out", "@out"),
              ("train", "qa", "--data", "nowhere", "--model", "linear", "--out", "@out"), ("train", "qa", "--data", "good.jsonl", "--out", "@out"),
              ("train", "classify", "--data", "good.jsonl", "--model", "linear", "--out", "several"),
              ("train", "classify", "--data", "good.jsonl", "--model", "linear", "--out", "@out", "--set", "nosuch=1")),
    "nosuch": (("nosuch",), ("--nosuch",), ("",), ("\x1b[31m",), ("run\0",), ("rnu", "qa"), ("RUN", "qa")),
}  # fmt: skip


def _commands() -> Iterator[Case]:
    fine = {("runs", "--task", "nosuch"), ("evidence", "qa", "--data", "good.jsonl"), ("agreement", "qa", "--data", "good.jsonl"),
            ("compare", "runs/good", "runs/bm25", "--changed", "-1"), ("merge", "runs/good"), ("rerun", "runs"), ("report", "runs/good", "ablation"),
            ("ablate", "qa", "--data", "good.jsonl", "--model", "extractive", "-k", "1,1", "--out", "@out"), ("view", "", "--no-open"),
            ("ablate", "qa", "--data", "good.jsonl", "--model", "extractive", "-k", "1,2", "--primary-metric", "nosuch", "--out", "@out"),
            ("compare", "runs/good", "runs/limited"), ("compare", "runs/good", "runs/bm25", "--resamples", "99999999999"),
            ("compare", "runs/good", "runs/bm25", "--seed", "-1"), ("benchmark", "scrolls", "runs/good"),
            ("plan", "qa"), ("score", "qa", "pred-lines.jsonl::x"), ("outputs", "runs/good", "--plot", "no/where.svg")}  # fmt: skip
    for command, tried in COMMANDS.items():
        for words in tried:
            yield Case(f"command: {command}", words, (0, 2) if words in fine else (2,))


def _numbers() -> Iterator[Case]:
    odd = (
        "0",
        "-1",
        "1e99",
        "nan",
        "inf",
        "1.5",
        "",
        "ten",
        "99999999999999999999",
        "٣",
        "1_0",
        "0x10",
        "+1",
        " 1",
        "１",
    )
    fine = {"+1", " 1", "٣", "１", "1_0"}
    for flag in ("-k", "--limit", "--max-new-tokens"):
        for value in odd:
            yield Case("numbers", (*GOOD, flag, value), (0, 2) if value in fine else (2,))
    for flag in ("--sample", "--budget", "--select", "--max-input-tokens", "--seed"):
        for value in odd[:9]:
            whole = flag == "--seed" and value in ("0", "-1")
            yield Case("numbers", (*GOOD, flag, value), (0, 2) if whole else (2,))
    for value in ("0/0", "2/1", "1/0", "-1/2", "1", "a/b", "1/2/3", "1/99999999999", "٣/٤", ""):
        yield Case("numbers", (*GOOD, "--shard", value))
    for value in ("5 apples", "300 tokens tokens", "-5 words", "words", "1e3", "0 tokens"):
        yield Case("numbers", (*GOOD, "--select", value))


def _components() -> Iterator[Case]:
    def several(flag: str, *values: str, fine: tuple[str, ...] = ()) -> Iterator[Case]:
        for value in values:
            yield Case("components", (*GOOD, flag, value), (0, 2) if value in fine else (2,))

    brackets = "{a:" * 3000
    yield from several(
        "--chunker",
        "nosuch",
        "tokens:size=0",
        "tokens:size=-5",
        "tokens:size=x",
        "tokens:nosuch=1",
        "tokens:size=1,size=2",
        "tokens:size=5,stride=9",
        "tokens:size=1e99",
        "tokens:size=nan",
        "tokens:size=",
        "tokens:",
        "tokens:unit=nosuch/model",
        "truncate:0",
        "os:system",
        "os.path:join",
        "nosuch.module:Class",
        ":",
        "::",
        "{",
        "[tokens]",
        "tokens:size=[1,2]",
        brackets,
        "\x1b[31m",
        "tokens\0",
        "numbered:9",
        "",
        'tokens:size=5,unit="',
        "pipelines:run",
        "builtins:print",
        fine=("tokens:",),
    )
    yield from several(
        "--retriever",
        "nosuch",
        "bm25:b=x",
        "bm25:k1=-1",
        "bm25:b=nan",
        "hybrid:[]",
        "hybrid:[nosuch]",
        "hybrid:[bm25,",
        "hybrid",
        "dense:model=nowhere",
        "dense:model=good.jsonl",
        "rerank:retriever=nosuch",
        "tfidf:ngram_range=[2,1]",
        "tfidf:max_df=-1",
        "tfidf:token_pattern=(",
        "tfidf:token_pattern=(a+)+$",
        "tfidf:analyzer=nosuch",
        "bm25,tfidf",
        "random:seed=x",
        "good.jsonl",
        "empty-folder",
        "tfidf:stop_words=klingon",
        "oracle:x",
        fine=("tfidf:token_pattern=(a+)+$", "hybrid", "bm25:k1=-1"),
    )
    yield from several(
        "--strategy",
        "nosuch",
        "vote:by=nosuch",
        "stuff:x=1",
        "iterative:rounds=-1",
        "map_reduce:{",
        "label",
        "pairs",
        "",
    )
    yield from several(
        "--model",
        "nosuch",
        "nosuch/model",
        "good.jsonl",
        "empty-folder",
        "nowhere/x",
        "openai",
        "openai:",
        "openai:x,base_url=nosuch",
        "openai:x,base_url=ftp://a",
        "openai:x,base_url=http://u:p@a/",
        "openai:x,timeout=-1,base_url=http://127.0.0.1:9/v1",
        "openai:x,max_cost=nan,base_url=http://127.0.0.1:9/v1",
        "openai:x,base_url=[],concurrency=0",
        "openai:x,window=-1",
        "anthropic:x",
        "openai:x,concurrency=0,base_url=http://127.0.0.1:9/v1",
        "constant:",
        "constant",
        "linear",
        "copy:5",
        "../../etc/passwd",
        "a b/c",
        "~",
        "openai:x,prices={input=1},base_url=http://127.0.0.1:9/v1",
        "extractive:max_input_tokens=-5",
        "\x1b[31m/x",
        "a\0b",
        fine=("constant:", "constant"),
    )
    yield from several(
        "--metric",
        "nosuch",
        "f1,nosuch",
        "f1,,f1",
        "bleu:n=0",
        "bleu:n=-1",
        "bleu:n=99",
        "f1:normalization=nosuch",
        "",
        ",",
        "rouge-l:beta=nan",
        "meteor:jar=nowhere.jar",
        fine=("bleu:n=99",),
    )
    yield from several(
        "--engine",
        "nosuch",
        "local:processes=0",
        "local:processes=-1",
        "local:processes=x",
        "local:nosuch=1",
        "batch:",
        "batch",
        "batch:folder=good.jsonl",
        "ray:workers=-1",
        "ray:address=nowhere:1",
        "ray:readers=0",
        "",
    )
    yield from several(
        "--prompt",
        "nosuch",
        "{document} {document}",
        "{query}",
        "{nosuch} {document}",
        "{document",
        "{document}}",
        "{}",
        "{0} {document}",
        "{document!r:>5}",
        "row",
        "\x1b[31m{document}",
        "",
        fine=("\x1b[31m{document}", "row"),
    )
    yield from several("--prompts-from", "nowhere", "prompts.json", "empty-folder")
    yield from several("--order", "nosuch", "")
    yield from several("--fill", "nosuch", "cut")
    yield from several("--device", "nosuch", "cuda:99", fine=("nosuch", "cuda:99"))
    yield from several("--dtype", "nosuch")
    yield from several("--revision", "main", "model=a=b")
    yield from several("--model-option", "x", "x=1", "=1")
    yield from several("--query", "nosuch")
    yield from several("--allow-code", "nosuch", fine=("nosuch",))
    for task, file in (
        ("longbench/hotpotqa", "prompts.json"),
        ("longbench/hotpotqa", "deep.json"),
        ("longbench/hotpotqa", "binary.txt"),
        ("infinitebench/en_qa", "prompts.py"),
        ("infinitebench/en_qa", "deep.py"),
        ("infinitebench/en_qa", "broken.py"),
        ("infinitebench/en_qa", "deep.py::x"),
        ("longbench_v2", "doc.txt"),
        ("lara/location", "huge.txt"),
        ("nocha", "empty.jsonl"),
        ("loogle/longdep_qa", "one-list.json"),
    ):
        yield Case(
            "components",
            ("run", task, "--data", "good.jsonl", "--model", "extractive", "--prompts-from", file, "--out", "@out"),
        )
    for file in ("nowhere", "judge.txt", "deep.py", "broken.py", "binary.txt", "several", "prompts.py::x"):
        yield Case(
            "components", (*GOOD, "--judge", "openai:x,base_url=http://127.0.0.1:9/v1", "--judge-prompts-from", file)
        )


def _pairs() -> Iterator[Case]:
    for words in (("-k", "3", "--budget", "100"), ("-k", "3", "--select", "100"), ("--budget", "9", "--select", "100"), ("--limit", "1", "--sample", "1"),
                  ("--fill", "skip"), ("--retriever", "all", "-k", "3"), ("--chunker", "whole", "-k", "3"), ("--strategy", "label", "--model", "extractive"),
                  ("--strategy", "pairs"), ("--strategy", "fuse"), ("--model", "majority"), ("--model", "order"), ("--model", "single_author"),
                  ("--model", "choices"), ("--judge", "extractive"), ("--judge", "nosuch"), ("--judge-prompts-from", "judge.txt"), ("--dtype", "bf16"),
                  ("--max-input-tokens", "5"), ("--engine", "batch:@out-b"), ("--retriever", "oracle"), ("--deterministic",), ("--reply-cache",),
                  ("--prompt", "chat"), ("--prompt", "tags"), ("--metric", "style_change"), ("--metric", "concordance_index"), ("--metric", "judged"),
                  ("--retriever", "nothing", "-k", "3"), ("--retriever", "mentions"), ("--query", "centroid", "--retriever", "first"),
                  ("--split", "train"), ("--split", "validation")):  # fmt: skip
        yield Case("unfit", (*GOOD, *words), (0, 2))
    for model in ("copy", "naive", "lead", "random_choice", "majority"):
        for task in ("style_change", "scrolls/quality", "character_types"):
            fits = (0, 2) if task == "scrolls/quality" else (2,)  # which takes own rows
            yield Case("unfit", ("run", task, "--data", "good.jsonl", "--model", model, "--out", "@out"), fits)
    for base in ("http://127.0.0.1:9/v1", "http://nosuch.invalid/v1", "http://[::1]:9", "http://127.0.0.1:99999"):
        yield Case("unfit", (*RUN[:2], "--data", "good.jsonl", "--no-report", "--out", "@out", "--model",
                             f"openai:x,base_url={base},max_retries=0,timeout=2"), (0, 2))  # fmt: skip


def _settings() -> Iterator[Case]:
    names = [name for name in FILES if name.endswith(".yaml")] + ["config.json", "deep.json", "binary.jsonl", "good.jsonl", "nowhere.yaml",
             "several", "/dev/zero", "pipe.jsonl", "loop", "utf16-cut.jsonl"]  # fmt: skip
    for name in names:
        yield Case(
            "settings",
            ("run", "--config", name, "--no-report", "--out", "@out"),
            (0, 2) if name == "config.yaml" else (2,),
        )


def _with(file: str, change: Callable[[Any], Any]) -> Callable[[Path], object]:
    """A damage: a JSON file of the run, changed."""

    def damage(run: Path) -> None:
        record = json.loads((run / file).read_text(encoding="utf-8"))
        (run / file).write_text(json.dumps(change(record)), encoding="utf-8")
        resealed(run)

    return damage


def _bytes(file: str, change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda run: (run / file).write_bytes(change((run / file).read_bytes()))


def _replaced(file: str, how: Callable[[Path], object]) -> Callable[[Path], object]:
    def damage(run: Path) -> None:
        (run / file).unlink()
        how(run / file)

    return damage


DAMAGES: dict[str, Callable[[Path], object]] = {
    "run.json is empty": _bytes("run.json", lambda data: b""),
    "run.json is cut off": _bytes("run.json", lambda data: data[:100]),
    "run.json is rubbish": _bytes("run.json", lambda data: bytes(range(256))),
    "run.json is a list": _bytes("run.json", lambda data: b"[]"),
    "run.json is nested 100,000 deep": _bytes("run.json", lambda data: b"[" * 100_000),
    "run.json is a folder": _replaced("run.json", Path.mkdir),
    "run.json is a link to itself": _replaced("run.json", lambda path: path.symlink_to("run.json")),
    "run.json is gone": _replaced("run.json", lambda path: None),
    "run.json has no format": _with("run.json", lambda one: {**one, "format": None}),
    "run.json has format 99": _with("run.json", lambda one: {**one, "format": 99}),
    "run.json has format 1": _with("run.json", lambda one: {**one, "format": 1}),
    "the spec is a list": _with("run.json", lambda one: {**one, "spec": []}),
    "the task is unknown": _with("run.json", lambda one: {**one, "spec": {**one["spec"], "task": "nosuch"}}),
    "the task has an escape": _with("run.json", lambda one: {**one, "spec": {**one["spec"], "task": "\x1b[31mred"}}),
    "the chunker is code": _with(
        "run.json", lambda one: {**one, "spec": {**one["spec"], "chunker": {"name": "os:system"}}}
    ),
    "the retriever is unknown": _with(
        "run.json", lambda one: {**one, "spec": {**one["spec"], "retriever": {"name": "nosuch"}}}
    ),
    "a metric is unknown": _with("run.json", lambda one: {**one, "metrics": {"f1": {"name": "nosuch"}}}),
    "a metric is a number": _with("run.json", lambda one: {**one, "metrics": {"f1": 5}}),
    "the data are nowhere": _with("run.json", lambda one: {**one, "data": {"given": "nowhere"}}),
    "the data are a number": _with("run.json", lambda one: {**one, "data": {"given": 5}}),
    "the arguments are odd": _with("run.json", lambda one: {**one, "arguments": {"nosuch": [1]}}),
    "the prompt is odd": _with("run.json", lambda one: {**one, "spec": {**one["spec"], "prompt": {"text": 5}}}),
    "k is -1": _with("run.json", lambda one: {**one, "spec": {**one["spec"], "k": -1}}),
    "scores.json is empty": _bytes("scores.json", lambda data: b""),
    "scores.json is cut off": _bytes("scores.json", lambda data: data[:50]),
    "scores.json has text for scores": _with("scores.json", lambda one: {**one, "scores": {"f1": "high"}}),
    "scores.json has NaN": _with("scores.json", lambda one: {**one, "scores": {"f1": float("nan")}}),
    "scores.json has odd intervals": _with("scores.json", lambda one: {**one, "intervals": {"f1": [1]}}),
    "scores.json has odd usage": _with("scores.json", lambda one: {**one, "usage": {}}),
    "scores.json counts other examples": _with("scores.json", lambda one: {**one, "examples": 99}),
    "a score has an escape in its name": _with("scores.json", lambda one: {**one, "scores": {"\x1b[31m": 1.0}}),
    "predictions.jsonl is empty": _bytes("predictions.jsonl", lambda data: b""),
    "predictions.jsonl is cut off": _bytes("predictions.jsonl", lambda data: data[:-30]),
    "predictions.jsonl has zeros": _bytes("predictions.jsonl", lambda data: data[:200] + bytes(50) + data[250:]),
    "predictions.jsonl has another type": _bytes(
        "predictions.jsonl", lambda data: data.replace(b'"requests":1', b'"requests":"x"')
    ),
    "a prediction is there twice": _bytes("predictions.jsonl", lambda data: data.splitlines(keepends=True)[0] * 2),
    "spans are outside": _bytes(
        "predictions.jsonl", lambda data: data.replace(b'"selected":[[0,', b'"selected":[[99999,')
    ),
    "predictions.jsonl is a pipe": _replaced("predictions.jsonl", os.mkfifo),
    "journal.jsonl is rubbish": _bytes("journal.jsonl", lambda data: bytes(range(256))),
    "requests.jsonl is rubbish": _bytes("requests.jsonl", lambda data: bytes(range(256))),
    "journal.jsonl is a folder": _replaced("journal.jsonl", Path.mkdir),
    "the lock is a folder": _replaced(".lock", Path.mkdir),
}


def _damaged() -> Iterator[Case]:
    for what, damage in DAMAGES.items():
        for words in (
            ("show", "@run", "test-1"),
            ("report", "@run", "--format", "markdown"),
            ("rerun", "@run", "--no-report"),
        ):
            yield Case("damaged run", words, (0, 2), damage, f"longdoc {words[0]} RUN, where {what}")
    for what in (
        "run.json is rubbish",
        "the chunker is code",
        "scores.json is cut off",
        "predictions.jsonl is cut off",
        "a metric is a number",
    ):
        for words in (
            ("compare", "@run", "runs/bm25"),
            ("score", "@run"),
            ("blame", "@run"),
            ("export", "@run"),
            ("merge", "@run", "runs/shard-2"),
            ("runs", "@run"),
            ("plan", "@run", "--detect", "3"),
            ("outputs", "@run"),
            ("benchmark", "muld", "@run"),
        ):
            yield Case("damaged run", words, (0, 2), DAMAGES[what], f"longdoc {words[0]} RUN, where {what}")


def _texts() -> Iterator[Case]:
    """Escapes that come from files, and words that cannot be written on a terminal."""
    yield Case("escapes", ("lengths", "qa", "--data", ESCAPE))
    yield Case("escapes", ("lengths", "qa", "--data", "escape-field.jsonl"))
    yield Case("escapes", ("run", "--config", "escape.yaml"))
    yield Case("escapes", (*RUN, "--data", "good.jsonl", "--out", "out\x1b[31m"), (0, 2))
    yield Case("escapes", ("score", "f1", "escape-id.jsonl", "good.jsonl"), (0, 2))
    yield Case(
        "escapes", ("prompt", "qa", "\x1b]0;t\x07", "--data", "escape-id.jsonl", "--model", "extractive"), (0, 2)
    )
    yield Case("escapes", ("show", "\x1b[31m\u202egood"))
    yield Case("escapes", ("ask", "doc.txt", "\ud800?"), (0, 2))
