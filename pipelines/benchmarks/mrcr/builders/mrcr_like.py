"""Conversations with like answers, one of which is to be repeated, as in MRCR (OpenAI 2025), in words of our own.

Several messages of a conversation ask for the same kind of text on the same subject, and the last message asks for one
of the answers by its number, with a random string before it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from longdoc.errors import UserError
from pipelines import tasks
from pipelines.benchmarks.mrcr.layouts.mrcr import SPEAKERS
from pipelines.benchmarks.mrcr.metrics.mrcr_ratio import NEEDLES
from pipelines.plugins.builders._generator import Generator
from pipelines.plugins.builders._names import NOUNS, Filler, word
from pipelines.plugins.builders._seeded_random import SeededRandom
from pipelines.plugins.builders.builder import Row

GENRES = ("poem", "letter", "riddle", "speech", "song", "recipe", "diary entry", "news item", "joke", "review")
SENTENCES = 6  # of an answer
STRING = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
GUESS = 70  # tokens of a request and its answer


class Conversation(NamedTuple):
    """The messages with the question as the last, the answer, its random string, and the place of its message."""

    messages: list[dict[str, str]]
    answer: str
    prefix: str
    place: int


@dataclass(frozen=True)
class MrcrLike(Generator):
    """Rows of MRCR's layout, `test.jsonl`, for `longdoc run mrcr --data FOLDER`.

    `length`: the tokens that the prompt and the answer have at most, in `unit` ("words", "characters", or a
    tokenizer); each row has its own in `tokens`. `needles`: how many answers are alike, 2, 4 or 8. Raises `UserError`
    for another number, and for a length that they do not fit into.
    """

    needles: int = 2

    def __post_init__(self) -> None:
        """Refuse another number of needles."""
        super().__post_init__()
        if self.needles not in NEEDLES:
            raise UserError(f"needles must be 2, 4 or 8, got {self.needles}: type --set needles=2")

    def generated(self, seed: int) -> Iterator[tuple[str, Row]]:
        """The rows, each as long as may be."""
        size = self.length // GUESS
        for number in range(self.examples):
            key = (seed, "mrcr", number)
            filler = Filler(*key, "filler")

            def tokens(size: int, filler: Filler = filler, key: tuple[Any, ...] = key) -> int:
                return self._shown_tokens(_conversation(self.needles, filler, SeededRandom(*key), size))

            size = self.size(tokens, self.needles, size)
            yield "test", self._row(_conversation(self.needles, filler, SeededRandom(*key), size))

    def _row(self, conversation: Conversation) -> Row:
        text = json.dumps(conversation.messages)
        return {
            "prompt": text,
            "answer": conversation.answer,
            "random_string_to_prepend": conversation.prefix,
            "n_needles": self.needles,
            "desired_msg_index": conversation.place,
            "total_messages": len(conversation.messages),
            "n_chars": sum(len(message["content"]) for message in conversation.messages),
            "tokens": self._tokens(conversation),
        }

    def _shown_tokens(self, conversation: Conversation) -> int:
        """The tokens of the prompt, which names the speakers, and of the answer."""
        *messages, question = conversation.messages
        text = "\n\n".join(f"{SPEAKERS[message['role']]}: {message['content']}" for message in messages)
        prompt = tasks.get("mrcr").prompt.format(document=text, query=question["content"])
        return self.count(f"{prompt} {conversation.answer}")

    def _tokens(self, conversation: Conversation) -> int:
        texts = [message["content"] for message in conversation.messages]
        return self.count("\n\n".join([*texts, conversation.answer]))


def _conversation(needles: int, filler: Filler, random: SeededRandom, size: int) -> Conversation:
    """A conversation of so many requests, of which some are the same, at places by chance."""
    repeated_request = f"{random.choice(GENRES)} about a {random.choice(NOUNS)}"
    prefix = "".join(random.choice(STRING) for _ in range(10))
    number, places = random.below(needles), sorted(random.shuffled(range(size))[:needles])
    sentences = filler.sentences(size * SENTENCES)
    messages: list[dict[str, str]] = []
    for place in range(size):
        request = repeated_request if place in places else _other_request(repeated_request, random)
        answer = f"{word(random).capitalize()}. {' '.join(sentences[place * SENTENCES : (place + 1) * SENTENCES])}"
        messages += [{"role": "user", "content": f"Write a {request}."}, {"role": "assistant", "content": answer}]
    index = 2 * places[number] + 1
    question = (
        f"Write {prefix} and right after it, word for word, the {ORDINALS[number]} {repeated_request} that you wrote "
        "above, and nothing else."
    )
    answer = prefix + messages[index]["content"]
    return Conversation([*messages, {"role": "user", "content": question}], answer, prefix, index)


def _other_request(repeated_request: str, random: SeededRandom) -> str:
    while (request := f"{random.choice(GENRES)} about a {random.choice(NOUNS)}") == repeated_request:
        pass
    return request
