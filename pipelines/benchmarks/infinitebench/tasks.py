"""The English tasks of ∞Bench that are about books and film scripts (Zhang et al. 2024).

Counts of examples are those of the table in its repository's README.
"""

from pipelines.prompts.chat_words import LETTER, PART, SHORTLY, ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.prompt_files import PromptFile

NOTES = (
    "Output lengths are those of the published code (src/eval_utils.py). As there, a prompt that is too long "
    "loses its middle. GPT-4 gets 127,000 tokens, as here; other models get their window: `--chunker "
    "truncate:131072,side=middle` for YaRN-Mistral."
)
FIELDS = {
    "{file:{context}}": "document",  # what its prompts for Kimi call a file that is uploaded
    "{file:{document}}": "document",
    "{context}": "document",
    "{question}": "query",
    "{input}": "query",
    "{OPTION_A}": "option_a",
    "{OPTION_B}": "option_b",
    "{OPTION_C}": "option_c",
    "{OPTION_D}": "option_d",
}

PROMPTS = {  # our own words: they stand in where its `src/prompt.py` is not given (`prompts_from`)
    "en_qa": "Below are a novel and a question about it. Answer in a few words.\n\n{document}\n\n{query}\n\nAnswer:",
    "en_mc": (
        "Below are a novel and a question about it with four possible answers. Give the letter of the right one, and "
        "nothing else.\n\n{document}\n\n{query}\n\nA) {option_a}\nB) {option_b}\nC) {option_c}\nD) {option_d}\n\n"
        "Letter:"
    ),
    "en_sum": "Below is a novel. Retell its plot in about a thousand words.\n\n{document}\n\nSummary:",
    "en_dia": (
        "Below is a film script in which one mention of a character has been overwritten with $$MASK$$. Who is it? "
        "Give the name as it stands above that character's lines, and nothing else.\n\n{document}\n\nName:"
    ),
}

CHAT = {
    "en_qa": ChatWords("Answer a question about a novel.", SHORTLY, document="Novel"),
    "en_mc": ChatWords(
        "Answer a question of multiple choice about a novel.", LETTER, document="Novel", answers="letter"
    ),
    "en_sum": ChatWords(
        "Retell the plot of a novel.",
        "Retell the plot in about a thousand words, and write nothing else.",
        document="Novel",
        part_format=PART,
        length=1_000,
    ),
    "en_dia": ChatWords(
        "In a film script, one mention of a character has been overwritten with $$MASK$$. Say who it is.",
        "Write the name as it stands above that character's lines, in capitals, and nothing else.",
        document="Script",
    ),
}


def _task(name: str, summary: str, file: str, count: int, length: int, metric: str, has_query: bool = True) -> Task:
    return Task(
        name=f"infinitebench/{name}",
        summary=summary,
        dataset=DatasetInfo(
            "xinrongzhang2022/InfiniteBench",
            {"test": (f"{file}.jsonl",)},
            "infinitebench",
            {"test": count},
            has_query=has_query,
            count_source="the README's table",
        ),
        chunker="truncate:127000,side=middle",
        retriever="all",
        model="google/flan-t5-base",
        prompt=PROMPTS[name],
        prompt_file=PromptFile("src/prompt.py", FIELDS, entry=file, group="gpt4_templates"),
        predictions="infinitebench",
        cut_at="token",
        metrics=(metric,),
        max_new_tokens=length,
        notes=NOTES,
        chat=CHAT[name],
    )


TASKS = (
    _task("en_qa", "questions about whole novels", "longbook_qa_eng", 351, 40, "f1"),
    _task(
        "en_mc", "multiple-choice questions about whole novels", "longbook_choice_eng", 229, 40, "choice_infinitebench"
    ),
    _task("en_sum", "summaries of whole novels", "longbook_sum_eng", 103, 1200, "rouge_lsum", has_query=False),
    _task(
        "en_dia",
        "the character whose name is masked once in a film script",
        "longdialogue_qa_eng",
        200,
        40,
        "name_infinitebench",
    ),
)
