"""Small data to train on, and base models without a trained head."""

import gc
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import tiny_models

WORDS = {
    "Hero/Protagonist": ["mill", "river", "lamp", "brother", "spring"],
    "Villain/Antagonist": ["ice", "broke", "winter", "hill", "oak"],
}
AUTHOR_WORDS = ("the old mill stood by the river", "what did anna keep in the window", "her brother tom mended it")


@pytest.fixture(autouse=True, scope="module")
def _freeze_garbage() -> None:
    """Each training runs the garbage collector, which is slow over many live objects: these are set aside."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums depend on the number of threads, so weights are compared under one, here and in processes started here."""
    import torch

    torch.set_num_threads(1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def films(tmp_path: Path) -> Path:
    """Examples of two classes that single words tell apart, a script each, in three splits."""
    draw = random.Random(0)
    for split, count in (("train", 20), ("validation", 8), ("test", 8)):
        rows = []
        for number in range(count):
            label = sorted(WORDS)[number % 2]
            text = "ANNA\n" + " ".join(draw.choices(WORDS[label], k=6)) + f" {number}"
            rows.append(json.dumps({"id": f"{split}-{number}", "document": text, "character": "Anna", "label": label}))
        (tmp_path / f"{split}.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return tmp_path


@pytest.fixture
def mixes(tmp_path: Path) -> Path:
    """Documents of up to three authors, eight paragraphs each, in three splits."""
    draw = random.Random(0)
    for split, count in (("train", 10), ("validation", 4), ("test", 4)):
        rows = []
        for _ in range(count):
            authors = [1]
            while len(authors) < 8:
                authors.append(draw.choice([authors[-1], *range(1, min(max(authors) + 1, 3) + 1)]))
            lines = [
                " ".join(draw.sample(AUTHOR_WORDS[one - 1].split(), 5)) + f" {draw.randint(0, 99)}" for one in authors
            ]
            rows.append(json.dumps({"input": "\n".join(lines), "output": ",".join(map(str, authors))}))
        (tmp_path / f"{split}.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return tmp_path


@pytest.fixture
def base(tmp_path: Path) -> Callable[[str], Path]:
    """A function that makes a tiny model's folder by its builder's name, without a classification head."""

    def make(kind: str) -> Path:
        folder = tmp_path / f"base-{kind}"
        folder.mkdir()
        getattr(tiny_models, kind)(folder)
        settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        settings["architectures"] = ["BertModel" if "bert" in kind else "LongformerModel"]
        for name in ("id2label", "label2id"):
            settings.pop(name, None)
        settings |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}  # so few steps must learn
        (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
        return folder

    return make


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Documents of eight sentences; each question names a word of one of them, its evidence."""
    things = ["mill", "river", "lamp", "winter", "spring", "wheel", "oak", "town"]
    draw = random.Random(0)
    for split, count in (("train", 10), ("validation", 4), ("test", 4)):
        rows = []
        for number in range(count):
            word, *others = draw.sample(things, 8)
            evidence = f"The old {word} stood by Anna."
            sentences = [evidence, *(f"Tom kept the {other} in the window." for other in others)]
            draw.shuffle(sentences)
            text = f"{split} {number}.\n\n" + "\n\n".join(sentences)
            start = text.index(evidence)
            row = {"id": f"{split}-{number}", "document": text, "question": f"What of the {word}?", "answer": "Anna"}
            rows.append(json.dumps(row | {"evidence": [[start, start + len(evidence)]]}))
        (tmp_path / f"{split}.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return tmp_path
