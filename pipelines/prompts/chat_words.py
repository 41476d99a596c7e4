"""The wording of tasks for chat models.

Those of `hotpotqa`, `qa` and Qasper were chosen with two small models (`benchmarks.wordings`); the others follow them.
Models often copied a last sentence about yes and no as the answer. So words that can be an answer stand only in tasks
whose references have them, and no prompt has an example of an answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Answers = Literal["text", "option", "letter", "label", "short", "absent", "dictionary"]

SHORTLY = "Give only the answer, and no other words."
NOT_STATED = "not stated"  # written where there is no answer: models overuse it less than "unanswerable"
LETTER = "Write the letter of the best answer and nothing else."
CHOICE = "Write the one of these answers that is right, and nothing else:"
PART = "Sum up this part in at most {words} words, and write nothing else."
LEAST_WORDS = 20  # of a part: a sentence
PARAGRAPH, PAGE = 100, 500  # words: SummScreenFD's and GovReport's references (Shaham et al. 2022, table 1)
ABSTRACT = 220  # words: the mean of arXiv's (Cohan et al. 2018, table 1)


@dataclass(frozen=True, slots=True)
class ChatWords:
    """The wording of a task for chat models.

    - `instruction`: what the document is and what to do. It comes first, is the same for all questions, and also fits
      where the document is shown in parts or not at all.
    - `document`, `query`: the nouns above the document and before the question.
    - `format`: how to write the answer; `part_format` takes its place where a strategy asks about one part of the
      document at a time.
    - `cue`: what ends the prompt behind the question. Without it the format does.
    - `length`: the number of words of an answer; `{words}` in `part_format` becomes the share of one part.
    - `max_new_tokens`: the output length in tokens, where the task's is for other readers and another recipe.
    - `absent`: what to write where the document has no answer, only for tasks whose references say so. Small models
      give it as the answer to questions that have one, so other tasks do not mention it.
    - `answers`: how a reply becomes the answer.
        - text: the whole reply.
        - option, letter: the one of the example's options that it names, by letter or text; as its text or its letter.
        - label: the one label that it names; the labels, the example's options or the task's, follow `format`.
        - short: yes, no or unanswerable where it says that, else the whole reply. A reply that is "not stated" is
          unanswerable.
        - absent: unanswerable where it says that, else the whole reply; for people's own rows.
        - dictionary: the text in braces, if there is any.
    """

    instruction: str
    format: str
    document: str = "Document"
    query: str = "Question"
    cue: str = "Answer:"
    part_format: str = ""
    length: int = 0
    max_new_tokens: int = 0
    absent: str = ""
    answers: Answers = "text"

    def for_part(self, parts: int) -> str:
        """The format for one of `parts` parts, among which the words of the answer are divided."""
        return self.part_format.replace("{words}", str(max(self.length // parts, LEAST_WORDS)))


def if_not_stated(shown: str) -> str:
    """The sentence that says what to write if `shown` ("the paper") has no answer."""
    return f'If {shown} does not say, write "{NOT_STATED}".'


# for data sets that several benchmarks have, by the data set's name
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

OWN_QUESTIONS = ChatWords(
    "Answer a question about a document.", SHORTLY, absent=if_not_stated("the document"), answers="absent"
)
OWN_CLASSES = ChatWords(
    "Say to which class a document belongs.",
    "Write the one of these labels that fits the document, and nothing else:",
    answers="label",
)
