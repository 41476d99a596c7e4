"""Tables of scores, and logs of inspect_ai, as small as can be."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    """Writes a CSV of rows."""

    def write(name: str, head: str, rows: Sequence[Sequence[Any]]) -> Path:
        path = tmp_path / name
        path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")
        return path

    return write


@pytest.fixture
def inspect_log(tmp_path: Path) -> Callable[..., Path]:
    """Writes a log of inspect_ai with the scores of each (id, epoch)."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
    from inspect_ai.scorer import Score

    def write(
        name: str,
        samples: Mapping[tuple[Any, int], Mapping[str, Any]],
        metadata: Mapping[Any, Mapping[str, Any]] | None = None,
        status: Any = "success",
    ) -> Path:
        ids = list(dict.fromkeys(key for key, _ in samples))
        rows = [
            EvalSample(
                id=key,
                epoch=epoch,
                input=f"question {key}",
                target="answer",
                scores={scorer: Score(value=value) for scorer, value in scores.items()},
                metadata=dict((metadata or {}).get(key, {})),
            )
            for (key, epoch), scores in samples.items()
        ]
        spec = EvalSpec(
            created="2026-01-01T00:00:00+00:00",
            task="towns",
            model="mockllm/model",
            dataset=EvalDataset(sample_ids=ids, samples=len(ids)),
            config=EvalConfig(epochs=max(epoch for _, epoch in samples)),
        )
        write_eval_log(EvalLog(status=status, eval=spec, samples=rows), tmp_path / name)
        return tmp_path / name

    return write
