"""RULER: needles, variables, frequent words and questions in texts of any length (Hsieh et al. 2024).

Its files are made by its own generator, `LENGTH/TASK/validation.jsonl`; none are published.
"""

from pipelines.benchmarks.ruler.prompts import WORDING
from pipelines.metrics import EVIDENCE_NAMES
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task

NOTES = (
    "Output lengths are those of the published code. The prompt is that of each row; retrieved passages take the "
    "document's place in it. Your own rows without a prompt get longdoc's; their scores are marked so. RULER's "
    "rows do not say where the evidence is; those of `longdoc data build ruler_like` do."
)


def _task(name: str, summary: str, length: int, *metrics: str) -> Task:
    return Task(
        name=f"ruler/{name}",
        summary=summary,
        dataset=DatasetInfo(repository="", files={}, layout="ruler", counts={}),
        split="validation",
        chunker="whole",
        retriever="all",
        order="document",
        model="google/flan-t5-base",
        prompt="row",
        predictions="ruler",
        metrics=metrics,
        max_new_tokens=length,
        notes=NOTES,
        row_wording=WORDING[name],
    )


def _needles(name: str, summary: str) -> Task:
    return _task(name, summary, 128, "string_match_all", *EVIDENCE_NAMES)


TASKS = (
    _needles("niah_single_1", "one number among repeated sentences"),
    _needles("niah_single_2", "one number in essays"),
    _needles("niah_single_3", "one UUID in essays"),
    _needles("niah_multikey_1", "one of four numbers in essays"),
    _needles("niah_multikey_2", "one number among nothing but others"),
    _needles("niah_multikey_3", "one UUID among nothing but others, named by UUIDs"),
    _needles("niah_multivalue", "the four numbers of one name in essays"),
    _needles("niah_multiquery", "the numbers of four names in essays"),
    _task("vt", "the variables that a number is handed on to", 30, "string_match_all", *EVIDENCE_NAMES),
    _task("cwe", "the ten most common words of a list", 120, "string_match_all"),
    _task("fwe", "the three most frequent invented words of a text", 50, "string_match_all"),
    _task("qa_1", "questions about one of many paragraphs (SQuAD)", 32, "string_match_part"),
    _task("qa_2", "multi-hop questions about many paragraphs (HotpotQA)", 32, "string_match_part"),
)
