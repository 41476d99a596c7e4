"""Our own words for asking SCROLLS' tasks of a chat model."""

from collections.abc import Mapping

from pipelines.strategies.shared.chat_words import LETTER, PAGE, PARAGRAPH, PART, SHORTLY, ChatWords, if_not_stated

CHAT: Mapping[str, ChatWords] = {
    "gov_report": ChatWords(
        "Sum up a report of a government agency.",
        "Write a summary of about one page, and nothing else.",
        document="Report",
        part_format=PART,
        length=PAGE,
    ),
    "summ_screen_fd": ChatWords(
        "Retell an episode of a TV series from its script.",
        "Retell the episode in one paragraph, and write nothing else.",
        document="Script",
        part_format=PART,
        length=PARAGRAPH,
    ),
    "qmsum": ChatWords(
        "Respond to a request about a meeting from its transcript.",
        "Respond in a few sentences, and write nothing else.",
        document="Transcript",
        query="Request",
        cue="Response:",
    ),
    "qasper": ChatWords(
        "Answer a question about a scientific paper.",
        SHORTLY,
        document="Paper",
        absent=if_not_stated("the paper"),
        answers="short",
    ),
    "narrative_qa": ChatWords(
        "Answer a question about a story, which is a book or a film script.", SHORTLY, document="Story"
    ),
    "quality": ChatWords(
        "Answer a question of multiple choice about a story or an article.", LETTER, document="Text", answers="option"
    ),
    "contract_nli": ChatWords(
        "Say whether a contract entails a statement, contradicts it, or does not mention it.",
        "Write the one of these labels that holds, and nothing else:",
        document="Contract",
        query="Statement",
        answers="label",
    ),
}
