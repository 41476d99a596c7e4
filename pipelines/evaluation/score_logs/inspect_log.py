"""Logs of inspect_ai, `.eval` and JSON, by its own reader; the members of a `.eval`, a zip, are bounded before.

A sample's score is a number, a letter (C, I, P, N: 1, 0, 0.5, 0, as inspect_ai's `value_to_float` maps them), a text
such as "yes", a list or a mapping of such. A mapping gives a score for each of its keys, a list one for each place
(`NAME.0`). Other texts are no scores, and counted.
"""

import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isfinite, nan
from pathlib import Path
from typing import Any

from longdoc import archives, plain_json
from longdoc.errors import UserError
from longdoc.optional import need
from longdoc.plurals import counted
from pipelines.evaluation.score_logs.sample_text import SampleText, sample_text
from pipelines.evaluation.score_logs.score_log import ScoreLog, cluster_fields, digest

MAX_JSON = 1 << 28  # bytes of a JSON log, which is read whole
MAX_AT_ONCE = 1 << 31  # bytes of the members of a .eval that are read in one pass
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # inspect_ai.scorer: CORRECT, INCORRECT, PARTIAL, NOANSWER
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
ROWS = "rows"  # in the metadata of a score that `longdoc_corpus` computes of all samples together: no score of one
UNREAD = {"store", "attachments", "events", "messages", "output", "model_usage"}  # fields that scores do not need
TEXTS = {"messages", "output"}  # of these, those that have what the model read and wrote


def read(path: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores of a log. Raises `UserError` for one that is damaged, or becomes more than a bound allows."""
    _check_size(path)
    api: Any = need("inspect_ai.log", "inspect", "reading a log of inspect_ai")
    try:
        header = api.read_eval_log(str(path), header_only=path.suffix == ".eval")
        log = ScoreLog(path, "inspect_ai", header.eval.task, header.eval.model, keeps_texts=keeps_texts)
        unreadable: Counter[str] = Counter()
        for sample in header.samples or _samples(api, path, header, UNREAD - TEXTS if keeps_texts else UNREAD):
            _add(log, sample, cluster, unreadable)
    except (ValueError, KeyError, IndexError, EOFError, OSError, RuntimeError, zipfile.BadZipFile) as error:
        problem = str(error).splitlines()[0][:160] if str(error) else type(error).__name__
        raise UserError(f"{path} is no log of inspect_ai, or is damaged ({problem}): copy it again") from None
    log.notes += _notes(header, log, unreadable)
    if not log.scores:
        raise UserError(f"{path} has no score of a sample (status: {header.status}): score it first, inspect score LOG")
    return log


def _check_size(path: Path) -> None:
    """Raise `UserError` for a zip that is a trap, or none, and for too large a JSON log."""
    if path.suffix != ".eval":
        try:
            plain_json.check_size(path, MAX_JSON)
        except plain_json.NotJSON as error:
            raise UserError(f"{path}: {error}, and JSON is read whole: inspect log convert {path} --to eval") from None
        return
    try:
        with archives.opened(path):
            pass
    except zipfile.BadZipFile:
        raise UserError(
            f"{path} is no whole .eval log: it was cut off, or is something else; copy it again, or recover it "
            "(inspect log recover)"
        ) from None


def _samples(api: Any, path: Path, header: Any, unread: set[str]) -> Iterator[Any]:
    """The samples of a `.eval`: all in one pass, or one by one where they would not fit into memory, which is slow."""
    with archives.opened(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    ids = header.eval.dataset.sample_ids
    if size > MAX_AT_ONCE and ids is not None:
        yield from api.read_eval_log_samples(str(path), all_samples_required=False, exclude_fields=unread)
        return
    places = {sample_id: place for place, sample_id in enumerate(ids or ())}
    samples = api.read_eval_log(str(path), exclude_fields=unread).samples or ()
    yield from sorted(samples, key=lambda sample: (places.get(sample.id, len(places)), sample.epoch))


def _add(log: ScoreLog, sample: Any, cluster: str | None, unreadable: Counter[str]) -> None:
    metadata = sample.metadata or {}
    log.field_names = log.field_names or sorted(map(str, metadata))
    scores = _scores(
        {name: score.value for name, score in (sample.scores or {}).items() if ROWS not in (score.metadata or {})},
        unreadable,
    )
    question = digest(_text(sample.input), *_targets(sample.target))
    fields = cluster_fields(metadata, cluster)
    log.add(str(sample.id), scores, sample.epoch, fields, question, partial(_sample_text, sample))


def _scores(values: Mapping[str, Any], unreadable: Counter[str]) -> dict[str, float]:
    """The numbers of a sample's scores, by the scorer's name, or by the keys of its mapping."""
    parts = [(scorer, key, value) for scorer, score in values.items() for key, value in _parts(scorer, score)]
    names = [key for _, key, _ in parts]
    numbers: dict[str, float] = {}
    for scorer, key, value in parts:
        name = key if names.count(key) == 1 else f"{scorer}/{key}"
        numbers[name] = _number(value)
        if numbers[name] != numbers[name] and value is not None and not isinstance(value, float):
            unreadable[name] += 1
    return numbers


def _parts(scorer: str, score: Any) -> list[tuple[str, Any]]:
    if isinstance(score, Mapping):
        return [(str(key), value) for key, value in score.items()]
    if isinstance(score, Sequence) and not isinstance(score, str):
        return [(f"{scorer}.{place}", value) for place, value in enumerate(score)]
    return [(scorer, score)]


def _number(value: Any) -> float:
    """A scalar as inspect_ai maps it; NaN for what it cannot map."""
    if isinstance(value, (bool, int, float)):
        return float(value) if isfinite(value) else nan
    if not isinstance(value, str):
        return nan
    mapped = LETTERS.get(value, WORDS.get(value.lower()))
    if mapped is not None:
        return mapped
    try:
        return float(value) if isfinite(float(value)) else nan
    except ValueError:
        return nan


def _text(content: Any) -> str:
    """The input as text; of messages their texts, since their ids differ between logs."""
    return content if isinstance(content, str) else "\n".join(message.text for message in content)


def _sample_text(sample: Any) -> SampleText:
    """The texts of a sample; its prompt is all messages but the model's own."""
    read_messages = [message.text for message in sample.messages if message.role != "assistant"]
    prompt = "\n\n".join(read_messages) or _text(sample.input)
    fields = {str(name): value for name, value in (sample.metadata or {}).items()}
    references, output = _targets(sample.target), sample.output.completion
    return sample_text(references, output, prompt, {"input": _text(sample.input), **fields}, is_open=not sample.choices)


def _targets(target: Any) -> list[str]:
    return [target] if isinstance(target, str) else list(target)


def _notes(header: Any, log: ScoreLog, unreadable: Counter[str]) -> list[str]:
    """What the log lacks: samples that it should have, scores that are no numbers."""
    notes = []
    if header.status != "success":
        notes.append(f"{log.path} is of an evaluation that did not end well ({header.status}): it has what there is")
    total = header.results.total_samples if header.results else 0
    if total > len(log.sample_of):
        notes.append(f"{log.path} says that it has {counted(total, 'sample')}; {len(log.sample_of):,} are in it")
    notes += [f"{log.path}: {count:,} values of {name} are no numbers" for name, count in unreadable.items()]
    return notes
