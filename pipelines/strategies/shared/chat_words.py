"""What a task says to a chat model, in words of our own."""

from dataclasses import dataclass
from typing import Literal

Answers = Literal["text", "option", "letter", "label", "short", "absent", "dictionary"]

UNANSWERABLE = 'If what is shown does not answer the question, write "unanswerable" and nothing else.'
SHORTLY = "Answer with as few words as you can, with a phrase where that will do, and write nothing else."
YES_OR_NO = 'Answer a question that asks for yes or no with "yes" or "no".'
LETTER = "Write the letter of the best answer and nothing else."
CHOICE = "Write the one of these answers that is right, and nothing else:"
PART = "Sum up this part in at most {words} words, and write nothing else."
LEAST_WORDS = 20  # of a part: a sentence
PARAGRAPH, PAGE = 100, 500  # words: SummScreenFD's and GovReport's references (Shaham et al. 2022, table 1)
ABSTRACT = 220  # words: the mean of arXiv's (Cohan et al. 2018, table 1)


@dataclass(frozen=True, slots=True)
class ChatWords:
    """The wording of a task for chat models.

    - `instruction`: what the document is and what to do. It comes first, is the same for all questions, and reads well
      too where the document is shown in parts or not at all.
    - `document`, `query`: the nouns that stand above the document and the question.
    - `format`: how to write the answer, which comes last; `part_format` takes its place where a strategy asks about one
      part of the document at a time.
    - `length`: the words of an answer, where `{words}` in `part_format` is the share of them that a part's has.
    - `max_new_tokens`: the output length in tokens, where the task's is for other readers and another recipe.
    - `absent`: how to say that the document does not answer, where references say so.
    - `answers`: how a reply becomes the answer.
        - text: all of it.
        - option, letter: the one of the example's options that it names, by letter or text, as its text or its letter.
        - label: the one label that it names; the labels, the example's options or the task's, follow `format`.
        - short: yes, no or unanswerable where it says that, else all of it; absent: unanswerable alone.
        - dictionary: what stands in braces, where anything does.
    """

    instruction: str
    format: str
    document: str = "Document"
    query: str = "Question"
    part_format: str = ""
    length: int = 0
    max_new_tokens: int = 0
    absent: str = ""
    answers: Answers = "text"

    def for_part(self, parts: int) -> str:
        """How to write about one of so many parts, which share the answer's words."""
        return self.part_format.replace("{words}", str(max(self.length // parts, LEAST_WORDS)))
