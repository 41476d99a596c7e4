"""The final files of a run: `predictions.jsonl`, and `scores.json` with the digests of what it was computed from."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from longdoc import checked_json
from longdoc.errors import UserError
from longdoc.files import digest_of, write_pieces, write_whole
from pipelines.engine.recording import shard_file
from pipelines.engine.recording.lines import dumps
from pipelines.records import Prediction, record_of
from pipelines.results.final_files import FILE, check_digest, read_scores
from pipelines.results.formats import FORMAT

SCORES = "scores.json"


def write(folder: Path, predictions: Iterable[Prediction], scored: Mapping[str, Any]) -> None:
    """Write both; the scores of other predictions go first, so that no kill leaves them beside these."""
    write_scores(folder, write_predictions(folder, predictions), scored)


def write_predictions(folder: Path, predictions: Iterable[Prediction]) -> str:
    """Write the predictions alone, of which scores are to follow; the SHA-256 sum of their file."""
    digest = sha256()

    def lines() -> Iterator[bytes]:
        for prediction in predictions:
            line = f"{dumps(record_of(prediction))}\n".encode("utf-8", "surrogatepass")
            digest.update(line)
            yield line

    write_pieces(folder, FILE, lines(), before=lambda: (folder / SCORES).unlink(missing_ok=True))
    return digest.hexdigest()


def write_scores(folder: Path, digest: str, scored: Mapping[str, Any]) -> None:
    """Write the scores of predictions whose file has this sum."""
    files = {FILE: digest}
    if (shard := folder / shard_file.FILE).is_file():
        files[shard_file.FILE] = digest_of(shard)
    write_whole(folder, SCORES, checked_json.dumps({"format": FORMAT} | {**scored, "format": FORMAT, "files": files}))


def damage(folder: Path) -> list[str]:
    """What is damaged of the final files of a folder, each in a line; a run that is not finished has none."""
    if not (folder / SCORES).is_file():
        return []
    try:
        scored = read_scores(folder)
    except UserError as error:
        return [_line(error)]
    names = []
    for name in (FILE, shard_file.FILE):
        if (folder / name).is_file():
            try:
                check_digest(folder, name, digest_of(folder / name), scored)
            except UserError as error:
                names.append(_line(error))
    return names


def _line(error: UserError) -> str:
    """What is damaged, and that it is being mended: what to type is left out."""
    description, _, _ = str(error).rpartition(": ")
    return f"{description}: written anew from the log"
