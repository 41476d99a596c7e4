"""Chinese words by `jieba`, as LongBench finds them."""

import logging
import warnings
from functools import cache
from typing import Any

from longdoc.optional import NotInstalled, need
from pipelines.metrics import NotComputable

SEGMENTED = "words:jieba 0.42.1, exact mode, HMM"


def prepare() -> None:
    """Load the dictionary. Raises `NotComputable` without `jieba`."""
    try:
        _tokenizer()
    except NotInstalled as error:
        raise NotComputable(str(error)) from None


def words(text: str) -> list[str]:
    """The words of a text, with its punctuation and white space: joined they give the text again."""
    return list(_tokenizer().cut(text, cut_all=False))


@cache
def _tokenizer() -> Any:
    """A tokenizer with jieba's own dictionary, whatever a program added to the module's.

    It is filled here: by itself it would read a cache from the folder for temporary files, where anyone may write.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of regular expressions in its source
        jieba: Any = need("jieba", "chinese", "scoring Chinese texts by words")
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer
