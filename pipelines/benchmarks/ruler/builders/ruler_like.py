"""Needles, variables and frequent words, as in RULER (Hsieh et al. 2024, section 3 and table 2), in words of our own.

The numbers are RULER's: how many needles have how many values, which of them are asked for, four hops, ten words that
occur thirty times among others that occur three times, and invented words whose frequency falls with the square of
their rank. The texts, names and prompts are not, and there is no example before the text.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from longdoc.errors import unknown
from pipelines import tasks
from pipelines.benchmarks.ruler.builders._frequent_words import common_words, frequent_words
from pipelines.benchmarks.ruler.builders._needles import NEEDLES, needles, variables
from pipelines.benchmarks.ruler.prompts import WORDING
from pipelines.plugins.builders._generator import Generator
from pipelines.plugins.builders._prompt_rows import Draft, prompt
from pipelines.plugins.builders.builder import Row

MINIMA = {"vt": 5, "cwe": 1, "fwe": 50}  # pieces of a text
TASKS = (*NEEDLES, *MINIMA)
GUESS = 20  # tokens of a piece


@dataclass(frozen=True)
class RulerLike(Generator):
    """Rows of RULER's layout for a task, `validation.jsonl`, for `longdoc run ruler/TASK --data FOLDER`.

    `task`: a task of RULER but its questions, which need other people's data: `niah_single_1` to `niah_single_3`,
    `niah_multikey_1` to `niah_multikey_3`, `niah_multivalue`, `niah_multiquery`, `vt`, `cwe`, `fwe`. Prompt and answer
    have `length` tokens at most, in `unit` ("words", "characters", or a tokenizer). The rows also say where the
    document, the question and, save for `cwe` and `fwe`, the evidence are, in code points of `input`. Raises
    `UserError` for another task, and for a length that its needles do not fit into.
    """

    task: str = "niah_single_1"

    def __post_init__(self) -> None:
        """Refuse an unknown task."""
        super().__post_init__()
        if self.task not in TASKS:
            raise unknown("task of ruler_like", self.task, TASKS)

    def generated(self, seed: int) -> Iterator[tuple[str, Row]]:
        """The rows, each as long as may be."""
        size = self.length // GUESS
        for number in range(self.examples):
            draft = _draft(self.task, seed, number)

            def tokens(size: int, draft: Draft = draft) -> int:
                return self._tokens(prompt(WORDING[self.task], draft(size))[0])

            size = self.size(tokens, MINIMA.get(self.task, 4), size)
            question = draft(size)
            text, spans = prompt(WORDING[self.task], question)
            row = {"index": number, "input": text, "outputs": question.outputs, "length": self._tokens(text)}
            yield "validation", row | spans

    def _tokens(self, text: str) -> int:
        """The tokens of a prompt and the room for its answer."""
        return self.count(text) + tasks.get(f"ruler/{self.task}").max_new_tokens


def _draft(task: str, seed: int, number: int) -> Draft:
    key = (seed, task, number)
    if task in NEEDLES:
        return needles(NEEDLES[task], *key)
    return {"vt": variables, "cwe": common_words, "fwe": frequent_words}[task](*key)
