"""Documents by several authors whose training and test parts share no text, for the style change benchmarks.

- PAN 2023's problems: those with odd numbers are for training, those with even numbers for testing. A training problem
  with a paragraph of a test problem (moderators' notes are repeated) is left out.
- Documents that `style_mix` makes from stories, one story = one author: training, validation and test use different
  stories, and a paragraph that occurs in stories of both parts (transcribers' notes) is left out.
"""

import json
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import pipelines
from pipelines import sources
from pipelines.benchmarks.muld.builders import _stories
from pipelines.records import Example
from pipelines.tasks import get as task_of

SHORT = "low=2000,high=6000,train=60,validation=10,test=40,held_out=0.2"
LONG = "low=10000,high=20000,train=10,validation=0,test=8"
TRAINING, TEST = "one", "two"  # folders of stories: `style_mix` takes the last by name for its test documents


def problems(folder: Path, kind: str, place: Path) -> tuple[Path, int]:
    """PAN's problems as a folder with a training and a test split, and how many were left out of training."""
    files = {file.stem: file for file in sorted((folder / "style_change" / kind).glob("problem-*.txt"))}
    problem_paragraphs = {name: set(_paragraphs(file.read_text(encoding="utf-8"))) for name, file in files.items()}
    test = {name for name in files if _number(name) % 2 == 0}
    test_paragraphs = set().union(*(problem_paragraphs[name] for name in test))
    train = {name for name in files if name not in test and not problem_paragraphs[name] & test_paragraphs}
    for split, names in (("train", train), ("test", test)):
        (place / kind / split).mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy(files[name], place / kind / split)
            shutil.copy(files[name].with_name(f"truth-{name}.json"), place / kind / split)
    return checked(place / kind), len(files) - len(test) - len(train)


def mixed(folder: Path, place: Path) -> Path:
    """Documents of 2,000 to 6,000 words from SQuALITY's stories."""
    stories = {}
    for file in ("train.jsonl", "dev.jsonl"):
        for line in (folder / "squality" / file).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            stories[row["metadata"]["passage_id"]] = row["document"]
    return _mixed("mixed", stories, SHORT, place)


def long(folder: Path, place: Path) -> Path:
    """Documents of 10,000 to 20,000 words, MuLD's length, from NarrativeQA's books and film scripts."""
    files = sorted((folder / "narrativeqa" / "stories").glob("*.txt"))
    texts = {file.stem: file.read_text(encoding="utf-8", errors="replace") for file in files}
    return _mixed("long", texts, LONG, place)


def examples(data: Path, split: str) -> Iterable[Example]:
    """The examples of a split."""
    return sources.load("style_change", task_of("style_change").dataset, data, split).examples()


def paragraphs(example: Example) -> tuple[str, ...]:
    """The paragraphs of the task: the lines that are not blank."""
    return tuple(_paragraphs(example.document.text))


def checked(data: Path) -> Path:
    """The folder, if training and test documents share no paragraph; else the script ends."""
    test_paragraphs = {paragraph for example in examples(data, "test") for paragraph in paragraphs(example)}
    splits = ["train", *(["validation"] if (data / "validation.jsonl").exists() else [])]
    shared = sum(
        paragraph in test_paragraphs
        for split in splits
        for example in examples(data, split)
        for paragraph in paragraphs(example)
    )
    if shared:
        sys.exit(f"{data}: {shared} paragraphs that are learned from stand in test documents")
    return data


def _mixed(name: str, stories: Mapping[str, str], style_mix_options: str, place: Path) -> Path:
    """The folder of documents that `style_mix` makes from stories, every other one by name being for training."""
    stories_by_part: dict[str, dict[str, list[str]]] = {TRAINING: {}, TEST: {}}
    for number, (story, text) in enumerate(sorted(stories.items())):
        stories_by_part[TRAINING if number % 2 else TEST][story] = list(_stories.split(text))
    paragraphs_of_training, paragraphs_of_test = (
        {paragraph for story_paragraphs in part_stories.values() for paragraph in story_paragraphs}
        for part_stories in stories_by_part.values()
    )
    in_both_parts = paragraphs_of_training & paragraphs_of_test
    for part, part_stories in stories_by_part.items():
        folder = place / f"{name} stories" / part
        folder.mkdir(parents=True, exist_ok=True)
        for story, story_paragraphs in part_stories.items():
            remaining = [paragraph for paragraph in story_paragraphs if paragraph not in in_both_parts]
            (folder / f"{story}.txt").write_text("\n\n".join(remaining), encoding="utf-8")
    source = place / f"{name} stories"
    return checked(pipelines.build(f"style_mix:{style_mix_options}", source, out=place / name).folder)


def _paragraphs(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _number(name: str) -> int:
    return int("".join(char for char in name if char.isdigit()))
