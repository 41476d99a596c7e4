"""The English question answering and summarization tasks of LongBench (Bai et al. 2024)."""

from pipelines.tasks import Task
from pipelines.tasks._evidence import EVIDENCE
from pipelines.tasks._longbench_datasets import DATASETS

NOTES = (
    "Output lengths are those of the published code. Its prompts surround the document with instructions and cut its "
    "middle where it is too long; the wording here is ours, and the document's tail is cut, at the token as there."
)


ANSWER, RETELL, SUMMARIZE = "Answer in a few words.", "Answer in a few sentences.", "Write a summary of a page."


def _task(name: str, summary: str, length: int, metric: str, instruction: str = ANSWER) -> Task:
    question = "\n\nQuestion: {query}\nAnswer:" if DATASETS[name].has_query else "\n\nSummary:"
    return Task(
        name=f"longbench/{name}",
        summary=summary,
        dataset=DATASETS[name],
        chunker="whole",
        retriever="all",
        model="google/flan-t5-base",
        prompt="{instruction}\n\n{document}" + question,
        cut_at="token",
        instruction=instruction,
        metrics=(metric,),
        max_new_tokens=length,
        notes=NOTES,
        evidence=EVIDENCE.get(name, ""),
    )


TASKS = (
    _task("narrativeqa", "questions about books and film scripts", 128, "f1"),
    _task("qasper", "questions about scientific papers", 128, "f1"),
    _task("multifieldqa_en", "questions about articles of many fields", 64, "f1"),
    _task("hotpotqa", "two-hop questions over Wikipedia passages", 32, "f1"),
    _task("2wikimqa", "multi-hop questions over Wikipedia passages", 32, "f1"),
    _task("musique", "multi-hop questions that no shortcut answers", 32, "f1"),
    _task("gov_report", "summaries of reports by government agencies", 512, "rouge_l_longbench", SUMMARIZE),
    _task("qmsum", "summaries of meetings that answer a query", 512, "rouge_l_longbench", RETELL),
    _task("multi_news", "summaries of several news articles", 512, "rouge_l_longbench", SUMMARIZE),
)
