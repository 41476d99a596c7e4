"""Values that are typed with commas: `-k 1,2,5`, `--retriever bm25,tfidf`, `--select 100,300`."""

from collections.abc import Sequence
from pathlib import Path

from longdoc.errors import UserError
from longdoc.spec_lists import split_specs

FOLDERS = ("readers", "retrievers")  # kinds whose values may be folders and, as readers, hub ids


def components(kind: str, typed_texts: Sequence[str]) -> list[str]:
    """The components of a kind (`components.registries`), each of `typed_texts` one or several with commas between.

    A folder whose name has a comma is one. Raises `UserError` for what may be read in two ways.
    """
    return [single_text for text in typed_texts for single_text in _components(kind, text)]


def whole_numbers(flag: str, typed_names: Sequence[str]) -> list[int]:
    """Numbers with commas between. Raises `UserError`."""
    found_pieces = pieces(typed_names)
    try:
        return [int(piece) for piece in found_pieces]
    except ValueError:
        raise UserError(f"{flag} takes whole numbers, as in 1,2,5; got {','.join(found_pieces)}") from None


def pieces(typed_texts: Sequence[str]) -> list[str]:
    """What stands between commas."""
    return [piece.strip() for text in typed_texts for piece in text.split(",")]


def refuse_several(flag: str, values: Sequence[str]) -> None:
    """Refuse a list where one value is taken. Raises `UserError` that names the command for several."""
    if len(values) > 1:
        raise UserError(
            f"{flag} takes one value here, got {len(values)}: {', '.join(values)}; longdoc ablate compares several "
            f"({flag} {','.join(values)})"
        )


def _components(kind: str, text: str) -> list[str]:
    if "," not in text or (kind in FOLDERS and Path(text).exists()):
        return [text]

    def is_name(piece: str) -> bool:
        from pipelines.cli.components import registry_of

        name, colon, _ = piece.partition(":")
        return kind == "readers" or bool(colon) or name in registry_of(kind).names() or Path(piece).exists()

    return split_specs(text, is_name)
