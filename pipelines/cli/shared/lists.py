"""Values that are typed with commas: `-k 1,2,5`, `--retriever bm25,tfidf`, `--budget "100 words,300 words"`."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from longdoc.errors import UserError
from longdoc.specs import split_specs

FOLDERS = ("readers", "retrievers")  # kinds whose values may be folders and, as readers, hub ids


def components(kind: str, texts: Sequence[str]) -> list[str]:
    """The specs of a kind's components in `texts`, each of which is one spec or several with commas.

    The path of an existing folder stays whole. Raises `UserError` for a text that can be split in two ways.
    """
    return [component for text in texts for component in _components(kind, text)]


def whole_numbers(flag: str, texts: Sequence[str]) -> list[int]:
    """The whole numbers in texts such as "1,2,5". Raises `UserError`."""
    numbers = pieces(texts)
    try:
        return [int(piece) for piece in numbers]
    except ValueError:
        raise UserError(f"{flag} takes whole numbers, as in 1,2,5; got {','.join(numbers)}") from None


def pieces(texts: Sequence[str]) -> list[str]:
    """The parts of the texts between commas."""
    return [piece.strip() for text in texts for piece in text.split(",")]


def refuse_several(flag: str, values: Sequence[str]) -> None:
    """Raise `UserError` for several values of an option that takes one; it names `longdoc ablate`."""
    if len(values) > 1:
        raise UserError(
            f"{flag} takes one value here, got {len(values)}: {', '.join(values)}; longdoc ablate compares several "
            f"({flag} {shlex.quote(','.join(values))})"
        )


def _components(kind: str, text: str) -> list[str]:
    if "," not in text or (kind in FOLDERS and Path(text).exists()):
        return [text]

    def is_name(piece: str) -> bool:
        from pipelines.cli.components import registry_of

        name, colon, _ = piece.partition(":")
        return kind == "readers" or bool(colon) or name in registry_of(kind).names() or Path(piece).exists()

    return split_specs(text, is_name, takes_fields=kind == "readers")
