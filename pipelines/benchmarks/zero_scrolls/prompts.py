"""Our own words for ZeroSCROLLS' tasks, for examples that come from original releases and carry no prompt.

They say what the published prompts say (Shaham et al. 2023, tables 5 and 6) and are not those: scores that rest on them
are marked so.
"""

from collections.abc import Mapping

from pipelines.prompts.row_prompt import RowWording


def _truncation_notice(description: str) -> str:
    return f" [... what follows of the {description} was cut off]"


WORDING: Mapping[str, RowWording] = {
    "gov_report": RowWording(
        "Below is a report of a government agency. Sum it up in about one page.",
        "Report:", "", "Summary:", _truncation_notice("report"), is_summary=True,
    ),
    "summ_screen_fd": RowWording(
        "Below is the script of an episode of a TV series. Retell the episode in one paragraph.",
        "Script:", "", "Summary:", _truncation_notice("script"), is_summary=True,
    ),
    "qmsum": RowWording(
        "Below are the transcript of a meeting and a request about it. Respond to the request in a few sentences.",
        "Transcript:", "Request:", "Response:", _truncation_notice("transcript"), is_summary=True,
    ),
    "squality": RowWording(
        "Below are a story and a question about it. Write one paragraph that answers the question.",
        "Story:", "Question:", "Answer:", _truncation_notice("story"), is_summary=True,
    ),
    "qasper": RowWording(
        "Below are a scientific paper and a question about it. Answer with as few words as you can: a phrase, or a "
        'sentence where a phrase will not do. A question that asks for yes or no is answered "yes" or "no". If the '
        'paper does not tell, write "unanswerable".',
        "Paper:", "Question:", "Answer:", _truncation_notice("paper"),
    ),
    "narrative_qa": RowWording(
        "Below are a story, which is a book or a film script, and a question about it. Answer with as few words as you "
        "can, with a phrase where that will do.",
        "Story:", "Question:", "Answer:", _truncation_notice("story"),
    ),
    "quality": RowWording(
        "Below are a story and a question about it with four answers to choose from, A, B, C and D. Write the letter "
        "of the best answer and nothing else.",
        "Story:", "Question and answers to choose from:", "Answer:", _truncation_notice("story"),
    ),
    "musique": RowWording(
        "Below are paragraphs of Wikipedia and a question. Answer with as few words as you can, with a phrase where "
        'that will do. If the paragraphs do not tell, write "unanswerable".',
        "Paragraphs:", "Question:", "Answer:", _truncation_notice("paragraphs"),
    ),
    "space_digest": RowWording(
        "Below are reviews of one hotel, each of which either praises or faults it. How many of a hundred reviews "
        "praise it? Write a percentage and nothing else.",
        "Reviews:", "", "Percentage:", _truncation_notice("reviews"),
    ),
    "book_sum_sort": RowWording(
        "Below are summaries of the chapters of a book, each with its number, in no order. Write all the numbers in "
        "the order in which the chapters stand in the book, with commas between them, and nothing else.",
        "Summaries:", "", "Order:", _truncation_notice("summaries"),
    ),
}  # fmt: skip
