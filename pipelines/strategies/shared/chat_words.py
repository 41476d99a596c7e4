"""What a task says to a chat model, in words of our own.

Those of `hotpotqa`, `qa` and Qasper were chosen with two small models (`benchmarks.wordings`); the others follow their
form. A last sentence about yes and no was often given as the answer. So words that are an answer stand
only in tasks whose references have them, and no example of an answer stands in a prompt, since models copy it.
"""

from dataclasses import dataclass
from typing import Literal

Answers = Literal["text", "option", "letter", "label", "short", "absent", "dictionary"]

SHORTLY = "Give only the answer, and no other words."
NOT_STATED = "not stated"  # what a model writes where there is no answer: it offers itself less than "unanswerable"
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
    - `format`: how to write the answer; `part_format` takes its place where a strategy asks about one part of the
      document at a time.
    - `cue`: what ends the prompt behind the question. Without it the format does.
    - `length`: the words of an answer, where `{words}` in `part_format` is the share of them that a part's has.
    - `max_new_tokens`: the output length in tokens, where the task's is for other readers and another recipe.
    - `absent`: how to say that the document does not answer, where references say so; for most tasks `if_not_stated`.
      Small models take it for the answer of questions that have one, so it is in no other task.
    - `answers`: how a reply becomes the answer.
        - text: all of it.
        - option, letter: the one of the example's options that it names, by letter or text, as its text or its letter.
        - label: the one label that it names; the labels, the example's options or the task's, follow `format`.
        - short: yes, no or unanswerable where it says that, else all of it; absent: unanswerable alone, of a person's
          own rows. A reply that is "not stated" is unanswerable.
        - dictionary: what stands in braces, where anything does.
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
        """How to write about one of so many parts, which share the answer's words."""
        return self.part_format.replace("{words}", str(max(self.length // parts, LEAST_WORDS)))


def if_not_stated(shown: str) -> str:
    """What to write where what is shown, "the paper" say, has no answer."""
    return f'If {shown} does not say, write "{NOT_STATED}".'
