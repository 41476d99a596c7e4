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


def write(folder: Path, predictions: Iterable[Prediction], content: Mapping[str, Any]) -> None:
    """Write both files. Earlier scores are removed first, so that a kill never leaves them beside new predictions."""
    write_scores(folder, write_predictions(folder, predictions), content)


def write_predictions(folder: Path, predictions: Iterable[Prediction]) -> str:
    """Write the predictions, and remove the earlier scores. Returns the SHA-256 sum of the file."""
    digest = sha256()

    def lines() -> Iterator[bytes]:
        for prediction in predictions:
            line = f"{dumps(record_of(prediction))}\n".encode("utf-8", "surrogatepass")
            digest.update(line)
            yield line

    write_pieces(folder, FILE, lines(), before=lambda: (folder / SCORES).unlink(missing_ok=True))
    return digest.hexdigest()


def write_scores(folder: Path, digest: str, content: Mapping[str, Any]) -> None:
    """Write the scores, with the SHA-256 sum of the predictions' file that they are computed from."""
    files = {FILE: digest}
    if (shard := folder / shard_file.FILE).is_file():
        files[shard_file.FILE] = digest_of(shard)
    write_whole(folder, SCORES, checked_json.dumps({"format": FORMAT} | {**content, "format": FORMAT, "files": files}))


def damage(folder: Path) -> list[str]:
    """A line for each damaged final file in a folder; none where the run is not finished."""
    if not (folder / SCORES).is_file():
        return []
    try:
        content = read_scores(folder)
    except UserError as error:
        return [_damage_line(error)]
    lines = []
    for name in (FILE, shard_file.FILE):
        if (folder / name).is_file():
            try:
                check_digest(folder, name, digest_of(folder / name), content)
            except UserError as error:
                lines.append(_damage_line(error))
    return lines


def _damage_line(error: UserError) -> str:
    """The error's description of the damage, with how it is mended in place of what to type."""
    description, _, _ = str(error).rpartition(": ")
    return f"{description}: written anew from the log"
