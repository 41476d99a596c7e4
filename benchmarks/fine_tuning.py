"""Whether each recipe can memorize a small real data set on a CPU: a T5 from scratch, and MiniLM with new heads.

Each case is trained by `pipelines.train` with the training examples themselves as validation split (in reverse order),
and answers them again by `pipelines.run`: that shows whether the recipe fits its training data, not how good the reader
is. So it also answers examples of every third document, which are held out: a training example that shares a text with
them (a Wikipedia page, a contract, a paragraph) is left out. The losses are the means of the first and the last epoch.

Needs LONGDOC_REALDATA and the extra `embedded`. Run: python -m benchmarks.fine_tuning
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pipelines
from benchmarks.results import publish, realdata, table
from models.neural.shared.gold_spans import gold
from pipelines.metrics.shared.words import normalize

Row = dict[str, Any]
SPECIAL = ["<pad>", "</s>", "<unk>"]
BASE = {"warmup": 0.05, "patience": None}


@dataclass(frozen=True, slots=True)
class Case:
    """A reader to train, its training rows and held-out rows (field `key` is the answer), arguments and recipe."""

    name: str
    task: str
    model: Callable[[Path, Sequence[Row]], Any]
    rows: Callable[[Path], tuple[list[Row], list[Row]]]
    key: str
    arguments: Mapping[str, Any]
    recipe: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fit:
    """`seconds` of training, the mean training loss of the first and the last epoch, and exact matches.

    `exact` is the percentage of the training examples answered exactly, `others` that of `unseen` held-out examples.
    """

    examples: int
    seconds: float
    first: float
    last: float
    exact: float
    unseen: int
    others: float


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row made from a document, and the texts it contains, which other documents may share."""

    document: str
    texts: frozenset[str]
    row: Row


def trained(case: Case, folder: Path, real: Path) -> Fit:
    """Train the case in a folder, and evaluate it on its training rows and on held-out rows."""
    rows, others = case.rows(real)
    data = folder / "data"
    data.mkdir(parents=True)
    for split, ordered in (("train", rows), ("validation", rows[::-1]), ("test", others)):
        (data / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ordered), encoding="utf-8")
    arguments = {"data": data, "device": "cpu", **case.arguments}
    model = case.model(folder, rows)
    training = pipelines.train(case.task, model=model, out=folder / "out", **arguments, **BASE, **case.recipe)
    losses = [row["loss"] for row in training.metrics["history"] if "loss" in row]
    exact = [_exact(case, folder, split, part, arguments) for split, part in (("train", rows), ("test", others))]
    return Fit(len(rows), training.seconds, losses[0], losses[-1], exact[0], len(others), exact[1])


def _exact(case: Case, folder: Path, split: str, rows: Sequence[Row], arguments: Mapping[str, Any]) -> float:
    result = pipelines.run(case.task, split=split, model=str(folder / "out"), out=folder / f"run-{split}", **arguments)
    outputs = [prediction.prediction for prediction in result.predictions]
    matches = sum(normalize(one) == normalize(str(row[case.key])) for one, row in zip(outputs, rows, strict=True))
    return 100 * matches / len(rows)


def held_out(rows: Sequence[SourceRow]) -> tuple[list[Row], list[Row]]:
    """Training rows, and the rows of every third document; no training row shares a text with those."""
    documents = list(dict.fromkeys(one.document for one in rows))
    test = set(documents[2::3])
    texts = {text for one in rows if one.document in test for text in one.texts}
    train = [one.row for one in rows if one.document not in test and not one.texts & texts]
    return train, [one.row for one in rows if one.document in test]


