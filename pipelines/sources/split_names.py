"""The names of splits."""

import re

from longdoc.errors import UserError

NAMES = {
    "train": "train",
    "training": "train",
    "dev": "validation",
    "val": "validation",
    "valid": "validation",
    "validation": "validation",
    "test": "test",
}


class NoSplit(UserError):
    """The data have no such split. A split that is there but cannot be read is another error."""


def canonical(name: str) -> str:
    """`train`, `validation` or `test` for any of their names; another name as it is."""
    return NAMES.get(name.lower(), name)


def split_of_file(name: str, split: str) -> str:
    """The split in a file's name, or `split` where there is none or several."""
    splits = splits_named_in(name)
    return splits.pop() if len(splits) == 1 else split


def splits_named_in(file: str) -> set[str]:
    """The splits among the words of a file's name: validation for `hotpot_dev_distractor_v1.json`."""
    return {NAMES[word] for word in re.split(r"[^a-z]+", file.lower()) if word in NAMES}
