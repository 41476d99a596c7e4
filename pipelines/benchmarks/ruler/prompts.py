"""Our words for RULER's tasks: for examples without a prompt, and for what `longdoc data build ruler_like` makes.

They ask what RULER's prompts ask (Hsieh et al. 2024, section 3) and are not those: scores that rest on them are marked
so.
"""

from collections.abc import Mapping

from pipelines.prompts.row_prompt import RowWording

NEEDLES = RowWording(
    "Below is a text. Entries of a register are hidden in it, each with a name and its code. Write the codes that the "
    "question asks for, and nothing else.",
    "Text:", "Question:", "Codes:", "",
)  # fmt: skip
QUESTIONS = RowWording(
    "Below are documents and a question, which one or two of them answer. Answer with as few words as you can.",
    "Documents:", "Question:", "Answer:", "",
)  # fmt: skip
NEEDLE_TASKS = (
    "niah_single_1", "niah_single_2", "niah_single_3", "niah_multikey_1", "niah_multikey_2", "niah_multikey_3",
    "niah_multivalue", "niah_multiquery",
)  # fmt: skip
WORDING: Mapping[str, RowWording] = {
    **dict.fromkeys(NEEDLE_TASKS, NEEDLES),
    "vt": RowWording(
        "Below is a text in which variables are set, some to a number and others to the value of another variable. "
        "Write the names of the variables that the question asks for, and nothing else.",
        "Text:", "Question:", "Variables:", "",
    ),
    "cwe": RowWording(
        "Below is a numbered list of words, of which some occur more often than others. Write the words that the "
        "question asks for, and nothing else.",
        "List:", "Question:", "Words:", "",
    ),
    "fwe": RowWording(
        "Below is a text of invented words with dots between them. Write the words that the question asks for, and "
        "nothing else.",
        "Text:", "Question:", "Words:", "",
    ),
    "qa_1": QUESTIONS,
    "qa_2": QUESTIONS,
}  # fmt: skip
