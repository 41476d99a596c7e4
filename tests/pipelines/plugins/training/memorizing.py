"""Small sets of real examples to memorize: by a T5 from scratch, and by MiniLM with new heads.

Each case is trained by `pipelines.train` with the training examples themselves as validation split (in reverse order),
and answers them again by `pipelines.run`. The losses are the means of the first and the last epoch.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pipelines
from models import with_fields
from models.neural.shared.gold_spans import gold_span
from pipelines.metrics.shared.words import normalize

Row = dict[str, Any]
SPECIAL = ["<pad>", "</s>", "<unk>"]
BASE = {"warmup": 0.05, "patience": None}


@dataclass(frozen=True, slots=True)
class Case:
    """A reader to train, its rows (field `key` is the answer), arguments and recipe."""

    name: str
    task: str
    model: Callable[[Path, Sequence[Row]], Any]
    rows: Callable[[Path], list[Row]]
    key: str
    arguments: Mapping[str, Any]
    recipe: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fit:
    """The mean training loss of the first and the last epoch, and the percentage of examples answered exactly."""

    first: float
    last: float
    exact: float


def train_and_evaluate(case: Case, folder: Path, real: Path) -> Fit:
    """Train the case in a folder, and evaluate it on its training rows."""
    rows = case.rows(real)
    data = folder / "data"
    data.mkdir(parents=True)
    for split, ordered in (("train", rows), ("validation", rows[::-1])):
        (data / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ordered), encoding="utf-8")
    arguments = {"data": data, **case.arguments}
    model = with_fields(case.model(folder, rows), {"device": "cpu"})
    training = pipelines.train(case.task, model=model, out=folder / "out", **arguments, **BASE, **case.recipe)
    losses = [row["loss"] for row in training.metrics["history"] if "loss" in row]
    model = f"{folder / 'out'},device=cpu"
    result = pipelines.run(case.task, split="train", model=model, out=folder / "run", **arguments)
    outputs = [prediction.prediction for prediction in result.predictions]
    matches = sum(normalize(one) == normalize(str(row[case.key])) for one, row in zip(outputs, rows, strict=True))
    return Fit(losses[0], losses[-1], 100 * matches / len(rows))


def answers(real: Path, count: int, sentences: bool) -> list[Row]:
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
        if gold_span([text], [question["answer"]]):
            row = {"id": question["_id"], "document": text}
            rows.append({**row, "question": question["question"], "answer": question["answer"]})
    return _shortest(rows, count, "document")


def hypotheses(real: Path, each: int) -> list[Row]:
    """ContractNLI's hypotheses, each with its evidence; those that are not mentioned with another's evidence."""
    data = json.loads((real / "contract_nli" / "dev.json").read_text(encoding="utf-8"))
    rows = []
    for contract in data["documents"]:
        annotations = contract["annotation_sets"][0]["annotations"]
        evidence = {name: note["spans"] for name, note in annotations.items() if note["spans"]}
        for number, (name, note) in enumerate(annotations.items()):
            spans = note["spans"] or list(evidence.values())[number % len(evidence)]
            text = " ".join(contract["text"][slice(*contract["spans"][span])].strip() for span in spans)
            row = {"id": f"{contract['id']}-{name}", "document": f"{data['labels'][name]['hypothesis']}\n{text}"}
            rows.append({**row, "label": note["choice"]})
    return _balanced(rows, each, "label", "document")


def neighbours(real: Path, each: int) -> list[Row]:
    """PAN's pairs of neighbouring paragraphs, easy and hard, as many by one author as by two."""
    folders = (real / "style_change" / f"pan23_{kind}" for kind in ("easy", "hard"))
    return [row for folder in folders for row in _balanced(list(_neighbouring(folder)), each // 2, "output", "input")]


def _neighbouring(folder: Path) -> Iterator[Row]:
    for path in sorted(folder.glob("problem-*.txt")):
        lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        changes = json.loads(path.with_name(f"truth-{path.stem}.json").read_text(encoding="utf-8"))["changes"]
        if len(changes) == len(lines) - 1:
            for first, second, change in zip(lines, lines[1:], changes, strict=False):
                yield {"input": f"{first}\n{second}", "output": f"1,{1 + change}"}


def _balanced(rows: Sequence[Row], each: int, label: str, key: str) -> list[Row]:
    """The shortest rows of each label."""
    by_label: dict[str, list[Row]] = {}
    for row in rows:
        by_label.setdefault(row[label], []).append(row)
    return [row for name in sorted(by_label) for row in _shortest(by_label[name], each, key)]


def _shortest(rows: Sequence[Row], count: int, key: str) -> list[Row]:
    return sorted(rows, key=lambda row: len(row[key]))[:count]


def untrained_t5(folder: Path, rows: Sequence[Row]) -> str:
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


def minilm_reader(kind: str) -> Callable[[Path, Sequence[Row]], str]:
    """MiniLM as a reader of the given kind."""
    return lambda folder, rows: f"{kind}:minilm"


WHOLE = {"chunker": "whole", "retriever": "all"}
CASES = (
    Case(
        "T5 from scratch, HotpotQA",
        "qa",
        untrained_t5,
        lambda real: answers(real, 24, sentences=True),
        "answer",
        WHOLE,
        {"epochs": 60, "learning_rate": 2e-3, "batch_size": 8},
    ),
    Case(
        "sequence_classifier:minilm, ContractNLI",
        "classify",
        minilm_reader("sequence_classifier"),
        lambda real: hypotheses(real, 16),
        "label",
        {},
        {"epochs": 12, "learning_rate": 2e-4, "batch_size": 8},
    ),
    Case(
        "cross_encoder:minilm, PAN 2023, easy and hard",
        "style_change",
        minilm_reader("cross_encoder"),
        lambda real: neighbours(real, 24),
        "output",
        {},
        {"epochs": 10, "learning_rate": 2e-4, "batch_size": 8, "pairs": 48},
    ),
    Case(
        "span_extractor:minilm, HotpotQA",
        "qa",
        minilm_reader("span_extractor"),
        lambda real: answers(real, 32, sentences=False),
        "answer",
        WHOLE,
        {"epochs": 9, "learning_rate": 2e-4, "batch_size": 4},
    ),
)
