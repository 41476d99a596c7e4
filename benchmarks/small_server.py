"""A small model behind a local server in OpenAI's form, for benchmarks of readers behind one.

The model is all-MiniLM-L6-v2 (22 million weights). It writes the sentence of the document that is nearest to the
question in meaning. Of options it writes the one that is nearest to the three best sentences. A claim is TRUE where a
sentence is as near as `NEAR`. A prompt over `WINDOW` words is refused, as servers do. A prompt is a question, options,
and `DOCUMENT`.

The server may think before it answers: the reply then has `thought` in one of the `FORMS` of real servers and models.
Where the thought takes all tokens of the output (a word is a token), the answer is missing, as with real servers.
"""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from benchmarks.http_stub import answering
from models import encoders

DOCUMENT_HEADING = "\n\nDOCUMENT:\n"
DOCUMENT = DOCUMENT_HEADING + "{document}"  # what follows the question in a prompt
WINDOW = 30_000
WORD, TOKEN = re.compile(r"\S+"), re.compile(r"\w{1,7}|[^\w\s]")
NEAR = 0.5  # a guess: nothing chose it
FORMS: dict[str, Callable[[str, str | None], dict[str, Any]]] = {  # thought, answer (None where it is cut) → message
    "vllm": lambda thought, answer: {"content": answer, "reasoning": thought},
    "deepseek": lambda thought, answer: {"content": answer, "reasoning_content": thought},  # SGLang, llama.cpp
    "openrouter": lambda thought, answer: {
        "content": answer or "",
        "reasoning_details": [{"type": "reasoning.text", "text": thought}],
    },
    "mistral": lambda thought, answer: {
        "content": [{"type": "thinking", "thinking": [_text(thought)]}, *([_text(answer)] if answer else [])]
    },
    "think": lambda thought, answer: _between("<think>", thought, "</think>\n\n", answer),
    "magistral": lambda thought, answer: _between("[THINK]", thought, "[/THINK]", answer),
    "harmony": lambda thought, answer: _between(
        "<|channel|>analysis<|message|>",
        thought,
        "<|end|><|start|>assistant<|channel|>final<|message|>",
        answer,
    ),
}
_OPTION = re.compile(r"\(([A-D])\) (.*)")


class Model(Protocol):
    """A model that can be served."""

    def answer(self, prompt: str) -> str:
        """The answer to a prompt."""


class SmallModel:
    """Answers prompts; sentences are encoded once."""

    def __init__(self) -> None:
        self.encoder = encoders.get("minilm")
        self.vectors: dict[str, Any] = {}
        self.lock = threading.Lock()

    def answer(self, prompt: str) -> str:
        """The answer to a prompt; for a question without a document the first option, or FALSE."""
        query, _, document = prompt.partition(DOCUMENT_HEADING)
        options = [match[2].strip() for match in _OPTION.finditer(query)]
        question = query.partition("\n")[0]
        sentences = [one for one in re.split(r"(?<=[.!?])\s+|\n+", document) if one.strip()]
        if not sentences:
            return options[0] if options else "FALSE"
        similarities = self._vectors(sentences) @ self._vectors([question])[0]
        best = np.argsort(-similarities, kind="stable")[:3]
        if options:
            option_similarities = (
                self._vectors([f"{question} {one}" for one in options])
                @ self._vectors([sentences[one] for one in best]).T
            )
            return options[int(option_similarities.mean(1).argmax())]
        if question.startswith("CLAIM:"):
            return "TRUE" if similarities.max() >= NEAR else "FALSE"
        return sentences[best[0]]

    def _vectors(self, texts: list[str]) -> Any:
        with self.lock:
            new = [one for one in dict.fromkeys(texts) if one not in self.vectors]
            if new:
                self.vectors |= dict(zip(new, np.asarray(self.encoder.encode(new, "passage")), strict=True))
            return np.stack([self.vectors[one] for one in texts])


@contextmanager
def serving(model: Model, form: str | None = None, thought: str = "", cuts: bool = False) -> Iterator[str]:
    """Serve a model while the block runs; the value is its address, `http://127.0.0.1:PORT/v1`.

    `form`: one of `FORMS`, in which `thought` comes with each answer. `cuts`: whether an answer is cut where it is over
    the longest output, as real servers do; tokens are then parts of words (`TOKEN`).
    """

    with answering(lambda body: _reply(model, body, form, thought, cuts)) as url:
        yield f"{url}/v1"


def _reply(
    model: Model, body: dict[str, Any], form: str | None, thought: str, cuts: bool
) -> tuple[int, dict[str, Any]]:
    prompt = str(body["messages"][-1]["content"])
    words = len(prompt.split())
    if words > WINDOW:
        text = f"This model's maximum context length is {WINDOW} tokens, the messages have {words} tokens."
        return 400, {"error": {"message": text, "code": "context_length_exceeded"}}
    token = TOKEN if cuts else WORD
    text, finish, thought_tokens = model.answer(prompt), "stop", len(token.findall(thought))
    length = int(body.get("max_tokens", WINDOW))
    if cuts and len(token.findall(text)) > length - thought_tokens:
        text, finish = _first(text, max(length - thought_tokens, 0)), "length"
    usage: dict[str, Any] = {
        "prompt_tokens": len(token.findall(prompt)),
        "completion_tokens": len(token.findall(text)),
    }
    message: dict[str, Any] = {"content": text}
    if form is not None:
        finish = finish if thought_tokens < length else "length"
        message = FORMS[form](thought, text if thought_tokens < length else None)
        usage["completion_tokens"] = min(usage["completion_tokens"] + thought_tokens, length)
        usage["completion_tokens_details"] = {"reasoning_tokens": min(thought_tokens, length)}
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
    return 200, {"model": "minilm", "choices": [choice], "usage": usage}


def _first(text: str, tokens: int) -> str:
    """The text's first tokens."""
    ends = [match.end() for match in TOKEN.finditer(text)][:tokens]
    return text[: ends[-1]] if ends else ""


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _between(begin: str, thought: str, end: str, answer: str | None) -> dict[str, Any]:
    """Thinking between marks in the text; without the last mark where the answer is missing."""
    return {"content": f"{begin}{thought}" if answer is None else f"{begin}{thought}{end}{answer}"}
