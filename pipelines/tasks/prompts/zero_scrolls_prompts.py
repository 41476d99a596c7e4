"""Our own words for ZeroSCROLLS' tasks, for examples that come from original releases and carry no prompt.

They say what the published prompts say (Shaham et al. 2023, tables 5 and 6) and are not those: scores that rest on them
are marked so.
"""

from collections.abc import Mapping
from dataclasses import dataclass

SUMMARIES = frozenset({"gov_report", "summ_screen_fd", "qmsum", "squality"})  # they get no format request


@dataclass(frozen=True, slots=True)
class Wording:
    """The words around a document: the instruction, and the headers of context, query and response.

    `truncation` is the notice that follows a document that was cut. A task without a query has no header for one.
    """

    instruction: str
    context: str
    query: str
    response: str
    truncation: str


def _truncation_notice(description: str) -> str:
    return f" [... what follows of the {description} was cut off]"


WORDING: Mapping[str, Wording] = {
    "gov_report": Wording(
        "Below is a report of a government agency. Sum it up in about one page.",
        "Report:", "", "Summary:", _truncation_notice("report"),
    ),
    "summ_screen_fd": Wording(
        "Below is the script of an episode of a TV series. Retell the episode in one paragraph.",
        "Script:", "", "Summary:", _truncation_notice("script"),
    ),
    "qmsum": Wording(
        "Below are the transcript of a meeting and a request about it. Respond to the request in a few sentences.",
        "Transcript:", "Request:", "Response:", _truncation_notice("transcript"),
    ),
    "squality": Wording(
        "Below are a story and a question about it. Write one paragraph that answers the question.",
        "Story:", "Question:", "Answer:", _truncation_notice("story"),
    ),
    "qasper": Wording(
        "Below are a scientific paper and a question about it. Answer with as few words as you can: a phrase, or a "
        'sentence where a phrase will not do. A question that asks for yes or no is answered "yes" or "no". If the '
        'paper does not tell, write "unanswerable".',
        "Paper:", "Question:", "Answer:", _truncation_notice("paper"),
    ),
    "narrative_qa": Wording(
        "Below are a story, which is a book or a film script, and a question about it. Answer with as few words as you "
        "can, with a phrase where that will do.",
        "Story:", "Question:", "Answer:", _truncation_notice("story"),
    ),
    "quality": Wording(
        "Below are a story and a question about it with four answers to choose from, A, B, C and D. Write the letter "
        "of the best answer and nothing else.",
        "Story:", "Question and answers to choose from:", "Answer:", _truncation_notice("story"),
    ),
    "musique": Wording(
        "Below are paragraphs of Wikipedia and a question. Answer with as few words as you can, with a phrase where "
        'that will do. If the paragraphs do not tell, write "unanswerable".',
        "Paragraphs:", "Question:", "Answer:", _truncation_notice("paragraphs"),
    ),
    "space_digest": Wording(
        "Below are reviews of one hotel, each of which either praises or faults it. How many of a hundred reviews "
        "praise it? Write a percentage and nothing else.",
        "Reviews:", "", "Percentage:", _truncation_notice("reviews"),
    ),
    "book_sum_sort": Wording(
        "Below are summaries of the chapters of a book, each with its number, in no order. Write all the numbers in "
        "the order in which the chapters stand in the book, with commas between them, and nothing else.",
        "Summaries:", "", "Order:", _truncation_notice("summaries"),
    ),
}  # fmt: skip
