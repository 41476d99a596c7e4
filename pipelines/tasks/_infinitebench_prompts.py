"""Our own words for ∞Bench's tasks: they stand in where its `src/prompt.py` is not given (`prompts_from`)."""

from collections.abc import Mapping

from pipelines.strategies._chat_words import LETTER, PART, SHORTLY, ChatWords

PROMPTS: Mapping[str, str] = {
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

CHAT: Mapping[str, ChatWords] = {
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
