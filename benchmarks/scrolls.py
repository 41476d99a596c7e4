"""Every task of SCROLLS and ZeroSCROLLS end to end, and truncation compared with retrieval.

Original release → builder → zip in the published layout → loader → runs → scores → submission → check. The readers need
no download; truncation and retrieval in a row have the same reader and the same number of words to read.

Run: python -m benchmarks.scrolls (LONGDOC_REALDATA)
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pipelines
from benchmarks.results import INTERVALS_NOTE, publish, realdata, run_score, table
from pipelines.tasks import get

WORDS = 512
TRUNCATED: dict[str, Any] = {"chunker": f"truncate:{WORDS}", "retriever": "all"}
RETRIEVED: dict[str, Any] = {"chunker": "tokens:size=64", "retriever": "tfidf", "k": WORDS // 64, "order": "document"}
CENTRAL = {**RETRIEVED, "query": "centroid"}
LARGEST = {"chunker": "truncate:16384", "retriever": "all"}
ENTIRE = {"chunker": "whole", "retriever": "all"}
SOURCES = {  # folder of the real data, and the reader
    "scrolls/gov_report": ("gov_report", "lead"),
    "scrolls/summ_screen_fd": ("summ_screen", "lead"),
    "scrolls/qmsum": ("qmsum", "textrank"),
    "scrolls/qasper": ("qasper", "extractive"),
    "scrolls/narrative_qa": ("narrativeqa", "extractive"),
    "scrolls/quality": ("quality", "choices"),
    "scrolls/contract_nli": ("contract_nli", "constant:Entailment"),
    "zero_scrolls/gov_report": ("gov_report", "lead"),
    "zero_scrolls/summ_screen_fd": ("summ_screen", "lead"),
    "zero_scrolls/qmsum": ("qmsum", "textrank"),
    "zero_scrolls/squality": ("squality/dev.jsonl", "textrank"),
    "zero_scrolls/qasper": ("qasper", "extractive"),
    "zero_scrolls/narrative_qa": ("narrativeqa", "extractive"),
    "zero_scrolls/quality": ("quality", "choices"),
    "zero_scrolls/musique": ("musique", "extractive"),
    "zero_scrolls/space_digest": ("space_digest/reviews.jsonl", "constant:50%"),
    "zero_scrolls/book_sum_sort": ("booksum_sort", "order"),
}
COMMANDS = f"""Commands, TASK and READER as in the row, ORIGINAL the release's files:

- form: `longdoc data build scrolls:task=NAME ORIGINAL --out FORM` (`zero_scrolls:task=NAME` likewise)
- first {WORDS} words: `longdoc run TASK --data FORM --model READER --chunker truncate:{WORDS} --retriever all`
- {WORDS} words by tfidf: `… --chunker tokens:size=64 --retriever tfidf --k {WORDS // 64} --order document`, and
  `--query centroid` where nothing is asked
- first 16,384 words: `… --chunker truncate:16384 --retriever all`; `--chunker whole` for reviews and summaries
- submission: `longdoc benchmark submit scrolls RUN … --out FOLDER --data FORM`, then with `--check FOLDER/…csv`

`lead` and `textrank` write as many words as the task allows and they may read, so a longer input gives a longer output,
which costs ROUGE where references are short. Scores of validation data and of a few documents are no benchmark scores.
{INTERVALS_NOTE}
"""
FIELDS = {"zero_scrolls/musique": {"unanswerable": 0}}
LABELLED = {
    "qmsum": "validation",
    "squality": "validation",
    "quality": "validation",
}  # without a test split
WHOLE = {"zero_scrolls/space_digest", "zero_scrolls/book_sum_sort"}  # not answerable from a part of the document
HEAD = ["task", "reader", "score", f"first {WORDS} words", f"{WORDS} words by tfidf", "first 16,384 words"]
HEAD += ["examples", "documents"]


def build(task: str, folder: Path, workspace: Path) -> tuple[Path, str]:
    """The task in the published format, and the split with all rows."""
    benchmark, _, name = task.partition("/")
    source = folder / SOURCES[task][0]
    fields = {"task": name, **FIELDS.get(task, {})}
    if benchmark == "zero_scrolls" and name in LABELLED:
        fields["split"] = LABELLED[name]
    out = workspace / benchmark / name
    built = pipelines.build(benchmark, source, out=out, **fields)
    return out, max(built.manifest["files"].items(), key=lambda item: item[1]["rows"])[0]


def rows(folder: Path, workspace: Path) -> Iterator[tuple[str, list[str], Path, float]]:
    """For every task its row of the table, the folder of the run to submit, and its score."""
    for task, (_, reader) in SOURCES.items():
        data, split = build(task, folder, workspace)
        split = Path(split).stem
        has_query = get(task).dataset.has_query
        ways = [TRUNCATED, RETRIEVED if has_query else CENTRAL, ENTIRE if task in WHOLE else LARGEST]
        scores, result = [], None
        for number, way in enumerate(ways):
            if task in WHOLE and number < 2:
                scores.append("")
                continue
            out = workspace / "runs" / task / str(number)
            result = pipelines.run(task, data=data, split=split, model=reader, out=out, **way)
            scores.append(run_score(result.folder, main_score(result.scores)[0]))
        assert result is not None
        name, value = main_score(result.scores)
        yield task, [task, reader, name, *scores, str(result.examples), str(result.documents)], result.folder, value


def main_score(scores: Any) -> tuple[str, float]:
    """The name and value of the benchmark's score of a task."""
    name = "geometric_mean" if "geometric_mean" in scores else next(iter(scores))
    return name, scores[name]


def submission_check(benchmark: str, runs: list[Path], workspace: Path) -> str:
    """Write a benchmark's submission of these runs, and return the result of checking it."""
    data = {f"{benchmark}/{path.parent.name}": workspace / benchmark / path.parent.name for path in runs}
    submission = pipelines.submit(benchmark, runs, out=workspace / f"{benchmark}-submission", data=data)
    split = "validation" if benchmark == "scrolls" else "test"
    check = pipelines.check_submission(submission.folder / f"{benchmark}_predictions.csv", data=data, split=split)
    return "\n".join(["    " + line for line in str(check).splitlines()])


def main() -> None:
    folder = realdata()
    if folder is None:
        sys.exit("the real examples are missing: set LONGDOC_REALDATA to their folder")
    with tempfile.TemporaryDirectory() as name:
        workspace = Path(name)
        table_rows = list(rows(folder, workspace))
        parts = [COMMANDS, table(HEAD, [row for _, row, _, _ in table_rows])]
        for benchmark in ("scrolls", "zero_scrolls"):
            rows_of_benchmark = [row for row in table_rows if row[0].startswith(f"{benchmark}/")]
            runs = [path for _, _, path, _ in rows_of_benchmark]
            parts.append(submission_check(benchmark, runs, workspace).replace(str(workspace) + "/", ""))
            mean = fmean(value for *_, value in rows_of_benchmark)
            parts.append(f"{benchmark}, the mean of the last column: {mean:.2f}")
    publish("scrolls", "\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
