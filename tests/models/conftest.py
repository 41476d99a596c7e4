"""Plain decoding, step by step, as a reference for the readers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def by_hand() -> Callable[..., list[int]]:
    """Greedy decoding without a cache: the network is asked for one token after the other."""

    def decode(folder: Path, text: str, steps: int, forced: int | None = None, **inputs: Any) -> list[int]:
        import torch
        from tokenizers import Tokenizer

        network = load_network(folder)
        tokens = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text).ids
        end, row = network.config.eos_token_id, [network.config.decoder_start_token_id]
        for step in range(steps):
            with torch.no_grad():
                logits = network(
                    input_ids=torch.tensor([tokens]), decoder_input_ids=torch.tensor([row]), **inputs
                ).logits[0, -1]
            row.append(forced if forced is not None and step == 0 else int(logits.argmax()))
            if row[-1] == end:
                break
        return row[1:]

    return decode


def load_network(folder: Path) -> Any:
    """The network of a folder, as `transformers` loads it."""
    from transformers import AutoModelForSeq2SeqLM

    return AutoModelForSeq2SeqLM.from_pretrained(folder).eval()


@pytest.fixture
def network() -> Callable[[Path], Any]:
    """A function that loads a folder's network."""
    return load_network
