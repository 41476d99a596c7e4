"""LongBench v2: 503 questions of multiple choice about documents of 8,000 to 2 million words (Bai et al. 2025)."""

from pipelines.prompts.chat_words import ChatWords
from pipelines.sources import DatasetInfo
from pipelines.tasks import Task
from pipelines.tasks.prompt_files import CLOSED_BOOK, CONCLUSION, PASSAGES, REASONING, PromptFile

DATASET = DatasetInfo("zai-org/LongBench-v2", {"test": ("data.json",)}, "longbench_v2", {"test": 503})

QUESTION = "Question: {query}\n(A) {option_a}\n(B) {option_b}\n(C) {option_c}\n(D) {option_d}"
ANSWER = 'End with a sentence of this form, with the letter of the right choice: "The correct answer is (LETTER)".'

FILES = PromptFile(
    "prompts/0shot.txt",
    {
        "$DOC$": "document",
        "$COT$": "document",
        "$Q$": "query",
        "$C_A$": "option_a",
        "$C_B$": "option_b",
        "$C_C$": "option_c",
        "$C_D$": "option_d",
    },
    formatted=False,
    forms={
        PASSAGES: "prompts/0shot_rag.txt",
        CLOSED_BOOK: "prompts/0shot_no_context.txt",
        REASONING: "prompts/0shot_cot.txt",
        CONCLUSION: "prompts/0shot_cot_ans.txt",
    },
    label="Retrieved chunk {number}: ",
    separator="\n\n",
)

TASKS = (
    Task(
        name="longbench_v2",
        summary="multiple choice about very long documents of six kinds",
        dataset=DATASET,
        chunker="truncate:side=middle",
        retriever="all",
        order="document",
        model="google/flan-t5-base",
        prompt=f"Below are a text and a question about it.\n\n{{document}}\n\n{QUESTION}\n\n{ANSWER}",
        prompts={
            CLOSED_BOOK: f"{{document}}{QUESTION}\n\n{ANSWER}",
            REASONING: f"Below are a text and a question about it.\n\n{{document}}\n\n{QUESTION}\n\n"
            "Write down, step by step, what leads to the right choice.",
            CONCLUSION: f"{QUESTION}\n\nThoughts on it, by somebody who has read the text:\n{{document}}\n\n{ANSWER}",
        },
        chat=ChatWords("Answer a question of multiple choice about a text.", ANSWER, document="Text", cue=""),
        prompt_file=FILES,
        predictions="longbench_v2",
        cut_at="token",
        metrics=("longbench_v2",),
        max_new_tokens=128,
        notes="Output lengths are those of the published code: 128 tokens, and 1,024 for the reasoning of `--strategy "
        "chain_of_thought`. `--prompts-from FOLDER` reads its prompts; without it they are longdoc's, and scores "
        "are marked so. As in the code, a prompt over the reader's limit loses its middle. The code samples at "
        "temperature 0.1.",
    ),
)
