"""Whether a chat model that answers rightly, in the form that its prompt asks for, gets the score of a right answer.

Behind a local server (`benchmarks.small_server`) stands a model that knows the gold answers and follows the prompt's
words and nothing else (`benchmarks.rule_follower`). Each task is run with its own recipe and the words that chat models
get by default: MuLD, without the films' translation, SCROLLS and ZeroSCROLLS. The main score is held against that of
the gold answers given as predictions; then the same answers are written sloppily.

Run: python -m benchmarks.chat [TASK …] (LONGDOC_REALDATA); the rows of some tasks are printed alone.
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import publish, realdata, table, use_fp32
from benchmarks.rule_follower import STYLES, RuleFollower
from benchmarks.scrolls import SOURCES, build, main_score
from benchmarks.small_server import serving
from benchmarks.style_documents import mixed
from pipelines import metrics, sources
from pipelines.engine.planning.plan import make_plan
from pipelines.records import Example
from pipelines.tasks import Task, get

EXAMPLES = 20  # of a task at most, evenly spaced
TOKENS = 8_192  # of a prompt; the document is cut where it does not fit
THOUGHT = "The passage about it is near the end. They want it in a certain form, so I look at that again."
SLOPPY = (*(style for style in STYLES if style != "exact"), "thinking")
HEAD = ["task", "rows", "score", "examples", "gold", "exact", "difference", *SLOPPY]
PUBLISHED = ("gov_report", "qasper", "qmsum", "quality")  # tasks of ZeroSCROLLS of which there are published rows
MULD = {  # within the folder of real data
    "narrativeqa": "narrativeqa",
    "hotpotqa": "hotpotqa/hotpot_distractor_80.jsonl",
    "character_types": "character_archetype",
    "vlsp": "vlsp",
}
WHY = {
    **dict.fromkeys(
        ("vlsp", "vlsp, strategy stuff, max_new_tokens 1024"),
        "its words ask for an abstract of at most 220 words, and some of the papers' own have more",
    ),
    "zero_scrolls/squality": "the published length of an answer, 512 tokens, cuts the longest references, of 500 words",
}
ABOUT = f"""A server that knows the gold answers and writes them as the prompt asks, in the words that chat models get
by default. Score: the task's first one, of ROUGE the geometric mean. gold: of the first reference given as the
prediction. exact: of the answers as the prompt asks for them. The other columns are points lost when the same answers
come in bold type, in a sentence around them ("The answer is …"), in lower case with a full stop, below a line ("Sure!
Here is …"), as JSON, or behind thinking in `<think>`. Closed answers (labels, letters, authors) are found in a reply
where the wording is ours. Free text, and ZeroSCROLLS' replies, are scored as they come, as published: words around an
answer cost precision, most where answers are short. ZeroSCROLLS' choice scorer wants a capital letter, in the 10 tokens
that a reply may have.

At most {EXAMPLES} examples a task, evenly spaced; prompts of at most {TOKENS:,} tokens. Rows: the benchmark's own
(published), files of the original release (original), made of these by `longdoc data build` (built), or documents mixed
of stories (`benchmarks.style_change`). No published rows are here of SCROLLS and of six tasks of ZeroSCROLLS
(summ_screen_fd, squality, narrative_qa, musique, space_digest, book_sum_sort): theirs are built."""


@dataclass(frozen=True)
class Case:
    """A task, the origin of its rows, its examples, and options other than those of its recipe."""

    task: str
    origin: str
    examples: Sequence[Example]
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The task, with the other options."""
        return ", ".join((self.task, *(f"{key} {value}" for key, value in self.options.items())))


def cases(folder: Path, workspace: Path, names: Sequence[str]) -> Iterator[Case]:
    """The cases of the tasks with these names, or of all."""
    for name in ("narrativeqa", "hotpotqa", "style_change", "character_types", "vlsp", *SOURCES):
        if names and name not in names:
            continue
        task = get(name)
        if name == "style_change":
            yield Case(name, "mixed of stories", load(task, mixed(folder, workspace), "test"))
        elif name in MULD:
            yield Case(name, "original", examples := load(task, folder / MULD[name], task.split))
            if name == "vlsp":
                yield Case(name, "original", examples, {"strategy": "stuff", "max_new_tokens": 1_024})
        elif name.startswith("zero_scrolls/") and name.partition("/")[2] in PUBLISHED:
            file = folder / "zero_scrolls_published" / f"{name.partition('/')[2]}.jsonl"
            yield Case(name, "published", load(task, file, "validation"))
        else:
            data, split = build(name, folder, workspace)
            yield Case(name, "built", load(task, data, Path(split).stem))


def load(task: Task, data: Path, split: str) -> list[Example]:
    """Examples of a split that have references: at most `EXAMPLES`, evenly spaced."""
    examples = [e for e in sources.load(task.name, task.dataset, data, split).examples() if e.references]
    return examples[:: -(-len(examples) // EXAMPLES)]


def gold_score(case: Case, metric: str) -> float:
    """The score of the first reference given as the prediction."""
    measure = metrics.get(metric)
    measure.prepare()
    rows = [measure.statistics(example.references[0], example) for example in case.examples]
    return main_score(measure.aggregate(rows))[1]


def style_score(case: Case, style: str, metric: str, folder: Path) -> float:
    """The score of a run whose model answers in a style."""
    form, thought = ("think", THOUGHT) if style == "thinking" else (None, "")
    follower = RuleFollower(case.examples, "exact" if style == "thinking" else style)
    with serving(follower, form, thought, cuts=True) as url:
        model: dict[str, Any] = {
            "name": "openai", "model": "rule_follower", "base_url": url, "max_input_tokens": TOKENS
        }  # fmt: skip
        model |= {"thinking": 64} if form else {}
        settings = {"data": list(case.examples), "model": model, "metrics": [metric]}
        follower.parts = parts(case, settings)
        result = pipelines.run(case.task, **settings, **case.options, out=folder / style, report=False)
    return main_score(result.scores)[1]


def parts(case: Case, settings: Mapping[str, Any]) -> dict[str, list[str]]:
    """The parts that a run asks about one by one, by document; empty where it shows whole documents."""
    plan = make_plan(case.task, **settings, **case.options, seed=0)
    documents = [example.document for example in case.examples] if plan.strategy.by_part else []
    return {document.id: [chunk.text for chunk in plan.chunker.split(document.text)] for document in documents}


def row(case: Case) -> tuple[list[str], float]:
    """A row of the table, and the difference between the exact style and gold."""
    metric = get(case.task).metrics[0]
    gold = gold_score(case, metric)
    with tempfile.TemporaryDirectory() as folder:
        exact, *sloppy = (style_score(case, style, metric, Path(folder)) for style in ("exact", *SLOPPY))
    losses = [f"{round(exact - score, 1) + 0.0:.1f}" for score in sloppy]
    scores = [f"{gold:.2f}", f"{exact:.2f}", f"{exact - gold:+.2f}"]
    return [case.name, case.origin, metric.partition(":")[0], str(len(case.examples)), *scores, *losses], exact - gold


def main(names: Sequence[str]) -> None:
    use_fp32()
    folder = realdata()
    if folder is None:
        sys.exit("the real examples are missing: set LONGDOC_REALDATA to their folder")
    os.environ.setdefault("OPENAI_API_KEY", "none")  # the server asks for none
    os.environ["NO_PROXY"] = "127.0.0.1"
    rows, far_from_gold = [], []
    with tempfile.TemporaryDirectory() as name:
        for case in cases(folder, Path(name), names):
            line, difference = row(case)
            rows.append(line)
            if abs(difference) > 1:
                far_from_gold.append(f"- {case.name}: {WHY.get(case.name, 'not explained')}")
    differences = "\n".join(far_from_gold or ["- none"])
    text = f"{ABOUT}\n\n{table(HEAD, rows)}\n\nMore than a point from gold:\n\n{differences}"
    print(text) if names else publish("chat", text)


if __name__ == "__main__":
    main(sys.argv[1:])
