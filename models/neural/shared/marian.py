"""Marian's tokenizers: two SentencePiece models, one per language, over the ids of `vocab.json`.

Ids are those of the `MarianTokenizer` of `transformers`: a piece without an id is `<unk>`; characters that no piece of
the language has are looked up together, so that they may get the id of a piece of the other language. Multilingual
models have a piece `>>code<<` for each language that they translate into; it is put before the source text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from longdoc import checked_json, plain_json
from longdoc.errors import UserError
from models.tokenizer import Encoded, Subwords

SPECIAL = ("</s>", "<unk>", "<pad>")
_is_id_mapping = checked_json.mapping(checked_json.count)
OTHER_LANGUAGE_MARK = "\ufffe"  # marks pieces of the other language, so that none is ever found in a text


@dataclass(frozen=True, slots=True)
class Pieces(Subwords):
    """A tokenizer over `vocab.json`; ids beyond it stand for pieces that the vocabulary lacks."""

    vocabulary: Mapping[str, int] = field(default_factory=dict)
    pieces: Sequence[str] = ()

    def encode(self, text: str) -> Encoded:
        """See `Subwords`; what is unknown is looked up as it is written."""
        encoded = Subwords.encode(self, text)
        unknown = self.vocabulary["<unk>"]
        ids = [token if token < len(self.pieces) else unknown for token in encoded.ids]
        for i, (start, end) in enumerate(encoded.spans):
            if encoded.ids[i] == unknown:
                ids[i] = self.vocabulary.get(self.tokenizer.normalizer.normalize_str(text[start:end]), unknown)
        return Encoded(ids, encoded.spans, encoded.special)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids of either language, special tokens left out."""
        special = self.special
        return "".join(self.pieces[token] for token in ids if token not in special).replace("▁", " ").strip()


def folder(path: Path) -> bool:
    """Whether a model folder has Marian's files and no `tokenizer.json`."""
    return (path / "source.spm").is_file() and not (path / "tokenizer.json").is_file()


def load(path: Path, code: str | None) -> tuple[Subwords, Subwords]:
    """The tokenizers of the source and of the target language; `code` is the piece put before the source text.

    Raises `UserError` for files that are missing or cannot be read.
    """
    vocabulary = _vocabulary(path / "vocab.json")
    target_vocabulary = (
        _vocabulary(path / "target_vocab.json") if (path / "target_vocab.json").is_file() else vocabulary
    )
    source = _pieces(path / "source.spm", vocabulary, f"{code} $A </s>" if code else "$A </s>")
    return source, _pieces(path / "target.spm", target_vocabulary, "$A </s>")


def codes(path: Path) -> tuple[str, ...]:
    """The languages that a multilingual model translates into, as its vocabulary writes them: `>>fra<<`."""
    return tuple(piece for piece in _vocabulary(path / "vocab.json") if piece[:2] == ">>" and piece[-2:] == "<<")


def _vocabulary(path: Path) -> dict[str, int]:
    try:
        vocabulary = plain_json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read Marian's vocabulary {path}: {error}; fetch the model again") from None
    if not _is_id_mapping(vocabulary) or not set(SPECIAL) <= vocabulary.keys():
        raise UserError(f"{path} is not a Marian vocabulary: it must give ids to {', '.join(SPECIAL)}")
    return dict(vocabulary)


def _pieces(path: Path, vocabulary: Mapping[str, int], template: str) -> Pieces:
    from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    proto = _model(path)
    scores = {piece.piece: piece.score for piece in proto.pieces}
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[piece] for piece in pieces] != list(range(len(pieces))):
        raise UserError(f"{path.parent}/vocab.json: its ids must run from 0 without a gap; fetch the model again")
    lowest_score = min(scores.values())
    special_tokens = {*SPECIAL, *(piece for piece in pieces if piece.startswith(">>"))}
    marked_pieces = [
        piece if piece in scores or piece in special_tokens else OTHER_LANGUAGE_MARK + piece for piece in pieces
    ]
    scored = [(piece, scores.get(piece, lowest_score)) for piece in marked_pieces]
    scored += [(piece, score) for piece, score in scores.items() if piece not in vocabulary]
    tokenizer = Tokenizer(models.Unigram(scored, vocabulary["<unk>"], False))
    charsmap = proto.normalizer_spec.precompiled_charsmap
    charsmap_steps = [normalizers.Precompiled(charsmap)] if charsmap else []
    spaces = normalizers.Replace(Regex(" {2,}"), " ")
    tokenizer.normalizer = normalizers.Sequence([*charsmap_steps, normalizers.Strip(), spaces])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    added = [(token, vocabulary[token]) for token in template.split() if token != "$A"]  # noqa: S105  (no password)
    tokenizer.post_processor = processors.TemplateProcessing(single=template, special_tokens=added)
    tokenizer.add_special_tokens(
        [AddedToken(token, normalized=False, special=True) for token in sorted(special_tokens)]
    )
    return Pieces(tokenizer, vocabulary, pieces)


def _model(path: Path) -> Any:
    decode_error: type[Exception] = import_module("google.protobuf.message").DecodeError
    proto: Any = import_module("sentencepiece.sentencepiece_model_pb2").ModelProto()
    try:
        proto.ParseFromString(path.read_bytes())
    except (OSError, decode_error) as error:
        raise UserError(f"cannot read the SentencePiece model {path}: {error}; fetch the model again") from None
    if proto.trainer_spec.model_type != 1:
        raise UserError(f"{path} is not a unigram model, the only kind read here; save a tokenizer.json beside it")
    return proto
