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
HABITS = ("the old mill stood by the river", "what did anna keep in the window", "her brother tom mended it")


@pytest.fixture(autouse=True, scope="module")
def _little_to_collect() -> None:
    """Each training has all garbage collected, which takes long where there is much that is none."""
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
            lines = [" ".join(draw.sample(HABITS[one - 1].split(), 5)) + f" {draw.randint(0, 99)}" for one in authors]
            rows.append(json.dumps({"input": "\n".join(lines), "output": ",".join(map(str, authors))}))
        (tmp_path / f"{split}.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return tmp_path


@pytest.fixture
def base(tmp_path: Path) -> Callable[[str], Path]:
    """A tiny model's folder by its builder's name, the classification head taken away."""

    def make(kind: str) -> Path:
        folder = tmp_path / f"base-{kind}"
        folder.mkdir()
        getattr(tiny_models, kind)(folder)
        settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        settings["architectures"] = ["BertModel" if "bert" in kind else "LongformerModel"]
        for name in ("id2label", "label2id"):
            settings.pop(name, None)
        settings |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}  # these few steps are to be sure
        (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
        return folder

    return make


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """Documents of eight sentences; each question has the word of one of them, which is the evidence."""
    things = ["mill", "river", "lamp", "winter", "spring", "wheel", "oak", "town"]
    draw = random.Random(0)
    for split, count in (("train", 10), ("validation", 4), ("test", 4)):
        rows = []
        for number in range(count):
            asked, *others = draw.sample(things, 8)
            held = f"The old {asked} stood by Anna."
            sentences = [held, *(f"Tom kept the {other} in the window." for other in others)]
            draw.shuffle(sentences)
            text = f"{split} {number}.\n\n" + "\n\n".join(sentences)
            at = text.index(held)
            row = {"id": f"{split}-{number}", "document": text, "question": f"What of the {asked}?", "answer": "Anna"}
            rows.append(json.dumps(row | {"evidence": [[at, at + len(held)]]}))
        (tmp_path / f"{split}.jsonl").write_text("\n".join(rows), encoding="utf-8")
    return tmp_path
