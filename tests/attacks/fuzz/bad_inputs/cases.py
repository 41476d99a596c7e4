"""The bad inputs, by what is bad about them."""

import os
from collections.abc import Iterator

from tests.attacks.fuzz.bad_inputs import commands, damages
from tests.attacks.fuzz.bad_inputs.trials import Case
from tests.attacks.fuzz.bad_inputs.world import ESCAPE, FILES, NEWLINE

RUN = ("run", "qa", "--model", "extractive", "--no-report", "--out", "@out")
GOOD = (*RUN, "--data", "good.jsonl")
NO_MISTAKES = frozenset((  # that are no mistakes: they are read as what they are
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
    return [*_data(), *_documents(), *_paths(), *commands.all_cases(), *_numbers(), *_components(), *_pairs(), *_settings(),
            *damages.all_cases(), *_texts()]  # fmt: skip


def _codes(name: str) -> tuple[int, ...]:
    return (0, 2) if name in NO_MISTAKES else (2,)


def _data() -> Iterator[Case]:
    rows = [
        name
        for name in FILES
        if name.endswith((".jsonl", ".json", ".csv", ".tsv", ".gz", ".bz2", ".parquet", ".pkl", ".xlsx", ".xyz"))
    ]
    for name in [*rows, "rows.zip", "cut.zip", "rubbish.zip", "empty.zip", "outward.zip"]:
        yield Case("data", (*RUN, "--data", name), _codes(name))
    for name in ("outward.zip", "cut.zip", "rubbish.zip", "empty.zip", "rows.zip"):
        yield Case("data", ("analyze", "lengths", "scrolls/qmsum", "--data", name))
    for task, name in (
        ("style_change", "good.jsonl"), ("hotpotqa", "text.json"), ("vlsp", "good.jsonl"), ("opensubtitles", "several"),
        ("scrolls/qasper", "number.json"), ("character_types", "muld.jsonl"), ("longbench_v2", "good.jsonl"),
        ("nocha", "no-rows.json"), ("lara/location", "several"), ("chunking_evaluation", "texts"),
        ("ruler/vt", "text.json"), ("babilong", "number.json"), ("mrcr", "no-rows.json"), ("graphwalks", "several"),
    ):  # fmt: skip
        yield Case(
            "data", ("analyze", "lengths", task, "--data", name), (0, 2) if name == "good.jsonl" else (2,)
        )  # own rows


def _documents() -> Iterator[Case]:
    endings = (".txt", ".html", ".pdf", ".docx", ".doc", ".srt", ".epub")
    names = [name for name in FILES if name.endswith(endings)]
    made_names = ["really.epub", "really.docx", "no-spine.epub", "entities.epub", "bomb.docx", "bomb.epub", "laughs.docx", "bomb.txt.bz2",
            "rows.zip", "zeros.jsonl", "rows.xlsx"]  # fmt: skip
    for name in [*names, *made_names]:
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
    yield Case("documents", ("data", "index", "doc.txt", "--retriever", "bm25"), (0, 2))
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


def _numbers() -> Iterator[Case]:
    odd = (
        "0", "-1", "1e99", "nan", "inf", "1.5", "", "ten", "99999999999999999999", "٣", "1_0", "0x10", "+1", " 1", "１",
    )  # fmt: skip
    no_mistakes = {"+1", " 1", "٣", "１", "1_0"}
    for flag in ("-k", "--limit", "--max-new-tokens"):
        for value in odd:
            yield Case("numbers", (*GOOD, flag, value), (0, 2) if value in no_mistakes else (2,))
    for flag in ("--sample", "--budget", "--seed"):
        for value in odd[:9]:
            is_whole = flag == "--seed" and value in ("0", "-1")
            yield Case("numbers", (*GOOD, flag, value), (0, 2) if is_whole else (2,))
    for value in ("0/0", "2/1", "1/0", "-1/2", "1", "a/b", "1/2/3", "1/99999999999", "٣/٤", ""):
        yield Case("numbers", (*GOOD, "--shard", value))
    for value in ("5 apples", "300 tokens tokens", "-5 words", "words", "1e3", "0 tokens"):
        yield Case("numbers", (*GOOD, "--budget", value))


def _components() -> Iterator[Case]:
    def cases_of(flag: str, *values: str, no_mistakes: tuple[str, ...] = ()) -> Iterator[Case]:
        for value in values:
            yield Case("components", (*GOOD, flag, value), (0, 2) if value in no_mistakes else (2,))

    brackets = "{a:" * 3000
    yield from cases_of(
        "--chunker", "nosuch", "tokens:size=0", "tokens:size=-5", "tokens:size=x", "tokens:nosuch=1",
        "tokens:size=1,size=2", "tokens:size=5,stride=9", "tokens:size=1e99", "tokens:size=nan", "tokens:size=",
        "tokens:", "tokens:unit=nosuch/model", "truncate:0", "os:system", "os.path:join", "nosuch.module:Class", ":",
        "::", "{", "[tokens]", "tokens:size=[1,2]", brackets, "\x1b[31m", "tokens\0", "numbered:9", "",
        'tokens:size=5,unit="', "pipelines:run", "builtins:print", no_mistakes=("tokens:",),
    )  # fmt: skip
    yield from cases_of(
        "--retriever", "nosuch", "bm25:b=x", "bm25:k1=-1", "bm25:b=nan", "hybrid:[]", "hybrid:[nosuch]",
        "hybrid:[bm25,", "hybrid", "dense:model=nowhere", "dense:model=good.jsonl", "rerank:retriever=nosuch",
        "tfidf:ngram_range=[2,1]", "tfidf:norm=l3", "tfidf:token_pattern=(", "tfidf:token_pattern=(a+)+$",
        "tfidf:analyzer=nosuch", "bm25,tfidf", "random:seed=x", "good.jsonl", "empty-folder",
        "tfidf:stop_words=klingon", "oracle:x", no_mistakes=("tfidf:token_pattern=(a+)+$", "hybrid", "bm25:k1=-1"),
    )  # fmt: skip
    yield from cases_of(
        "--strategy", "nosuch", "vote:by=nosuch", "stuff:x=1", "iterative:rounds=-1", "map_reduce:{", "label", "pairs",
        "",
    )  # fmt: skip
    yield from cases_of(
        "--model", "nosuch", "nosuch/model", "good.jsonl", "empty-folder", "nowhere/x", "openai", "openai:",
        "openai:x,base_url=nosuch", "openai:x,base_url=ftp://a", "openai:x,base_url=http://u:p@a/",
        "openai:x,timeout=-1,base_url=http://127.0.0.1:9/v1", "openai:x,max_cost=nan,base_url=http://127.0.0.1:9/v1",
        "openai:x,base_url=[],concurrency=0", "openai:x,window=-1", "anthropic:x",
        "openai:x,concurrency=0,base_url=http://127.0.0.1:9/v1", "constant:", "constant", "linear", "copy:5",
        "../../etc/passwd", "a b/c", "~", "openai:x,prices={input=1},base_url=http://127.0.0.1:9/v1",
        "extractive:max_input_tokens=-5", "\x1b[31m/x", "a\0b", no_mistakes=("constant:", "constant", "copy:5"),
    )  # fmt: skip
    yield from cases_of(
        "--metric", "nosuch", "f1,nosuch", "f1,,f1", "bleu:n=0", "bleu:n=-1", "bleu:n=99", "f1:normalization=nosuch",
        "", ",", no_mistakes=("bleu:n=99",),
    )  # fmt: skip
    yield from cases_of(
        "--engine", "nosuch", "local:processes=0", "local:processes=-1", "local:processes=x", "local:nosuch=1",
        "batch:", "batch", "batch:folder=good.jsonl", "ray:workers=-1", "ray:address=nowhere:1", "ray:readers=0", "",
        no_mistakes=("local:processes=0",),
    )  # fmt: skip
    yield from cases_of(
        "--prompt", "nosuch", "{document} {document}", "{query}", "{nosuch} {document}", "{document", "{document}}",
        "{}", "{0} {document}", "{document!r:>5}", "row", "\x1b[31m{document}", "", no_mistakes=("\x1b[31m{document}", "row"),
    )  # fmt: skip
    yield from cases_of("--prompts-from", "nowhere", "prompts.json", "empty-folder")
    yield from cases_of("--order", "nosuch", "")
    yield from cases_of("--data-revision", "main")
    yield from cases_of("--query", "nosuch")
    for task, file in (
        ("longbench/hotpotqa", "prompts.json"), ("longbench/hotpotqa", "deep.json"),
        ("longbench/hotpotqa", "binary.txt"), ("infinitebench/en_qa", "prompts.py"), ("infinitebench/en_qa", "deep.py"),
        ("infinitebench/en_qa", "broken.py"), ("infinitebench/en_qa", "deep.py::x"), ("longbench_v2", "doc.txt"),
        ("lara/location", "huge.txt"), ("nocha", "empty.jsonl"), ("loogle/longdep_qa", "one-list.json"),
    ):  # fmt: skip
        yield Case(
            "components",
            ("run", task, "--data", "good.jsonl", "--model", "extractive", "--prompts-from", file, "--out", "@out"),
        )
    for file in ("nowhere", "judge.txt", "deep.py", "broken.py", "binary.txt", "several", "prompts.py::x"):
        yield Case(
            "components", (*GOOD, "--judge", "openai:x,base_url=http://127.0.0.1:9/v1", "--judge-prompts-from", file)
        )


def _pairs() -> Iterator[Case]:
    for words in (("-k", "3", "--budget", "100 tokens"), ("-k", "3", "--budget", "100 words"), ("--limit", "1", "--sample", "1"),
                  ("--retriever", "all", "-k", "3"), ("--chunker", "whole", "-k", "3"), ("--strategy", "label", "--model", "extractive"),
                  ("--strategy", "pairs"), ("--strategy", "fuse"), ("--model", "majority"), ("--model", "order"), ("--model", "single_author"),
                  ("--model", "choices"), ("--judge", "extractive"), ("--judge", "nosuch"), ("--judge-prompts-from", "judge.txt"), ("--model", "extractive,dtype=bf16"),
                  ("--model", "extractive:max_input_tokens=5"), ("--engine", "batch:@out-b"), ("--retriever", "oracle"), ("--model", "device=nosuch"),
                  ("--prompt", "chat"), ("--prompt", "tags"), ("--metric", "style_change"), ("--metric", "concordance_index"), ("--metric", "judged"),
                  ("--retriever", "nothing", "-k", "3"), ("--retriever", "mentions"), ("--query", "centroid", "--retriever", "first"),
                  ("--split", "train"), ("--split", "validation")):  # fmt: skip
        yield Case("unfit", (*GOOD, *words), (0, 2))
    for model in ("copy", "naive", "lead", "random_choice", "majority"):
        for task in ("style_change", "scrolls/quality", "character_types"):
            codes = (0, 2) if task == "scrolls/quality" else (2,)  # which takes own rows
            yield Case("unfit", ("run", task, "--data", "good.jsonl", "--model", model, "--out", "@out"), codes)
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


def _texts() -> Iterator[Case]:
    """Escapes that come from files, and words that cannot be written on a terminal."""
    yield Case("escapes", ("analyze", "lengths", "qa", "--data", ESCAPE))
    yield Case("escapes", ("analyze", "lengths", "qa", "--data", "escape-field.jsonl"))
    yield Case("escapes", ("run", "--config", "escape.yaml"))
    yield Case("escapes", (*RUN, "--data", "good.jsonl", "--out", "out\x1b[31m"), (0, 2))
    yield Case("escapes", ("score", "f1", "escape-id.jsonl", "good.jsonl"), (0, 2))
    yield Case(
        "escapes", ("prompt", "qa", "\x1b]0;t\x07", "--data", "escape-id.jsonl", "--model", "extractive"), (0, 2)
    )
    yield Case("escapes", ("show", "\x1b[31m\u202egood"))
    yield Case("escapes", ("ask", "doc.txt", "\ud800?"), (0, 2))
