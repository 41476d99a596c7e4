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

from longdoc import archives, foreign_files, plain_json
from longdoc.errors import UserError, listed
from longdoc.optional import need
from longdoc.plurals import counted
from pipelines.evaluation.score_logs.eval_archive import EvalArchive
from pipelines.evaluation.score_logs.sample_text import SampleText, sample_text
from pipelines.evaluation.score_logs.score_log import SHOWN, ScoreLog, cluster_fields, digest

MAX_JSON = 1 << 28  # bytes of a JSON log, which is read whole
MOST_VALUES = 1 << 22  # in the JSON of a log or a sample
RECOVER = "copy it again, or recover it (inspect log recover)"
LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # inspect_ai.scorer: CORRECT, INCORRECT, PARTIAL, NOANSWER
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
ROWS = "rows"  # in the metadata of a score that `longdoc_corpus` computes of all samples together: no score of one
UNREAD = {"store", "attachments", "events", "messages", "output", "model_usage"}  # fields that scores do not need
TEXTS = {"messages", "output"}  # of these, those that have what the model read and wrote


def read(path: Path, cluster: str | None = None, keeps_texts: bool = False) -> ScoreLog:
    """The scores of a log. Raises `UserError` for one that is damaged, or becomes more than a bound allows."""
    api: Any = need("inspect_ai.log", "inspect", "reading a log of inspect_ai")  # which lets zipfile read zstd
    is_archive = path.suffix == ".eval"
    with foreign_files.parsing(path, RECOVER if is_archive else "copy it again"), ExitStack() as stack:
        if is_archive:
            archive = EvalArchive(path, stack.enter_context(archives.opened(path)))
            header = _log(api, archive.header())
            unread = UNREAD - TEXTS if keeps_texts else UNREAD
            members = archive.samples(header.eval.dataset.sample_ids or ())
            samples: Iterable[Any] = (_sample(api, data, unread) for data in members)
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
    """A log without those of its samples that stand elsewhere."""
    _value(data)
    return api.read_eval_log(BytesIO(data), format="json")


def _sample(api: Any, data: bytes, unread: Collection[str]) -> Any:
    """A sample, without its `unread` fields."""
    fields = _value(data)
    kept = {name: value for name, value in fields.items() if name not in unread}
    return api.EvalSample.model_validate(kept, context={"deserializing": True})


def _value(data: bytes) -> Any:
    """The JSON of a file, whose size in memory and depth are bounded before a library sees it."""
    plain_json.check_values(data, MOST_VALUES)
    return plain_json.loads(data)


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
    counts = Counter(key for _, key, _ in parts)
    numbers: dict[str, float] = {}
    for scorer, key, value in parts:
        name = key if counts[key] == 1 else f"{scorer}/{key}"
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
        return value
    if not isinstance(value, str):
        return nan
    mapped = LETTERS.get(value, WORDS.get(value.lower()))
    if mapped is not None:
        return mapped
    try:
        return float(value)
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
    if unreadable:
        names = listed([f"{count:,} of {name}" for name, count in unreadable.items()], SHOWN)
        notes.append(f"{log.path}: some values are no numbers ({names})")
    return notes
