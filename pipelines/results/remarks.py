"""Remarks on a run's predictions besides their scores."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from longdoc.messages import counted
from pipelines.records import Prediction
from pipelines.results import output_counts, over_limit
from pipelines.results.suspicious_outputs import SuspiciousOutputs


def remarks(
    predictions: Sequence[Prediction], spec: Mapping[str, Any], suspicious: SuspiciousOutputs | None = None
) -> list[str]:
    """Remarks on predictions: suspicious, empty or cut outputs, passages over a limit, and notes.

    `spec` is the run's: its `max_new_tokens` and `chunker` say what to type for longer outputs. `suspicious` are the
    outputs of predictions that lack their texts.
    """
    notes = Counter(p.notes[name] for p in predictions for name in ("chunks", "remark") if name in p.notes)
    lines = (suspicious or SuspiciousOutputs.from_predictions(predictions)).messages()
    lines += output_counts.messages(predictions, spec) + over_limit.messages(over_limit.total(predictions))
    lines += [f"{count} of {counted(len(predictions), 'example')}: {text}" for text, count in notes.items()]
    for name, remark in (("lines", "lines were not kept"), ("long_lines", "lines longer than a chunk were split")):
        if count := sum(name in p.notes for p in predictions):
            lines.append(f"{count} of {counted(len(predictions), 'example')}: {remark} (notes in predictions.jsonl)")
    return lines
