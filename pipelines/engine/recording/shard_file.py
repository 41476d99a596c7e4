"""The examples of a shard: `shard.jsonl` in its folder, by which a merge puts them into the order of the whole run.

A line is `[position, id]`: the place of an example among those of the whole run, from 0, failed examples included.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from longdoc import plain_json
from longdoc.checked_json import Malformed, count, row, text
from longdoc.files import write_pieces
from pipelines.engine.recording.lines import dumps

FILE = "shard.jsonl"
_fits = row(count, text)


def write(folder: Path, examples: Iterable[tuple[int, str]]) -> None:
    """Write the positions and ids of a shard's examples, in order."""
    write_pieces(folder, FILE, (f"{dumps(example)}\n".encode("utf-8", "surrogatepass") for example in examples))


def read(folder: Path) -> Iterator[tuple[int, str]]:
    """The positions and ids of a shard's examples. Raises `Malformed` for a damaged line."""
    with (folder / FILE).open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                value = plain_json.loads(line.decode("utf-8", errors="surrogatepass"))
            except ValueError:  # not JSON, or not UTF-8
                value = None
            if not _fits(value):
                raise Malformed(f"line {number} of {FILE} is damaged")
            yield value[0], value[1]
