"""The outputs of a cell: asked of a server once, kept as a file of predictions, scored from it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pipelines
from benchmarks.real_models.cells import SETS, Cell
from pipelines import metrics
from pipelines.metrics import Row
from pipelines.records import Example, Prediction

FOLDER = Path(__file__).parent / "outputs"
PART = 10  # questions that are asked in one run


@dataclass(frozen=True)
class Output:
    """A line of a file of outputs, which `longdoc score` reads too. It has no document, question or reference.

    `prompt` is the digest of the request; `tokens` counts those of the prompts, of which `cached` were in the server's
    cache. `evidence` counts the characters of the gold evidence, `shown` those that the model saw. `seconds` is a
    question's share of its run, 0 where it was not measured; `counts` are a strategy's counts of outputs.
    """

    id: str
    prediction: str
    prompt: str
    tokens: int
    cached: int
    evidence: int
    shown: int
    requests: int = 1
    seconds: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, prediction: Prediction, seconds: float) -> "Output":
        """The output of a run's prediction."""
        evidence = prediction.evidence
        return cls(
            prediction.id,
            prediction.prediction,
            prediction.request_digest,
            prediction.tokens_in,
            prediction.cached_tokens,
            evidence.get("characters", 0),
            evidence.get("shown", 0),
            prediction.requests,
            round(seconds, 1),
            dict(prediction.outputs),
        )


def file_of(model: str, cell: Cell) -> Path:
    """Where the outputs of a cell are kept."""
    return FOLDER / model / f"{cell.file_name}.jsonl"


def asked_cells(model: str) -> list[Cell]:
    """The cells that have outputs, in the order of a table."""
    return sorted((Cell.named(path.stem) for path in (FOLDER / model).glob("*.jsonl")), key=lambda cell: cell.place)


def kept_outputs(model: str, cell: Cell) -> dict[str, Output]:
    """The outputs by question; none where the cell was not asked."""
    file = file_of(model, cell)
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {output.id: output for output in (Output(**json.loads(line)) for line in lines)}


def ask(
    model: str,
    reader: Mapping[str, object],
    cell: Cell,
    examples: Sequence[Example],
    runs: Path | None = None,
) -> None:
    """Ask a cell's questions that have no output yet, some at a time, and keep the outputs of each time.

    `runs` is where the runs' folders stay, with all requests; None: nowhere.
    """
    outputs = kept_outputs(model, cell)
    missing = [example for example in examples if example.id not in outputs]
    for start in range(0, len(missing), PART):
        with TemporaryDirectory() as folder:
            run = Path(folder) / "run" if runs is None else runs / model / f"{cell.file_name}-{len(outputs)}"
            new_outputs = _new_outputs(reader, cell, missing[start : start + PART], run)
        outputs |= {output.id: output for output in new_outputs}
        file = file_of(model, cell)
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(asdict(output), ensure_ascii=False) for output in outputs.values()]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _new_outputs(reader: Mapping[str, object], cell: Cell, examples: Sequence[Example], run: Path) -> list[Output]:
    question_set = SETS[cell.set_name]
    result = pipelines.run(
        question_set.task, data=list(examples), model=dict(reader), metrics=[question_set.metric], report=False,
        out=run, **cell.arguments,
    )  # fmt: skip
    seconds = (result.seconds or 0) / len(examples)
    return [Output.of(prediction, seconds) for prediction in result.predictions]


def rows(cell: Cell, outputs: Mapping[str, Output], examples: Mapping[str, Example]) -> dict[str, Row]:
    """The rows of the set's metric by question, of outputs whose question is in `examples`."""
    metric = metrics.get(SETS[cell.set_name].metric)
    return {
        name: metric.statistics(output.prediction, examples[name])
        for name, output in outputs.items()
        if name in examples
    }
