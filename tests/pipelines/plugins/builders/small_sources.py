"""Small made-up sources for every builder; numbers decide their words."""

import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

SYLLABLES = ("ka", "lo", "mi", "ne", "ru", "sa", "te", "vo")


def jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def unzipped(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of each file in a zip by its name."""
    with zipfile.ZipFile(path) as archive:
        return {name: [json.loads(line) for line in archive.read(name).splitlines()] for name in archive.namelist()}


def sentence(author: int, number: int, words: int = 25) -> str:
    """A paragraph of `words` words (above 100 characters from 25 on) that no other author or number has."""
    body = [
        SYLLABLES[(author + number + place) % 8] + SYLLABLES[(author * 3 + place) % 8] for place in range(words - 1)
    ]
    return f"A{author}N{number} {' '.join(body)}"


def stories(authors: int, group: str, first: int = 0, paragraphs: int = 20) -> list[dict[str, str]]:
    """A row for each author, with paragraphs of 25 words and an empty line between them."""
    return [
        {
            "group": group,
            "author": f"author-{name:02}",
            "text": "\n\n".join(sentence(name, n) for n in range(paragraphs)),
        }
        for name in range(first, first + authors)
    ]


def hotpot(folder: Path) -> Path:
    """Three questions of two paragraphs, and the pages beside them: `pages.jsonl`."""
    rows, pages = [], []
    for n in range(3):
        titles = [f"Alder {n}", f"Birch {n}"]
        context = [[title, [f"{title} is a tree.", f" {title} has  leaves."]] for title in titles]
        question = f"Which of the trees is number {n}?"
        rows.append({"_id": f"q{n}", "question": question, "answer": titles[0],
                     "type": "bridge", "level": "hard", "context": context,
                     "supporting_facts": [[titles[0], 1]]})  # fmt: skip
        links = [f"Cedar {m}" for m in range(8)]
        text = f"{titles[0]} stands here. {titles[0]} is a tree.\n{titles[0]} has leaves. It grows."
        pages.append({"title": titles[0], "text": text, "links": links})
    pages += [{"title": f"Cedar {m}", "text": f"Cedar {m} " + sentence(m, m, 20), "links": []} for m in range(8)]
    jsonl(folder / "pages.jsonl", pages)
    return jsonl(folder / "questions.jsonl", rows)


def films(folder: Path) -> Path:
    """Six films whose hero is Vera Moss and whose villain is Karl Brandt, with three annotators."""
    scripts, summaries, annotations = [], [], []
    for n in range(6):
        title = f"The Lamp {n}0"
        script = (
            f"INT. HOUSE {n} - DAY\n\n   VERA\nWhere is the lamp?\n\n   BRANDT (V.O.)\nI took it.\n\n   OLD MAN\nNo.\n"
        )
        scripts.append({"title": f"Lamp {n}0, The", "script": script})
        summaries.append({"title": f"{title} (film)", "summary": "Dr. Vera Moss looks for a lamp that Brandt hides.",
                          "cast": ["Ann Lee as Dr. Vera Moss", "Bo Ek as Karl Brandt, a thief"]})  # fmt: skip
        for annotator in ("one", "two", "three"):
            annotations.append({"title": title, "character": "Vera Moss", "annotator": annotator, "type": "Hero"})
            kind = "Mentor" if annotator == "two" else "Villain"
            annotations.append({"title": title, "character": "Karl Brandt", "annotator": annotator, "type": kind})
    jsonl(folder / "scripts.jsonl", scripts)
    jsonl(folder / "summaries.jsonl", summaries)
    jsonl(folder / "annotations.jsonl", annotations)
    return folder


def questions(folder: Path) -> Path:
    """Eight questions, two about each document."""
    rows = [
        {"document": f"Story {n // 2}. It was long.", "question": f"What is {n}?", "answers": [f"It is {n}."]}
        for n in range(8)
    ]
    return jsonl(folder / "validation.jsonl", rows)


def reviews(folder: Path, hotels: int = 3, each: int = 10) -> Path:
    """Ten reviews each of some hotels, rated 1 to 5 in turn, the first hotel having one more."""
    rows = [
        {"hotel": f"H{hotel}", "rating": 1 + n % 5, "text": f"Stay {n} in house {hotel}."}
        for hotel in range(hotels)
        for n in range(each + (not hotel))
    ]
    return jsonl(folder / "reviews.jsonl", rows)
