"""Readers beside transformers, over tiny models with random weights, in fp32 on the CPU.

Ours get all prompts of a case together, in batches by length; theirs are asked one by one. transformers 5 has no
pipelines for text to text, summarization and extractive answers: there `generate` is called, and the network itself.
"""

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import models
from models import Classify, Generate
from tests import tiny_models
from tests.attacks.differential.comparisons import Comparison, Differences

WORDS = " ".join(tiny_models.TEXT).split()
BATCH = 16  # prompts of one call
LONGEST = 8  # words of a prompt: up to five tokens each, within the 48 of tiny T5s


def prompts(draw: random.Random) -> list[str]:
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, LONGEST))) for _ in range(BATCH)]


@contextmanager
def folder(kind: str) -> Iterator[Path]:
    """The folder of a tiny model."""
    import torch
    from transformers.utils import logging

    torch.set_num_threads(1)
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    with tempfile.TemporaryDirectory() as temporary:
        yield getattr(tiny_models, kind)(Path(temporary) / kind)


def batches(draw: random.Random, n: int) -> Iterator[list[str]]:
    """`n` prompts, some together."""
    for start in range(0, n, BATCH):
        yield prompts(draw)[: n - start]


def differences_of_texts(ours: list[Any], theirs: list[str]) -> Differences:
    """0 where the texts are equal but for white space around them, else infinity."""
    for reply, text in zip(ours, theirs, strict=True):
        assert (reply.error, reply.truncated_tokens) == (None, 0)
        yield 0.0 if reply.value.strip() == text.strip() else np.inf


def decoder(kind: str, draw: random.Random, n: int) -> Differences:
    """Greedy text of the pipeline text-generation."""
    from transformers import pipeline

    with folder(kind) as path:
        reader: Any = models.get("causal", model=str(path), device="cpu", dtype="fp32")
        theirs = pipeline("text-generation", model=str(path), device="cpu", dtype="float32")
        for texts in batches(draw, n):
            length = draw.randint(1, 20)
            options = {"max_new_tokens": length, "do_sample": False, "return_full_text": False}
            texts_of_theirs = [theirs(text, **options)[0]["generated_text"] for text in texts]
            yield from differences_of_texts(reader.reply([Generate(text, length) for text in texts]), texts_of_theirs)


def encoder_decoder(kind: str, draw: random.Random, n: int) -> Differences:
    """Greedy text of `generate`; LED's first token attends to all, as its authors have it."""
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    with folder(kind) as path:
        reader: Any = models.get("seq2seq", model=str(path), device="cpu", dtype="fp32")
        network, tokenizer = AutoModelForSeq2SeqLM.from_pretrained(path).eval(), AutoTokenizer.from_pretrained(path)
        for texts in batches(draw, n):
            length = draw.randint(1, 20)
            texts_of_theirs = []
            for text in texts:
                inputs = tokenizer(text, return_tensors="pt", return_token_type_ids=False)
                if kind == "led":
                    inputs["global_attention_mask"] = torch.zeros_like(inputs["input_ids"])
                    inputs["global_attention_mask"][:, 0] = 1
                forced = kind == "bart"  # its first token is always <s>, which ours do not count as one of the output
                ids = network.generate(**inputs, max_new_tokens=length + forced, do_sample=False, num_beams=1)
                texts_of_theirs.append(tokenizer.decode(ids[0], skip_special_tokens=True))
            yield from differences_of_texts(reader.reply([Generate(text, length) for text in texts]), texts_of_theirs)


def classifier(kind: str, draw: random.Random, n: int) -> Differences:
    """Probabilities of the pipeline text-classification."""
    from transformers import PreTrainedTokenizerFast, pipeline

    with folder(kind) as path:
        reader: Any = models.get("sequence_classifier", model=str(path), device="cpu", dtype="fp32")
        # the class that the folder names would make another tokenizer of its vocabulary
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(path / "tokenizer.json"))
        options = {"model": str(path), "tokenizer": tokenizer, "device": "cpu", "dtype": "float32"}
        theirs = pipeline("text-classification", top_k=None, **options)
        for texts in batches(draw, n):
            for text, reply in zip(texts, reader.reply([Classify(text) for text in texts]), strict=True):
                scores = {class_score["label"]: class_score["score"] for class_score in theirs([text])[0]}
                assert scores.keys() == reply.value.keys()
                yield max(abs(reply.value[label] - score) for label, score in scores.items())


def cases_of(make: Callable[..., Differences], kind: str) -> Callable[[random.Random, int], Differences]:
    return partial(make, kind)


COMPARISONS = (
    *(Comparison(f"causal, tiny {kind}, greedy", "pipeline text-generation", "transformers", 0, cases_of(decoder, kind))
      for kind in ("llama", "phi")),
    *(Comparison(f"seq2seq, tiny {kind}, greedy", "generate", "transformers", 0, cases_of(encoder_decoder, kind))
      for kind in ("t5", "longt5", "bart", "led")),
    *(Comparison(f"sequence_classifier, tiny {kind}", "pipeline text-classification", "transformers", 1e-5,
                 cases_of(classifier, kind))
      for kind in ("bert", "longformer")),
)  # fmt: skip
