"""Tokenizers trained on the spot."""

from typing import Any

import pytest

LINES = ["The ship sailed at dawn, and nobody counted the crew again.", "Captain Lacroix was counting ships."] * 30


@pytest.fixture(scope="session")
def byte_pairs() -> Any:
    """Byte-level BPE: a token takes the space before it along, and can be a part of a character."""
    import tokenizers
    from tokenizers import models, pre_tokenizers, trainers

    made = tokenizers.Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, show_progress=False))
    return made


@pytest.fixture(scope="session")
def word_pieces() -> Any:
    """WordPiece, cut at white space."""
    import tokenizers
    from tokenizers import models, pre_tokenizers, trainers

    made = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.train_from_iterator(
        LINES, trainers.WordPieceTrainer(vocab_size=300, special_tokens=["[UNK]"], show_progress=False)
    )
    return made
