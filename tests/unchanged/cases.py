"""The commands whose outputs are kept and compared. They run in this order in one folder: later ones read earlier runs.

`RENAMED` has the present spelling of commands that were kept under a former one; `_options` translates options.
"""

from collections.abc import Iterator
from dataclasses import dataclass

QA = ("--data", "sample", "--model", "extractive")

# Former beginnings of command lines, and the present ones.
RENAMED: dict[tuple[str, ...], tuple[str, ...]] = {
    (name,): (group, name)
    for group, names in {
        "runs": ("merge", "verify"), "list": ("tasks", "components"), "data": ("build", "index"),
        "analyze": ("outputs", "lengths", "spread", "agreement"), "benchmark": ("published",), "bridge": ("export",),
    }.items()
    for name in names
} | {("runs",): ("runs", "list"), ("benchmark",): ("benchmark", "scores")}  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A command line with a name; `REAL` in it stands for the folder of real data."""

    name: str
    arguments: tuple[str, ...]

    @property
    def typed(self) -> tuple[str, ...]:
        """The arguments in their present spelling."""
        options = tuple(_options(self.arguments))
        for former, present in RENAMED.items():
            if options[: len(former)] == former:
                return present + options[len(former) :]
        return options

    @property
    def needs_real_data(self) -> bool:
        """Whether it reads the real data."""
        return any("REAL" in argument for argument in self.arguments)


def _options(arguments: tuple[str, ...]) -> Iterator[str]:
    """The words of a command line with budgets in the present spelling: `--select 300` is `--budget "300 words"`."""
    previous = ""
    for word in arguments:
        unit = {"--select": "words", "--budget": "tokens"}.get(previous)
        previous = word
        if word == "--select":
            yield "--budget"
        else:
            yield word if unit is None else ",".join(f"{amount} {unit}" for amount in word.split(","))


def _run(name: str, *arguments: str, task: str = "qa", data: tuple[str, ...] = QA) -> Case:
    return Case(f"run {name}", ("run", task, *data, *arguments, "--out", f"runs/{name}"))


RUNS = [
    _run("tfidf", "--retriever", "tfidf"),
    _run("bm25", "--retriever", "bm25", "--select", "300"),
    _run("best", "--retriever", "best:encoder=none", "--select", "300"),
    _run("fused", "--retriever", "hybrid:[bm25,tfidf]", "-k", "3"),
    _run("sentences", "--chunker", "sentences:2", "--retriever", "bm25", "-k", "4", "--order", "score"),
    _run("paragraphs", "--chunker", "paragraphs", "--retriever", "tfidf", "--budget", "200"),
    _run("oracle", "--retriever", "oracle", "-k", "2"),
    _run("none", "--retriever", "none"),
    _run("truncated", "--chunker", "truncate:100"),
    _run("random", "--retriever", "random", "-k", "2", "--seed", "7"),
    _run("several_metrics", "--retriever", "tfidf", "--metric", "f1,rouge-l,bleu-1,evidence_recall,answer_recall"),
    _run("map", "--strategy", "map", "--retriever", "first", "-k", "2"),
    _run("refine", "--strategy", "refine", "--retriever", "bm25", "-k", "2"),
    _run("map_reduce", "--strategy", "map_reduce", "--retriever", "bm25", "-k", "3", "--limit", "6"),
    _run("lead", "--retriever", "first", data=("--data", "sample", "--model", "lead")),
    _run("selection", "--retriever", "bm25", data=("--data", "sample", "--model", "none")),
    _run("shard1", "--retriever", "tfidf", "--shard", "1/2"),
    _run("shard2", "--retriever", "tfidf", "--shard", "2/2"),
    _run("narrativeqa", "--retriever", "tfidf", task="narrativeqa"),
    _run("hotpotqa", "--limit", "20", "--retriever", "bm25", task="hotpotqa",
         data=("--data", "REAL/hotpotqa/hotpot_distractor_80.jsonl", "--model", "extractive")),
    _run("contract_nli", "--limit", "20", task="scrolls/contract_nli",
         data=("--data", "REAL/contract_nli", "--model", "constant:text=Entailment")),
    _run("quality", "--limit", "20", "--retriever", "bm25", "--select", "300", task="scrolls/quality",
         data=("--data", "REAL/quality", "--model", "extractive")),
    Case("run a benchmark", ("run", "muld", "--data", "sample", "--model", "floor", "--out", "runs/muld")),
    Case("ablate", ("ablate", "qa", *QA, "--retriever", "tfidf,bm25", "-k", "1,3", "--out", "runs/ablation")),
    Case("versus", ("versus", "qa", *QA, "--retriever", "bm25", "--select", "50,150", "--out", "runs/versus")),
    Case("evidence", ("evidence", "qa", "--data", "sample", "--retriever", "bm25,best", "--select", "100,300",
                      "--out", "runs/evidence")),
    Case("merge", ("merge", "runs/shard1", "runs/shard2", "--out", "runs/merged")),
    Case("rerun", ("rerun", "runs/tfidf", "--out", "runs/rerun", "--retriever", "bm25")),
    Case("score again", ("score", "runs/bm25", "--metric", "rouge-l,answer_recall")),
    Case("index", ("index", "REAL/vlsp/0704.2963v1.main.txt",)),
    Case("resume", ("run", "qa", *QA, "--retriever", "tfidf", "--out", "runs/tfidf")),
    Case("train", ("train", "qa", "--model", "evidence_ranker", "--data", "sample", "--out", "runs/trained")),
]  # fmt: skip

# Commands that run once in words and once with --json.
WITH_AND_WITHOUT_JSON = [
    ("compare", "runs/tfidf", "runs/bm25"),
    ("compare", "runs/tfidf", "runs/bm25", "--primary-metric", "f1"),
    ("plan", "runs/tfidf", "runs/bm25", "--detect", "5"),
    ("plan", "runs/tfidf", "runs/bm25", "--detect", "5", "--comparisons", "3"),
    ("verify", "runs/tfidf"),
    ("verify", "runs/ablation"),
    ("verify", "runs/versus"),
    ("outputs", "runs/tfidf"),
    ("blame", "runs/bm25"),
    ("blame", "runs/tfidf", "runs/bm25"),
    ("runs", "runs"),
    ("show", "runs/bm25"),
    ("lengths", "qa", "--data", "sample"),
    ("lengths", "hotpotqa", "--data", "REAL/hotpotqa/hotpot_distractor_80.jsonl"),
    ("spread", "narrativeqa", "--data", "sample"),
    ("agreement", "qa", "--data", "sample"),
    ("agreement", "zero_scrolls/squality", "--data", "REAL/squality", "--split", "validation"),
    ("published", "scrolls/qmsum"),
    ("published", "muld"),
    ("benchmark", "muld", "runs/muld"),
    ("tasks",),
    ("tasks", "narrativeqa"),
    ("components",),
    ("components", "retriever"),
    ("components", "bm25"),
    ("evidence", "qa", "--data", "sample", "--retriever", "tfidf", "--select", "100"),
    ("cost", "REAL/vlsp/0704.2963v1.main.txt", "--questions", "4", "--select", "300", "--model", "extractive"),
    ("run", "qa", *QA, "--retriever", "bm25", "--dry-run"),
    ("ablate", "qa", *QA, "--retriever", "tfidf,bm25", "--dry-run"),
    ("versus", "qa", *QA, "--retriever", "bm25", "--select", "50", "--dry-run"),
    ("ask", "REAL/vlsp/0704.2963v1.main.txt", "What is investigated?", "-k", "3"),
    ("prompt", "qa", "sample-01", *QA),
]
FORMATS = ("html", "md", "tex", "csv", "json")
REPORTED = ("tfidf", "bm25", "ablation", "versus", "evidence")
OTHER = [
    *[("report", f"runs/{run}", "--out", f"reports/{run}.{format}") for run in REPORTED for format in FORMATS],
    *[("report", "runs/tfidf", "runs/bm25", "--out", f"reports/two.{format}") for format in FORMATS],
    ("report", "runs/bm25"),
    ("benchmark", "muld", "runs/muld", "--out", "reports/muld.html"),
    ("benchmark", "muld", "runs/muld", "--out", "reports/muld.tex"),
    ("export", "runs/bm25", "--to", "inspect", "--out", "reports/bm25.json"),
    ("build", "style_mix", "REAL/none.jsonl", "--out", "reports/mix"),
    ("score", "f1", "REAL/none.jsonl", "REAL/none.jsonl"),
]
ERRORS = [
    ("run", "narativeqa"), ("run", "qa", *QA, "--retriever", "bm52"), ("run", "qa", *QA, "--chunker", "tokens:sise=3"),
    ("run", "qa", *QA, "-k", "0"), ("run", "qa", "--data", "missing.jsonl"), ("runz",), ("show", "runs/none"),
    ("compare", "runs/tfidf", "runs/narrativeqa"), ("run", "qa", *QA, "--select", "3", "-k", "2"), (),
]  # fmt: skip


def cases() -> list[Case]:
    """All commands, in their order."""
    in_words = [Case(" ".join(words), words) for words in WITH_AND_WITHOUT_JSON]
    in_json = [Case(f"{' '.join(words)} --json", (*words, "--json")) for words in WITH_AND_WITHOUT_JSON]
    rest = [Case(" ".join(words) or "no command", words) for words in (*OTHER, *ERRORS)]
    return [*RUNS, *in_words, *in_json, *rest]
