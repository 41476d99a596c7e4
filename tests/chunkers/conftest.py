"""Tokenizers trained on the spot."""

from typing import Any

import pytest

LINES = ["The ship sailed at dawn, and nobody counted the crew again.", "Captain Lacroix was counting ships."] * 30


@pytest.fixture(scope="session")
def byte_pairs() -> Any:
    """A byte-level BPE tokenizer: a token includes the space before it, and can be a part of a character."""
    import tokenizers
    from tokenizers import models, pre_tokenizers, trainers

    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(LINES, trainer)
    return tokenizer


@pytest.fixture(scope="session")
def word_pieces() -> Any:
    """A WordPiece tokenizer, which splits at white space."""
    import tokenizers
    from tokenizers import models, pre_tokenizers, trainers

    tokenizer = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(
        LINES, trainers.WordPieceTrainer(vocab_size=300, special_tokens=["[UNK]"], show_progress=False)
    )
    return tokenizer
