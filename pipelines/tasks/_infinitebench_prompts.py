"""Our own words for ∞Bench's tasks: they stand in where its `src/prompt.py` is not given (`prompts_from`)."""

from collections.abc import Mapping

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
