"""A task of ours as a folder that lm-evaluation-harness takes by `--include_path`, scored by our metrics.

The folder has `NAME.yaml`, the examples in `examples.jsonl`, what scores them in `task.json`, and `utils.py`, by which
the harness calls this module. A prompt is the task's own with the whole document; how much of it a model sees is the
model's matter.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longdoc.arguments import checks_names
from longdoc.errors import UserError
from longdoc.file_values import marked_with_file
from longdoc.files import write_pieces, write_whole
from longdoc.former_names import renamed
from longdoc.links import check_files
from longdoc.plain_values import plain_fields, plain_value
from longdoc.plurals import counted
from models.prompts import Part
from pipelines import metrics, tasks
from pipelines.bridges._one_prompt import check_one_prompt
from pipelines.engine.planning.plan import Plan, make_plan
from pipelines.engine.running.scoring import Scorer
from pipelines.metrics import Metric, Row
from pipelines.records import Document, Example

EXAMPLES, TASK, UTILS = "examples.jsonl", "task.json", "utils.py"
SPLIT = "test"
CODE = '''"""How lm-evaluation-harness reads and scores this folder, which `longdoc bridge lm-task` wrote."""

from pathlib import Path

from longdoc.pipelines.bridges.lm_eval_task import ExportedTask

task = ExportedTask(Path(__file__).parent)


def rows(**arguments):
    """The examples."""
    return task.rows()


def process_results(doc, results):
    """The statistics of one output."""
    return task.process_results(doc, results)
'''
AGGREGATE = '''

def aggregate_{number}(rows):
    """The score {name}."""
    return task.aggregate({name!r}, rows)
'''


@checks_names
def lm_task(
    task: Any,
    out: str | Path,
    *,
    data: Any = None,
    split: str | None = None,
    limit: int | None = None,
    prompt: str | None = None,
    prompts_from: str | Path | None = None,
    metrics: Any = None,
    max_new_tokens: int | None = None,
) -> "WrittenTask":
    """Write a task's examples, prompts and metrics to a folder, as a task of lm-evaluation-harness.

    The arguments are those of `pipelines.run`. The task is called `longdoc_` and its name. Raises `UserError` for a
    task that asks a model for something else than a text, and for a folder that holds another thing.
    """
    check_one_prompt(tasks.get(task))
    plan = make_plan(
        task, data=data, split=split, limit=limit, prompt=prompt, prompts_from=prompts_from, metrics=metrics,
        max_new_tokens=max_new_tokens, model="lead", chunker="whole", retriever="all",
    )  # fmt: skip
    examples = [example for example in plan.data.examples() if example.references][: plan.limit]
    if not examples:
        raise UserError(f"{plan.task.name} has no example with references in the split {plan.split}")
    scorer = Scorer({name: value for name, value in plan.metrics.items() if value.target == "prediction"})
    ready_metrics = scorer.ready
    if not ready_metrics:
        raise UserError(f"no metric of {plan.task.name} can be computed here: metrics=['f1']")
    folder = _emptied_folder(Path(out))
    name = f"longdoc_{plan.task.name.replace('/', '_').replace('-', '_')}"
    scores = _score_names(ready_metrics, examples)
    rows = (json.dumps(_row(plan, example), ensure_ascii=False) + "\n" for example in examples)
    write_pieces(folder, EXAMPLES, (row.encode() for row in rows))
    record = {"task": plan.task.name, "split": plan.split, "metrics": list(ready_metrics), "scores": scores}
    write_whole(folder, TASK, json.dumps(record, indent=1))
    aggregates = [AGGREGATE.format(number=number, name=score) for number, score in enumerate(scores)]
    write_whole(folder, UTILS, "".join([CODE, *aggregates]))
    write_whole(folder, f"{name}.yaml", _yaml(name, plan, list(scores)))
    return WrittenTask(folder, name, len(examples), tuple(scores), scorer.lacking)


lm_eval_task = renamed(lm_task, "lm_eval_task")


@dataclass(frozen=True, slots=True)
class WrittenTask:
    """The folder that was written, what the task is called in the harness, and the names of its scores.

    `not_computed` says of metrics that were left out why they cannot be computed here.
    """

    folder: Path
    name: str
    examples: int
    scores: tuple[str, ...]
    not_computed: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return plain_fields(self)

    def __str__(self) -> str:
        counts = f"{counted(self.examples, 'example')}, {', '.join(self.scores)}"
        run = f"longdoc bridge lm-eval --model_args reader=MODEL --tasks {self.name} --include_path {self.folder}"
        missing = [f"{name} left out: {reason}" for name, reason in self.not_computed.items()]
        return "\n".join([f"{self.folder}: {self.name} ({counts})", *missing, f"to run it: {run}"])


@dataclass(slots=True)
class ExportedTask:
    """An exported folder as its `utils.py` reads it."""

    folder: Path
    _metrics: dict[str, Metric] = field(init=False, default_factory=dict)
    _scores: Mapping[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Make the metrics ready. Raises `NotComputable`."""
        check_files(self.folder)
        record = json.loads((self.folder / TASK).read_text(encoding="utf-8"))
        self._scores = record["scores"]
        file = str(self.folder / TASK)
        self._metrics = {name: metrics.get(marked_with_file(name, file)) for name in record["metrics"]}
        for metric in self._metrics.values():
            metric.prepare()

    def rows(self) -> dict[str, Any]:
        """The examples as a `datasets.Dataset`, by split."""
        from datasets import Dataset

        with (self.folder / EXAMPLES).open(encoding="utf-8") as file:
            return {SPLIT: Dataset.from_list([json.loads(line) for line in file])}

    def process_results(self, doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Row]:
        """The statistics of an output, for each score those of its metric."""
        document = Document(doc["document_id"], doc["document"])
        evidence = tuple((int(start), int(end)) for start, end in doc["evidence"])
        example = Example(
            doc["id"], document, doc["query"], tuple(doc["references"]), tuple(doc["options"]), evidence,
            json.loads(doc["meta"]),
        )  # fmt: skip
        values = {
            name: dict(metric.statistics(results[0], example))
            for name, metric in self._metrics.items()
            if metric.takes(example.references)
        }
        return {score: values[metric] for score, metric in self._scores.items() if metric in values}

    def aggregate(self, score: str, rows: Sequence[Row]) -> float:
        """A score of all rows."""
        return self._metrics[self._scores[score]].aggregate(rows)[score]


