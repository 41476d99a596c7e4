"""The prompt of a judge: our own, or one read from a file (`judge_prompts_from`).

A file is a text with `{question}`, `{reference}` and `{prediction}`, or a Python file of a benchmark's repository
(`_python_prompts`), which is read and never run.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from longdoc.errors import UserError, unknown
from longdoc.files import expanded
from models.prompts import Part, Prompt
from pipelines.plugins.judging import _python_prompts
from pipelines.plugins.judging._python_prompts import ROLES, FoundPrompt
from pipelines.prompts.judge_words import ABSENT, ANSWER
from pipelines.records import Prediction, references_text
from pipelines.sources import reading, zips
from pipelines.tasks import Judging

SEVERAL = "one of these\n- "  # before several references

_REFERENCE, _PREDICTION = "Reference answer: {reference}", "Answer to be graded: {prediction}"
_FIELD = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class JudgePrompt:
    """A prompt with the fields question, reference and prediction; `wording` says who wrote it."""

    text: str
    wording: Literal["published", "own"] = "own"

    @property
    def name(self) -> str:
        """The wording with a digest of the text, for signatures."""
        return f"{self.wording} {sha256(self.text.encode()).hexdigest()[:8]}"

    def swapped(self) -> "JudgePrompt":
        """The prompt with the two answers in exchanged places. Raises `UserError` unless it is our own."""
        if self.wording != "own":
            problem = "swapped: only our own prompt of a judge can have its answers exchanged"
            raise UserError(f"{problem}; leave judge_prompts_from= out")
        return JudgePrompt(self.text.replace(f"{_REFERENCE}\n\n{_PREDICTION}", f"{_PREDICTION}\n\n{_REFERENCE}"))

    def fill(self, prediction: Prediction, is_again: bool = False) -> Prompt:
        """The judge's prompt for a prediction; `is_again` asks for one word, after a reply that was unclear.

        No part of it is ever cut.
        """
        text = self.text
        if not prediction.query and self.wording == "own":  # a summary, say
            text = text.replace("Question: {question}\n\n", "").replace("answers to questions about", "texts about")
        texts = references_text(prediction.references)
        references = texts[0] if len(texts) == 1 else SEVERAL + "\n- ".join(texts)
        values = {"question": prediction.query, "reference": references, "prediction": prediction.prediction}
        filled = _FIELD.sub(lambda match: values.get(match[1], match[0]), text)
        if is_again:
            filled += f"\n\nYour whole reply has to be one word: {self._words}."
        return Prompt((Part("text", filled),))

    @property
    def _words(self) -> str:
        """The two words that a reply may be; "correct" alone does not decide, since any text may contain it."""
        if re.search(r"\bincorrect\b", self.text, re.IGNORECASE):
            return "CORRECT or INCORRECT"
        return "True or False" if re.search(r"\btrue\b", self.text, re.IGNORECASE) else "yes or no"


def judge_prompt(judging: Judging, prompts_from: str | Path | None = None) -> JudgePrompt:
    """The prompt for a task. Raises `UserError` for a file that is missing or has no prompt."""
    if prompts_from is None:
        return JudgePrompt(ABSENT if judging.absent else ANSWER)
    place, _, word = str(prompts_from).partition(zips.SEPARATOR)
    path = expanded(place)
    if path.is_dir():
        raise UserError(f"judge_prompts_from={prompts_from} is a folder: pass the file that has the prompt")
    content = reading.text(reading.existing(path))
    if path.suffix != ".py":
        return JudgePrompt(_text_prompt(content, path), "published")
    prompts = _python_prompts.read(content, path)
    return JudgePrompt(_prompt_of(prompts, word or judging.prompt, bool(word), path).text, "published")


def _text_prompt(content: str, path: Path) -> str:
    """The text of a file, its fields renamed to ours. Raises `UserError` where one is missing."""
    text = _FIELD.sub(lambda match: f"{{{ROLES.get(match[1], match[1])}}}", content.strip())
    if missing := [name for name in ("reference", "prediction") if f"{{{name}}}" not in text]:
        raise UserError(
            f"judge_prompts_from={path} has no {{{missing[0]}}}: give a prompt with {{reference}} and {{prediction}}"
        )
    return text


def _prompt_of(prompts: list[FoundPrompt], word: str, is_named: bool, path: Path) -> FoundPrompt:
    """The prompt that the code uses under a condition with this word; without a word the one without a condition."""
    matching = [prompt for prompt in prompts if (word in prompt.conditions if word else not prompt.conditions)]
    if not matching and not is_named and len(prompts) == 1:
        return prompts[0]
    if len(matching) == 1:
        return matching[0]
    known = sorted({name for prompt in prompts for name in prompt.conditions})
    if word and not matching:
        raise unknown(f"prompt in {path.name} (FILE::WORD, a word of the condition that chooses it)", word, known)
    raise UserError(
        f"{path} has {len(prompts)} prompts for a judge: choose one by a word of its condition, {path}::WORD "
        f"({', '.join(known) or 'none has a condition'})"
    )
