"""The prompt of a judge: in words of this project, or read from a file (`judge_prompts_from`).

A file is a text with `{question}`, `{reference}` and `{prediction}`, or a Python file of a benchmark's repository
(`_python_prompts`), which is read and never run.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from longdoc.errors import UserError, unknown
from longdoc.folders import expanded
from models.prompts import Part, Prompt
from pipelines.evaluation.judging import _python_prompts
from pipelines.evaluation.judging._python_prompts import ROLES, FoundPrompt
from pipelines.records import Prediction, references_text
from pipelines.sources import reading, zips
from pipelines.tasks import Judging

ANSWER = """You grade answers to questions about a document, which you do not see.

Question: {question}

Reference answer: {reference}

Answer to be graded: {prediction}

Does the answer to be graded say what the reference answer says? Other words and further details do not matter; a \
missing or different fact, name or number does. Reply with one word: yes or no."""
ABSENT = """You grade answers to questions about a document, which you do not see. The document does not contain what \
the question below asks for. An answer is right if it says so, and wrong if it answers the question all the same.

Question: {question}

Reference answer: {reference}

Answer to be graded: {prediction}

Is the answer to be graded right? Reply with one word: yes or no."""
SEVERAL_TEXT = "one of these\n- "  # before several references

_REFERENCE, _PREDICTION = "Reference answer: {reference}", "Answer to be graded: {prediction}"
_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class JudgePrompt:
    """A prompt with the fields question, reference and prediction, whose words it is in, and the words of a reply."""

    text: str
    wording: Literal["published", "own"] = "own"

    @property
    def name(self) -> str:
        """Whose words, with a digest of them, for signatures."""
        return f"{self.wording} {sha256(self.text.encode()).hexdigest()[:8]}"

    def swapped(self) -> "JudgePrompt":
        """The same with the two answers in exchanged places. Raises `UserError` for words that are not our own."""
        if self.wording != "own":
            problem = "swapped: only our own prompt of a judge is known to stay right when the answers change places"
            raise UserError(f"{problem}; leave judge_prompts_from= out")
        return JudgePrompt(self.text.replace(f"{_REFERENCE}\n\n{_PREDICTION}", f"{_PREDICTION}\n\n{_REFERENCE}"))

    def fill(self, prediction: Prediction, is_again: bool = False) -> Prompt:
        """What the judge reads of a prediction; `is_again` asks for one word, after a reply that was neither.

        No part of it is ever cut.
        """
        text = self.text
        if not prediction.query and self.wording == "own":  # a summary, say
            text = text.replace("Question: {question}\n\n", "").replace("answers to questions about", "texts about")
        accepted_names = references_text(prediction.references)
        references = accepted_names[0] if len(accepted_names) == 1 else SEVERAL_TEXT + "\n- ".join(accepted_names)
        values = {"question": prediction.query, "reference": references, "prediction": prediction.prediction}
        filled_text = _FIELD.sub(lambda match: values.get(match[1], match[0]), text)
        if is_again:
            filled_text += f"\n\nYour whole reply has to be one word: {self._words}."
        return Prompt((Part("text", filled_text),))

    @property
    def _words(self) -> str:
        """The two words of which it asks for one; "correct" alone may be any word of its text."""
        if re.search(r"\bincorrect\b", self.text, re.IGNORECASE):
            return "CORRECT or INCORRECT"
        return "True or False" if re.search(r"\btrue\b", self.text, re.IGNORECASE) else "yes or no"


def judge_prompt(judging_value: Judging, given_path: str | Path | None = None) -> JudgePrompt:
    """The prompt for a task. Raises `UserError` for a file that is missing or holds none."""
    if given_path is None:
        return JudgePrompt(ABSENT if judging_value.absent else ANSWER)
    place, _, chosen_text = str(given_path).partition(zips.SEPARATOR)
    path = expanded(place)
    if path.is_dir():
        raise UserError(f"judge_prompts_from={given_path} is a folder: pass the file that has the prompt")
    whole_text = reading.text(reading.existing(path))
    if path.suffix != ".py":
        return JudgePrompt(_text_prompt(whole_text, path), "published")
    prompts = _python_prompts.read(whole_text, path)
    return JudgePrompt(
        _prompt_of(prompts, chosen_text or judging_value.prompt, bool(chosen_text), path).text, "published"
    )


def _text_prompt(whole_text: str, path: Path) -> str:
    """The text with the names of its fields as they are here."""
    text = _FIELD.sub(lambda match: f"{{{ROLES.get(match[1], match[1])}}}", whole_text.strip())
    if missing := [name for name in ("reference", "prediction") if f"{{{name}}}" not in text]:
        raise UserError(f"judge_prompts_from={path}: a judge's prompt has a place {{{missing[0]}}}, this one has none")
    return text


def _prompt_of(found_prompts: list[FoundPrompt], word: str, is_named: bool, path: Path) -> FoundPrompt:
    """The prompt that the code uses under a condition with this word; without a word the one that it uses else."""
    fitting = [prompt for prompt in found_prompts if (word in prompt.conditions if word else not prompt.conditions)]
    if not fitting and not is_named and len(found_prompts) == 1:
        return found_prompts[0]
    if len(fitting) == 1:
        return fitting[0]
    known_names = sorted({name for prompt in found_prompts for name in prompt.conditions})
    if word and not fitting:
        raise unknown(f"prompt in {path.name} (FILE::WORD, a word of the condition that chooses it)", word, known_names)
    raise UserError(
        f"{path} has {len(found_prompts)} prompts for a judge: choose by a word of the condition of one, {path}::WORD "
        f"({', '.join(known_names) or 'none has a condition'})"
    )
