"""Graphwalks: breadth-first search and parents in a graph that fills the window (OpenAI 2025)."""

from pipelines.benchmarks.graphwalks.prompts import WORDING
from pipelines.metrics import EVIDENCE_NAMES
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task

TASKS = (
    Task(
        name="graphwalks",
        summary="the nodes that a search in a graph finds, from a list of its edges (data=FILE)",
        dataset=DatasetInfo(repository="", files={}, layout="graphwalks", counts={}),
        chunker="whole",
        retriever="all",
        order="document",
        model="google/flan-t5-base",
        prompt="row",
        row_wording=WORDING,
        metrics=("graphwalks_f1", *EVIDENCE_NAMES),
        max_new_tokens=2048,
        notes="The prompt is that of each row; retrieved passages take the place of its edges. Your own rows without a "
        "prompt get longdoc's; their scores are marked so. No output length is published; this one is longdoc's.",
    ),
)
