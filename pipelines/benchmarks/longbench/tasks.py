"""The 21 tasks of LongBench (Bai et al. 2024): 14 English ones, 5 Chinese ones and 2 of code.

One zip has the files of all; counts are those of the table of tasks beside its code.
"""

from pipelines.benchmarks.longbench.prompts import CHAT, PROMPTS
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.evidence_kinds import EVIDENCE
from pipelines.tasks.prompt_files import PromptFile

NOTES = (
    "Output lengths are those of the published code (config/dataset2maxlen.json). Its prompts put instructions "
    "around the document: `--prompts-from config/dataset2prompt.json` reads them; without it the prompts are "
    "longdoc's. As in the code, a prompt over the reader's limit loses its middle. To repeat its numbers, use its"
    " limits: `--chunker truncate:N,side=middle` with N = 3500 for models of 4k tokens, 7500 (8k), 15500 (16k), "
    "31500 (32k)."
)
AS_TEXT = (
    " The published code gives this task's prompt to chat models as bare text, without their chat template, so "
    "that they continue it. `--model causal:FOLDER,chat=false` does the same; a server's chat endpoint cannot. "
    "One line of the output is scored."
)
FIELDS = {"{context}": "document", "{input}": "query"}


NO_QUERY = {"gov_report", "multi_news", "vcsum", "passage_count", "lcc"}
COUNTS = {"multifieldqa_en": 150, "lcc": 500, "repobench-p": 500}  # of the others 200


def _task(name: str, summary: str, length: int, metric: str, notes: str = "") -> Task:
    prompt, instruction = PROMPTS[name]
    files, counts = {"test": (f"data.zip::data/{name}.jsonl",)}, {"test": COUNTS.get(name, 200)}
    return Task(
        name=f"longbench/{name}",
        summary=summary,
        dataset=DatasetInfo("zai-org/LongBench", files, "longbench", counts, has_query=name not in NO_QUERY),
        chunker="truncate:side=middle",
        retriever="all",
        model="google/flan-t5-base",
        prompt=prompt,
        prompt_file=PromptFile("LongBench/config/dataset2prompt.json", FIELDS, entry=name),
        predictions="longbench",
        cut_at="token",
        equal_halves=True,
        instruction=instruction,
        metrics=(metric,),
        max_new_tokens=length,
        notes=NOTES + notes,
        chat=CHAT[name],
        evidence=EVIDENCE.get(name, ""),
    )


ROUGE = "rouge_l_longbench"
TASKS = (
    _task("narrativeqa", "questions about books and film scripts", 128, "f1"),
    _task("qasper", "questions about scientific papers", 128, "f1"),
    _task("multifieldqa_en", "questions about articles of many fields", 64, "f1"),
    _task("multifieldqa_zh", "questions about Chinese articles of many fields", 64, "qa_f1_zh_score"),
    _task("hotpotqa", "two-hop questions over Wikipedia passages", 32, "f1"),
    _task("2wikimqa", "multi-hop questions over Wikipedia passages", 32, "f1"),
    _task("musique", "multi-hop questions that no shortcut answers", 32, "f1"),
    _task("dureader", "Chinese questions over retrieved documents", 128, "rouge_zh_score"),
    _task("gov_report", "summaries of reports by government agencies", 512, ROUGE),
    _task("qmsum", "summaries of meetings that answer a query", 512, ROUGE),
    _task("multi_news", "summaries of several news articles", 512, ROUGE),
    _task("vcsum", "summaries of Chinese meetings", 512, "rouge_zh_score"),
    _task("trec", "the type of a question, after examples", 64, "classification_score", AS_TEXT),
    _task("triviaqa", "a question about a passage, after examples", 32, "f1_first_line", AS_TEXT),
    _task("samsum", "the summary of a dialogue, after examples", 128, f"{ROUGE}_first_line", AS_TEXT),
    _task("lsht", "the class of a piece of Chinese news, after examples", 64, "classification_score", AS_TEXT),
    _task("passage_count", "how many paragraphs are different ones", 32, "count_score"),
    _task("passage_retrieval_en", "which paragraph a summary is of", 32, "retrieval_score"),
    _task("passage_retrieval_zh", "which Chinese paragraph a summary is of", 32, "retrieval_zh_score"),
    _task("lcc", "the next line of a file of code", 64, "code_sim_score", AS_TEXT),
    _task("repobench-p", "the next line of code, with other files of it", 64, "code_sim_score", AS_TEXT),
)
