"""How fast texts are split into sentences and natural units, beside sentencex alone.

Ten books of 90,000 words made of the real examples (`benchmarks.real_books`), in one thread, in seconds of the
processor. The ways take turns, book by book, and a way's speed is that of its fastest round, in millions of characters
a second. `sentences` packs sentences into chunks of 200 words; `units` gives sentences or paragraphs, each with the
headings above it. sentencex alone knows neither paragraphs nor headings.

Run: python -m benchmarks.splitting (LONGDOC_REALDATA).
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import chunkers
from benchmarks.real_books import real_books
from benchmarks.results import publish, realdata, table

BOOKS, ROUNDS = 10, 3
GOALS = {"sentences": 20, "units:of=sentence": 12, "units:of=paragraph": 25, "tokens": None}  # MB a second


def sentencex_alone(text: str) -> list[str]:
    """The library, on the whole text."""
    import sentencex

    return list(sentencex.segment("en", text))


def measure(texts: list[str]) -> dict[str, tuple[float, int]]:
    """Each way's speed, in millions of characters a second, and how many parts it gives."""
    ways: dict[str, Callable[[str], Any]] = {"sentencex alone": sentencex_alone}
    ways |= {name: chunkers.get(name).split for name in GOALS}
    for split in ways.values():
        split(texts[0][:10_000])
    seconds = {name: [0.0] * ROUNDS for name in ways}
    parts = dict.fromkeys(ways, 0)
    for number in range(ROUNDS):
        for text in texts:
            for name, split in ways.items():
                start = time.process_time()
                count = len(split(text))
                seconds[name][number] += time.process_time() - start
                parts[name] += count if number == 0 else 0
    characters = sum(map(len, texts))
    return {name: (characters / min(seconds[name]) / 1e6, parts[name]) for name in ways}


def report(speeds: dict[str, tuple[float, int]]) -> str:
    """The table."""
    alone, _ = speeds["sentencex alone"]
    rows = [
        [
            f"`{name}`" if name in GOALS else name,
            f"{speed:.1f}",
            f"{speed / alone:.2f}",
            str(GOALS.get(name) or "–"),
            f"{count:,}",
        ]
        for name, (speed, count) in speeds.items()
    ]
    return table(["split by", "MB a second", "of sentencex alone", "goal", "parts"], rows)


def main() -> None:
    """Measure, and publish."""
    folder = realdata()
    if folder is None:
        sys.exit("the real examples are missing: set LONGDOC_REALDATA to their folder")
    texts = [book.text for book in real_books(folder, BOOKS)]
    sizes = f"{BOOKS} books, {sum(map(len, texts)) / 1e6:.1f} million characters, the fastest of {ROUNDS} rounds."
    publish("splitting", f"{sizes}\n\n{report(measure(texts))}")


if __name__ == "__main__":
    main()