def _row(plan: Plan, example: Example) -> dict[str, Any]:
    part = Part("document", example.document.text, 0, len(example.document.text))
    text = plan.template.render(example, (part,)).text
    before, document, after = text.partition(example.document.text) if example.document.text else (text, "", "")
    return {
        "id": example.id, "document_id": example.document.id, "before": before, "document": document, "after": after,
        "query": example.query, "references": list(example.references), "options": list(example.options),
        "evidence": [list(span) for span in example.evidence], "meta": json.dumps(plain_value(example.meta)),
    }  # fmt: skip


def _score_names(ready_metrics: Mapping[str, Metric], examples: Sequence[Example]) -> dict[str, str]:
    """The names of all scores, each with its metric; what they are is known once there are rows."""
    metric_names: dict[str, str] = {}
    for name, metric in ready_metrics.items():
        scorable_examples = [example for example in examples if metric.takes(example.references)]
        rows = [metric.statistics(example.references[0], example) for example in scorable_examples]
        metric_names |= dict.fromkeys(metric.aggregate(rows), name)
    return metric_names


def _yaml(name: str, plan: Plan, scores: Sequence[str]) -> str:
    lines = [
        f"task: {name}",
        "custom_dataset: !function utils.rows",
        f"test_split: {SPLIT}",
        "output_type: generate_until",
        'doc_to_text: "{{before}}{{document}}{{after}}"',
        'doc_to_target: "{{references[0]}}"',
        "process_results: !function utils.process_results",
        "num_fewshot: 0",
        "generation_kwargs:",
        "  until: []",
        f"  max_gen_toks: {plan.max_new_tokens}",
        "  do_sample: false",
        "metric_list:",
    ]
    for number, score in enumerate(scores):
        lines += [
            f"  - metric: {json.dumps(score)}", f"    aggregation: !function utils.aggregate_{number}",
            "    higher_is_better: true",
        ]  # fmt: skip
    return "\n".join([*lines, "metadata:", "  version: 1", ""])


def _emptied_folder(folder: Path) -> Path:
    """A new folder, or one that holds nothing but an exported task, whose files are removed."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = list(folder.iterdir())
    paths = [path for path in entries if path.name in (EXAMPLES, TASK, UTILS, "__pycache__") or path.suffix == ".yaml"]
    if len(paths) < len(entries) or (entries and not (folder / TASK).is_file()):
        raise UserError(f"{folder} holds other files: name a new folder")
    for path in paths:
        if path.is_file():
            path.unlink()
    return folder