def answers(real: Path, count: int, sentences: bool) -> tuple[list[Row], list[Row]]:
    """HotpotQA's questions whose answer occurs in the supporting sentences (or paragraphs), the shortest ones."""
    rows = []
    for line in (real / "hotpotqa" / "hotpot_distractor_80.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        facts = {(title, number) for title, number in question["supporting_facts"]}
        titles = {title for title, _ in facts}
        sentence_texts = [
            sentence.strip()
            for title, sentences_of_page in question["context"]
            for number, sentence in enumerate(sentences_of_page)
            if ((title, number) in facts if sentences else title in titles)
        ]
        text = " ".join(sentence_texts)
        if gold([text], [question["answer"]]):
            row = {
                "id": question["_id"],
                "document": text,
                "question": question["question"],
                "answer": question["answer"],
            }
            rows.append(SourceRow(question["_id"], frozenset(titles), row))
    train, test = held_out(rows)
    return _shortest(train, count, "document"), _shortest(test, count // 2, "document")


def hypotheses(real: Path, each: int) -> tuple[list[Row], list[Row]]:
    """ContractNLI's hypotheses, each with its evidence; those that are not mentioned with another's evidence."""
    data = json.loads((real / "contract_nli" / "dev.json").read_text(encoding="utf-8"))
    rows = []
    for contract in data["documents"]:
        notes = contract["annotation_sets"][0]["annotations"]
        evidence = {name: note["spans"] for name, note in notes.items() if note["spans"]}
        for number, (name, note) in enumerate(notes.items()):
            spans = note["spans"] or list(evidence.values())[number % len(evidence)]
            text = " ".join(contract["text"][slice(*contract["spans"][span])].strip() for span in spans)
            row = {"id": f"{contract['id']}-{name}", "document": f"{data['labels'][name]['hypothesis']}\n{text}"}
            rows.append(SourceRow(str(contract["id"]), frozenset((text,)), {**row, "label": note["choice"]}))
    train, test = held_out(rows)
    return _balanced(train, each, "label", "document"), _balanced(test, each // 2, "label", "document")


def neighbours(real: Path, each: int) -> tuple[list[Row], list[Row]]:
    """PAN's pairs of neighbouring paragraphs, easy and hard, as many by one author as by two."""
    train: list[Row] = []
    test: list[Row] = []
    for kind in ("easy", "hard"):
        some, others = held_out(list(_neighbouring(real / "style_change" / f"pan23_{kind}")))
        train += _balanced(some, each // 2, "output", "input")
        test += _balanced(others, each // 4, "output", "input")
    return train, test


def _neighbouring(folder: Path) -> Iterator[SourceRow]:
    for path in sorted(folder.glob("problem-*.txt")):
        lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        changes = json.loads(path.with_name(f"truth-{path.stem}.json").read_text(encoding="utf-8"))["changes"]
        if len(changes) == len(lines) - 1:
            for first, second, change in zip(lines, lines[1:], changes, strict=False):
                row = {"input": f"{first}\n{second}", "output": f"1,{1 + change}"}
                yield SourceRow(path.stem, frozenset((first.strip(), second.strip())), row)


def _balanced(rows: Sequence[Row], each: int, label: str, key: str) -> list[Row]:
    """The shortest rows of each label."""
    by_label: dict[str, list[Row]] = {}
    for row in rows:
        by_label.setdefault(row[label], []).append(row)
    return [row for name in sorted(by_label) for row in _shortest(by_label[name], each, key)]


def _shortest(rows: Sequence[Row], count: int, key: str) -> list[Row]:
    return sorted(rows, key=lambda row: len(row[key]))[:count]


def scratch(folder: Path, rows: Sequence[Row]) -> str:
    """A T5 with random weights, 2 layers of 128 units on each side, and a tokenizer trained on the rows."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=2_000, special_tokens=SPECIAL, show_progress=False)
    tokenizer.train_from_iterator([str(row[key]) for row in rows for key in sorted(row)], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    torch.manual_seed(0)
    settings = {"d_model": 128, "d_kv": 32, "d_ff": 512, "num_layers": 2, "num_heads": 4, "n_positions": 512}
    settings |= {"vocab_size": tokenizer.get_vocab_size(), "decoder_start_token_id": 0}
    config = T5Config(**settings, dropout_rate=0.0)
    T5ForConditionalGeneration(config).save_pretrained(folder / "t5")
    tokenizer.save(str(folder / "t5" / "tokenizer.json"))
    return f"seq2seq:{folder / 't5'}"


def minilm(kind: str) -> Callable[[Path, Sequence[Row]], str]:
    """MiniLM as a reader of the given kind."""
    return lambda folder, rows: f"{kind}:minilm"


WHOLE = {"chunker": "whole", "retriever": "all"}
CASES = (
    Case(
        "T5 from scratch, HotpotQA",
        "qa",
        scratch,
        lambda real: answers(real, 24, sentences=True),
        "answer",
        WHOLE,
        {"epochs": 60, "learning_rate": 2e-3, "batch_size": 8},
    ),
    Case(
        "sequence_classifier:minilm, ContractNLI",
        "classify",
        minilm("sequence_classifier"),
        lambda real: hypotheses(real, 16),
        "label",
        {},
        {"epochs": 12, "learning_rate": 2e-4, "batch_size": 8},
    ),
    Case(
        "cross_encoder:minilm, PAN 2023, easy and hard",
        "style_change",
        minilm("cross_encoder"),
        lambda real: neighbours(real, 24),
        "output",
        {},
        {"epochs": 10, "learning_rate": 2e-4, "batch_size": 8, "pairs": 48},
    ),
    Case(
        "span_extractor:minilm, HotpotQA",
        "qa",
        minilm("span_extractor"),
        lambda real: answers(real, 32, sentences=False),
        "answer",
        WHOLE,
        {"epochs": 9, "learning_rate": 2e-4, "batch_size": 4},
    ),
)


def main() -> None:
    real = realdata()
    if real is None:
        raise SystemExit("benchmarks.fine_tuning needs LONGDOC_REALDATA, the folder of real examples")
    load = os.getloadavg()[0]
    rows = []
    for case in CASES:
        with tempfile.TemporaryDirectory() as name:
            fit = trained(case, Path(name), real)
        measured = (f"{fit.seconds:.0f}", f"{fit.first:.3f}", f"{fit.last:.3f}", f"{fit.exact:.1f}")
        row = [case.name, str(fit.examples), str(case.recipe["epochs"]), *measured]
        rows.append([*row, str(fit.unseen), f"{fit.others:.1f}"])
    head = ["reader, data", "examples", "passes", "seconds", "loss of the first pass", "of the last", "memorized"]
    text = (
        "Each reader is trained on few examples until it has memorized them, on the CPU, and then answers them again; "
        "the examples themselves are the validation split. The share memorized shows that the recipe fits its training "
        "data, not how good the reader is: that is what its answers on other documents show (no text of theirs is in a "
        "training example; guessing gives 33.3 and 50.0 for ContractNLI's three labels and PAN's two, which are "
        "equally frequent). "
        f"The machine's load before was {load:.1f}: other work slows this.\n\n"
    )
    publish("fine_tuning", text + table([*head, "others", "exact match"], rows) + "\n")


if __name__ == "__main__":
    main()
