"""`ask` without a model: how often what leads has the answer, over one folder of all paragraphs of a data set.

Each paragraph is a file, named by its title. Questions that are answered by yes or no are left out. Before, the
reader's output led (`extractive` over the recipe of the task `qa`); now the best sentence leads. An answer counts where
its words follow one another, as in `answer_recall`. `short_answers` shows why nothing shorter leads.
"""

import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pipelines
from benchmarks import short_answers
from benchmarks.results import publish, realdata, table
from models.baselines.extractive import Extractive
from models.prompts import Prompt
from models.requests import Generate
from models.word_reader import GeneratingWordReader
from pipelines.metrics.answer_recall import AnswerRecall
from pipelines.records import Document, Example

Row = tuple[str, Sequence[str], Sequence[tuple[str, str]]]  # question, answers, (title, text) of its paragraphs
BEFORE: Mapping[str, Any] = {"chunker": "tokens:size=200", "retriever": "tfidf"}
PLACES = ("what leads", "first passage", "all passages")


@dataclass(frozen=True)
class Headline(GeneratingWordReader):
    """The output of `extractive`, and nothing else."""

    max_input_tokens: int | None = None

    def outputs(self, prompt: Prompt, request: Generate) -> Sequence[str]:
        """The outputs of `extractive`."""
        return Extractive().outputs(prompt, request)


def hotpotqa(file: Path) -> Iterator[Row]:
    """HotpotQA's rows, in the original layout or in that of the hub."""
    text = file.read_text(encoding="utf-8")
    for row in json.loads(text) if text.startswith("[") else map(json.loads, text.splitlines()):
        context = row["context"]
        pairs = context if isinstance(context, list) else zip(context["title"], context["sentences"], strict=True)
        yield row["question"], [row["answer"]], [(title, "".join(sentences)) for title, sentences in pairs]


def musique(file: Path) -> Iterator[Row]:
    """MuSiQue's rows."""
    for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        paragraphs = [(one["title"], one["paragraph_text"]) for one in row["paragraphs"]]
        yield row["question"], [row["answer"], *row["answer_aliases"]], paragraphs


def write(rows: Iterable[Row], folder: Path) -> int:
    """Write a file for each paragraph, named by its title, and return their number.

    Further texts with the same title get a number in their name.
    """
    texts_by_name: dict[str, list[str]] = {}
    for _, _, paragraphs in rows:
        for title, text in paragraphs:
            name = re.sub(r"[^\w (),.&'-]", "_", title.strip())[:100]
            texts = texts_by_name.setdefault(name, [])
            if text in texts:
                continue
            texts.append(text)
            suffix = f" {len(texts)}" if len(texts) > 1 else ""
            (folder / f"{name}{suffix}.txt").write_text(f"{text.strip()}\n", encoding="utf-8")
    return sum(map(len, texts_by_name.values()))


def hits(rows: Sequence[Row], folder: Path, **arguments: Any) -> list[int]:
    """How many questions have their answer in what leads, in the first passage, and in any passage."""
    index = pipelines.index(folder, **arguments)
    counts = [0, 0, 0]
    for question, answers, _ in rows:
        answer = index.ask(question)
        passages = [passage.text for passage in answer.passages]
        leads = [answer.text, *([answer.best_sentence.text] if answer.best_sentence else [])]
        for place, texts in enumerate((leads, passages[:1], passages)):
            counts[place] += any(_holds(text, answers) for text in texts)
    return counts


def without_yes_or_no(rows: Iterable[Row]) -> list[Row]:
    """The rows whose questions are not answered by yes or no."""
    return [row for row in rows if not {"yes", "no"} & set(row[1])]


def _holds(text: str, answers: Sequence[str]) -> bool:
    example = Example("", Document("", ""), references=tuple(answers))
    return AnswerRecall().statistics(text, example)["answer_recall"] > 0


def main() -> None:
    data = realdata()
    if data is None:
        raise SystemExit("there is no folder of real examples: set LONGDOC_REALDATA")
    sets = {
        "HotpotQA, 80 rows": list(hotpotqa(data / "hotpotqa" / "hotpot_distractor_80.jsonl")),
        "HotpotQA, 100 rows": list(hotpotqa(data / "hotpotqa" / "meve_hotpot_dev_distractor_100.json")),
        "MuSiQue, 80 rows": list(musique(data / "musique" / "musique_80.jsonl")),
    }
    lines = []
    for name, rows in sets.items():
        with tempfile.TemporaryDirectory() as folder:
            files, questions = write(rows, Path(folder)), without_yes_or_no(rows)
            before = hits(questions, Path(folder), model=Headline(), **BEFORE)
            now = hits(questions, Path(folder))
        for place, old, new in zip(PLACES, before, now, strict=True):
            times = f"{new / old:.2f}" if old else "–"
            lines.append([f"{name}: {place}", str(files), str(len(questions)), str(old), str(new), times])
    head = ["answer in", "files", "questions", "before", "now", "times"]
    text = (
        "Questions that have their answer in what leads, in the first passage, and in the ten passages; without a "
        "model, over one folder of all paragraphs.\n\n"
        f"{table(head, lines)}\n\n"
        "Before: reader `extractive`, chunker `tokens:size=200`, retriever `tfidf`. Now: the defaults of `ask`. These "
        "are no held-out figures: the numbers of the sentence's score were fitted and rounded on these questions, "
        f"among others.\n\n{short_answers.section(data, Headline())}"
    )
    publish("ask", text)


if __name__ == "__main__":
    main()
