"""Graphwalks: breadth-first search and parents in a graph that fills the window (OpenAI 2025)."""

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
        metrics=("graphwalks_f1", *EVIDENCE_NAMES),
        max_new_tokens=2048,
        notes="The prompt is that of each row, whose edges retrieved passages take the place of. Rows of one's own "
        "carry none and get our wording; their scores are marked so. Output length is ours: none is published.",
    ),
)
