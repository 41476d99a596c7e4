"""Logs of inspect_ai, `.eval` and JSON, by its own models, after their bytes and their JSON were checked.

A sample's score is a number, a letter (C, I, P, N: 1, 0, 0.5, 0, as inspect_ai's `value_to_float` maps them), a text
such as "yes", a list or a mapping of such. A mapping gives a score for each of its keys, a list one for each place
(`NAME.0`). Other texts are no scores, and counted.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from io import BytesIO
from math import nan
from pathlib import Path
from typing import Any

from longdoc import archives, errors, plain_json
from longdoc.errors import UserError, listed
from longdoc.messages import counted
from longdoc.optional import need
from pipelines.plugins.study.logs.eval_archive import EvalArchive
from pipelines.plugins.study.logs.sample_text import SampleText, sample_text
from pipelines.plugins.study.logs.score_log import SHOWN, ScoreLog, cluster_fields, digest

MAX_JSON = 1 << 28  # bytes of a JSON log, which is read whole
MOST_VALUES = 1 << 22  # in the JSON of a log or a sample
RECOVER = "copy it again, or recover it (inspect log recover)"
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # inspect_ai.scorer: CORRECT, INCORRECT, PARTIAL, NOANSWER
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
ROWS = "rows"  # in the metadata of a score that `longdoc_corpus` computes of all samples together: no score of one
UNUSED_FIELDS = {
    "store",
    "attachments",
    "events",
    "messages",
    "output",
    "model_usage",
}  # fields of a sample that scores do not need
TEXT_FIELDS = {"messages", "output"}  # those of them that texts need


def read(path: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores of a log. Raises `UserError` for one that is damaged, or becomes more than a bound allows."""
    api: Any = need("inspect_ai.log", "inspect", "reading a log of inspect_ai")  # which lets zipfile read zstd
    is_archive = path.suffix == ".eval"
    with errors.parsing(path, RECOVER if is_archive else "copy it again"), ExitStack() as stack:
        if is_archive:
            archive = EvalArchive(path, stack.enter_context(archives.opened(path)))
            header = _log(api, archive.header())
            unused_fields = UNUSED_FIELDS - TEXT_FIELDS if keeps_texts else UNUSED_FIELDS
            members = archive.samples(header.eval.dataset.sample_ids or ())
            samples: Iterable[Any] = (_sample(api, data, unused_fields) for data in members)
        else:
            _check_size(path)
            header = _log(api, path.read_bytes())
            samples = header.samples or ()
        log = ScoreLog(path, "inspect_ai", header.eval.task, header.eval.model, keeps_texts=keeps_texts)
        unreadable: Counter[str] = Counter()
        for sample in samples:
            _add(log, sample, cluster, unreadable)
        log.notes += _notes(header, log, unreadable)
    if not log.scores:
        raise UserError(f"{path} has no score of a sample (status: {header.status}): score it first, inspect score LOG")
    return log


def _check_size(path: Path) -> None:
    """Raise `UserError` for a JSON log that is too large to be read whole."""
    try:
        plain_json.check_size(path, MAX_JSON)
    except plain_json.NotJSON as error:
        raise UserError(f"{path}: {error}, and JSON is read whole: inspect log convert {path} --to eval") from None


def _log(api: Any, data: bytes) -> Any:
    """The log, with the samples that this file has."""
    _json(data)  # within bounds
    return api.read_eval_log(BytesIO(data), format="json")


def _sample(api: Any, data: bytes, unused_fields: Collection[str]) -> Any:
    """A sample without its `unused_fields`."""
    fields = {name: value for name, value in _json(data).items() if name not in unused_fields}
    return api.EvalSample.model_validate(fields, context={"deserializing": True})


def _json(data: bytes) -> Any:
    """The JSON of a file, whose size in memory and depth are bounded before a library sees it."""
    plain_json.check_values(data, MOST_VALUES)
    return plain_json.loads(data)


def _add(log: ScoreLog, sample: Any, cluster: str | None, unreadable: Counter[str]) -> None:
    metadata = sample.metadata or {}
    log.field_names = log.field_names or sorted(map(str, metadata))
    values = {name: score.value for name, score in (sample.scores or {}).items() if ROWS not in (score.metadata or {})}
    scores = _scores(values, unreadable)
    question_digest = digest(_text(sample.input), *_targets(sample.target))
    fields = cluster_fields(metadata, cluster)
    log.add(str(sample.id), scores, sample.epoch, fields, question_digest, partial(_sample_text, sample))


def _scores(values: Mapping[str, Any], unreadable: Counter[str]) -> dict[str, float]:
    """The numbers of a sample's scores, by scorer or by the keys of its mapping; counts the `unreadable` values."""
    named_values = [
        (scorer, key, value) for scorer, score in values.items() for key, value in _named_values(scorer, score)
    ]
    counts = Counter(key for _, key, _ in named_values)
    numbers: dict[str, float] = {}
    for scorer, key, value in named_values:
        name = key if counts[key] == 1 else f"{scorer}/{key}"
        numbers[name] = _number(value)
        if numbers[name] != numbers[name] and value is not None and not isinstance(value, float):
            unreadable[name] += 1
    return numbers


def _named_values(scorer: str, score: Any) -> list[tuple[str, Any]]:
    """The values of a scorer, each with its name: one for each key of a mapping and each place of a list."""
    if isinstance(score, Mapping):
        return [(str(key), value) for key, value in score.items()]
    if isinstance(score, Sequence) and not isinstance(score, str):
        return [(f"{scorer}.{position}", value) for position, value in enumerate(score)]
    return [(scorer, score)]


def _number(value: Any) -> float:
    """The number that inspect_ai maps a scalar to; NaN where it maps it to none."""
    if isinstance(value, (bool, int, float)):
        return value
    if not isinstance(value, str):
        return nan
    number = LETTERS.get(value, WORDS.get(value.lower()))
    if number is not None:
        return number
    try:
        return float(value)
    except ValueError:
        return nan


def _text(content: Any) -> str:
    """The input as text: messages as their texts, since their ids differ between logs."""
    return content if isinstance(content, str) else "\n".join(message.text for message in content)


def _sample_text(sample: Any) -> SampleText:
    """The texts of a sample; its prompt is all messages but the model's own."""
    prompt = "\n\n".join(message.text for message in sample.messages if message.role != "assistant")
    prompt = prompt or _text(sample.input)
    fields = {str(name): value for name, value in (sample.metadata or {}).items()}
    references, output = _targets(sample.target), sample.output.completion
    return sample_text(references, output, prompt, {"input": _text(sample.input), **fields}, is_open=not sample.choices)


def _targets(target: Any) -> list[str]:
    return [target] if isinstance(target, str) else list(target)


def _notes(header: Any, log: ScoreLog, unreadable: Counter[str]) -> list[str]:
    """Notes on what the log lacks: samples that it should have, scores that are not numbers."""
    notes = []
    if header.status != "success":
        notes.append(
            f"{log.path}: the evaluation did not finish ({header.status}), so only the samples in the log count"
        )
    total = header.results.total_samples if header.results else 0
    if total > len(log.sample_of):
        notes.append(f"{log.path} should have {counted(total, 'sample')}, and has {len(log.sample_of):,}")
    if unreadable:
        names = listed([f"{count:,} of {name}" for name, count in unreadable.items()], SHOWN)
        notes.append(f"{log.path}: some values are not numbers ({names})")
    return notes
